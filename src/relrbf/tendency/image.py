"""The image: dissimilarities, or minimax path distances, in an order that shows clusters."""

from dataclasses import dataclass

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.relations.base import Relation


@dataclass(frozen=True, eq=False)
class TendencyImage:
    """Dissimilarities in an order in which clusters are dark blocks along the diagonal.

    Attributes
    ----------
    order : ndarray of shape (m,)
        Positions in D of the objects shown, in display order.
    image : ndarray of shape (m, m)
        Dissimilarities (VAT) or minimax path distances (iVAT), rows and columns in that order.
    edges : ndarray of shape (m,)
        Dissimilarity of each object shown to the nearest one before it; zero for the first. Where
        an edge is long, a cluster begins: ``np.cumsum(edges > height)`` numbers the clusters of
        single linkage at that height.
    nearest : ndarray of shape (n,)
        For every object of D, the place in ``order`` of itself or, where it is not shown, of the
        object that stands for it.
    ids : ndarray of shape (m,) or None
        Names of the objects in display order, where D has any.
    """

    order: Indices
    image: Array
    edges: Array
    nearest: Indices
    ids: np.ndarray | None


def reordered(relation: Relation, order: Indices) -> Array:
    """Return the dissimilarities with rows and columns in the given order."""
    image = np.empty(relation.shape, dtype=relation.dtype)
    for rows in relation.row_blocks():
        np.take(relation.block(order[rows]), order, axis=1, out=image[rows], mode="clip")
    return image


def minimax_distances(edges: Array) -> Array:
    """Return the minimax path distances between objects in Prim's order.

    Havens and Bezdek's recursion takes row r from the row of the object that r is tied to in the
    tree: d'(r, c) = max(edge r, d'(parent, c)) for c < r. In Prim's order the row just before
    serves as well, so that the tree need not be kept and neither triangle asks for the other:
    Prim leaves a part of the graph that is connected below some height only when all of it is
    taken, hence the longest edge between two places is the minimax distance.
    """
    n = len(edges)
    image = np.empty((n, n), dtype=edges.dtype)
    np.fill_diagonal(image, -np.inf)  # neutral: an edge may be a rounding error below zero
    for r in range(1, n):
        np.maximum(image[r - 1, :r], edges[r], out=image[r, :r])
    for r in range(n - 1, 0, -1):
        np.maximum(image[r, r:], edges[r], out=image[r - 1, r:])
    np.fill_diagonal(image, 0)
    return image
