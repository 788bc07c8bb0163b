"""Where prototypes live: one contract, three spaces, and a trainer that need not know which."""

from relrbf.prototypes.base import Direction, ProductSpace, Prototypes, Space
from relrbf.prototypes.medoid import MedoidPrototypes, MedoidSpace
from relrbf.prototypes.on_objects import ObjectPrototypes
from relrbf.prototypes.relational import (
    FixedPrototypes,
    PublishedSpace,
    RelationalPrototypes,
    RelationalSpace,
)
from relrbf.prototypes.support import SupportedPrototypes, SupportSpace
from relrbf.prototypes.vector import VectorPrototypes, VectorSpace

__all__ = [
    "Direction",
    "FixedPrototypes",
    "MedoidPrototypes",
    "MedoidSpace",
    "ObjectPrototypes",
    "ProductSpace",
    "Prototypes",
    "PublishedSpace",
    "RelationalPrototypes",
    "RelationalSpace",
    "Space",
    "SupportSpace",
    "SupportedPrototypes",
    "VectorPrototypes",
    "VectorSpace",
]
