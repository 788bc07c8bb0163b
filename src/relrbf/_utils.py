"""Small helpers: shared docstrings, joblib's generators, and libraries that are optional."""

import warnings
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import Any, TypeVar

from relrbf.exceptions import OptionError

Item = TypeVar("Item")
Documented = TypeVar("Documented", bound=Callable[..., Any])


def filled(**texts: str) -> Callable[[Documented], Documented]:
    """Fill the named places, ``{name}``, in the docstring of a class or function."""

    def fill(documented: Documented) -> Documented:
        assert documented.__doc__ is not None
        for name, text in texts.items():
            documented.__doc__ = documented.__doc__.replace(f"{{{name}}}", text)
        return documented

    return fill


@contextmanager
def closed(coming: Generator[Item, Any, Any]) -> Iterator[Generator[Item, Any, Any]]:
    """Stop joblib's workers at the end, without its warning about results nobody used."""
    try:
        yield coming
    finally:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", ".*tasks .*(been|not used)", UserWarning)
            coming.close()


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
