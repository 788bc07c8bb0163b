"""Where a data set is looked for, and what is said when it is nowhere."""

import os
import sys
from pathlib import Path
from typing import Any

from relrbf.datasets.download import download
from relrbf.datasets.entry import Arrays, Entry, File, Source
from relrbf.datasets.verify import read_verified
from relrbf.exceptions import DatasetError

DATA, CACHE = "RELRBF_DATA", "RELRBF_CACHE"


def obtain(entry: Entry, data_home: Any = None, download_if_missing: bool = True) -> Arrays:
    """Return the arrays of a data set: from the folders of data, or else from its address."""
    folders = _folders(data_home)
    for folder in folders:
        for source in entry.sources:
            if all(path.is_file() for path in source.paths(folder / entry.name)):
                return read_verified(entry, source, folder / entry.name)
    missing = _advice(entry, folders)
    if not download_if_missing:
        raise DatasetError(f"{entry.name} is not there, and was not to be downloaded. {missing}")
    return download(entry, folders[-1], missing)


def cache_folder() -> Path:
    """Return the user's folder for what can be fetched again."""
    if given := os.environ.get(CACHE):
        return Path(given).expanduser()
    if sys.platform == "darwin":
        return Path("~/Library/Caches/relrbf").expanduser()
    usual = "LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME"
    return Path(os.environ.get(usual) or "~/.cache").expanduser() / "relrbf"


def _folders(data_home: Any) -> list[Path]:
    """Return the folders in which to look, the one to download to last."""
    if data_home is not None:
        return [Path(data_home).expanduser()]
    given = os.environ.get(DATA)
    if not given:
        return [cache_folder()]
    folder = Path(given).expanduser()
    if not folder.is_dir():
        raise DatasetError(f"{DATA} is {given!r}, which is no folder. Correct it, or unset it.")
    return [folder, cache_folder()]


def _advice(entry: Entry, folders: list[Path]) -> str:
    """Say which files to put where, and how they will be recognised."""
    looked = " and ".join(str(folder / entry.name) for folder in folders)
    ways = "\n  or  ".join(_listed(source) for source in entry.sources)
    return (
        f"It was looked for in {looked}; {DATA}, {CACHE} or data_home name another folder. To do "
        f"without a download, put into {folders[-1] / entry.name}\n      {ways}\n"
        f"What is read from them must have the sha256 {entry.contents}."
    )


def _listed(source: Source) -> str:
    return "\n      and ".join(_described(file) for file in source.files)


def _described(file: File) -> str:
    if file.address:
        return f"{file.name}, from {file.address}"
    return f"{file.name} (sha256 {file.sha256}, {file.size:,} bytes)"
