"""What a report is about: the objects of a relation, their labels, and a network."""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from relrbf._typing import Array, Indices
from relrbf.base import check_classes, check_targets
from relrbf.estimators import RBFNetworkClassifier, RBFNetworkRegressor
from relrbf.exceptions import OptionError, RelationError
from relrbf.plotting.style import COLOURS
from relrbf.prototypes import ObjectPrototypes
from relrbf.relations.base import Relation
from relrbf.relations.conversion import as_relation
from relrbf.relations.properties import duplicates_and_means
from relrbf.relations.validation import validated_ids

Network: TypeAlias = RBFNetworkClassifier | RBFNetworkRegressor

# for more classes than COLOURS has: as far apart as twenty colours can be that show on white and on
# black (0.147 in OKLab, and half of it for readers without red or green cones)
MANY_COLOURS = (
    *("#005A78", "#FF5AFF", "#D2A500", "#000FF0", "#009600", "#871E4B", "#A5B4D2", "#5A69D2"),
    *("#F04B00", "#6900C3", "#4B5A00", "#FF1E96", "#4B8787", "#FF9696", "#B478C3", "#00A5FF"),
    *("#1EC378", "#B40096", "#A55A5A", "#B42DFF"),
)
QUINTILE_COLOURS = ("#0072B2", "#56B4E9", "#999999", "#E69F00", "#D55E00")  # from low to high
TARGET_ROUNDING = 4 * np.finfo(float).eps  # relative difference of equal targets
ISOLATED_QUANTILE = 0.95  # of nearest-neighbour distances; objects beyond it are isolated
MAX_WHOLE_NUMBER = 1e7  # larger ones are written with an exponent
N_DESCRIBING = 10  # nearest objects, which describe a prototype
N_SAMPLED_ROWS = 200  # that estimate this quantile


def number(value: float, digits: int = 4) -> str:
    """Return so many significant digits; without an exponent where that is as short."""
    return f"{value:.0f}" if 1000 <= abs(value) < MAX_WHOLE_NUMBER else f"{value:.{digits}g}"


@dataclass(frozen=True, eq=False)
class RelationData:
    """A relation, its objects' names, and targets or positions in ``classes``; empty if unknown."""

    relation: Relation
    names: np.ndarray
    y: np.ndarray
    classes: np.ndarray

    @property
    def n_objects(self) -> int:
        """Number of objects."""
        return self.relation.n_objects

    @property
    def has_classes(self) -> bool:
        """Whether y are classes, not targets."""
        return len(self.classes) > 0

    @property
    def is_constant(self) -> bool:
        """Whether all targets are equal, rounding aside."""
        return not np.ptp(self.y) > TARGET_ROUNDING * np.abs(self.y).max()

    def label(self, i: int | np.integer) -> str:
        """Return an object's class, or its target in a few digits."""
        return str(self.classes[self.y[i]]) if self.has_classes else number(self.y[i])

    @cached_property
    def groups(self) -> tuple[Indices, list[str], tuple[str, ...]]:
        """The group of each object, and the groups' names and colours: classes, or quintiles."""
        if self.has_classes:
            colours = COLOURS if len(self.classes) <= len(COLOURS) else MANY_COLOURS
            return self.y, [str(name) for name in self.classes], colours
        if not len(self.y):
            return np.zeros(self.n_objects, dtype=int), [], QUINTILE_COLOURS
        edges = np.unique(np.quantile(self.y, np.linspace(0, 1, len(QUINTILE_COLOURS) + 1)))
        names = [f"{number(low)} to {number(high)}" for low, high in pairwise(edges)]
        groups = np.searchsorted(edges[1:-1], self.y)
        return groups, names or [number(edges[0])], QUINTILE_COLOURS

    @cached_property
    def first_equal(self) -> Indices:
        """For each object, the first that has the same dissimilarities to all."""
        return duplicates_and_means(self.relation, np.full(self.n_objects, 1 / self.n_objects))[0]

    @cached_property
    def n_equal(self) -> Indices:
        """For each object, how many others are equal to it."""
        return np.bincount(self.first_equal, minlength=self.n_objects)[self.first_equal] - 1

    @property
    def n_duplicates(self) -> int:
        """Objects that are equal to an earlier one."""
        return int(np.count_nonzero(self.first_equal != np.arange(self.n_objects)))

    @property
    def n_contradicted(self) -> int:
        """Objects that have a duplicate with another class or target."""
        pairs = np.unique(np.column_stack([self.first_equal, self.y]), axis=0)
        n_labels = np.bincount(pairs[:, 0].astype(int), minlength=self.n_objects)
        return int(np.count_nonzero(n_labels[self.first_equal] > 1))

    @cached_property
    def isolation_distance(self) -> float:
        """Objects whose nearest neighbour is further away than this are isolated."""
        rng = np.random.default_rng(0)
        rows = rng.permutation(self.n_objects)[:N_SAMPLED_ROWS]
        D = np.array(self.relation.block(rows), dtype=float)
        D[np.arange(len(rows)), rows] = np.inf
        return float(np.quantile(D.min(axis=1), ISOLATED_QUANTILE))


@dataclass(frozen=True, eq=False)
class FittedData(RelationData):
    """A relation, its labels, and the network that was fitted to them."""

    model: Network

    @cached_property
    def distances_sq(self) -> Array:
        """Squared distances of the prototypes to all objects (c × n)."""
        prototypes = self.model.prototypes_
        if getattr(prototypes, "near", None) is None:
            return prototypes.distances_sq
        # a loaded network holds those to its support; the others follow from the relation
        relation = self.relation.with_exponent(self.model.exponent_)
        blocks = (relation.block_sq(rows, prototypes.support) for rows in relation.row_blocks())
        return np.concatenate([prototypes.distances_sq_to(block) for block in blocks], axis=1)

    @property
    def n_places(self) -> int:
        """Number of places that have a prototype; some objects have several."""
        prototypes = self.model.prototypes_
        return len(prototypes.objects if isinstance(prototypes, ObjectPrototypes) else prototypes)

    @property
    def prototype_classes(self) -> Indices | None:
        """The class of each prototype, where each has one (``positive``)."""
        if not getattr(self.model, "positive", False):
            return None
        if isinstance(prototypes := self.model.prototypes_, ObjectPrototypes):
            return self.y[prototypes.objects]  # some have a weight of zero
        return np.argmax(self.model.weights_, axis=1)

    @cached_property
    def fitted_classes(self) -> Indices:
        """The class that the network, trained with all labels, predicts for each object."""
        return np.argmax(self.model._network.forward(self.distances_sq).responses, axis=1)

    @cached_property
    def near_prototypes(self) -> Indices:
        """The objects nearest to the prototypes of each place, nearest first."""
        order = np.argsort(self.distances_sq[: self.n_places], axis=1, kind="stable")
        return order[:, :N_DESCRIBING]

    @cached_property
    def nearest_places(self) -> Indices:
        """The places of the prototypes nearest to each object, itself left out (n × 2)."""
        scaled = self.distances_sq[: self.n_places].T.astype(float)
        scaled = scaled / self.model.bandwidths_[: self.n_places] ** 2
        if isinstance(prototypes := self.model.prototypes_, ObjectPrototypes):
            scaled[prototypes.objects, np.arange(self.n_places)] = np.inf
        return np.argsort(scaled, axis=1, kind="stable")[:, :2]

    @property
    def class_weight(self) -> dict[int, float] | str | None:
        """The network's class weights, by the position of a class; 1 where not given."""
        given = getattr(self.model, "class_weight", None)
        if not isinstance(given, dict):
            return given
        return {k: given.get(name, 1.0) for k, name in enumerate(self.classes.tolist())}


def validate_fit(model: Network, D: Any, y: Any, ids: Any = None) -> FittedData:
    """Return what a report on a fitted network is about, or raise an error."""
    check_is_fitted(model)
    if not get_tags(model).input_tags.pairwise:
        raise OptionError(
            f"model has metric={model.metric!r}, space={model.space!r}; a report needs a model "
            "with metric='precomputed'. Fit one on as_relation(X, metric)."
        )
    if not isinstance(model.init, str):
        raise OptionError(
            "model.init holds coefficients on all objects, and cross-validation trains on some. "
            "Fit with init='k-means', or any other by name."
        )
    relation = D if isinstance(D, Relation) else as_relation(D)
    n_trained = model.prototypes_.coefficients.shape[1]
    if n_trained != relation.n_objects:
        raise RelationError(
            f"model was trained on {n_trained} objects and D is about {relation.n_objects}; pass "
            "the relation and labels it was trained on, and the model before compact()."
        )
    names = object_names(relation, ids)
    if is_classifier(model):
        classes, positions = check_classes(y, relation)
        if not np.array_equal(classes, model.classes_):
            raise OptionError(
                f"y holds the classes {_listed(classes)} and model was trained on "
                f"{_listed(model.classes_)}; pass the labels it was trained on."
            )
        return FittedData(relation, names, positions, classes, model)
    targets = check_targets(y, relation, model)
    if targets.ndim > 1:
        raise OptionError(
            f"y has shape {targets.shape}; a report is about one target: fit and report each "
            "column on its own."
        )
    return FittedData(relation, names, targets.astype(np.float64), np.empty(0), model)


def _listed(classes: np.ndarray) -> str:
    return np.array2string(classes, threshold=6, separator=", ", max_line_width=10**6)


def object_names(relation: Relation, ids: Any) -> np.ndarray:
    """Return a name for each object: those given, the relation's own, or positions."""
    n, names = relation.n_objects, relation.ids
    if ids is not None:
        names = validated_ids(np.asarray(ids, dtype=object), n)
    return np.array([str(name) for name in (range(n) if names is None else names)], dtype=object)
