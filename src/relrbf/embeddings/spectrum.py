"""The spectrum of a relation, and the place of any object in the axes it gives.

Symbols as in ``gram``; λ and V are the eigenvalues and eigenvectors of B. Every eigenvector is
orthogonal to the constant one, which says nothing about the objects and is left out.
"""

from dataclasses import dataclass, replace

import numpy as np
from sklearn.utils.extmath import svd_flip

from relrbf._typing import Array, Indices
from relrbf.embeddings.gram import centred
from relrbf.relations.base import Relation
from relrbf.relations.properties import MAX_INSPECTED, negative_fraction, spectrum
from relrbf.relations.validation import check_largest

MAX_WHOLE = 2000  # objects; beyond, a few components are found by Lanczos iterations
FEW = 0.01  # part of the components that are few


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

    def raised(self, amount: float) -> "Spectrum":
        """Return the spectrum with all eigenvalues larger by an amount."""
        return replace(self, values=self.values + amount)


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

    def times(x: Array) -> Array:
        x = (x - x.mean()).reshape(1, -1).astype(relation.dtype)
        y = relation.product(x)[0].astype(np.float64)
        return -0.5 * (y - y.mean())

    start = np.random.default_rng(0).standard_normal(n)
    with relation.multiplying():
        means = relation.product(np.full((1, n), 1 / n, dtype=relation.dtype))[0]
        check_largest(means)
        if not means.any():  # objects that are all equal leave nothing to iterate on
            return Spectrum(np.zeros(1), np.zeros((n, 1)), means, 0.0, 0.0)
        operator = LinearOperator((n, n), matvec=times, dtype=np.float64)
        values, vectors = eigsh(operator, n_components, which="LA", v0=start)
    sample = np.random.default_rng(0).choice(n, min(n, MAX_INSPECTED), replace=False)
    negative = negative_fraction(spectrum(relation.block_sq(sample, sample)))
    vectors, means = svd_flip(vectors[:, ::-1], None)[0], means.astype(np.float64)
    eps = float(np.finfo(relation.dtype).eps)
    return Spectrum(values[::-1], vectors, means, negative, eps)


def spectrum_of(relation: Relation, n_components: int | None) -> Spectrum:
    """Return the whole spectrum, or of a large relation as many components as are asked for."""
    n = relation.n_objects
    if n_components is not None and n > MAX_WHOLE and n_components <= FEW * n:
        return leading_spectrum(relation, n_components)
    return whole_spectrum(known_squares(relation))


def known_squares(relation: Relation) -> Array:
    """Return S with every entry known."""
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
