"""Where a data set is looked for, how it is downloaded (by pooch) and verified."""

import hashlib
import os
import sys
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from relrbf.datasets.registry import (
    Arrays,
    DataFile,
    DatasetEntry,
    Source,
    contents_checksum,
    read_registry,
)
from relrbf.exceptions import DatasetError

DATA_VARIABLE, CACHE_VARIABLE = "RELRBF_DATA", "RELRBF_CACHE"
DOWNLOAD_TIMEOUT = 30.0  # seconds without an answer


def fetch(name: str, data_home: Any = None, download_if_missing: bool = True) -> Arrays:
    """Return the arrays of a data set: from the folders of data, or else from its address."""
    return fetch_entry(read_registry()[name], data_home, download_if_missing)


def fetch_entry(
    entry: DatasetEntry, data_home: Any = None, download_if_missing: bool = True
) -> Arrays:
    """Return the arrays of an entry of the registry."""
    folders = _folders(data_home)
    for folder in folders:
        for source in entry.sources:
            if all(path.is_file() for path in source.paths(folder / entry.name)):
                return _read_verified(entry, source, folder / entry.name)
    advice = _advice(entry, folders)
    if not download_if_missing:
        raise DatasetError(f"{entry.name} is not there, and was not to be downloaded. {advice}")
    return _download(entry, folders[-1], advice)


def cache_folder() -> Path:
    """Return the folder for what can be downloaded again."""
    if given := os.environ.get(CACHE_VARIABLE):
        return Path(given).expanduser()
    return Path(_import_pooch().os_cache("relrbf"))


def _import_pooch() -> Any:
    try:
        import pooch
    except ImportError as error:
        raise DatasetError(
            "a data set that is not at hand is downloaded by pooch, which is not installed; try: "
            f"pip install 'relrbf[datasets]', or name a folder of data in {DATA_VARIABLE}."
        ) from error
    pooch.get_logger().setLevel("WARNING")  # of files without a known checksum it would tell one
    return pooch


def _folders(data_home: Any) -> list[Path]:
    """Return the folders in which to look, the one to download to last."""
    if data_home is not None:
        return [Path(data_home).expanduser()]
    given = os.environ.get(DATA_VARIABLE)
    if not given:
        return [cache_folder()]
    folder = Path(given).expanduser()
    if not folder.is_dir():
        raise DatasetError(
            f"{DATA_VARIABLE} is {given!r}, which is no folder. Correct or unset it."
        )
    return [folder, cache_folder()]


def _download(entry: DatasetEntry, home: Path, advice: str) -> Arrays:
    """Download to a folder of its own, verify, and only then put in place.

    Another process sees no file or a whole one; two that download at once agree.
    """
    pooch = _import_pooch()
    source = next(source for source in entry.sources if source.is_public)
    try:
        home.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(".part", f"{entry.name}.", home) as stage:
            downloader = pooch.HTTPDownloader(_can_show_bar(), timeout=DOWNLOAD_TIMEOUT)
            for file in source.files:
                checksum = None if file.sha256 is None else f"sha256:{file.sha256}"
                pooch.retrieve(file.url, checksum, file.name, stage, downloader=downloader)
            arrays = _read_downloaded(entry, source, Path(stage), advice)
            (home / entry.name).mkdir(exist_ok=True)
            for path in source.paths(Path(stage)):
                os.replace(path, home / entry.name / path.name)
            return arrays
    except DatasetError:
        raise
    except (OSError, ValueError) as error:  # requests' errors are OSErrors
        raise DatasetError(
            f"{entry.name} is not there and could not be downloaded to {home} "
            f"({type(error).__name__}: {error}). {advice}"
        ) from error


def _can_show_bar() -> bool:
    """Tell whether pooch can draw a bar: it needs tqdm, and a terminal."""
    return find_spec("tqdm") is not None and sys.stderr is not None and sys.stderr.isatty()


def _read_downloaded(entry: DatasetEntry, source: Source, stage: Path, advice: str) -> Arrays:
    try:
        return _read_verified(entry, source, stage)
    except DatasetError as error:
        addresses = " and ".join(str(file.url) for file in source.files)
        raise DatasetError(
            f"{entry.name}: what {addresses} gave is not what it should be, and was not kept "
            f"({error.__cause__ or 'its contents have another sha256'}). {advice}"
        ) from error


def _read_verified(entry: DatasetEntry, source: Source, folder: Path) -> Arrays:
    """Return the arrays of a data set; a file with another checksum is not even opened."""
    paths = source.paths(folder)
    for file, path in zip(source.files, paths, strict=True):
        found = hashlib.sha256(path.read_bytes()).hexdigest()
        if file.sha256 not in (None, found):
            size = f"{path.stat().st_size:,} bytes of {file.size:,}"
            raise _damaged(entry, [path], f"{size}; its sha256 is {found}, not {file.sha256}")
    try:
        arrays = source.read(*paths)
    except Exception as error:  # whatever a reader fails on, the file is not what it reads
        raise _damaged(entry, paths, f"it cannot be read ({error})") from error
    found = contents_checksum(arrays)
    if found != entry.contents:
        problem = f"the sha256 of what is in it is {found}, not {entry.contents}"
        raise _damaged(entry, paths, problem)
    return arrays


def _damaged(entry: DatasetEntry, paths: list[Path], problem: str) -> DatasetError:
    return DatasetError(
        f"{entry.name}: {' with '.join(map(str, paths))} is damaged or another file of that name: "
        f"{problem}. It was left as it is and is not used. Delete it, or put the right one in its "
        "place; where none is found, the public one is downloaded."
    )


def _advice(entry: DatasetEntry, folders: list[Path]) -> str:
    """Say which files to put where, and how they will be recognised."""
    looked = " and ".join(str(folder / entry.name) for folder in folders)
    listed = (
        "\n      and ".join(_described(file) for file in source.files) for source in entry.sources
    )
    alternatives = "\n  or  ".join(listed)
    return (
        f"It was looked for in {looked}; {DATA_VARIABLE}, {CACHE_VARIABLE} or data_home name "
        f"another folder. To do without a download, put into {folders[-1] / entry.name}\n"
        f"      {alternatives}\nWhat is read from them must have the sha256 {entry.contents}."
    )


def _described(file: DataFile) -> str:
    if file.url:
        return f"{file.name}, from {file.url}"
    return f"{file.name} (sha256 {file.sha256}, {file.size:,} bytes)"
