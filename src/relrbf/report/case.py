"""What a report is about: objects, how they relate, what is known of them, and the network."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from relrbf._typing import Array, Indices
from relrbf.exceptions import OptionError, RelationError
from relrbf.prototypes import FixedPrototypes
from relrbf.relations.base import Relation
from relrbf.relations.conversion import as_relation, validated_ids
from relrbf.relations.duplicates import duplicates_and_means
from relrbf.targets import check_classes, check_targets

Progress: TypeAlias = Callable[[str, float, int], Any]
"""Called with what is being done, how many steps are, and how many there will be."""

N_STEPS = 5  # of targets, where colours stand for them
EMPTY = np.empty(0)
ROUNDING = 4 * np.finfo(float).eps  # of a target, by which equal ones may differ
FEW_ABOVE = 0.95  # of the objects are not said to lie apart


@dataclass(frozen=True, eq=False)
class Case:
    """A relation with the names of its objects, their classes or targets, and a network.

    ``y`` holds the targets of a regression, or the position in ``classes`` of each object's class;
    of what is not known, nothing.
    """

    relation: Relation
    names: np.ndarray
    y: np.ndarray
    classes: np.ndarray
    model: Any = None

    @property
    def n_objects(self) -> int:
        """Number of objects."""
        return self.relation.n_objects

    @property
    def has_classes(self) -> bool:
        """Whether y are classes, not numbers."""
        return len(self.classes) > 0

    @property
    def has_targets(self) -> bool:
        """Whether anything is known of the objects."""
        return len(self.y) > 0

    @property
    def labels(self) -> np.ndarray:
        """The class of each object by name, or its target as it is."""
        return self.classes[self.y] if self.has_classes else self.y

    @property
    def varies(self) -> bool:
        """Whether there are different targets, rounding aside."""
        return bool(np.ptp(self.y) > ROUNDING * np.abs(self.y).max())

    @cached_property
    def steps(self) -> tuple[Indices, list[str]]:
        """For each object the fifth that its target is in, from low to high, and their names."""
        edges = np.unique(np.quantile(self.y, np.linspace(0, 1, N_STEPS + 1)))
        names = [f"{low:.4g} to {high:.4g}" for low, high in pairwise(edges)]
        return np.searchsorted(edges[1:-1], self.y), names or [f"{edges[0]:.4g}"]

    @cached_property
    def twins(self) -> Indices:
        """For each object the first that has the same dissimilarities to all."""
        n = self.n_objects
        return duplicates_and_means(self.relation, np.full(n, 1 / n))[0]

    @cached_property
    def n_copies(self) -> Indices:
        """For each object, how many others are equal to it."""
        return np.bincount(self.twins, minlength=self.n_objects)[self.twins] - 1

    @property
    def n_twins(self) -> int:
        """Objects that are copies of an earlier one."""
        return int(np.count_nonzero(self.twins != np.arange(self.n_objects)))

    @property
    def n_contradicted(self) -> int:
        """Objects that have a copy with another class, or another target."""
        pairs = np.unique(np.column_stack([self.twins, self.y]), axis=0)  # of a copy and a label
        n_labels = np.bincount(pairs[:, 0].astype(int), minlength=self.n_objects)
        return int(np.count_nonzero(n_labels[self.twins] > 1))

    @cached_property
    def wide_gap(self) -> float:
        """A distance to the nearest other object that few objects have: those lie apart."""
        some = np.random.default_rng(0).permutation(self.n_objects)[:200]
        rows = np.array(self.relation.block(some), dtype=float)
        rows[np.arange(len(some)), some] = np.inf
        return float(np.quantile(rows.min(axis=1), FEW_ABOVE))

    def said(self, position: int | np.integer) -> str:
        """Return an object's class, or its target in a few digits."""
        value = self.y[position]
        return str(self.classes[value]) if self.has_classes else f"{value:.4g}"

    @cached_property
    def distances_sq(self) -> Array:
        """The prototypes' squared distances to all objects (c × n).

        A network from a file may have kept those to its support only; the others follow.
        """
        prototypes = self.model.prototypes_
        if not isinstance(prototypes, FixedPrototypes) or prototypes.near is None:
            return prototypes.distances_sq
        relation = self.relation.with_exponent(self.model.exponent_)
        parts = (relation.block_sq(rows, prototypes.support) for rows in relation.row_blocks())
        return np.concatenate([prototypes.distances_sq_to(part) for part in parts], axis=1)

    @property
    def class_weight(self) -> dict[int, float] | str | None:
        """The network's, with a class by its position; of those it leaves out, 1."""
        given = getattr(self.model, "class_weight", None)
        if not isinstance(given, dict):
            return given
        return {k: given.get(name, 1.0) for k, name in enumerate(self.classes.tolist())}


def case_of_fit(model: Any, D: Any, y: Any, ids: Any) -> Case:
    """Judge what a report on a fitted network is to be about."""
    _check_model(model)
    relation = D if isinstance(D, Relation) else as_relation(D)
    n_trained = model.prototypes_.coefficients.shape[1]
    if n_trained != relation.n_objects:
        raise RelationError(
            f"model was trained on {n_trained} objects and D is about {relation.n_objects}; pass "
            "the relation and labels it was trained on, and the model before compact()."
        )
    names = names_of(relation, ids)
    if not is_classifier(model):
        return Case(relation, names, _one_target(y, relation, model), EMPTY, model)
    classes, labels = check_classes(y, relation)
    if not np.array_equal(classes, model.classes_):
        raise OptionError(
            f"y holds the classes {_some(classes)} and model was trained on "
            f"{_some(model.classes_)}; pass the labels it was trained on."
        )
    return Case(relation, names, labels, classes, model)


def _check_model(model: Any) -> None:
    check_is_fitted(model)
    if not get_tags(model).input_tags.pairwise:
        raise OptionError(
            f"model reads metric={model.metric!r}, space={model.space!r}; the report is on models "
            "with metric='precomputed'. Fit one on as_relation(X, metric)."
        )
    if not isinstance(model.init, str):
        raise OptionError(
            "model.init holds coefficients on all objects; the report trains on parts of them. Fit "
            "with init='k-means', or any other by name."
        )


def _one_target(y: Any, relation: Relation, model: Any) -> Array:
    targets = check_targets(y, relation, model)
    if targets.ndim > 1:
        raise OptionError(
            f"y has shape {targets.shape}; a report is about one target: fit and report each "
            "column on its own."
        )
    return targets.astype(np.float64)


def names_of(relation: Relation, ids: Any) -> np.ndarray:
    """Return a name for each object: those given, the relation's own, or positions."""
    if ids is not None:
        names = validated_ids(np.asarray(ids, dtype=object), relation.n_objects)
    else:
        names = relation.ids
    if names is None:
        names = np.arange(relation.n_objects)
    return np.array([str(name) for name in names], dtype=object)


def _some(classes: np.ndarray) -> str:
    more = ", ..." if len(classes) > 5 else ""
    return f"[{', '.join(repr(name) for name in classes[:5].tolist())}{more}]"
