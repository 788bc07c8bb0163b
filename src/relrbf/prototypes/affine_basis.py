"""Few objects that span the latent space of a relation, for prototypes with large coefficients."""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular

from relrbf._typing import Array, Indices
from relrbf.relations.base import Relation

MAX_BASIS_OBJECTS = 256  # a space of more dimensions keeps its coefficients
SPANNED = 1e-13  # of the squared extent: what is left outside the span is rounding


@dataclass(frozen=True, eq=False)
class AffineBasis:
    """Few objects that span the latent space, in which coefficients become small again.

    A prototype that is pushed away from objects has its coefficients multiplied, step by step
    (``a <- (1 - eta H) a + eta h`` with H < 0). Where the latent space has fewer dimensions than
    there are objects, most of what grows cancels: the point stays near while its coefficients
    explode, and with them the rounding errors of every distance. The same point then has small
    coefficients on a few objects that span the space.

    Symbols: K = <x_i - x_0, x_j - x_0> for the first of those objects x_0; L (n × r), the
    ``coordinates`` of all objects, is its pivoted Cholesky factor.
    """

    objects: Indices
    coordinates: Array
    rows_sq: Array

    def re_expressed(self, coefficients: Array) -> tuple[Array, Array]:
        """Return coefficients on the basis for the same points, and their products with S."""
        points = coefficients @ self.coordinates
        corners = self.coordinates[self.objects[1:]]
        # a step may have gone as far as infinity, and is rejected then
        shares = solve_triangular(corners, points.T, trans="T", lower=True, check_finite=False).T
        own = np.column_stack([1 - shares.sum(axis=1), shares])
        re_expressed = np.zeros_like(coefficients)
        re_expressed[:, self.objects] = own
        return re_expressed, own @ self.rows_sq


def find_affine_basis(
    relation: Relation, candidates: np.ndarray | None = None
) -> AffineBasis | None:
    """Return an affine basis of a relation; None where few objects do not span it.

    Pivoted Cholesky: each object is, of the candidates, the one farthest from what the earlier
    ones span.
    """
    n = relation.n_objects
    excluded = np.zeros(n, dtype=bool) if candidates is None else ~candidates
    objects = [int(np.argmin(excluded))]
    rows = [relation.block_sq(np.array(objects))[0]]
    residuals = np.where(excluded, 0, rows[0])  # squared distances to what is spanned so far
    columns = np.zeros((0, n), dtype=relation.dtype)
    spanned = max(SPANNED, float(np.finfo(relation.dtype).eps)) * float(residuals.max())
    while residuals[far := int(np.argmax(residuals))] > spanned:
        if len(objects) == MAX_BASIS_OBJECTS or far in objects:
            return None
        rows.append(relation.block_sq(np.array([far]))[0])
        inner = (rows[0] + rows[0][far] - rows[-1]) / 2
        column = (inner - columns[:, far] @ columns) / np.sqrt(residuals[far])
        columns = np.vstack([columns, column])
        residuals = np.where(excluded, 0, residuals - np.square(column))
        objects.append(far)
    if len(objects) == 1:
        return None
    return AffineBasis(np.array(objects), columns.T.copy(), np.array(rows))
