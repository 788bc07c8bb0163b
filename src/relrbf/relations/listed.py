"""Any objects, as a list that a measure can be asked about."""

from typing import Any, NoReturn

import numpy as np

from relrbf._typing import Indices
from relrbf.exceptions import RelationError


def as_listed(objects: Any, name: str, *, is_table: bool) -> tuple[Any, np.ndarray | None]:
    """Return objects as a list, and the names that a Series or a frame gives them.

    A table (an array or a frame whose rows are the objects) stays one where that is wanted.
    """
    if isinstance(objects, str | bytes | dict | set | frozenset) or not hasattr(objects, "__len__"):
        _refuse(objects, name)
    if isinstance(objects, np.ndarray):
        if objects.ndim == 0:
            _refuse(objects, name)
        return (objects if is_table else list(objects)), None
    if hasattr(objects, "iloc") and hasattr(objects, "index"):
        is_frame = hasattr(objects, "columns")
        if is_frame and is_table:
            return objects, _names(objects)
        rows = [objects.iloc[i] for i in range(len(objects))] if is_frame else list(objects)
        return rows, _names(objects)
    return list(objects), None


def take(listed: Any, positions: Indices) -> Any:
    """Return some of the objects, as the same kind of list."""
    if isinstance(listed, list):
        return list(map(listed.__getitem__, positions.tolist()))
    return listed.iloc[positions] if hasattr(listed, "iloc") else listed[positions]


def joined(first: Any, second: Any) -> Any:
    """Return one list after the other; two tables with the same columns stay a table."""
    if isinstance(first, np.ndarray) and isinstance(second, np.ndarray):
        if first.shape[1:] == second.shape[1:]:
            return np.concatenate([first, second])
    elif hasattr(first, "columns") and hasattr(second, "columns"):
        import pandas as pd

        if first.columns.equals(second.columns):
            return pd.concat([first, second])
    return [*_rows(first), *_rows(second)]


def _rows(listed: Any) -> list[Any]:
    return as_listed(listed, "objects", is_table=False)[0]


def _names(objects: Any) -> np.ndarray | None:
    """Return the index, if it is names: numbers 0..n-1 are none, nor are names that repeat."""
    names = np.asarray(objects.index, dtype=object)
    is_numbered = np.array_equal(names, np.arange(len(names)))
    return None if is_numbered or len(set(names)) < len(names) else names


def _refuse(objects: Any, name: str) -> NoReturn:
    if isinstance(objects, str | bytes):
        raise RelationError(
            f"{name} is a {type(objects).__name__}; it must be a sequence of objects. For a single "
            f"one, pass [{name}]."
        )
    advice = (
        f"Pass list({name}.values())" + (f", and ids=list({name})." if name == "objects" else ".")
        if isinstance(objects, dict)
        else f"Pass list({name}), in an order that you know."
    )
    raise RelationError(
        f"{name} is a {type(objects).__name__}; it must be a sequence of objects: a list, an "
        f"array, a Series or a frame. {advice}"
    )
