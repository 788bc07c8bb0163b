"""Prim's order: each object next to those that are nearest to it."""

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.relations.base import Relation
from relrbf.relations.validation import check_largest


def spanning_order(relation: Relation) -> tuple[Indices, Array]:
    """Return the objects in the order in which a minimal spanning tree takes them.

    The second value is, for each of them, its dissimilarity to the nearest object before it, and
    zero for the first. Of equally near objects the one with the smallest position is taken. One row
    of the relation is read at a time.
    """
    n = relation.n_objects
    order, edges = np.empty(n, dtype=np.intp), np.zeros(n, dtype=relation.dtype)
    # Three passes of plain minima and maxima: a mask, or shrinking arrays, would take longer.
    reach, outside = np.full((2, n), np.inf, dtype=relation.dtype)
    taken = np.full(n, -np.inf, dtype=relation.dtype)
    order[0] = first_of_largest(relation)
    for r in range(1, n):
        last = int(order[r - 1])
        taken[last] = reach[last] = np.inf
        np.maximum(relation.block(slice(last, last + 1))[0], taken, out=outside)
        np.minimum(reach, outside, out=reach)
        order[r] = reach.argmin()
        edges[r] = reach[order[r]]
    return order, edges


def first_of_largest(relation: Relation) -> int:
    """Return the first row that holds the largest entry."""
    largest, first = -np.inf, 0
    for rows in relation.row_blocks():
        row_largest = relation.block(rows).max(axis=1)
        check_largest(row_largest)
        if row_largest.max() > largest:
            largest, first = row_largest.max(), rows.start + int(row_largest.argmax())
    return first
