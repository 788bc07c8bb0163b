"""Expression profiles, one row per object and one column per gene, and their correlation."""

from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from relrbf._typing import Array
from relrbf.exceptions import RelationError
from relrbf.relations.validation import as_matrix


def pearson_dissimilarities(X: Any, Y: Any = None) -> Array:
    """Return 1 - r, with r Pearson's correlation between two profiles.

    It is half the squared distance between the profiles, each centred and scaled to length 1:
    never negative, 0 for a profile and itself, and to be used with ``exponent=1``.

    Parameters
    ----------
    X : array of shape (n, p)
        One profile per row.
    Y : array of shape (m, p) or None, default=None
        Training profiles, where X are new ones. None compares X with itself.

    Returns
    -------
    ndarray of shape (n, n) or (n, m)
        In [0, 2]; float32 for float32 profiles.

    Examples
    --------
    >>> from relrbf.measures import pearson_dissimilarities
    >>> D = pearson_dissimilarities([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [3.0, 2.0, 1.0]])
    >>> (D.round(3) + 0.0).tolist()
    [[0.0, 0.0, 2.0], [0.0, 0.0, 2.0], [2.0, 2.0, 0.0]]
    """
    profiles = as_profiles(X)
    training = profiles if Y is None else as_profiles(Y, "Y")
    check_genes(profiles, training.shape[1])
    rows = _unit(profiles, "X")
    columns = rows if Y is None else _unit(training, "Y")
    return (cdist(rows, columns, "sqeuclidean") / 2).astype(profiles.dtype, copy=False)


def _unit(profiles: Array, name: str) -> Array:
    centred = profiles - profiles.mean(axis=1, keepdims=True, dtype=float)
    lengths = np.linalg.norm(centred, axis=1, keepdims=True)
    # what is left of equal entries after centring is rounding, and has no direction
    rounding = np.finfo(profiles.dtype).eps * np.abs(profiles).max(axis=1, keepdims=True)
    flat = (lengths <= 4 * rounding * np.sqrt(profiles.shape[1])).ravel()
    if flat.any():
        raise RelationError(
            f"{name}[{int(np.argmax(flat))}] is constant over all genes ({int(flat.sum())} such "
            "profile(s)); it has no correlation with any other. Leave it out."
        )
    return centred / lengths


def as_profiles(X: Any, name: str = "X", *, min_objects: int = 1) -> Array:
    """Return profiles as a float32 or float64 array of finite numbers."""
    if isinstance(X, list | tuple):
        lengths = {len(row) for row in X if isinstance(row, list | tuple | np.ndarray)}
        if len(lengths) > 1:
            raise RelationError(
                f"{name} holds profiles of different lengths, from {min(lengths)} to "
                f"{max(lengths)}; every profile must list the same genes, in the same order."
            )
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
