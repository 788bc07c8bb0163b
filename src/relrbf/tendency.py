"""Cluster tendency: are there clusters, and how many? Arrays; ``relrbf.plotting`` draws them.

VAT is Bezdek & Hathaway (2002), iVAT is Havens & Bezdek (2012), and the sample that stands for a
relation too large to show is Hathaway, Bezdek & Huband (2006).
"""

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from relrbf._options import check_number
from relrbf._typing import Array, Indices
from relrbf._utils import filled
from relrbf.relations.base import Relation
from relrbf.relations.conversion import relation_of
from relrbf.relations.dense import DenseRelation
from relrbf.relations.properties import farthest_first
from relrbf.relations.validation import check_largest

__all__ = ["TendencyImage", "ivat", "vat"]

N_DISTINGUISHED = 50  # objects that a sample spreads over; more than the clusters one can count

SECTIONS = """Parameters
    ----------
    D : array of shape (n, n), condensed vector, memmap, frame or Relation
        Dissimilarities, as ``as_relation`` takes them.
    n_sample : int or None, default=None
        Show so many objects, drawn from all parts of D, instead of all. Of a Relation, only the
        rows of 50 objects and the sample's own dissimilarities are then read.
    random_state : int, RandomState or None, default=None
        Decides which objects are drawn.

    Returns
    -------
    TendencyImage"""


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


@filled(sections=SECTIONS)
def vat(D: Any, *, n_sample: int | None = None, random_state: Any = None) -> TendencyImage:
    """Order dissimilarities so that clusters show as dark blocks along the diagonal.

    The order is Prim's: it starts at the first row that holds the largest entry and goes on with
    whatever object is nearest to those taken, of equals the first in D. It costs O(n²), and no
    memory beyond the image.

    {sections}

    Examples
    --------
    >>> from scipy.spatial.distance import pdist
    >>> from relrbf.tendency import vat
    >>> result = vat(pdist([[0.0], [10.0], [1.0], [12.0]]))
    >>> result.order
    array([0, 2, 1, 3])
    >>> result.image
    array([[ 0.,  1., 10., 12.],
           [ 1.,  0.,  9., 11.],
           [10.,  9.,  0.,  2.],
           [12., 11.,  2.,  0.]])
    """
    return _tendency_image(D, n_sample, random_state, _reordered)


@filled(sections=SECTIONS)
def ivat(D: Any, *, n_sample: int | None = None, random_state: Any = None) -> TendencyImage:
    """Order dissimilarities as ``vat`` does, and show minimax path distances instead.

    The minimax distance of two objects is the longest step on the path between them whose longest
    step is shortest. Clusters that are long or curved become plain dark blocks.

    {sections}

    Examples
    --------
    >>> from scipy.spatial.distance import pdist
    >>> from relrbf.tendency import ivat
    >>> ivat(pdist([[0.0], [10.0], [1.0], [12.0]])).image
    array([[0., 1., 9., 9.],
           [1., 0., 9., 9.],
           [9., 9., 0., 2.],
           [9., 9., 2., 0.]])
    """
    return _tendency_image(D, n_sample, random_state, _minimax_distances)


def _tendency_image(
    D: Any, n_sample: int | None, random_state: Any, draw: Callable[..., Array]
) -> TendencyImage:
    """Choose the objects, order them, and draw their image."""
    if n_sample is not None:
        check_number("n_sample", n_sample, Integral, 2)
    random = check_random_state(random_state)
    relation = relation_of(D)
    names = relation.ids
    objects = nearest = np.arange(relation.n_objects)
    if n_sample is not None and n_sample < relation.n_objects:
        rng = np.random.default_rng(random.randint(2**31))
        objects, nearest = _draw_sample(relation, n_sample, rng)
        # read once: a relation may have to compute its dissimilarities
        relation = DenseRelation(relation.block(objects, objects))
    order, edges = _prim_order(relation)
    ids = None if names is None else names[objects[order]]
    image = draw(relation, order, edges)
    return TendencyImage(objects[order], image, edges, np.argsort(order)[nearest], ids)


def _prim_order(relation: Relation) -> tuple[Indices, Array]:
    """Return the objects in the order in which Prim's minimal spanning tree takes them.

    The second value is, for each of them, its dissimilarity to the nearest object before it, and
    zero for the first. Of equally near objects the one with the smallest position is taken. One row
    of the relation is read at a time.
    """
    n = relation.n_objects
    order, edges = np.empty(n, dtype=np.intp), np.zeros(n, dtype=relation.dtype)
    # Three passes of plain minima and maxima: a mask, or shrinking arrays, would take longer.
    reach, outside = np.full((2, n), np.inf, dtype=relation.dtype)
    taken = np.full(n, -np.inf, dtype=relation.dtype)
    largest = [relation.block(rows).max(axis=1) for rows in relation.row_blocks()]
    check_largest(np.concatenate(largest))
    order[0] = np.concatenate(largest).argmax()  # the first row that holds the largest entry
    for r in range(1, n):
        last = int(order[r - 1])
        taken[last] = reach[last] = np.inf
        np.maximum(relation.block(slice(last, last + 1))[0], taken, out=outside)
        np.minimum(reach, outside, out=reach)
        order[r] = reach.argmin()
        edges[r] = reach[order[r]]
    return order, edges


def _reordered(relation: Relation, order: Indices, edges: Array) -> Array:
    """Return the dissimilarities with rows and columns in the given order."""
    image = np.empty(relation.shape, dtype=relation.dtype)
    for rows in relation.row_blocks():
        np.take(relation.block(order[rows]), order, axis=1, out=image[rows], mode="clip")
    return image


def _minimax_distances(relation: Relation, order: Indices, edges: Array) -> Array:
    """Return the minimax path distances between objects in Prim's order.

    Havens and Bezdek's recursion takes row r from the row of the object that r is tied to in the
    tree: d'(r, c) = max(edge r, d'(parent, c)) for c < r. In Prim's order the row just before
    serves as well, so that the tree need not be kept and neither triangle needs the other:
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


def _draw_sample(
    relation: Relation, n_sample: int, rng: np.random.Generator
) -> tuple[Indices, Indices]:
    """Return n_sample positions, ascending, and for every object the place in them of its own.

    Distinguished objects lie as far from each other as the relation allows. Every object belongs
    to the nearest of them, and each of these groups gives the sample its share. Of each group the
    distinguished object comes first, so that nothing is farther from the sample than from the
    distinguished objects. A sampled object's own is itself, any other's its distinguished object.
    """
    first = int(rng.integers(relation.n_objects))
    chosen, groups = farthest_first(relation, min(n_sample, N_DISTINGUISHED), first)
    sizes = _proportional_sizes(np.bincount(groups), n_sample)
    drawn = [chosen]
    for g, own in enumerate(chosen):
        others = np.flatnonzero(groups == g)
        drawn.append(rng.choice(others[others != own], sizes[g] - 1, replace=False))
    sample = np.sort(np.concatenate(drawn))
    nearest = np.searchsorted(sample, chosen[groups])
    nearest[sample] = np.arange(n_sample)
    return sample, nearest


def _proportional_sizes(counts: Indices, n_sample: int) -> Indices:
    """Deal n_sample places to groups in proportion to their counts, at least one to each."""
    spare = n_sample - len(counts)
    given, rest = np.divmod((counts - 1) * spare, counts.sum() - len(counts))
    given[np.argsort(-rest, kind="stable")[: spare - given.sum()]] += 1
    return 1 + given
