"""Predictions of a network and of tuned baselines for objects held out in cross-validation."""

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self, TypeAlias

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    StratifiedGroupKFold,
    StratifiedKFold,
)
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR

from relrbf._typing import Array, Indices
from relrbf._utils import closed
from relrbf.exceptions import OptionError, RelationWarning
from relrbf.report.data import FittedData, RelationData

Split: TypeAlias = tuple[Indices, Indices]
"""Training and test objects."""

NETWORK_NAME, CONSTANT_NAME = "network", "baseline"  # models; the second predicts a constant
MAX_REPEATED_OBJECTS = 1000  # beyond this, one repetition
MAX_FIVE_FOLD_OBJECTS, FEWER_FOLDS = 10_000, 3
MIN_TARGETS = 4  # two folds of two
MAX_TUNED_OBJECTS = 2500  # beyond this, tuning baselines takes too long
N_TUNING_FOLDS = 3
NEIGHBOURS = (1, 3, 5, 9, 15)
SVM_GRID = {"C": (1, 10, 100), "gamma": (0.3, 1, 3), "power": (1, 2)}


@dataclass(frozen=True)
class CrossValidation:
    """How objects are held out; notes say what differs from the request."""

    n_splits: int
    n_repeats: int
    random_state: int = 0
    notes: tuple[str, ...] = ()

    def splits(self, data: RelationData) -> list[Split]:
        """Return all splits, stratified by class."""
        kind = RepeatedStratifiedKFold if data.has_classes else RepeatedKFold
        options = {"n_repeats": self.n_repeats, "random_state": self.random_state}
        return _splits(kind(n_splits=self.n_splits, **options), data)

    def __str__(self) -> str:
        text = f"{self.n_splits}-fold cross-validation"
        return text if self.n_repeats == 1 else f"{text}, {self.n_repeats} repetitions"


def plan_cross_validation(
    data: RelationData, n_splits: int, n_repeats: int | None, random_state: int = 0
) -> CrossValidation:
    """Return the folds and repetitions that the sizes of the classes allow."""
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
    return CrossValidation(min(n_splits, smallest), n_repeats, random_state, tuple(notes))


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
    groups, y = data.first_equal, data.y
    n_groups = [len(np.unique(groups))]
    n_groups += [len(np.unique(groups[y == k])) for k in range(len(data.classes))]
    if min(n_groups) < 2:
        return []
    n_splits = min(plan.n_splits, *n_groups)
    kind = StratifiedGroupKFold(n_splits, shuffle=True, random_state=plan.random_state)
    splits = _splits(kind, data, groups)
    has_one_class = data.has_classes and any(len(np.unique(y[train])) < 2 for train, _ in splits)
    return [] if has_one_class else splits


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
    on_fold: Callable[[], Any] = lambda: None,
) -> HeldOut:
    """Train on each split and predict its test objects, in the order of the splits."""
    tasks = (delayed(_predict_fold)(data, *split, seed, baselines) for split in splits)
    found = []
    with closed(Parallel(n_jobs, return_as="generator")(tasks)) as results:
        for result in results:
            found.append(result)
            on_fold()
    predictions, probabilities = zip(*found, strict=True)
    tests = [test for _, test in splits]
    return HeldOut(
        data,
        np.concatenate(tests),
        np.repeat(np.arange(len(splits)), [len(test) for test in tests]),
        {name: np.concatenate([p[name] for p in predictions]) for name in predictions[0]},
        np.concatenate(probabilities),
        float(np.mean([len(test) / len(train) for train, test in splits])),
    )


def _predict_fold(
    data: FittedData, train: Indices, test: Indices, seed: int, baselines: bool
) -> tuple[dict[str, np.ndarray], Array]:
    predicted, probabilities = _predict_network(data, train, test)
    predictions = {NETWORK_NAME: predicted}
    if baselines:
        D, D_new = data.relation.block(train, train), data.relation.block(test, train)
        options: Any = {"has_classes": data.has_classes, "class_weight": data.class_weight}
        predictions |= predict_baselines(D, data.y[train], D_new, seed=seed, **options)
    # the largest class of all objects: training sets of equal classes each lack one of the test's
    constant = np.argmax(np.bincount(data.y)) if data.has_classes else data.y[train].mean()
    predictions[CONSTANT_NAME] = np.full(len(test), constant)
    return predictions, probabilities


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


class DissimilarityKernel(TransformerMixin, BaseEstimator):
    """The kernel exp(-gamma (D / median)^power); the median is that of the training objects."""

    def __init__(self, gamma: float = 1.0, power: float = 1) -> None:
        self.gamma = gamma
        self.power = power

    def fit(self, D: Array, y: Any = None) -> Self:
        """Find the median dissimilarity between training objects (n × n)."""
        self.median_ = float(np.median(D[np.triu_indices_from(D, k=1)])) or 1.0
        return self

    def transform(self, D: Array) -> Array:
        """Return the kernel of dissimilarities to the training objects (m × n)."""
        return np.exp(-self.gamma * (D / self.median_) ** self.power)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = True  # GridSearchCV takes rows and columns
        return tags


def predict_baselines(
    D: Array,
    y: np.ndarray,
    D_new: Array,
    *,
    has_classes: bool,
    seed: int = 0,
    class_weight: dict[int, float] | str | None = None,
) -> dict[str, np.ndarray]:
    """Return predictions of each tuned baseline; y are positions of classes, or targets."""
    if has_classes:
        neighbours: Any = KNeighborsClassifier(1, metric="precomputed")
        machine: Any = SVC(kernel="precomputed", class_weight=class_weight)
        scoring, C = "accuracy", "svm__C"
    else:
        neighbours = KNeighborsRegressor(1, metric="precomputed")
        svr, scaler = SVR(kernel="precomputed"), StandardScaler()  # of the targets
        machine = TransformedTargetRegressor(svr, transformer=scaler)
        scoring, C = "neg_mean_squared_error", "svm__regressor__C"
    svm = Pipeline([("kernel", DissimilarityKernel()), ("svm", machine)])
    models: dict[str, Any] = {"k-NN": neighbours, "SVM": svm}
    if splits := list(_tuning_splits(y, has_classes, seed)):  # else too few objects to tune with
        k = [k for k in NEIGHBOURS if k <= min(len(train) for train, _ in splits)]
        grids: Any = {"k-NN": {"n_neighbors": k, "weights": ("uniform", "distance")}}
        kernels = {"kernel__gamma": SVM_GRID["gamma"], "kernel__power": SVM_GRID["power"]}
        grids["SVM"] = [{C: [value], **kernels} for value in SVM_GRID["C"]]  # ties: the smallest
        for name, model in models.items():
            models[name] = GridSearchCV(model, grids[name], scoring=scoring, cv=splits)
    return {name: model.fit(D, y).predict(D_new) for name, model in models.items()}


def _tuning_splits(y: np.ndarray, has_classes: bool, seed: int) -> Iterator[Split]:
    kind = StratifiedKFold if has_classes else KFold
    largest = int(np.bincount(y).max()) if has_classes else len(y)
    if largest < 2:
        return
    folds = kind(min(N_TUNING_FOLDS, largest), shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        for train, test in folds.split(y, y):
            if not has_classes or len(np.unique(y[train])) > 1:
                yield train, test
