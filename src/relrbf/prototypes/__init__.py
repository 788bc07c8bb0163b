"""Where prototypes live: one contract, three spaces, and a trainer that need not know which."""

from relrbf.prototypes.base import Direction, Prototypes, Space
from relrbf.prototypes.fixed import FixedPrototypes
from relrbf.prototypes.medoid import MedoidPrototypes, MedoidSpace
from relrbf.prototypes.printed import PrintedSpace
from relrbf.prototypes.product import ProductSpace
from relrbf.prototypes.relational import RelationalPrototypes, RelationalSpace
from relrbf.prototypes.support import SupportedPrototypes, SupportSpace
from relrbf.prototypes.vector import VectorPrototypes, VectorSpace

__all__ = [
    "Direction",
    "FixedPrototypes",
    "MedoidPrototypes",
    "MedoidSpace",
    "PrintedSpace",
    "ProductSpace",
    "Prototypes",
    "RelationalPrototypes",
    "RelationalSpace",
    "Space",
    "SupportSpace",
    "SupportedPrototypes",
    "VectorPrototypes",
    "VectorSpace",
]
