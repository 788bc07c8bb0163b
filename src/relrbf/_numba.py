"""numba, which is optional: whether it works here, and functions compiled by it."""

from collections.abc import Callable
from functools import cache
from typing import Any


@cache
def has_numba() -> bool:
    """Tell whether numba can be used; one that fails to load, as of a wrong version, cannot."""
    try:
        import numba  # noqa: F401
    except Exception:
        return False
    return True


def compiled(function: Callable[..., Any], **options: Any) -> Any:
    """Return the function compiled when first called, and cached where there is a place for it."""
    from numba import njit

    try:
        return njit(cache=True, **options)(function)
    except RuntimeError:  # no folder to write to
        return njit(**options)(function)
