"""The triangles that are at work: those with a positive dual, and those just found violated.

They stand in batches that share no pair, so that the triangles of a batch can be treated at once or
one after the other, with the same result.
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
    """Triangles that a search found violated: long side (i, j), i < j, over k, and how much."""

    i: Indices
    j: Indices
    k: Indices
    excess: Array

    def __len__(self) -> int:
        return len(self.i)

    @property
    def largest(self) -> float:
        """The largest violation; zero where none was found."""
        return float(self.excess.max(initial=0.0))

    @property
    def usual(self) -> float:
        """The median violation."""
        return float(np.median(self.excess))

    def keys(self, n_objects: int) -> Indices:
        """Return each triangle as one number."""
        return (self.i * n_objects + self.j) * n_objects + self.k

    def joined(self, other: "Found") -> "Found":
        """Return these and the others."""
        names = ("i", "j", "k", "excess")
        return Found(*(np.concatenate([getattr(self, n), getattr(other, n)]) for n in names))


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
        none = np.zeros(0, dtype=np.intp)
        self._hold(none, np.zeros(0), none)

    def add(self, found: Found) -> None:
        """Take in the triangles that are not there yet, with a dual of zero."""
        fresh = np.setdiff1d(found.keys(self.n_objects), self._keys)
        keys = np.concatenate([self._keys, fresh])
        duals = np.concatenate([self.duals, np.zeros(len(fresh))])
        colours = coloured(sides_of(keys, self.n_objects))
        order = np.lexsort((keys, colours))
        self._hold(keys[order], duals[order], colours[order])

    def forget(self) -> None:
        """Drop the triangles that do not pull."""
        pulling = self.duals > 0
        self._hold(self._keys[pulling], self.duals[pulling], self._colours[pulling])

    def pull(self, duals: Array) -> Array:
        """Return what duals of these triangles add up to on every pair (``A' z``)."""
        n_pairs = self.n_objects * (self.n_objects - 1) // 2
        pulls = np.stack([np.bincount(side, duals, n_pairs) for side in self.sides.T])
        return np.array([1.0, -1.0, -1.0]) @ pulls

    def _hold(self, keys: Indices, duals: Array, colours: Indices) -> None:
        self._keys, self.duals, self._colours = keys, duals, colours
        self.sides = sides_of(keys, self.n_objects)
        changes = np.flatnonzero(np.diff(colours)) + 1
        self.batches = np.concatenate([[0], changes, [len(keys)]]).astype(np.intp)


def sides_of(keys: Indices, n_objects: int) -> Indices:
    """Return the positions of each triangle's long side and of its two short ones (m × 3)."""
    rest, k = np.divmod(keys, n_objects)
    i, j = np.divmod(rest, n_objects)
    pairs = ((i, j), (i, k), (k, j))
    return np.stack([pair_positions(a, b, n_objects) for a, b in pairs], axis=1)


def coloured(sides: Indices) -> Indices:
    """Give every triangle a colour such that no two of one colour share a pair.

    In each round, a triangle that comes first among those left at all its three pairs gets the next
    colour. They come in random order: in their own, each would wait for the one before it.
    """
    order = np.random.default_rng(0).permutation(len(sides))
    sides = sides[order]
    colours = np.empty(len(sides), dtype=np.intp)
    first = np.empty(sides.max(initial=0) + 1, dtype=np.intp)
    left, colour = np.arange(len(sides)), 0
    while len(left):
        first[sides[left[::-1]]] = left[::-1, None]  # of repeated positions, the last one stays
        chosen = (first[sides[left]] == left[:, None]).all(axis=1)
        colours[order[left[chosen]]] = colour
        left, colour = left[~chosen], colour + 1
    return colours
