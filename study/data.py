"""The data sets of the study, their random splits, and the relations that are compared.

Exponents: the three vector sets hold distances, ``S = r ** 2``. HG-194 and PC-102 hold 1 - a
similarity, which is a squared quantity where vectors exist: ``S = r``, as their loaders say.

The paper embeds all objects at once and splits them afterwards; so do the plain variants. A variant
that ends in ``@known`` embeds only objects with known labels, and places the others.
"""

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from sklearn.model_selection import train_test_split

from relrbf.datasets import load_bc569, load_hd303, load_hg194, load_pc102, load_usc435
from relrbf.embeddings import (
    ClassicalMDS,
    LandmarkMDS,
    MetricLearningMDS,
    NearestEuclideanMDS,
    ProximalMDS,
)
from relrbf.measures import common_source_dissimilarities
from relrbf.relations import as_relation

Array: TypeAlias = NDArray[np.floating[Any]]
Indices: TypeAlias = NDArray[np.intp]
ORIGINAL = "original"
EMBEDDED = ("classical", "proximal", "landmark", "nearest-euclidean", "metric-learning")
MIN_INTENSITY, MAX_INTENSITY = 10, 16000  # values outside carry no information; as in load_pc102


@dataclass(frozen=True, eq=False)
class Source:
    """Dissimilarities D, classes y, and what else is known of the objects.

    ``vectors`` only where their Euclidean distances are D; ``groups`` are never split.
    """

    D: Any
    y: Any
    exponent: float = 2
    vectors: Array | None = None
    groups: Any = None


@dataclass(frozen=True)
class DataSet:
    """A data set of the study.

    ``load`` is a function of some module, so that other processes find it. ``variants`` are the
    relations to compare; a network starts with ``n_prototypes``, and may grow to
    ``max_prototypes``, within ``max_iter`` epochs.
    """

    name: str
    load: Callable[[], Source]
    n_prototypes: int = 10
    max_prototypes: int | None = None
    variants: tuple[str, ...] = (ORIGINAL,)
    max_iter: int = 2000


def bc569() -> Source:
    """Return BC-569."""
    return _of_vectors(load_bc569())


def usc435() -> Source:
    """Return USC-435."""
    return _of_vectors(load_usc435())


def hd303() -> Source:
    """Return HD-303."""
    return _of_vectors(load_hd303())


def hg194() -> Source:
    """Return HG-194; a random split puts duplicates of one row into several parts."""
    genes = load_hg194()
    return Source(genes.relation.block(), genes.target, genes.relation.exponent)


def hg194_genes() -> Source:
    """Return HG-194 with its groups: genes, and duplicates of a row, stay together."""
    genes = load_hg194()
    return Source(
        genes.relation.block(), genes.target, genes.relation.exponent, groups=genes.groups
    )


def pc102() -> Source:
    """Return PC-102 with the common-source relation of its logarithmic profiles."""
    prostate = load_pc102()
    kept = prostate.data[:, prostate.keep].astype(float)
    profiles = np.log10(np.clip(kept, MIN_INTENSITY, MAX_INTENSITY))
    return Source(common_source_dissimilarities(profiles), prostate.target, exponent=1)


def _of_vectors(found: Any) -> Source:
    return Source(found.relation.block(), found.target, found.relation.exponent, found.data)


# Epochs are limited by time, a hundred repetitions of all in about an hour, not by the paper.
PAPER = (
    DataSet("BC-569", bc569, 10, 45),
    DataSet("USC-435", usc435, 10, 35),
    DataSet("HD-303", hd303, 10, 30),
    DataSet("HG-194", hg194, 15, 30, (ORIGINAL, *EMBEDDED), 1000),
    DataSet("HG-194-genes", hg194_genes, 15, 30, (ORIGINAL, *EMBEDDED), 1000),
    DataSet("PC-102", pc102, 12, 32, (ORIGINAL, *EMBEDDED), 1000),
)


PART_SHARES = {"train": 0.70, "test": 0.15, "validation": 0.15}
MAX_GROUP_DRAWS = 100  # of groups, to find one in which every part has every class


@dataclass(frozen=True, eq=False)
class Parts:
    """Positions of the objects in each part."""

    train: Indices
    test: Indices
    validation: Indices

    @property
    def known(self) -> Indices:
        """Objects whose labels a model may see: training first, then validation."""
        return np.concatenate([self.train, self.validation])


def split(y: np.ndarray, groups: np.ndarray | None, seed: int) -> Parts:
    """Split objects at random; whole groups where there are some."""
    return _split_objects(y, seed) if groups is None else _split_groups(y, groups, seed)


def _split_objects(y: np.ndarray, seed: int) -> Parts:
    rest, test = _held_out(np.arange(len(y)), y, round(PART_SHARES["test"] * len(y)), seed)
    train, validation = _held_out(rest, y, round(PART_SHARES["validation"] * len(y)), seed)
    return Parts(train, test, validation)


def _held_out(objects: Indices, y: np.ndarray, size: int, seed: int) -> list[Indices]:
    parts: list[Indices] = train_test_split(
        objects, test_size=size, stratify=y[objects], random_state=seed
    )
    return parts


def _split_groups(y: np.ndarray, groups: np.ndarray, seed: int) -> Parts:
    """Draw until every part has every class, or that seems impossible."""
    rng = np.random.default_rng(seed)
    for _ in range(MAX_GROUP_DRAWS):
        part = _assign_groups(y, groups, rng)
        if _is_complete(y, part):
            break
    return Parts(*(np.flatnonzero(part == number) for number in range(len(PART_SHARES))))


def _assign_groups(y: np.ndarray, groups: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Give each group, in random order, to the part that lacks most objects of its class."""
    shares = np.array(list(PART_SHARES.values()))
    lacking = {label: shares * np.count_nonzero(y == label) for label in np.unique(y)}
    part = np.empty(len(y), dtype=int)
    for group in rng.permutation(np.unique(groups)):
        members = groups == group
        labels, counts = np.unique(y[members], return_counts=True)
        most = lacking[labels[counts.argmax()]]
        part[members] = most.argmax()
        most[most.argmax()] -= counts.max()
    return part


def _is_complete(y: np.ndarray, part: np.ndarray) -> bool:
    return all(len(np.unique(part[y == label])) == len(PART_SHARES) for label in np.unique(y))


STRICT = "@known"
OBJECTS_PER_LANDMARK = 5  # landmarks are drawn anew in each repetition


@dataclass(frozen=True, eq=False)
class Related:
    """Objects as the models see them; ``S = D ** exponent``, ``y`` counts classes from 0."""

    D: Array
    exponent: float
    y: np.ndarray
    classes: np.ndarray
    groups: np.ndarray | None
    vectors: Array | None
    realisation: Array | None = None  # given vectors (not embedded) whose distances are D
    warnings: frozenset[str] = frozenset()  # kept, since what is made once warns only once


def _landmark(exponent: float, n_objects: int, seed: int) -> LandmarkMDS:
    return LandmarkMDS(
        n_landmarks=max(n_objects // OBJECTS_PER_LANDMARK, 2),
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
RANDOM_EMBEDDINGS = {"landmark"}


def check_variant(variant: str) -> None:
    """Refuse a variant that does not exist."""
    if variant != ORIGINAL:
        check_choice("variants", variant.removesuffix(STRICT), EMBEDDINGS)


def check_choice(name: str, value: str, allowed: Iterable[str]) -> None:
    """Refuse a value that is none of those allowed."""
    if value not in allowed:
        raise ValueError(f"{name}={value!r} does not exist; choose from {', '.join(allowed)}.")


def relate(data: DataSet, variant: str, known: Indices, seed: int) -> Related:
    """Return a variant of the relation; one that is the same in every split is made once."""
    if variant.endswith(STRICT):
        return _embedded(loaded(data), variant.removesuffix(STRICT), seed, known)
    return _whole(data, variant, seed if variant in RANDOM_EMBEDDINGS else 0)


@lru_cache(maxsize=32)
def loaded(data: DataSet) -> Related:
    """Load a data set once per process, and validate it."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = data.load()
        D = np.asarray(as_relation(found.D, exponent=found.exponent).block(), dtype=float)
    classes, y = np.unique(np.asarray(found.y), return_inverse=True)
    groups = None if found.groups is None else np.asarray(found.groups)
    for name, given in (("y", y), ("groups", groups), ("vectors", found.vectors)):
        if given is not None and len(given) != len(D):
            raise ValueError(
                f"{data.name}: {name} has {len(given)} entries for the {len(D)} objects of D; "
                "give one for each, in the same order."
            )
    X, seen = found.vectors, categories_of(caught)
    return Related(D, found.exponent, y, classes, groups, vectors=X, realisation=X, warnings=seen)


def categories_of(caught: Iterable[Any]) -> frozenset[str]:
    """Return the names of the warnings' classes."""
    return frozenset(warning.category.__name__ for warning in caught)


@lru_cache(maxsize=32)
def _whole(data: DataSet, variant: str, seed: int) -> Related:
    original = loaded(data)
    return original if variant == ORIGINAL else _embedded(original, variant, seed)


def _embedded(source: Related, variant: str, seed: int, known: Indices | None = None) -> Related:
    """Return Euclidean distances among embedded objects, to be used with exponent 2."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        Z = _embed(source, variant, seed, known)
    seen = source.warnings | categories_of(caught)
    return replace(source, D=cdist(Z, Z), exponent=2, vectors=Z, realisation=None, warnings=seen)


def _embed(source: Related, variant: str, seed: int, known: Indices | None) -> Array:
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
