"""Where prototypes live: one contract, three spaces, and a trainer that need not know which."""

from relrbf.spaces.base import Direction, Prototypes, Space
from relrbf.spaces.fixed import FixedPrototypes
from relrbf.spaces.medoid import MedoidPrototypes, MedoidSpace
from relrbf.spaces.printed import PrintedSpace
from relrbf.spaces.product import ProductSpace
from relrbf.spaces.relational import RelationalPrototypes, RelationalSpace
from relrbf.spaces.support import SupportedPrototypes, SupportSpace
from relrbf.spaces.vector import VectorPrototypes, VectorSpace

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
