"""A file that is there as a whole or not at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Open a file to be written beside a path, and put it in its place when all went well.

    Until then whatever is at the path stays as it is, also when the process is killed. What cannot
    be written is an ``OSError``.
    """
    path = Path(os.path.realpath(path))  # of a link, where it leads
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; give the path of a file")
    if path.exists() and not path.is_file():
        raise FileExistsError(f"{path} is a device or a pipe, which would be replaced by a file")
    if not path.parent.is_dir():
        raise NotADirectoryError(f"{path} lies in a folder that does not exist; make it first")
    beside = path.with_name(f".{path.name}.{token_hex(4)}.part")
    try:
        with open(beside, "x+b") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
        _sync(path.parent)
    except OSError as error:
        error.filename = str(path)  # not the file beside it, and of a full disk not none
        raise
    finally:
        with suppress(OSError):
            beside.unlink()


def _sync(folder: Path) -> None:
    """Have the new name on disk as well, where folders can be synchronised."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
