"""How new objects lie to those of training, and how far off predictions of left-out objects were.

A new object is compared with the *known objects*: the support or, in vector space, some training
objects. Two things are kept of the training objects, each as if it were left out:

- the mean distance to its nearest known objects, as it is and relative to how far these are from
  theirs. The share of training objects that lie as far out as a new object is a p-value: under
  exchangeability it is at most p with probability p. Both are combined by their product (Fisher
  1925), whose distribution is again that of the training objects;
- the residuals of the left-out predictions, in units of the residuals in its neighbourhood. Their
  quantile times the same unit of a new object is the half-width of its interval: the jackknife with
  locally weighted residuals (Lei et al. 2018), without a calibration split.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.autotune import FitConfig, TrainingData
from relrbf.network import Network
from relrbf.prototypes import Prototypes, VectorPrototypes
from relrbf.prototypes.base import row_dots
from relrbf.relations.base import as_slice
from relrbf.relations.blocks import spans
from relrbf.relations.properties import spread_over
from relrbf.training import Result

N_NEAREST = 10  # known objects whose mean distance tells how far out an object lies
MAX_KNOWN = 2000  # objects with which new ones are compared
MIN_OWN = 1e-3  # of the mean: known objects that are as near to others count as so far from them
MAX_COMPARED = 400  # training objects that a new one is compared with
MAX_RESIDUALS = 1000
MEASURED_ENTRIES = 2**17  # distances that are held at a time
MIN_OUTSIDE = 100  # objects outside the support from which on they alone are compared
N_RESIDUAL_NEIGHBOURS = 20  # known objects whose residuals tell the size of others
PRIOR_NEIGHBOURS = 10  # so many neighbours count as having residuals of mean size
N_CHOSEN_BY_RESIDUALS = 2  # scale and penalty have seen the residuals: so many more must be covered
MIN_VALIDATION = 20  # objects of a validation set, for their residuals to be used
MAX_LEVERAGE = 0.95
PROFILE = (0.05, 0.95)  # quantiles of an object's distances, beside their mean
MIN_PROFILES = 20  # training objects from which on new ones are compared with them as a whole
MAX_PROFILED = 200  # new objects that are compared as a whole
MARGIN = 1.25  # a factor by which quantiles may leave those of training
MAX_FACTOR = 5.0  # by which most objects may lie farther out than any of training
MIN_TIMES = 5.0  # as large: a unit
RARE = 0.1  # a median p-value
TIE = 1e-6  # of a distance: equal but for rounding, also in single precision
FEW_NEW = 5  # objects, of which all may well lie far out


@dataclass(frozen=True, eq=False)
class LeftOutDistances:
    """Distances of training objects to the known objects (q) other than themselves.

    ``objects`` are the positions of these in the support, None for all of it; in vector space,
    among the training objects. What describes training objects is in ascending order.
    """

    objects: Indices | None
    own: Array  # mean distances of the known objects to the nearest others (q)
    far: Array  # mean distances of training objects to the nearest known objects
    relative: Array  # these, relative to what is usual there
    products: Array  # of the shares of objects that lie as far out by each
    ranges: Array  # the smallest, median and largest value of each column of ``profile`` (3 × 3)

    def p_values(self, distances_sq: Array) -> Array:
        """Return the share of training objects that lie as far out as new ones (m × q)."""
        far = mean_of_nearest(distances_sq)
        relative = far / usual_distance(distances_sq, self.own)
        products = _share(self.far, far) * _share(self.relative, relative)
        n_rarer = np.searchsorted(self.products, products * (1 + TIE), side="right")
        return (1 + n_rarer) / (1 + len(self.products))

    @property
    def lowest_p_value(self) -> float:
        """The p-value of an object farther out than all that were compared."""
        return 1 / (1 + len(self.far))

    def mismatch(self, distances_sq: Array, exponent: float) -> str | None:
        """Say why new objects, as a whole, are unlike those of training (m × q); None if not.

        They are compared as they are, as if they were similarities, squares or roots, and on
        another scale.
        """
        if len(self.far) < MIN_PROFILES or not len(distances_sq):
            return None
        some = distances_sq[:: -(-len(distances_sq) // MAX_PROFILED)].astype(np.float64)
        root = np.sqrt(some)
        mean = float(np.median(profile(some)[:, 1]))
        is_near = 2 * mean < self.ranges[0, 1]  # which the triangle inequality forbids
        if self._is_alike(some) or (len(some) < FEW_NEW and not is_near):
            return None
        given = root ** (2 / exponent)  # as they came
        top = max(1.0, float(given.max()))
        if self._is_alike((top - given) ** exponent):
            return f"they look like similarities: {top:g} less each of them would be alike"
        factor = mean / self.ranges[1, 1] if mean * self.ranges[1, 1] > 0 else 1.0
        times = factor ** (2 / exponent)
        if max(times, 1 / times) > MIN_TIMES:
            for name, power in (("squares", 0.5), ("square roots", 2)):
                if self._is_alike(some**power):
                    return f"they look like {name} of the dissimilarities in training"
            if self._is_alike(some / factor**2):
                return f"they are about {times:.1g} times as large; they may have another unit"
        if is_near or np.median(mean_of_nearest(some)) > MAX_FACTOR * self.far[-1]:
            what = "nearer to" if is_near else "farther from"
            return f"most objects lie much {what} the training objects than these from each other"
        return None

    def _is_alike(self, distances_sq: Array) -> bool:
        """Tell whether objects could be of training by quantiles and nearest of their distances."""
        found = np.median(profile(_without_itself(distances_sq)), axis=0)
        is_within = (self.ranges[0] <= found * MARGIN) & (found <= self.ranges[2] * MARGIN)
        return bool(is_within.all() and np.median(self.p_values(distances_sq)) > RARE)


@dataclass(frozen=True, eq=False)
class LeftOutResiduals:
    """Residuals of predictions for training objects that were left out."""

    scaled: Array  # their sizes in units of those in the neighbourhood, ascending (r × g)
    sizes: Array  # their sizes at the known objects (q × g)

    def half_widths(self, distances_sq: Array, coverage: float) -> Array:
        """Return half the length of the intervals for new objects (m × g)."""
        n = len(self.scaled)
        rank = ceil((n + 1) * coverage)
        if rank > n:
            return np.full((len(distances_sq), self.scaled.shape[1]), np.inf)
        rank = min(rank + N_CHOSEN_BY_RESIDUALS, n)
        return self.scaled[rank - 1] * local_size(distances_sq, self.sizes)


def _without_itself(distances_sq: Array) -> Array:
    """Return distances with one zero of a row made infinite: a new object may be a known one."""
    is_zero = (distances_sq == 0) & (distances_sq.shape[1] > 1)
    is_own = is_zero & (np.cumsum(is_zero, axis=1) == 1)
    return np.where(is_own, np.inf, distances_sq)


def mean_of_nearest(distances_sq: Array) -> Array:
    """Return the mean distance to the nearest of q known objects (m).

    One fewer than there are is enough, since a training object has itself left out.
    """
    k = max(1, min(N_NEAREST, distances_sq.shape[1] - 1))
    nearest: Array = np.partition(distances_sq, k - 1, axis=1)[:, :k]
    return np.sqrt(nearest.astype(np.float64)).mean(axis=1)


def local_size(distances_sq: Array, sizes: Array) -> Array:
    """Return the mean size of residuals around each object (m × g), drawn to that of all."""
    is_near = _is_near(distances_sq, N_RESIDUAL_NEIGHBOURS)
    total = is_near @ sizes + PRIOR_NEIGHBOURS * sizes.mean(axis=0)
    return total / (is_near.sum(axis=1)[:, None] + PRIOR_NEIGHBOURS)


def usual_distance(distances_sq: Array, own: Array) -> Array:
    """Return how far the nearest known objects are from theirs, on average (m)."""
    is_near = _is_near(distances_sq, N_NEAREST)
    usual = is_near @ own / is_near.sum(axis=1)
    return np.maximum(usual, MIN_OWN * own.mean() or 1.0)


def _share(left_out: Array, values: Array) -> Array:
    """Return the share of left-out values that are as large; beyond all, the less the farther."""
    n, top = len(left_out), left_out[-1]
    beyond = top / np.maximum(values, top) if top > 0 else np.where(values > 0, 0.5, 1.0)
    n_less = np.searchsorted(left_out, values * (1 - TIE))
    return np.where(values > top, beyond, n - n_less) / (n + 1)


def _is_near(distances_sq: Array, n_nearest: int) -> np.ndarray:
    """Tell which known objects are the nearest (m × q): all that are equally near."""
    k = max(1, min(n_nearest, distances_sq.shape[1] - 1))
    radius = np.partition(distances_sq, k - 1, axis=1)[:, k - 1, None]
    return (distances_sq <= radius * (1 + TIE)) & np.isfinite(distances_sq)


def known_distances_sq(prototypes: Prototypes, query: Array, known: Indices | None = None) -> Array:
    """Return squared distances of new objects to the known ones (m × q)."""
    if not isinstance(prototypes, VectorPrototypes):
        return query if known is None else query[:, known]
    objects = prototypes.objects
    vectors, norms_sq = objects.vectors[known], objects.norms_sq[known]
    centred = query - objects.mean
    squares = row_dots(centred, centred)[:, None] + norms_sq
    return np.maximum(squares - 2 * (centred @ vectors.T), 0)


def fit_distances(
    config: FitConfig, data: TrainingData, prototypes: Prototypes
) -> LeftOutDistances:
    """Measure training objects against the known ones; where there are many, some of them."""
    order, first_equal = config.order[data.weights[config.order] > 0], config.summary.duplicates
    positions, known, some = None, prototypes.support, order
    distinct = order[np.sort(np.unique(first_equal[order], return_index=True)[1])]
    if isinstance(prototypes, VectorPrototypes):
        positions = known = spread_over(distinct, MAX_KNOWN)
    else:
        chosen = known[np.unique(first_equal[known], return_index=True)[1]]
        if len(chosen) > MAX_KNOWN:
            chosen = spread_over(order[np.isin(order, chosen)], MAX_KNOWN)
        if len(chosen) < len(known):
            positions = np.flatnonzero(np.isin(known, chosen))
            known = known[positions]
    if len(distinct) == 1:  # which has nothing to be left out of
        none = np.zeros(1)
        return LeftOutDistances(positions, np.zeros(len(known)), none, none, none, np.zeros((3, 3)))
    outside = order[~np.isin(first_equal[order], first_equal[known])]
    if len(outside) >= MIN_OUTSIDE or len(known) == 1:
        some = outside

    def measure(objects: Indices, what: Callable[[Array], Array]) -> Array:
        parts = spans(len(objects), max(1, MEASURED_ENTRIES // len(known)))
        blocks = (_to_others(config, data, prototypes, objects[part], known) for part in parts)
        return np.concatenate([what(block) for block in blocks])

    own = measure(known, mean_of_nearest)
    own = np.where(np.isfinite(own), own, 0)  # of one known object
    some = spread_over(some, MAX_COMPARED)
    found = measure(
        some, lambda S: np.column_stack([mean_of_nearest(S), usual_distance(S, own), profile(S)])
    )
    far, relative, quantiles = found[:, 0], found[:, 0] / found[:, 1], found[:, 2:]
    ranges = np.stack([np.min(quantiles, 0), np.median(quantiles, 0), np.max(quantiles, 0)])
    lists = np.sort(far), np.sort(relative)
    products = np.sort(_share(lists[0], far) * _share(lists[1], relative))
    return LeftOutDistances(positions, own, *lists, products, ranges)


def known_objects(prototypes: Prototypes, distances: LeftOutDistances) -> Indices:
    """Return the training objects with which new ones are compared."""
    if isinstance(prototypes, VectorPrototypes):
        assert distances.objects is not None
        return distances.objects
    support, some = prototypes.support, distances.objects
    return support if some is None else support[some]


def profile(distances_sq: Array) -> Array:
    """Return a low quantile, the mean and a high quantile of each object's distances (m × 3).

    Infinite ones do not count.
    """
    is_finite = np.isfinite(distances_sq)
    n_finite = is_finite.sum(axis=1)
    ranks = np.round(np.multiply.outer(n_finite - 1, PROFILE)).astype(np.intp)
    ordered = np.sort(distances_sq, axis=1)
    squares = np.take_along_axis(ordered, ranks, axis=1).astype(np.float64)
    means = np.sqrt(np.where(is_finite, distances_sq, 0)).sum(axis=1) / n_finite
    return np.insert(np.sqrt(squares), 1, means, axis=1)


def _to_others(
    config: FitConfig, data: TrainingData, prototypes: Prototypes, objects: Indices, known: Indices
) -> Array:
    """Return squared distances of training objects to the known ones, infinite to equal ones."""
    if isinstance(prototypes, VectorPrototypes):
        assert data.vectors is not None
        found = known_distances_sq(prototypes, data.vectors[objects], known)
    else:
        found = config.relation.block_sq(objects, as_slice(known))
    first_equal = config.summary.duplicates
    return np.where(first_equal[objects, None] == first_equal[known], np.inf, found)


def fit_residuals(
    config: FitConfig, data: TrainingData, result: Result, network: Network, known: Indices
) -> LeftOutResiduals:
    """Collect residuals of left-out objects, in units of those around them."""
    objects, residuals = _left_out_residuals(config, data, result, network)
    absolute = np.abs(residuals)
    some = np.searchsorted(objects, spread_over(objects, MAX_RESIDUALS))
    objects, absolute = objects[some], absolute[some]
    distances_sq = _to_others(config, data, result.prototypes, objects, known)
    first = config.summary.duplicates
    sizes = _sizes_at(first[known], first[objects], absolute, distances_sq)
    units = local_size(distances_sq, sizes)
    scaled = np.divide(absolute, units, out=np.zeros_like(absolute), where=units > 0)
    return LeftOutResiduals(np.sort(scaled, axis=0), sizes)


def _sizes_at(known: Indices, objects: Indices, absolute: Array, distances_sq: Array) -> Array:
    """Return the sizes of residuals at the known objects (q × g).

    An object that was left out has its own, copies the mean of theirs. Others have the mean of
    those to which they are the nearest known object, drawn to the mean of all.
    """
    is_nearest = _is_near(distances_sq, 1)
    shares = is_nearest / np.maximum(is_nearest.sum(axis=1, keepdims=True), 1)
    around = (absolute.mean(axis=0) + shares.T @ absolute) / (1 + shares.sum(axis=0)[:, None])
    is_same = known[:, None] == objects
    counts = is_same.sum(axis=1, keepdims=True)
    return np.where(counts > 0, is_same @ absolute / np.maximum(counts, 1), around)


def _left_out_residuals(
    config: FitConfig, data: TrainingData, result: Result, network: Network
) -> tuple[Indices, Array]:
    """Return objects in ascending order and their residuals (r × g) in the units of the targets.

    They are the teacher's. Without one they are those of a validation set or, as an approximation,
    those of training, each as if the output weights were solved without it.
    """
    teacher, scale = config.teacher, config.target_scale
    if teacher is not None:
        residuals = np.zeros(data.targets.shape)
        residuals[teacher.left_out_objects] = scale * teacher.targets.residuals(teacher.left_out)
        return _with_duplicates(config, data, teacher.left_out_objects, residuals)
    forward = network.forward(result.prototypes.distances_sq)
    residuals = config.target_mean + config.target_scale * config.targets - forward.responses
    held_out = config.validation_weights
    if held_out is not None and np.count_nonzero(held_out) >= MIN_VALIDATION:
        return _with_duplicates(config, data, np.flatnonzero(held_out), residuals)
    objects = np.flatnonzero(config.training_weights)
    residuals[objects] /= 1 - _leverages(forward.activations.T[objects])[:, None]
    return _with_duplicates(config, data, objects, residuals)


def _with_duplicates(
    config: FitConfig, data: TrainingData, objects: Indices, residuals: Array
) -> tuple[Indices, Array]:
    """Add those whom one of the objects stands for; they were predicted alike."""
    first = config.summary.duplicates
    merged = config.target_mean + config.target_scale * config.targets
    alike = np.flatnonzero(np.isin(first, objects) & (data.weights > 0))
    stands = np.where(np.isin(alike, objects), alike, first[alike])
    return alike, residuals[stands] + (data.targets[alike] - merged[stands])


def _leverages(activations: Array) -> Array:
    """Return how much of each residual its own object takes away (n), by least squares."""
    columns = np.column_stack([np.ones(len(activations)), activations])
    Q = np.linalg.svd(columns, full_matrices=False)[0]
    return np.minimum(row_dots(Q, Q), MAX_LEVERAGE)
