"""Fetching a data set: into a folder of its own, verified, and only then put in place.

Whoever looks meanwhile sees no file or a whole one; two who fetch at once do the same work twice
and agree. What a kill leaves behind is swept away by a later download.
"""

import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPException
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.request import Request, urlopen

from relrbf.datasets.entry import Arrays, Entry, File, Source
from relrbf.datasets.progress import progress_bar
from relrbf.datasets.verify import read_verified
from relrbf.exceptions import DatasetError

PART, STALE = ".part", 24 * 3600.0
CHUNK, PATIENCE = 1 << 16, 30.0


def download(entry: Entry, home: Path, otherwise: str) -> Arrays:
    """Fetch a data set to a folder and return its arrays; ``otherwise`` says what else to do."""
    source = next(source for source in entry.sources if source.is_public)
    try:
        with _staging(home, entry.name) as stage:
            for file in source.files:
                _fetch(file, stage / file.name)
            arrays = _verified(entry, source, stage, otherwise)
            _put_in_place(source, stage, home / entry.name)
            return arrays
    except DatasetError:
        raise
    except (OSError, HTTPException) as error:
        raise DatasetError(
            f"{entry.name} is not there and could not be downloaded to {home} "
            f"({type(error).__name__}: {error}). {otherwise}"
        ) from error


@contextmanager
def _staging(home: Path, name: str) -> Iterator[Path]:
    """Give a folder that is gone in the end, whatever happens."""
    home.mkdir(parents=True, exist_ok=True)
    for left in home.glob(f"*{PART}"):
        with suppress(FileNotFoundError):  # another's, just done with
            if time.time() - left.stat().st_mtime > STALE:
                shutil.rmtree(left, ignore_errors=True)
    with TemporaryDirectory(PART, f"{name}.", home) as stage:
        yield Path(stage)


def _fetch(file: File, path: Path) -> None:
    with progress_bar(file.name) as show:
        transfer(str(file.address), path, show)


def transfer(address: str, path: Path, show: Callable[[int, int], None]) -> None:
    """Copy what an address gives to a file, and say how far it is; refuse half of it."""
    request = Request(address, headers={"User-Agent": "relrbf"})
    with urlopen(request, timeout=PATIENCE) as answer, open(path, "wb") as file:
        total, done = int(answer.headers.get("Content-Length") or 0), 0
        while part := answer.read(CHUNK):
            file.write(part)
            done += len(part)
            show(done, total)
    if done < total:
        raise ConnectionError(f"{address} broke off after {done:,} of {total:,} bytes")


def _verified(entry: Entry, source: Source, stage: Path, otherwise: str) -> Arrays:
    try:
        return read_verified(entry, source, stage)
    except DatasetError as error:
        addresses = " and ".join(str(file.address) for file in source.files)
        raise DatasetError(
            f"{entry.name}: what {addresses} gave is not what it should be, and was not kept "
            f"({error.__cause__ or 'its contents have another sha256'}). {otherwise}"
        ) from error


def _put_in_place(source: Source, stage: Path, target: Path) -> None:
    target.mkdir(exist_ok=True)
    for here, there in zip(source.paths(stage), source.paths(target), strict=True):
        os.replace(here, there)
