"""The spectrum of a relation, and the place of any object in the axes it gives.

Symbols (theory 1 and 8)
------------------------
S      squared dissimilarities (n × n)
J      I - 1 1'/n, which centres
B      -J S J / 2, the inner products of centred vectors, where such vectors exist
λ, V   eigenvalues and eigenvectors of B, without the constant one, which says nothing
"""

from dataclasses import dataclass

import numpy as np
from sklearn.utils.extmath import svd_flip

from relrbf._typing import Array, Indices
from relrbf.inspection.spectrum import centred_product
from relrbf.relations.base import Relation
from relrbf.relations.properties import MAX_INSPECTED, negative_fraction, spectrum
from relrbf.relations.validation import check_largest

MAX_FULL_DECOMPOSITION = 2000  # objects; beyond, a few components are found by Lanczos iterations
MAX_LEADING_FRACTION = 0.01  # of the components that count as a few
N_BISECTIONS = 60


def centred(matrix: Array) -> Array:
    """Return J matrix J for a symmetric matrix."""
    means = matrix.mean(axis=0)
    return matrix - means - means[:, None] + means.mean()


def distances_sq_of(gram: Array) -> Array:
    """Return the squared distances between the vectors whose inner products these are."""
    own = np.diagonal(gram)
    distances_sq = own[:, None] + own - (gram + gram.T)  # symmetric to the last digit
    np.fill_diagonal(distances_sq, 0)
    return np.maximum(distances_sq, 0)  # no squared distance of vectors is negative but by rounding


def positive_part(matrix: Array) -> tuple[Array, Array, Array]:
    """Return eigenvalues (ascending), eigenvectors, and the positive semidefinite part."""
    values, vectors = np.linalg.eigh(matrix)
    positive = values > 0
    part = (vectors[:, positive] * values[positive]) @ vectors[:, positive].T
    return values, vectors, part


@dataclass(frozen=True, eq=False)
class Spectrum:
    """Eigenvalues of B, largest first, their eigenvectors (columns), and the column means of S.

    They are all there, or the largest only.
    """

    values: Array
    vectors: Array
    means: Array
    negative_fraction: float
    eps: float  # of the dtype that the relation came in

    @property
    def rounding(self) -> float:
        """An eigenvalue of this size may be a rounding error."""
        largest = float(np.abs(self.values).max(initial=0))
        return 16 * np.sqrt(len(self.vectors)) * self.eps * largest

    def largest(self, n_components: int | None, *, by_size: bool = False) -> Indices:
        """Return which components to keep: the largest by value, or by size; none that is zero."""
        keys = np.abs(self.values) if by_size else self.values
        order = np.argsort(-keys, kind="stable")
        return order[keys[order] > self.rounding][:n_components]

    @property
    def additive_constant(self) -> float:
        """The least constant that makes squared dissimilarities of different objects Euclidean."""
        smallest = float(self.values[-1])
        return -2 * smallest if smallest < -self.rounding else 0.0


def whole_spectrum(S: Array) -> Spectrum:
    """Decompose a dense S."""
    scale = float(S.max(initial=0)) or 1.0  # whatever is squared below stays in range
    gram = -0.5 * centred(np.asarray(S, dtype=np.float64) / scale)
    # the constant vector is sent below all others, whatever zeros there are besides
    size = float(np.linalg.norm(gram))
    values, vectors = np.linalg.eigh(gram - 2 * (size or 1.0) / len(gram))
    values, vectors = scale * values[:0:-1], svd_flip(vectors[:, :0:-1], None)[0]
    if size == 0:  # objects that are all equal: what came out is rounding
        values = np.zeros_like(values)
    means = np.asarray(S.mean(axis=0), dtype=np.float64)
    eps = float(np.finfo(S.dtype).eps)
    return Spectrum(values, vectors, means, negative_fraction(values), eps)


def leading_spectrum(relation: Relation, n_components: int) -> Spectrum:
    """Find the largest eigenvalues by Lanczos iterations, one product with S each.

    The negative part, which they do not show, is estimated from a sample of the objects.
    """
    from scipy.sparse.linalg import LinearOperator, eigsh

    n = relation.n_objects
    start = np.random.default_rng(0).standard_normal(n)
    with relation.multiplying():
        means = relation.product(np.full((1, n), 1 / n, dtype=relation.dtype))[0]
        check_largest(means)
        if not means.any():  # objects that are all equal leave nothing to iterate on
            return Spectrum(np.zeros(1), np.zeros((n, 1)), means, 0.0, 0.0)
        operator = LinearOperator(
            (n, n), lambda x: centred_product(relation, np.reshape(x, (1, -1)))[0], dtype=np.float64
        )
        values, vectors = eigsh(operator, n_components, which="LA", v0=start)
    sample = np.random.default_rng(0).choice(n, min(n, MAX_INSPECTED), replace=False)
    negative = negative_fraction(spectrum(relation.block_sq(sample, sample)))
    vectors, means = svd_flip(vectors[:, ::-1], None)[0], means.astype(np.float64)
    eps = float(np.finfo(relation.dtype).eps)
    return Spectrum(values[::-1], vectors, means, negative, eps)


def spectrum_of(relation: Relation, n_components: int | None) -> Spectrum:
    """Return the whole spectrum, or of a large relation only a few components if they suffice."""
    n, k = relation.n_objects, n_components
    if k is not None and k <= MAX_LEADING_FRACTION * n and n > MAX_FULL_DECOMPOSITION:
        return leading_spectrum(relation, k)
    return whole_spectrum(dense_sq(relation))


def dense_sq(relation: Relation) -> Array:
    """Return S whole, refusing entries that are not finite."""
    S = relation.block_sq()
    check_largest(np.asarray(S.max(initial=0)))
    return S


@dataclass(frozen=True, eq=False)
class Placement:
    """Axes in which every object has its place, by its squared dissimilarities to some objects.

    Gower's formula (1968), ``-(S_new - means) axes / 2``: the projection of the object on the axes,
    whatever it has besides. The columns of axes sum to zero, so a constant added to a row of
    S_new moves nothing.
    """

    axes: Array
    means: Array

    def place(self, S_new: Array) -> Array:
        """Return the coordinates (m × k) of objects from their squared dissimilarities (m × n)."""
        return -0.5 * ((S_new - self.means) @ self.axes)


def principal_axes(spectrum: Spectrum, kept: Indices, n_components: int) -> tuple[Placement, Array]:
    """Return the axes of the kept components, and the coordinates of the objects in them.

    Where fewer are kept than asked for, the last ones are zero.
    """
    values, vectors = spectrum.values[kept], spectrum.vectors[:, kept]
    missing = ((0, 0), (0, n_components - len(kept)))
    axes = np.pad(vectors * (np.sign(values) / np.sqrt(np.abs(values))), missing)
    coordinates = np.pad(vectors * np.sqrt(np.abs(values)), missing)
    return Placement(axes, spectrum.means), coordinates


def place_nearest(placement: Placement, coordinates: Array, S_new: Array) -> tuple[Array, Array]:
    """Return places (m × k) and heights (m) that change the squared dissimilarities least.

    A new object at z, and at a squared height h above all the training objects x_i, has the squared
    distances ``|x_i - z|^2 + h``. Where Gower's place leaves it a height that is not negative, no
    other has a smaller sum of squared changes. Elsewhere h is zero, and every coordinate shrinks
    towards the middle, by ``lambda_k / (lambda_k + mu)`` with lambda_k the sum of squares of the
    training objects' coordinates and mu the multiplier of ``h >= 0``: the root of
    ``mu = n (|z(mu)|^2 - t) / 2``, whose right side falls, with t what ``|z|^2 + h`` should be.
    """
    places = placement.place(S_new)
    n_objects, strengths = len(coordinates), np.square(coordinates).sum(axis=0)
    targets = (S_new - np.square(coordinates).sum(axis=1)).mean(axis=1)

    def shrunk(mu: Array) -> Array:
        return places * (strengths / (strengths + mu[:, None]))

    def excess(mu: Array) -> Array:
        return n_objects * (np.square(shrunk(mu)).sum(axis=1) - targets) / 2 - mu

    low = np.zeros(len(places))
    high = np.maximum(excess(low), 0)
    for _ in range(N_BISECTIONS):
        middle = (low + high) / 2
        above = excess(middle) > 0
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    places = shrunk(high)
    return places, np.maximum(targets - np.square(places).sum(axis=1), 0)
