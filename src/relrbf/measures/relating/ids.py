"""Names of objects, in a text file beside their matrix."""

from pathlib import Path
from typing import Any

import numpy as np

from relrbf.exceptions import RelationError
from relrbf.relations.on_disk import ids_path


def check_ids(ids: Any, n_objects: int) -> np.ndarray | None:
    """Return one name per object, all different and each on one line."""
    if ids is None:
        return None
    names = np.asarray(ids, dtype=object)
    if names.shape != (n_objects,):
        raise RelationError(f"ids has shape {names.shape}; give one name per object, {n_objects}.")
    seen: set[str] = set()
    for i, name in enumerate(map(str, names)):
        if name in seen or not name or len(name.splitlines()) != 1:
            why = "appears twice" if name in seen else "is not one line of text"
            raise RelationError(f"ids[{i}] is {name!r:.80}, which {why}; names must differ.")
        seen.add(name)
    return names


def save_ids(names: np.ndarray | None, target: Path) -> None:
    """Write the names beside the matrix, one per line; those of a matrix that is replaced go."""
    if names is not None:
        ids_path(target).write_text("".join(f"{name}\n" for name in names), encoding="utf-8")
    elif target.exists():
        ids_path(target).unlink(missing_ok=True)
