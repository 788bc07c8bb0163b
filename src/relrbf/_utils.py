"""Small helpers: docstrings, files that are replaced, imports at first use, optional libraries."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from secrets import token_hex
from typing import Any, BinaryIO, TypeVar

from relrbf.exceptions import OptionError

Documented = TypeVar("Documented", bound=Callable[..., Any])
OUT_OF_RANGE: Any = dict.fromkeys(("over", "invalid", "divide"), "ignore")  # warnings of numpy's


def filled(**texts: str) -> Callable[[Documented], Documented]:
    """Fill the named places, ``{name}``, in the docstring of a class or function."""

    def fill(documented: Documented) -> Documented:
        assert documented.__doc__ is not None
        for name, text in texts.items():
            documented.__doc__ = documented.__doc__.replace(f"{{{name}}}", text)
        return documented

    return fill


def imported_when_used(
    module: str, homes: dict[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a module, given where its names are defined."""

    def find(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        return getattr(import_module(homes[name]), name)

    return find, lambda: sorted(homes)


def import_library(module: str, package: str, what: str) -> Any:
    """Import a library, or say what needs it and how to install it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise OptionError(
            f"{what} needs {package}, which cannot be imported ({error}). Install it with: "
            f"pip install {package}"
        ) from error


@cache
def has_numba() -> bool:
    """Tell whether numba can be used; one that fails to load, as of a wrong version, cannot."""
    try:
        import numba  # noqa: F401
    except Exception:
        return False
    return True


def compiled(function: Callable[..., Any], **options: Any) -> Any:
    """Return the function compiled by numba when first called, and cached where it can be."""
    from numba import njit

    try:
        return njit(cache=True, **options)(function)
    except RuntimeError:  # no folder to write to
        return njit(**options)(function)


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Open a file to be written beside a path, and put it in its place when all went well.

    Until then whatever is at the path stays as it is, also when the process is killed; who may read
    it stays the same for good. What cannot be written is an ``OSError``.
    """
    path = Path(os.path.realpath(path))  # of a link, where it leads
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; give the path of a file")
    if path.exists() and not path.is_file():
        raise FileExistsError(f"{path} is a device or a pipe, which would be replaced by a file")
    if not path.parent.is_dir():
        raise NotADirectoryError(f"{path} lies in a folder that does not exist; make it first")
    unnamed = open_unnamed(path.parent)
    beside = path.with_name(f".{path.name}.{'relrbf' if unnamed else token_hex(4)}.part")
    try:
        with unnamed or open(beside, "x+b") as file:
            yield file
            file.flush()
            if path.exists() and hasattr(os, "fchmod"):  # who may read it stays as it was
                os.fchmod(file.fileno(), path.stat().st_mode & 0o7777)
            os.fsync(file.fileno())
            if unnamed:
                _put_in_place(unnamed, beside, path)
        if not unnamed:
            os.replace(beside, path)
        with suppress(OSError):  # have the new name on disk, where folders can be synchronised
            folder = os.open(path.parent, os.O_RDONLY)
            os.fsync(folder)
            os.close(folder)
    except OSError as error:
        error.filename = str(path)  # not the file beside it, and of a full disk not none
        raise
    finally:
        if not unnamed:  # else it is another process's, if it is there
            with suppress(OSError):
                beside.unlink()


def _put_in_place(file: BinaryIO, beside: Path, path: Path) -> None:
    """Name a file that has no name; in the place of another one that takes a second name.

    A kill between the two leaves a whole file there: who writes next puts that in place before.
    """
    unnamed = f"/proc/self/fd/{file.fileno()}"
    while True:
        place = beside if any(map(os.path.lexists, (path, beside))) else path
        try:
            return os.link(unnamed, place, src_dir_fd=file.fileno())
        except FileExistsError:
            continue
        finally:
            try:
                os.replace(beside, path)
            except FileNotFoundError:  # there was none, or another process has done it
                pass
            except (OSError, KeyboardInterrupt):
                beside.unlink(missing_ok=True)
                raise


def open_unnamed(folder: Path) -> BinaryIO | None:
    """Open a file that is gone if the process is killed; None where the system has no such."""
    if not hasattr(os, "O_TMPFILE") or not Path("/proc/self/fd").is_dir():
        return None
    try:
        return os.fdopen(os.open(folder, os.O_TMPFILE | os.O_RDWR, 0o666), "w+b")
    except OSError:
        return None
