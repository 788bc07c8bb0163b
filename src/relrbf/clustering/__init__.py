"""Relational clustering, for its own sake and for the initial prototypes of a network."""

from relrbf.clustering.fuzzy import FuzzyPartition, RelationalFuzzyCMeans, fuzzy_c_means
from relrbf.clustering.initial_prototypes import initial_coefficients
from relrbf.clustering.kmeans import Partition, RelationalKMeans, lloyd
from relrbf.clustering.seeding import GeometricOrder, random_partition, seed_plus_plus

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
