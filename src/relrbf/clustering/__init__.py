"""Relational clustering, for its own sake and as the usual start of a network."""

from importlib import import_module
from typing import Any

from relrbf.clustering.fuzzy import FuzzyPartition, fuzzy_c_means, memberships_near_seeds
from relrbf.clustering.kmeans import Partition, lloyd
from relrbf.clustering.starts import Line, nearest_seeds, random_partition, seed_plus_plus

# The algorithms stand before the gate, and the estimators behind it: a network is started by
# clustering. Users look for the estimators here, so they are fetched when first asked for.
_ESTIMATORS = ("RelationalFuzzyCMeans", "RelationalKMeans")

__all__ = [
    "FuzzyPartition",
    "Line",
    "Partition",
    "RelationalFuzzyCMeans",
    "RelationalKMeans",
    "fuzzy_c_means",
    "lloyd",
    "memberships_near_seeds",
    "nearest_seeds",
    "random_partition",
    "seed_plus_plus",
]


def __getattr__(name: str) -> Any:
    if name not in _ESTIMATORS:
        raise AttributeError(f"module 'relrbf.clustering' has no attribute {name!r}")
    return getattr(import_module("relrbf.estimators"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
