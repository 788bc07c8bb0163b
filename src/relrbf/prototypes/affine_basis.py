"""Few objects that stand for all: coefficients made small again.

A prototype that is pushed away from objects has its coefficients multiplied, step by step
(``a <- (1 - eta H) a + eta h`` with H < 0). Where the latent space has fewer dimensions than there
are objects, most of what grows cancels: the point stays near while its coefficients explode, and
with them the rounding errors of every distance. The same point can then be said with a few objects
that span the space.

Symbols: K = <x_i - x_0, x_j - x_0> for the first of those objects x_0; L (n × r) its pivoted
Cholesky factor, the objects' coordinates in the frame.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular

from relrbf._typing import Array, Indices
from relrbf.relations.base import Relation

MOST = 256  # objects in a frame; a space of more dimensions keeps its coefficients
FLAT = 1e-13  # of the squared extent: what is left beyond is rounding


@dataclass(frozen=True, eq=False)
class AffineBasis:
    """Objects that span the latent space, and the coordinates of all objects among them."""

    objects: Indices
    coordinates: Array
    rows_sq: Array

    def re_expressed(self, coefficients: Array) -> tuple[Array, Array]:
        """Return coefficients on the frame's objects for the same points, and their products."""
        points = coefficients @ self.coordinates
        corners = self.coordinates[self.objects[1:]]
        shares = solve_triangular(corners, points.T, trans="T", lower=True).T
        own = np.column_stack([1 - shares.sum(axis=1), shares])
        re_expressed = np.zeros_like(coefficients)
        re_expressed[:, self.objects] = own
        return re_expressed, own @ self.rows_sq


def find_affine_basis(
    relation: Relation, candidates: np.ndarray | None = None
) -> AffineBasis | None:
    """Return the frame of a relation; None where few objects do not span it.

    Pivoted Cholesky: each object is, of the candidates, the one farthest from what the earlier
    ones span.
    """
    n = relation.n_objects
    barred = np.zeros(n, dtype=bool) if candidates is None else ~candidates
    objects = [int(np.argmin(barred))]
    rows = [relation.block_sq(np.array(objects))[0]]
    left = np.where(barred, 0, rows[0])  # squared distances to what is spanned so far
    columns = np.zeros((0, n), dtype=relation.dtype)
    flat = max(FLAT, float(np.finfo(relation.dtype).eps)) * float(left.max())
    while left[far := int(np.argmax(left))] > flat:
        if len(objects) == MOST or far in objects:
            return None
        rows.append(relation.block_sq(np.array([far]))[0])
        inner = (rows[0] + rows[0][far] - rows[-1]) / 2
        column = (inner - columns[:, far] @ columns) / np.sqrt(left[far])
        columns = np.vstack([columns, column])
        left = np.where(barred, 0, left - np.square(column))
        objects.append(far)
    return (
        AffineBasis(np.array(objects), columns.T.copy(), np.array(rows))
        if len(objects) > 1
        else None
    )
