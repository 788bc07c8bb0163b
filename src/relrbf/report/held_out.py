"""Folds, predictions for the objects held out in them, and scores of these with intervals."""

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from joblib import delayed
from scipy import stats
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from sklearn import config_context, metrics
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from relrbf._typing import Array, Indices
from relrbf.exceptions import OptionError, RelationWarning
from relrbf.parallel import closed, worker_pool
from relrbf.report.baselines import BASELINES, Split, TrainingSet, has_one_class, make_folds
from relrbf.report.data import FittedData, RelationData

NETWORK_NAME, CONSTANT_NAME = "network", "baseline"  # models; the second predicts a constant
MAX_REPEATED_OBJECTS = 1000  # beyond this, one repetition
MAX_FIVE_FOLD_OBJECTS, FEWER_FOLDS = 10_000, 3
MIN_TARGETS = 4  # two folds of two
MAX_TUNED_OBJECTS = 2500  # beyond this, tuning baselines takes too long
CONFIDENCE_LEVEL = 0.95  # of intervals, and of a significant difference
UNEVEN = 0.5  # the smallest class has less than this share of the largest one's objects
COVERAGE = 0.9  # of prediction intervals
MAX_CURVES, MIN_CURVE_OBJECTS = 3, 5  # of precision against recall


@dataclass(frozen=True, eq=False)
class CrossValidation:
    """How objects are held out; notes say what differs from the request."""

    n_splits: int
    n_repeats: int
    random_state: int = 0
    notes: tuple[str, ...] = ()
    groups: Indices | None = None  # of the objects, each kept in one fold

    def splits(self, data: RelationData) -> list[Split]:
        """Return all splits, stratified by class, each group on one side."""
        seeds = [np.random.RandomState(self.random_state)] * self.n_repeats  # which goes on
        return [split for seed in seeds for split in self.folds(data, self.groups, seed)]

    def folds(self, data: RelationData, groups: Indices | None, seed: Any) -> list[Split]:
        """Return the splits of one repetition."""
        n_splits = self.n_splits if groups is None else min(self.n_splits, len(np.unique(groups)))
        classes = data.y if data.has_classes else None
        return make_folds(n_splits, seed, data.n_objects, classes, groups)

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
    if data.has_classes and has_one_class(data.y, plan.splits(data)):
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
    splits = replace(plan, n_splits=n_splits).folds(data, groups, plan.random_state)
    return [] if has_one_class(y if data.has_classes else None, splits) else splits


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
        counts = metrics.confusion_matrix(self.truth, self.predictions[NETWORK_NAME], labels=labels)
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
    found: dict[str, list[Any]] = {name: [] for name in (*predictors, CONSTANT_NAME)}
    for name, predict in predictors.items():
        tasks = (delayed(predict)(data, *split) for split in splits)
        on_fold(name, 0)
        with closed(worker_pool(n_jobs, return_as="generator")(tasks)) as results:
            for result in results:
                found[name].append(result)
                on_fold(name, 1)
    predictions, probabilities = zip(*found[NETWORK_NAME], strict=True)
    found[NETWORK_NAME] = list(predictions)
    # the largest class of all objects: training sets of equal classes each lack one of the test's
    largest = np.argmax(np.bincount(data.y)) if data.has_classes else None
    for train, test in splits:
        value = data.y[train].mean() if largest is None else largest
        found[CONSTANT_NAME].append(np.full(len(test), value))
    objects = np.concatenate([test for _, test in splits])
    folds = np.repeat(np.arange(len(splits)), [len(test) for _, test in splits])
    joined = {name: np.concatenate(parts) for name, parts in found.items()}
    ratio = float(np.mean([len(test) / len(train) for train, test in splits]))
    return HeldOut(data, objects, folds, joined, np.concatenate(probabilities), ratio, groups)


def _predict_baseline(
    name: str, seed: int, groups: Indices | None, data: FittedData, train: Indices, test: Indices
) -> np.ndarray:
    D, own = data.relation.block(train, train), None if groups is None else groups[train]
    known = TrainingSet(D, data.y[train], data.has_classes, own, data.class_weight, seed)
    with config_context(assume_finite=True, skip_parameter_validation=True):  # it takes time
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


def is_uneven(held: HeldOut) -> bool:
    """Tell whether classes differ so much in size that accuracy alone misleads."""
    counts = np.bincount(held.data.y) if held.data.has_classes else np.ones(1)
    return bool(counts.min() < UNEVEN * counts.max())


def metrics_of(held: HeldOut) -> dict[str, float]:
    """Return the scores of the network for classes, those that matter here first."""
    true, predicted, P = held.truth, held.predictions[NETWORK_NAME], held.probabilities
    found = {
        "accuracy": metrics.accuracy_score(true, predicted),
        "balanced accuracy": balanced_accuracy(held, NETWORK_NAME),
        "F1, mean of the classes": metrics.f1_score(true, predicted, average="macro"),
        "MCC": metrics.matthews_corrcoef(true, predicted),
    }
    one_hot = np.eye(P.shape[1])[true]
    present = one_hot.any(axis=0)
    found["ROC AUC"] = metrics.roc_auc_score(one_hot[:, present], P[:, present])
    name = "average precision, mean of the classes"
    found[name] = metrics.average_precision_score(one_hot[:, present], P[:, present])
    last = ("accuracy", "ROC AUC") if is_uneven(held) else ("balanced accuracy", name)
    order = sorted(found, key=lambda name: name in last)
    return {name: float(found[name]) for name in order}


def balanced_accuracy(held: HeldOut, model: str) -> float:
    """Return the mean recall of the classes."""
    options = {"average": "macro", "zero_division": 0}
    return float(metrics.recall_score(held.truth, held.predictions[model], **options))


def interval_of(held: HeldOut, model: str, *, balanced: bool = False) -> tuple[float, float]:
    """Return a 95 % interval for the accuracy or R² on new objects.

    Duplicates, and objects of one group, count as one object between them: they are right or wrong
    together. Accuracy has Wilson's interval, so that 10 of 10 is not certain, and the mean of the
    classes' recalls the sum of their variances.
    """
    units = units_of(held.data, held.groups)
    if not held.data.has_classes:
        return _interval_of_r2(held, model, units)
    correct = held.per_object_mean(held.predictions[model] == held.truth)
    strata = held.data.y if balanced else np.zeros(len(correct), dtype=int)
    z = stats.norm.ppf((1 + CONFIDENCE_LEVEL) / 2)
    variances, shares = [], []
    for k in np.unique(strata):
        sizes = np.bincount(units[strata == k])
        n, share = sizes.sum() ** 2 / np.sum(sizes**2), correct[strata == k].mean()
        shares.append(share)
        variances.append((n * share * (1 - share) + z**2 / 4) / (n + z**2) ** 2)
    half, mean = z * np.sqrt(np.sum(variances)) / len(shares), float(np.mean(shares))
    centre = mean if balanced else (n * mean + z**2 / 2) / (n + z**2)
    return max(float(centre - half), 0.0), min(float(centre + half), 1.0)


def _interval_of_r2(held: HeldOut, model: str, units: Indices) -> tuple[float, float]:
    """Return the interval of R² by its linearisation: a ratio of two means over the objects."""
    y = held.data.y
    squares = (y - y.mean()) ** 2
    errors_sq = held.per_object_mean((held.predictions[model] - held.truth) ** 2)
    share = errors_sq.sum() / squares.sum()
    totals = np.bincount(units, errors_sq - share * squares)
    n_units = len(np.unique(units))
    error = np.sqrt(n_units / max(n_units - 1, 1) * np.sum(totals**2)) / squares.sum()
    half = stats.t.ppf((1 + CONFIDENCE_LEVEL) / 2, max(n_units - 1, 1)) * error
    return float(1 - share - half), float(min(1 - share + half, 1))


def conformal_half_width(held: HeldOut, coverage: float = COVERAGE) -> float | None:
    """Return how far a prediction interval reaches to both sides.

    It is the conformal quantile of the absolute residuals of held-out objects, with one residual
    more that is infinite; None where there are too few objects.
    """
    residuals = np.abs(held.predictions[NETWORK_NAME] - held.truth)
    rank = np.ceil((len(residuals) + held.n_repeats) * coverage)
    return float(np.sort(residuals)[int(rank) - 1]) if rank <= len(residuals) else None


def precision_recall(held: HeldOut) -> list[tuple[str, float, Array, Array]]:
    """Return name, average precision, recall and precision of the smallest classes."""
    found: list[Any] = []
    counts = np.bincount(held.data.y)
    enough = counts >= min(MIN_CURVE_OBJECTS, counts.max())
    order = np.argsort(counts, kind="stable")
    for k in order[enough[order]][:MAX_CURVES]:
        is_k, p = held.truth == k, held.probabilities[:, k]
        precision, recall, _ = metrics.precision_recall_curve(is_k, p)
        average = float(metrics.average_precision_score(is_k, p))
        found.append((str(held.data.classes[k]), average, recall, precision))
    return found
