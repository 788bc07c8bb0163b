"""Where a data set is looked for, how it is downloaded (by pooch) and verified.

``registry.toml`` says what is known of it. A set may come as different files: an archive that was
made from the originals, or the originals themselves. Whatever the files, the same arrays are read
from them, and one checksum of these arrays says whether they are right. A checksum of the file is
known besides where the file was at hand.
"""

import logging
import os
import sys
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from importlib import resources
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from relrbf.datasets import formats
from relrbf.datasets.formats import Arrays
from relrbf.exceptions import DatasetError

DATA_VARIABLE, CACHE_VARIABLE = "RELRBF_DATA", "RELRBF_CACHE"
DOWNLOAD_TIMEOUT = 30.0  # seconds without an answer


@dataclass(frozen=True)
class DataFile:
    """A file by name, with its public address and its checksum where they are known."""

    name: str
    url: str | None = None
    sha256: str | None = None
    size: int | None = None

    def __str__(self) -> str:
        if self.url:
            return f"{self.name}, from {self.url}"
        return f"{self.name} (sha256 {self.sha256}, {self.size:,} bytes)"


@dataclass(frozen=True)
class Source:
    """Files that together hold a data set, and the function that reads them, in this order."""

    files: tuple[DataFile, ...]
    read: Callable[..., Arrays]

    @property
    def is_public(self) -> bool:
        """Whether every file has a public address."""
        return all(file.url for file in self.files)

    def paths(self, folder: Path) -> list[Path]:
        """Return where the files lie, or would, in a folder."""
        return [folder / file.name for file in self.files]


@dataclass(frozen=True)
class DatasetEntry:
    """A data set: the checksum of its arrays, the files it comes as, citation and licence."""

    name: str
    contents: str
    sources: tuple[Source, ...]
    citation: str
    licence: str
    feature_names: tuple[str, ...] = ()

    @property
    def description(self) -> str:
        """What the data are, and their traps; then citation, licence and addresses."""
        text = resources.files("relrbf.datasets") / "descriptions" / f"{self.name}.md"
        lines = [text.read_text("utf-8"), f"Citation: {self.citation}", f"Licence: {self.licence}"]
        public = [file for source in self.sources if source.is_public for file in source.files]
        return "\n".join([*lines, *(f"Public address: {file.url}" for file in public), ""])


def read_registry() -> dict[str, DatasetEntry]:
    """Return all data sets by name."""
    file = resources.files("relrbf.datasets") / "registry.toml"
    table = tomllib.loads(file.read_text("utf-8"))
    for fields in table.values():
        fields["sources"] = tuple(map(_source, fields.get("sources", ())))
    return {name: DatasetEntry(name, **fields) for name, fields in table.items()}


def _source(fields: dict[str, Any]) -> Source:
    files = tuple(DataFile(**file) for file in fields["files"])
    return Source(files, getattr(formats, fields["reader"]))


def fetch(name: str, data_home: Any = None, download_if_missing: bool = True) -> Arrays:
    """Return the arrays of a data set: from the folders of data, or else from its address."""
    return fetch_entry(read_registry()[name], data_home, download_if_missing)


def fetch_entry(
    entry: DatasetEntry, data_home: Any = None, download_if_missing: bool = True
) -> Arrays:
    """Return the arrays of an entry of the registry."""
    looked = []
    for home in _homes(data_home):
        looked.append(home / entry.name)
        for source in entry.sources:
            if all(path.is_file() for path in source.paths(looked[-1])):
                return _read_verified(entry, source, looked[-1])
    advice = _advice(entry, looked)
    if not download_if_missing:
        raise DatasetError(f"{entry.name} is not there, and was not to be downloaded. {advice}")
    if not any(source.is_public for source in entry.sources):
        raise DatasetError(f"{entry.name} is not there, and has no public address. {advice}")
    return _download(entry, looked[-1], advice)


def _homes(data_home: Any) -> Iterator[Path]:
    """Yield the folders in which to look, the one to download to last."""
    if data_home is not None:
        yield Path(data_home).expanduser()
        return
    if given := os.environ.get(DATA_VARIABLE):
        if not Path(given).expanduser().is_dir():
            problem = f"{DATA_VARIABLE} is {given!r}, which is no folder. Correct or unset it."
            raise DatasetError(problem)
        yield Path(given).expanduser()
    yield cache_folder()


def cache_folder() -> Path:
    """Return the folder for what can be downloaded again."""
    given = os.environ.get(CACHE_VARIABLE)
    return Path(given or _import_pooch().os_cache("relrbf")).expanduser()


def _import_pooch() -> Any:
    try:
        import pooch
    except ImportError as error:
        raise DatasetError(
            "a data set that is not at hand is downloaded by pooch, which is not installed; try: "
            f"pip install 'relrbf[datasets]', or name a folder of data in {DATA_VARIABLE}."
        ) from error
    pooch.get_logger().addFilter(_is_about_progress)
    return pooch


def _is_about_progress(record: logging.LogRecord) -> bool:
    """Leave out the checksum that pooch tells of a file without a known one."""
    return not record.getMessage().startswith("SHA256")


def _download(entry: DatasetEntry, folder: Path, advice: str) -> Arrays:
    """Download to a folder of its own, verify, and only then put in place.

    Another process sees no file or a whole one; two that download at once agree.
    """
    pooch, home = _import_pooch(), folder.parent
    source = next(source for source in entry.sources if source.is_public)
    can_show_bar = find_spec("tqdm") is not None and sys.stderr is not None and sys.stderr.isatty()
    downloader = pooch.HTTPDownloader(can_show_bar, timeout=DOWNLOAD_TIMEOUT)
    try:
        home.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(".part", f"{entry.name}.", home) as stage:
            for file in source.files:
                checksum = None if file.sha256 is None else f"sha256:{file.sha256}"
                pooch.retrieve(file.url, checksum, file.name, stage, downloader=downloader)
            arrays = _read_verified(entry, source, Path(stage))
            folder.mkdir(exist_ok=True)
            for path in source.paths(Path(stage)):
                os.replace(path, folder / path.name)
            return arrays
    except DatasetError as error:
        addresses = " and ".join(str(file.url) for file in source.files)
        raise DatasetError(
            f"{entry.name}: what {addresses} gave is not what it should be, and was not kept "
            f"({error.__cause__ or 'its contents have another sha256'}). {advice}"
        ) from error
    except (OSError, ValueError) as error:  # requests' errors are OSErrors
        raise DatasetError(
            f"{entry.name} is not there and could not be downloaded to {home} "
            f"({type(error).__name__}: {error}). {advice}"
        ) from error


def _read_verified(entry: DatasetEntry, source: Source, folder: Path) -> Arrays:
    """Return the arrays of a data set; a file with another checksum is not even opened."""
    paths = source.paths(folder)
    for file, path in zip(source.files, paths, strict=True):
        found = sha256(path.read_bytes()).hexdigest()
        if file.sha256 not in (None, found):
            size = f"{path.stat().st_size:,} bytes of {file.size:,}"
            raise _damaged(entry, [path], f"{size}; its sha256 is {found}, not {file.sha256}")
    try:
        arrays = source.read(*paths)
    except Exception as error:  # whatever a reader fails on, the file is not what it reads
        raise _damaged(entry, paths, f"it cannot be read ({error!s:.300})") from error
    found = contents_checksum(arrays)
    if found != entry.contents:
        problem = f"the sha256 of what is in it is {found}, not {entry.contents}"
        raise _damaged(entry, paths, problem)
    return arrays


def _damaged(entry: DatasetEntry, paths: list[Path], problem: str) -> DatasetError:
    return DatasetError(
        f"{entry.name}: {' with '.join(map(str, paths))} is damaged or another file of that name: "
        f"{problem}. It was left as it is and is not used. Delete it, or put the right one in its "
        "place; where none is found, the public one is downloaded, if there is one."
    )


def _advice(entry: DatasetEntry, looked: list[Path]) -> str:
    """Say which files to put where, and how they will be recognised."""
    alternatives = ("\n      and ".join(map(str, source.files)) for source in entry.sources)
    listed = "\n  or  ".join(alternatives)
    return (
        f"It was looked for in {' and '.join(map(str, looked))}; {DATA_VARIABLE}, "
        f"{CACHE_VARIABLE} or data_home name another folder. To do without a download, put into "
        f"{looked[-1]}\n      {listed}\n"
        f"What is read from them must have the sha256 {entry.contents}."
    )


def contents_checksum(arrays: Arrays) -> str:
    """Return the sha256 of arrays: of names, shapes, kinds and values, however they were stored."""
    digest = sha256()
    for name, array in sorted(arrays.items()):
        kind, data = _canonical(array)
        digest.update(f"{name} {array.shape} {kind}\n".encode() + data)
    return digest.hexdigest()


def _canonical(array: np.ndarray) -> tuple[str, bytes]:
    """Return an array as bytes that depend neither on the machine nor on the width of strings."""
    if array.dtype.kind in "UO":
        return "text", "\n".join(map(str, array.ravel())).encode()
    dtype = array.dtype.newbyteorder("<")
    if dtype.kind == "f":
        array = np.where(np.isnan(array), np.nan, array) + 0.0  # one NaN, and no minus zero
    return dtype.str, array.astype(dtype).tobytes()
