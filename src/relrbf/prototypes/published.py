"""Prototypes that move as the paper prints it (equation 2.9), kept for its readers.

With coefficients that sum to one, ``(4 sum_r u_r)^-2 u_p u_q`` is ``a_p a_q / 16``, and 2.9 reads

    d_i  <-  d_i + ( eta [S (e - H a)]_i  -  eta² |e|² a' S a ) / 16,      H = sum_y e_y

where a are the *first* coefficients (the print never changes them) and e the hidden errors. The
exact change of the same step is ``eta [S b]_i - eta a' S b - eta² b' S b / 2`` with ``b = e - H a``
and the present a (theory 4). So the print takes a sixteenth of the first-order term, loses the
constant ``a' S b`` and has another quadratic term: theory 5 tells why.

The hidden errors, ``w grad f_1`` in print, are vectors where 2.9 needs numbers and lack the
output's residual; ``e = 2 df/dd`` takes their place (theory 5), and the sign of the step is the one
that descends.
"""

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.prototypes.base import Direction, Gradients, as_array, row_dots, scaled
from relrbf.prototypes.relational import RelationalPrototypes, RelationalSpace

PUBLISHED_PREFACTOR = 1 / 16


@dataclass(frozen=True, repr=False, eq=False)
class PublishedPrototypes(RelationalPrototypes):
    """Prototypes whose distances no point of the space need have.

    ``first_coefficients`` and ``first_products`` are those of the first prototypes;
    ``updated_offsets`` (c) replace ``a' S a / 2``.
    """

    first_coefficients: Array = field(kw_only=True)
    first_products: Array = field(kw_only=True)
    updated_offsets: Array = field(kw_only=True)

    row_fields: ClassVar[tuple[str, ...]] = (
        *RelationalPrototypes.row_fields,
        *("first_coefficients", "first_products", "updated_offsets"),
    )

    @property
    def offsets(self) -> Array:
        """What the printed updates made of ``a' S a / 2`` (c)."""
        return self.updated_offsets


class PublishedSpace(RelationalSpace):
    """The latent space of a relation, with the printed update in place of the exact one."""

    def place(self, coefficients: Array) -> PublishedPrototypes:
        """Place prototypes at affine combinations of the objects."""
        return self.convert(super().place(coefficients))

    def place_at(self, objects: Indices) -> PublishedPrototypes:
        """Place a prototype on each of the given objects."""
        return self.convert(super().place_at(objects))

    def convert(self, prototypes: Any) -> PublishedPrototypes:
        """Start the printed updates from prototypes of the relational space."""
        if isinstance(prototypes, PublishedPrototypes):
            return prototypes
        A, P = prototypes.rows
        return PublishedPrototypes(
            A,
            P,
            prototypes.ids,
            first_coefficients=A,
            first_products=P,
            updated_offsets=prototypes.offsets,
        )

    def descent(self, prototypes: RelationalPrototypes, gradients: Gradients) -> Direction:
        """Return ``e - H a``, its products with S, and the norms ``|e|`` (equation 2.9)."""
        assert isinstance(prototypes, PublishedPrototypes)
        e = 2 * as_array(gradients)
        b = e - e.sum(axis=1)[:, None] * prototypes.first_coefficients
        norms = np.linalg.norm(e.astype(np.float64), axis=1).astype(self.dtype)
        return b, self.relation.product(b), norms

    def move(
        self, prototypes: RelationalPrototypes, direction: Direction, steps: Array
    ) -> PublishedPrototypes:
        """Change the distances by equation 2.9."""
        assert isinstance(prototypes, PublishedPrototypes)
        b, products, norms = scaled(direction, steps)
        first_sq = row_dots(prototypes.first_coefficients, prototypes.first_products)  # a' S a
        change = PUBLISHED_PREFACTOR * norms * (norms * first_sq)
        return replace(
            prototypes,
            coefficients=prototypes.coefficients + PUBLISHED_PREFACTOR * b,
            products=prototypes.products + PUBLISHED_PREFACTOR * products,
            updated_offsets=prototypes.updated_offsets + change,
        )
