"""Expression profiles as a user gives them, judged: one row per object, one column per gene."""

from typing import Any

import numpy as np

from relrbf._typing import Array
from relrbf.exceptions import RelationError
from relrbf.relations.validation import as_matrix


def as_profiles(X: Any, name: str = "X", *, min_objects: int = 1) -> Array:
    """Return profiles as a float32 or float64 array of finite numbers."""
    _refuse_ragged(X, name)
    profiles = as_matrix(X, name)
    if len(profiles) < min_objects:
        raise RelationError(
            f"{name} holds {len(profiles)} profile(s); at least {min_objects} are needed, one per "
            "row, to estimate how each gene varies."
        )
    return profiles


def check_genes(profiles: Array, n_genes: int, name: str = "X") -> None:
    """Refuse profiles over another number of genes than the training profiles'."""
    if profiles.shape[1] != n_genes:
        raise RelationError(
            f"{name} has {profiles.shape[1]} genes per profile and the training profiles have "
            f"{n_genes}; both must list the same genes, in the same order."
        )


def _refuse_ragged(X: Any, name: str) -> None:
    if isinstance(X, list | tuple):
        lengths = {len(row) for row in X if isinstance(row, list | tuple | np.ndarray)}
        if len(lengths) > 1:
            raise RelationError(
                f"{name} holds profiles of different lengths, from {min(lengths)} to "
                f"{max(lengths)}; every profile must list the same genes, in the same order."
            )
