"""Prototypes that move as the paper prints it (equation 2.9), kept for its readers.

With coefficients that sum to one, ``(4 sum_r u_r)^-2 u_p u_q`` is ``a_p a_q / 16``, and 2.9 reads

    d_i  <-  d_i + ( eta [S (e - H a)]_i  -  eta² |e|² a' S a ) / 16,      H = sum_y e_y

where a are the *first* coefficients (the print never changes them) and e the hidden errors. The
exact change of the same step is ``eta [S b]_i - eta a' S b - eta² b' S b / 2`` with ``b = e - H a``
and the present a (theory 4). So the print takes a sixteenth of the first-order term, loses the
constant ``a' S b`` and has another quadratic term: theory 5.6 tells why.

The hidden errors, ``w grad f_1`` in print, are vectors where 2.9 needs numbers and lack the
output's residual; the forces of theory 4 stand in for them (theory 5.7), and the sign of the step
is the one that descends.
"""

from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.prototypes.base import Parted, whole
from relrbf.prototypes.relational import LatentRows, RelationalPrototypes, RelationalSpace, row_dots

PREFACTOR = 1 / 16


@dataclass(frozen=True, repr=False, eq=False)
class PrintedPrototypes(RelationalPrototypes):
    """Prototypes whose distances went their own way: no point of the space need have them.

    ``homes`` and ``home_products`` are the first coefficients and their products with S;
    ``heights`` (c) take the place of ``a' S a / 2``.
    """

    homes: Array = field(kw_only=True)
    home_products: Array = field(kw_only=True)
    heights: Array = field(kw_only=True)

    @property
    def offsets(self) -> Array:
        """What the printed updates made of ``a' S a / 2`` (c)."""
        return self.heights

    @property
    def rows(self) -> tuple[Array, ...]:
        """Coefficients and products, now and at first, and heights."""
        return self.coefficients, self.products, self.homes, self.home_products, self.heights

    def with_rows(self, rows: tuple[Array, ...]) -> Self:
        """Return prototypes with these rows."""
        homes, products, heights = rows[2:]
        moved = super().with_rows(rows)
        return replace(moved, homes=homes, home_products=products, heights=heights)


class PrintedSpace(RelationalSpace):
    """The latent space of a relation, with the printed update in place of the exact one."""

    def place(self, coefficients: Array) -> PrintedPrototypes:
        """Place prototypes at affine combinations of the objects."""
        return self.adopt(super().place(coefficients))

    def place_at(self, objects: Indices) -> PrintedPrototypes:
        """Place a prototype on each of the given objects."""
        return self.adopt(super().place_at(objects))

    def adopt(self, prototypes: Any) -> PrintedPrototypes:
        """Start the printed updates from prototypes of the relational space."""
        if isinstance(prototypes, PrintedPrototypes):
            return prototypes
        A, P = prototypes.rows
        heights = prototypes.offsets
        return PrintedPrototypes(A, P, prototypes.ids, homes=A, home_products=P, heights=heights)

    def descent(self, prototypes: RelationalPrototypes, forces: Array | Parted) -> LatentRows:
        """Return ``e - H a``, its products with S, and the norms ``|e|`` (equation 2.9)."""
        assert isinstance(prototypes, PrintedPrototypes)
        forces = whole(forces)
        b = forces - forces.sum(axis=1)[:, None] * prototypes.homes
        norms = np.linalg.norm(forces.astype(np.float64), axis=1).astype(self.dtype)
        return LatentRows((b, self.relation.product(b), norms))

    def move(
        self, prototypes: RelationalPrototypes, direction: LatentRows, steps: Array
    ) -> PrintedPrototypes:
        """Change the distances by equation 2.9."""
        assert isinstance(prototypes, PrintedPrototypes)
        direction = direction.scaled(steps)
        twice_offsets = row_dots(prototypes.homes, prototypes.home_products)
        return replace(
            prototypes,
            coefficients=prototypes.coefficients + PREFACTOR * direction.coefficients,
            products=prototypes.products + PREFACTOR * direction.products,
            heights=prototypes.heights
            + PREFACTOR * direction.rows[2] * (direction.rows[2] * twice_offsets),
        )
