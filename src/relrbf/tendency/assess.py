"""The doors: VAT (Bezdek & Hathaway 2002) and iVAT (Havens & Bezdek 2012)."""

from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from relrbf._options import check_number
from relrbf._typing import Array, Indices
from relrbf._utils import filled
from relrbf.relations.base import Relation
from relrbf.relations.conversion import relation_of
from relrbf.relations.dense import DenseRelation
from relrbf.tendency.image import TendencyImage, minimax_distances, reordered
from relrbf.tendency.order import spanning_order
from relrbf.tendency.sample import draw_sample

PARAMETERS = """D : array of shape (n, n), condensed vector, memmap, frame or Relation
        Dissimilarities, as ``as_relation`` takes them.
    n_sample : int or None, default=None
        Show so many objects, drawn from all parts of D, instead of all. Of a Relation, only the
        rows of 50 objects and the sample's own dissimilarities are then read.
    random_state : int, RandomState or None, default=None
        Decides which objects are drawn."""


@filled(parameters=PARAMETERS)
def vat(D: Any, *, n_sample: int | None = None, random_state: Any = None) -> TendencyImage:
    """Order dissimilarities so that clusters show as dark blocks along the diagonal.

    The order is Prim's: it starts at the first row that holds the largest entry and goes on with
    whatever object is nearest to those taken, of equals the first in D. It costs O(n²), and no
    memory beyond the image.

    Parameters
    ----------
    {parameters}

    Returns
    -------
    TendencyImage
        With ``order``, ``image``, ``edges``, ``nearest``, ``ids``.

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
    shown = _shown(D, n_sample, random_state)
    order, edges = spanning_order(shown.relation)
    return shown.as_image(order, edges, reordered(shown.relation, order))


@filled(parameters=PARAMETERS)
def ivat(D: Any, *, n_sample: int | None = None, random_state: Any = None) -> TendencyImage:
    """Order dissimilarities as ``vat`` does, and show minimax path distances instead.

    The minimax distance of two objects is the longest step on the path between them whose longest
    step is shortest. Clusters that are long or bent become plain dark blocks.

    Parameters
    ----------
    {parameters}

    Returns
    -------
    TendencyImage
        With ``order``, ``image``, ``edges``, ``nearest``, ``ids``.

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
    shown = _shown(D, n_sample, random_state)
    order, edges = spanning_order(shown.relation)
    return shown.as_image(order, edges, minimax_distances(edges))


class _Shown(NamedTuple):
    """The relation among the objects to show, their positions in D, and who stands for whom."""

    relation: Relation
    objects: Indices
    nearest: Indices

    def as_image(self, order: Indices, edges: Array, image: Array) -> TendencyImage:
        places = np.empty_like(order)
        places[order] = np.arange(len(order))
        ids = None if self.relation.ids is None else self.relation.ids[order]
        return TendencyImage(self.objects[order], image, edges, places[self.nearest], ids)


def _shown(D: Any, n_sample: int | None, random_state: Any) -> _Shown:
    if n_sample is not None:
        check_number("n_sample", n_sample, Integral, 2)
    random = check_random_state(random_state)
    relation = relation_of(D)
    if n_sample is None or n_sample >= relation.n_objects:
        everything = np.arange(relation.n_objects)
        return _Shown(relation, everything, everything)
    rng = np.random.default_rng(random.randint(2**31))
    sample, nearest = draw_sample(relation, n_sample, rng)
    ids = None if relation.ids is None else relation.ids[sample]
    # read once: a relation may have to compute what it is asked for
    return _Shown(DenseRelation(relation.block(sample, sample), ids=ids), sample, nearest)
