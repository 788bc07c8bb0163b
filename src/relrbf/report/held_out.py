"""Folds, and predictions of a network and of baselines for the objects held out in them."""

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, TypeAlias

import numpy as np
from joblib import delayed
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import (
    GroupKFold,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    StratifiedGroupKFold,
)

from relrbf._typing import Array, Indices
from relrbf.exceptions import OptionError, RelationWarning
from relrbf.parallel import closed, worker_pool
from relrbf.report.baselines import BASELINES, TrainingSet
from relrbf.report.data import FittedData, RelationData

Split: TypeAlias = tuple[Indices, Indices]
"""Training and test objects."""

NETWORK_NAME, CONSTANT_NAME = "network", "baseline"  # models; the second predicts a constant
MAX_REPEATED_OBJECTS = 1000  # beyond this, one repetition
MAX_FIVE_FOLD_OBJECTS, FEWER_FOLDS = 10_000, 3
MIN_TARGETS = 4  # two folds of two
MAX_TUNED_OBJECTS = 2500  # beyond this, tuning baselines takes too long


@dataclass(frozen=True, eq=False)
class CrossValidation:
    """How objects are held out; notes say what differs from the request."""

    n_splits: int
    n_repeats: int
    random_state: int = 0
    notes: tuple[str, ...] = ()
    groups: Indices | None = None  # of the objects, each kept in one fold

    def splits(self, data: RelationData) -> list[Split]:
        """Return all splits, stratified by class."""
        if self.groups is not None:
            seeds = range(self.random_state, self.random_state + self.n_repeats)
            return [split for seed in seeds for split in self.grouped(data, self.groups, seed)]
        kind = RepeatedStratifiedKFold if data.has_classes else RepeatedKFold
        options = {"n_repeats": self.n_repeats, "random_state": self.random_state}
        return _splits(kind(n_splits=self.n_splits, **options), data)

    def grouped(self, data: RelationData, groups: Indices, seed: int) -> list[Split]:
        """Return the splits of one repetition, in which each group is on one side."""
        n_splits = min(self.n_splits, len(np.unique(groups)))
        kind = StratifiedGroupKFold if data.has_classes else GroupKFold
        return _splits(kind(n_splits, shuffle=True, random_state=seed), data, groups)

    def __str__(self) -> str:
        text = f"{self.n_splits}-fold cross-validation"
        text += "" if self.groups is None else " with groups kept in one fold"
        return text if self.n_repeats == 1 else f"{text}, {self.n_repeats} repetitions"


def plan_cross_validation(
    data: RelationData,
    n_splits: int,
    n_repeats: int | None,
    random_state: int = 0,
    groups: Any = None,
) -> CrossValidation:
    """Return the folds and repetitions that the sizes of the classes and groups allow."""
    n, notes = data.n_objects, []
    if n_repeats is None:
        n_repeats = 2 if n <= MAX_REPEATED_OBJECTS else 1
        if n > MAX_REPEATED_OBJECTS:
            notes.append(f"With more than {MAX_REPEATED_OBJECTS:,} objects there is 1 repetition.")
        if n > MAX_FIVE_FOLD_OBJECTS and n_splits > FEWER_FOLDS:
            n_splits = FEWER_FOLDS
            notes.append(f"With more than {MAX_FIVE_FOLD_OBJECTS:,} objects there are 3 folds.")
    smallest = n // 2
    if data.has_classes:
        counts = np.bincount(data.y)
        smallest = int(counts[counts > 1].min(initial=n))
        notes += _class_notes(counts, smallest, n_splits)
    elif n < MIN_TARGETS:
        raise OptionError(
            f"y holds {n} targets; cross-validation needs {MIN_TARGETS}. Add more objects."
        )
    if groups is None:
        return CrossValidation(min(n_splits, smallest), n_repeats, random_state, tuple(notes))
    positions, n_groups = _check_groups(groups, n)
    if n_groups < n_splits:
        notes.append(f"{n_groups} folds instead of {n_splits}: there are {n_groups} groups.")
    n_splits = min(n_splits, smallest, n_groups)
    plan = CrossValidation(n_splits, n_repeats, random_state, tuple(notes), positions)
    if _has_one_class(data, plan.splits(data)):
        raise OptionError(
            "groups puts all classes but one into a single fold; each class needs objects in two "
            "groups at least."
        )
    return plan


def _check_groups(groups: Any, n: int) -> tuple[Indices, int]:
    """Return the group of each object by position, and how many groups there are."""
    groups = np.asarray(groups)
    if groups.shape != (n,):
        raise OptionError(
            f"groups has shape {groups.shape} for {n} objects; give one group for each object."
        )
    names, positions = np.unique(groups.astype(str), return_inverse=True)
    if len(names) < 2:
        raise OptionError("groups holds one group; cross-validation needs two or more.")
    return positions, len(names)


def _has_one_class(data: RelationData, splits: Sequence[Split]) -> bool:
    """Tell whether the training objects of a split are all of one class."""
    return data.has_classes and any(len(np.unique(data.y[train])) < 2 for train, _ in splits)


def units_of(data: RelationData, groups: Indices | None) -> Indices:
    """Return for each object a number that it shares with its duplicates and with its group."""
    if groups is None:
        return data.first_equal
    _, first, position = np.unique(groups, return_index=True, return_inverse=True)
    objects, others = np.arange(data.n_objects), (data.first_equal, first[position])
    ends = np.tile(objects, 2), np.concatenate(others)
    links = coo_array((np.ones(len(ends[0])), ends), (data.n_objects, data.n_objects))
    return connected_components(links, directed=False)[1]


def _class_notes(counts: Indices, smallest: int, n_splits: int) -> Iterator[str]:
    if np.count_nonzero(counts > 1) < 2:
        raise OptionError(
            "y has fewer than two classes of two or more objects; cross-validation is impossible. "
            "Label more objects."
        )
    if n_single := int(np.count_nonzero(counts == 1)):
        have = "One class has" if n_single == 1 else f"{n_single} classes have"
        yield f"{have} a single object, which cannot be predicted when held out."
    if smallest < n_splits:
        yield f"{smallest} folds instead of {n_splits}: the smallest class has {smallest} objects."


def splits_without_duplicates(data: RelationData, plan: CrossValidation) -> list[Split]:
    """Return splits with equal objects on the same side; none if that is impossible."""
    groups, y = units_of(data, plan.groups), data.y
    if plan.groups is not None and len(np.unique(groups)) == len(np.unique(plan.groups)):
        return []  # they are on the same side already
    n_groups = [len(np.unique(groups))]
    n_groups += [len(np.unique(groups[y == k])) for k in range(len(data.classes))]
    if min(n_groups) < 2:
        return []
    n_splits = min(plan.n_splits, *n_groups)
    splits = replace(plan, n_splits=n_splits).grouped(data, groups, plan.random_state)
    return [] if _has_one_class(data, splits) else splits


def _splits(kind: Any, data: RelationData, groups: Indices | None = None) -> list[Split]:
    n = data.n_objects
    y = data.y if data.has_classes else np.zeros(n, dtype=int)
    with warnings.catch_warnings():  # the notes tell of small classes
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        return [split for split in kind.split(np.zeros(n), y, groups) if len(split[1])]


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Predictions for held-out objects, one for each object and repetition (m in all)."""

    data: FittedData
    objects: Indices  # which object was predicted (m), and in which fold (m)
    folds: Indices
    predictions: dict[str, np.ndarray]  # of each model: classes by position, or targets (m)
    probabilities: Array  # of the network (m × g); without columns for a regression
    test_ratio: float  # of test objects to training objects, on average
    groups: Indices | None = None  # of the objects (n), each held out as a whole

    @property
    def truth(self) -> np.ndarray:
        """The class or target of each prediction's object."""
        return self.data.y[self.objects]

    @property
    def n_repeats(self) -> int:
        """Predictions per object."""
        return round(len(self.objects) / self.data.n_objects)

    @property
    def mean_note(self) -> str:
        """Says that an object's predictions were averaged, if there are several."""
        return f", mean of {self.n_repeats} predictions" if self.n_repeats > 1 else ""

    @cached_property
    def is_correct(self) -> np.ndarray:
        """Whether each class was predicted correctly (m)."""
        return self.predictions[NETWORK_NAME] == self.truth

    @cached_property
    def confidence(self) -> Array:
        """The probability of each predicted class (m)."""
        return self.probabilities[np.arange(len(self.objects)), self.predictions[NETWORK_NAME]]

    @cached_property
    def n_wrong(self) -> Indices:
        """How often each object was misclassified (n)."""
        return self._per_object(~self.is_correct).astype(int)

    @property
    def misclassified(self) -> Indices:
        """The objects that were misclassified at least once."""
        return np.flatnonzero(self.n_wrong)

    @cached_property
    def mean_probabilities(self) -> Array:
        """Mean probabilities of each object (n × g)."""
        return np.column_stack([self.per_object_mean(column) for column in self.probabilities.T])

    @cached_property
    def predicted(self) -> np.ndarray:
        """Each object's class of largest mean probability, or mean predicted target (n)."""
        if not self.data.has_classes:
            return self.per_object_mean(self.predictions[NETWORK_NAME])
        return np.argmax(self.mean_probabilities, axis=1)

    @cached_property
    def mistaken_for(self) -> Indices:
        """The most probable wrong class of each object (n)."""
        probabilities = self.mean_probabilities.copy()
        probabilities[np.arange(len(probabilities)), self.data.y] = -1
        return np.argmax(probabilities, axis=1)

    @cached_property
    def confusion(self) -> Array:
        """Confusion matrix, mean of the repetitions (g × g)."""
        labels = np.arange(len(self.data.classes))
        counts = confusion_matrix(self.truth, self.predictions[NETWORK_NAME], labels=labels)
        return counts * (self.data.n_objects / len(self.objects))

    def per_object_mean(self, values: np.ndarray) -> Array:
        """Return the mean over each object's predictions (n)."""
        return self._per_object(values) / self._per_object(np.ones(len(self.objects)))

    def _per_object(self, values: np.ndarray) -> Array:
        return np.bincount(self.objects, values, self.data.n_objects).astype(float)


def predict_held_out(
    data: FittedData,
    splits: Sequence[Split],
    *,
    seed: int,
    n_jobs: int | None = None,
    baselines: bool = False,
    groups: Indices | None = None,
    on_fold: Callable[[str, int], Any] = lambda name, n_new: None,
) -> HeldOut:
    """Train on each split and predict its test objects, in the order of the splits."""
    predictors: dict[str, Callable[..., Any]] = {NETWORK_NAME: _predict_network}
    if baselines:
        predictors |= {n: partial(_predict_baseline, n, seed, groups) for n in BASELINES}
    found: dict[str, list[Any]] = {}
    for name, predict in predictors.items():
        tasks = (delayed(predict)(data, *split) for split in splits)
        found[name] = []
        on_fold(name, 0)
        with closed(worker_pool(n_jobs, return_as="generator")(tasks)) as results:
            for result in results:
                found[name].append(result)
                on_fold(name, 1)
    predictions, probabilities = zip(*found[NETWORK_NAME], strict=True)
    found[NETWORK_NAME] = list(predictions)
    found[CONSTANT_NAME] = [_constant(data, *split) for split in splits]
    tests = [test for _, test in splits]
    return HeldOut(
        data,
        np.concatenate(tests),
        np.repeat(np.arange(len(splits)), [len(test) for test in tests]),
        {name: np.concatenate(parts) for name, parts in found.items()},
        np.concatenate(probabilities),
        float(np.mean([len(test) / len(train) for train, test in splits])),
        groups,
    )


def _constant(data: FittedData, train: Indices, test: Indices) -> np.ndarray:
    # the largest class of all objects: training sets of equal classes each lack one of the test's
    value = np.argmax(np.bincount(data.y)) if data.has_classes else data.y[train].mean()
    return np.full(len(test), value)


def _predict_baseline(
    name: str, seed: int, groups: Indices | None, data: FittedData, train: Indices, test: Indices
) -> np.ndarray:
    known = TrainingSet(
        data.relation.block(train, train),
        data.y[train],
        data.has_classes,
        None if groups is None else groups[train],
        data.class_weight,
        seed,
    )
    return BASELINES[name](known, data.relation.block(test, train))


def _predict_network(data: FittedData, train: Indices, test: Indices) -> tuple[np.ndarray, Array]:
    model = clone(data.model)
    queries = data.relation[np.ix_(test, train)]
    labels = data.classes[data.y[train]] if data.has_classes else data.y[train]
    with warnings.catch_warnings():  # the fit on all objects warned already
        warnings.simplefilter("ignore", RelationWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(data.relation.restrict(train), labels)
    if not data.has_classes:
        return model.predict(queries), np.empty((len(test), 0))
    probabilities = np.zeros((len(test), len(data.classes)))
    known = np.searchsorted(data.classes, model.classes_)  # a small class may be held out whole
    probabilities[:, known] = model.predict_proba(queries)
    probabilities /= probabilities.sum(axis=1, keepdims=True)  # float32 sums to 1 in float32 only
    return np.searchsorted(data.classes, model.predict(queries)), probabilities
