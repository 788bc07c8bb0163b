"""Relational clustering, for its own sake and for the initial prototypes of a network."""

from relrbf.clustering.algorithms import (
    FuzzyPartition,
    GeometricOrder,
    Partition,
    fuzzy_c_means,
    initial_coefficients,
    lloyd,
    random_partition,
    seed_plus_plus,
)
from relrbf.clustering.estimators import RelationalFuzzyCMeans, RelationalKMeans

__all__ = [
    "FuzzyPartition",
    "GeometricOrder",
    "Partition",
    "RelationalFuzzyCMeans",
    "RelationalKMeans",
    "fuzzy_c_means",
    "initial_coefficients",
    "lloyd",
    "random_partition",
    "seed_plus_plus",
]
