"""Texts that several docstrings share, written once."""

from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T", bound=Callable[..., Any])


def filled(**texts: str) -> Callable[[T], T]:
    """Fill the named places, ``{name}``, in the docstring of a class or function."""

    def fill(documented: T) -> T:
        assert documented.__doc__ is not None
        for name, text in texts.items():
            documented.__doc__ = documented.__doc__.replace(f"{{{name}}}", text)
        return documented

    return fill
