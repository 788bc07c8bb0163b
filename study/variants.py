"""Relations to compare: as it is, and as it is among the vectors of an embedding.

The paper embeds all objects at once, and splits them afterwards; so do the plain variants. A
variant that ends in ``@known`` embeds only objects with known labels, and places the others.
"""

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from relrbf._options import check_choice
from relrbf._typing import Array, Indices
from relrbf.embeddings import (
    ClassicalMDS,
    LandmarkMDS,
    MetricLearningMDS,
    NearestEuclideanMDS,
    ProximalMDS,
)
from relrbf.exceptions import RelationError
from relrbf.relations import as_relation
from study.sets import ORIGINAL, DataSet

STRICT = "@known"
LANDMARKS = 5  # one in so many objects, drawn anew in each repetition


@dataclass(frozen=True, eq=False)
class Related:
    """Objects as the models see them; ``S = D ** exponent``, ``y`` counts classes from 0."""

    D: Array
    exponent: float
    y: np.ndarray
    classes: np.ndarray
    groups: np.ndarray | None
    vectors: Array | None
    twin: Array | None = None  # vectors whose distances D are, given and not embedded
    warnings: frozenset[str] = frozenset()  # kept, since what is made once warns only once


def _landmark(exponent: float, n_objects: int, seed: int) -> LandmarkMDS:
    return LandmarkMDS(
        n_landmarks=max(n_objects // LANDMARKS, 2),
        landmarks="random",
        exponent=exponent,
        random_state=seed,
    )


EMBEDDINGS: dict[str, Callable[[float, int, int], Any]] = {
    "classical": lambda exponent, n, seed: ClassicalMDS(exponent=exponent),
    "proximal": lambda exponent, n, seed: ProximalMDS(exponent=exponent),
    "landmark": _landmark,
    "nearest-euclidean": lambda exponent, n, seed: NearestEuclideanMDS(exponent=exponent),
    "metric-learning": lambda exponent, n, seed: MetricLearningMDS(exponent=exponent),
}
DRAWN = {"landmark"}


def check_variant(variant: str) -> None:
    """Refuse a variant that does not exist."""
    if variant != ORIGINAL:
        check_choice("variants", variant.removesuffix(STRICT), EMBEDDINGS)


def relate(data: DataSet, variant: str, known: Indices, seed: int) -> Related:
    """Return a variant of the relation; one that is the same in every split is made once."""
    if variant.endswith(STRICT):
        return _embedded(loaded(data), variant.removesuffix(STRICT), seed, known)
    return _whole(data, variant, seed if variant in DRAWN else 0)


@lru_cache(maxsize=32)
def loaded(data: DataSet) -> Related:
    """Load a data set once per process, and judge it."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        found = data.load()
        D = np.asarray(as_relation(found.D, exponent=found.exponent).block(), dtype=float)
    classes, y = np.unique(np.asarray(found.y), return_inverse=True)
    groups = None if found.groups is None else np.asarray(found.groups)
    for name, given in (("y", y), ("groups", groups), ("vectors", found.vectors)):
        if given is not None and len(given) != len(D):
            raise RelationError(
                f"{data.name}: {name} has {len(given)} entries for the {len(D)} objects of D; "
                "give one for each, in the same order."
            )
    X, said = found.vectors, names_of(heard)
    return Related(D, found.exponent, y, classes, groups, vectors=X, twin=X, warnings=said)


def names_of(heard: Iterable[Any]) -> frozenset[str]:
    """Return the kinds of warnings that were heard."""
    return frozenset(warning.category.__name__ for warning in heard)


@lru_cache(maxsize=32)
def _whole(data: DataSet, variant: str, seed: int) -> Related:
    original = loaded(data)
    return original if variant == ORIGINAL else _embedded(original, variant, seed)


def _embedded(source: Related, variant: str, seed: int, known: Indices | None = None) -> Related:
    """Return Euclidean distances among embedded objects, which are read with exponent 2."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        Z = _places(source, variant, seed, known)
    said = source.warnings | names_of(heard)
    return replace(source, D=cdist(Z, Z), exponent=2, vectors=Z, twin=None, warnings=said)


def _places(source: Related, variant: str, seed: int, known: Indices | None) -> Array:
    everyone = np.arange(len(source.D))
    fitted = everyone if known is None else known
    others = np.setdiff1d(everyone, fitted)
    mds = EMBEDDINGS[variant](source.exponent, len(fitted), seed)
    placed = mds.fit_transform(source.D[np.ix_(fitted, fitted)])
    Z = np.empty((len(source.D), placed.shape[1]))
    Z[fitted] = placed
    if len(others):
        Z[others] = mds.transform(source.D[np.ix_(others, fitted)])
    return Z
