"""A file that is there as a whole or not at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO

from relrbf.exceptions import ModelFileError


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Open a file to be written beside a path, and put it in its place when all went well.

    Until then whatever is at the path stays as it is, also when the process is killed.
    """
    path = Path(os.path.realpath(path))  # of a link, where it leads
    if path.is_dir() or not path.parent.is_dir():
        problem = "is a folder" if path.is_dir() else "lies in a folder that does not exist"
        raise ModelFileError(f"path={str(path)!r} {problem}; give the path of a file.")
    beside = path.with_name(f".{path.name}.{token_hex(4)}.part")
    try:
        with open(beside, "x+b") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
        _settle(path.parent)
    except OSError as error:
        raise ModelFileError(
            f"path={str(path)!r} could not be written ({error.strerror or error}). What was there "
            "is as it was."
        ) from error
    finally:
        with suppress(OSError):
            beside.unlink()


def _settle(folder: Path) -> None:
    """Have the new name on disk as well, where folders can be synchronised."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
