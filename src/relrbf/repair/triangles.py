"""The triangles that are at work: those with a positive dual, and those just found violated.

A triangle of N objects is kept as its key, ``(orientation, (i + j + k) mod N, i, j)`` as one
number, where i < j is its long side; k follows. Two triangles with the same sum and two objects in
common are the same triangle, so those of one orientation and sum share no pair: they are a batch.
"""

from dataclasses import dataclass

import numpy as np

from relrbf._typing import Array, Indices


def pair_positions(i: Indices, j: Indices | np.intp, n_objects: int) -> Indices:
    """Return where pairs stand in a condensed vector, whichever of the two comes first."""
    first, second = np.minimum(i, j), np.maximum(i, j)
    return first * n_objects - first * (first + 1) // 2 + second - first - 1


@dataclass(frozen=True)
class Found:
    """Triangles that a search found violated: long side (i, j), i < j, over k."""

    i: Indices
    j: Indices
    k: Indices

    def keys(self, n_objects: int) -> Indices:
        """Return each triangle's key."""
        i, j, k = self.i, self.j, self.k
        orientation = (k > i).astype(np.intp) + (k > j)
        total = (i + j + k) % n_objects
        return ((orientation * n_objects + total) * n_objects + i) * n_objects + j

    def joined(self, other: "Found") -> "Found":
        """Return these and the others."""
        parts = ((self.i, other.i), (self.j, other.j), (self.k, other.k))
        return Found(*(np.concatenate(part) for part in parts))


class Triangles:
    """Triangles in order of their batches, each with its dual.

    Attributes
    ----------
    duals : ndarray of shape (m,)
        How hard each triangle pulls; not negative.
    sides : ndarray of shape (m, 3)
        Positions of the long side and of the two short ones.
    batches : ndarray
        Where each batch starts, and the end.
    """

    def __init__(self, n_objects: int) -> None:
        self.n_objects = n_objects
        self._hold(np.zeros(0, dtype=np.intp), np.zeros(0))

    def add(self, found: Found) -> None:
        """Take in the triangles that are not there yet, with a dual of zero."""
        fresh = np.setdiff1d(found.keys(self.n_objects), self._keys)
        keys = np.concatenate([self._keys, fresh])
        order = np.argsort(keys)
        self._hold(keys[order], np.concatenate([self.duals, np.zeros(len(fresh))])[order])

    def forget(self) -> None:
        """Drop the triangles that do not pull."""
        pulling = self.duals > 0
        self._hold(self._keys[pulling], self.duals[pulling])

    def pull(self, duals: Array) -> Array:
        """Return what duals of these triangles add up to on every pair (``A' z``)."""
        n_pairs = self.n_objects * (self.n_objects - 1) // 2
        pulls = np.stack([np.bincount(side, duals, n_pairs) for side in self.sides.T])
        return np.array([1.0, -1.0, -1.0]) @ pulls

    def _hold(self, keys: Indices, duals: Array) -> None:
        n = self.n_objects
        self._keys, self.duals = keys, duals
        rest, j = np.divmod(keys, n)
        batch, i = np.divmod(rest, n)
        k = (batch - i - j) % n
        pairs = ((i, j), (i, k), (k, j))
        self.sides = np.stack([pair_positions(a, b, n) for a, b in pairs], axis=1)
        changes = np.flatnonzero(np.diff(batch)) + 1
        self.batches = np.concatenate([[0], changes, [len(keys)]]).astype(np.intp)
