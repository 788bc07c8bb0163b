"""Estimators made of estimators, each beside the same computation by hand."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import TransformedTargetRegressor
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    StackingClassifier,
    StackingRegressor,
    VotingClassifier,
    VotingRegressor,
)
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV, HalvingGridSearchCV, KFold
from sklearn.model_selection._search_successive_halving import _SubsampleMetaSplitter
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.semi_supervised import SelfTrainingClassifier
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import _ovr_decision_function

from tests.estimators.meta.kinds import INNER, LABELS, OTHER_LABELS, VALUES, Hand, Kind

BOTH_LABELS = np.column_stack([LABELS, OTHER_LABELS])
PARTLY = np.where(np.arange(len(LABELS)) % 5 < 2, LABELS, -1)
HALF = 18  # objects on which options compete first
LARGEST = np.iinfo(np.int32).max


@dataclass(frozen=True, eq=False)
class Combined:
    """An estimator of estimators, and what it must answer about the test objects."""

    name: str
    make: Callable[[Kind, Any, Any], Any]
    by_hand: Callable[..., np.ndarray]
    method: str | None = None  # the kind's own
    y: np.ndarray = field(default_factory=lambda: LABELS)

    @property
    def is_regression(self) -> bool:
        return self.y is VALUES


def bag_by_hand(meta: Any, dummy: Any, y: np.ndarray, ask: str) -> Callable[..., np.ndarray]:
    """Fit every bag with its repeated objects; which they are depends on the width of X only."""

    def by_hand(hand: Hand, _: Hand, train: Any, test: Any) -> np.ndarray:
        width = hand.kind.width(train)
        drawn = meta(dummy, 4, random_state=0).fit(np.zeros((len(train), width)), y[train])
        answers = []
        for bag, member in zip(drawn.estimators_samples_, drawn.estimators_, strict=True):
            seed = member.get_params().get("random_state")
            fitted = hand.fit(train[bag], y[train[bag]], random_state=seed)
            answers.append(getattr(fitted, ask)(test))
        return np.mean(answers, axis=0)

    return by_hand


class SeededDummy(DummyRegressor):
    """A regressor that is given a seed, as those it stands for are."""

    def __init__(self, random_state: Any = None) -> None:
        super().__init__()
        self.random_state = random_state


class Answers(ClassifierMixin, BaseEstimator):
    """A fitted classifier whose responses are X itself."""

    def fit(self, X: Any, y: Any) -> "Answers":
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X: Any) -> Any:
        return X

    def predict(self, X: Any) -> Any:
        return self.classes_[np.argmax(X, axis=1)]


def decide(fitted: Any, test: np.ndarray) -> np.ndarray:
    has = hasattr(fitted.model, "decision_function")
    return fitted.ask("decision_function" if has else "predict_proba", test)


def calibrated(responses: np.ndarray, y: np.ndarray, asked: np.ndarray, method: str) -> np.ndarray:
    frozen = FrozenEstimator(Answers().fit(responses, y))
    return (
        CalibratedClassifierCV(frozen, method=method, cv=2).fit(responses, y).predict_proba(asked)
    )


def left_out(hand: Hand, train: np.ndarray, ask: Callable[..., np.ndarray], y: Any) -> np.ndarray:
    """Answer about each training object from a model that did not see it."""
    answers: Any = None
    folds = KFold(3) if y is VALUES else INNER
    for a, b in folds.split(train, y[train]):
        found = ask(hand.fit(train[a], y[train[a]]), train[b])
        answers = np.zeros((len(train), *found.shape[1:])) if answers is None else answers
        answers[b] = found
    return answers


def calibrate_by_hand(method: str, is_ensemble: bool) -> Callable[..., np.ndarray]:
    def by_hand(hand: Hand, _: Hand, train: Any, test: Any) -> np.ndarray:
        y = LABELS[train]
        if not is_ensemble:
            responses = left_out(hand, train, decide, LABELS)
            return calibrated(responses, y, decide(hand.fit(train, y), test), method)
        answers = []
        for a, b in INNER.split(train, y):
            fitted = hand.fit(train[a], y[a])
            responses = decide(fitted, train[b])
            answers.append(calibrated(responses, y[b], decide(fitted, test), method))
        return np.mean(answers, axis=0)

    return by_hand


def calibration(method: str, is_ensemble: bool) -> Combined:
    return Combined(
        f"CalibratedClassifierCV(ensemble={is_ensemble})",
        lambda kind, one, _: CalibratedClassifierCV(
            one, cv=INNER, method=method, ensemble=is_ensemble
        ),
        calibrate_by_hand(method, is_ensemble),
        "predict_proba",
    )


def stack_by_hand(hand: Hand, other: Hand, train: Any, test: Any) -> np.ndarray:
    known = [left_out(each, train, decide, LABELS) for each in (hand, other)]
    asked = [decide(each.fit(train, LABELS[train]), test) for each in (hand, other)]
    final = LogisticRegression().fit(np.hstack(known), LABELS[train])
    return final.predict_proba(np.hstack(asked))


def stack_with_rows_by_hand(hand: Hand, other: Hand, train: Any, test: Any) -> np.ndarray:
    """Give the final estimator what there is to know about an object: its dissimilarities."""
    known = [left_out(each, train, decide, LABELS) for each in (hand, other)]
    asked = [decide(each.fit(train, LABELS[train]), test) for each in (hand, other)]
    matrix = hand.kind.matrix
    final = LogisticRegression().fit(
        np.hstack([*known, matrix[np.ix_(train, train)]]), LABELS[train]
    )
    return final.predict_proba(np.hstack([*asked, matrix[np.ix_(test, train)]]))


def stack_numbers_by_hand(hand: Hand, other: Hand, train: Any, test: Any) -> np.ndarray:
    both, y = (hand, other), VALUES[train]
    known = [left_out(each, train, lambda f, t: f.predict(t), VALUES) for each in both]
    asked = [each.fit(train, y).predict(test) for each in both]
    return LinearRegression().fit(np.transpose(known), y).predict(np.transpose(asked))


def vote_by_hand(hand: Hand, other: Hand, train: Any, test: Any) -> np.ndarray:
    both = [each.fit(train, LABELS[train]) for each in (hand, other)]
    return np.mean([fitted.ask("predict_proba", test) for fitted in both], axis=0)


def count_votes_by_hand(hand: Hand, other: Hand, train: Any, test: Any) -> np.ndarray:
    votes = [each.fit(train, LABELS[train]).predict(test) for each in (hand, other)]
    return np.minimum(*votes)  # of two, and a tie goes to the smaller label


def average_by_hand(hand: Hand, other: Hand, train: Any, test: Any) -> np.ndarray:
    return np.mean([each.fit(train, VALUES[train]).predict(test) for each in (hand, other)], axis=0)


def each_output_by_hand(hand: Hand, _: Hand, train: Any, test: Any) -> np.ndarray:
    return np.column_stack([hand.fit(train, y[train]).predict(test) for y in BOTH_LABELS.T])


def chain_by_hand(hand: Hand, _: Hand, train: Any, test: Any) -> np.ndarray:
    raise NotImplementedError("a column of labels has no place in a matrix of dissimilarities")


def boost_by_hand(hand: Hand, _: Hand, train: Any, test: Any) -> np.ndarray:
    """SAMME, as in Zhu et al. 2009."""
    rng, y = check_random_state(0), LABELS[train]
    weights, scores, total = np.full(len(train), 1 / len(train)), np.zeros((len(test), 3)), 0.0
    for _step in range(3):
        fitted = hand.fit(train, y, weights, random_state=rng.randint(LARGEST))
        is_wrong = fitted.predict(train) != y
        error = np.average(is_wrong, weights=weights)
        say = np.log((1 - error) / error) + np.log(2)
        weights = weights * np.exp(say * is_wrong)
        weights /= weights.sum()
        said = fitted.predict(test)[:, None] == np.arange(3)
        scores += np.where(said, say, -say / 2)
        total += say
    return scores / total


def boost_numbers_by_hand(hand: Hand, _: Hand, train: Any, test: Any) -> np.ndarray:
    """AdaBoost.R2, Drucker 1997; a median is taken of three steps at most."""
    rng, y = check_random_state(0), VALUES[train]
    weights = np.full(len(train), 1 / len(train))
    answers, says = [], []
    for _step in range(3):
        seed = rng.randint(LARGEST)
        bag = rng.choice(np.arange(len(train)), size=len(train), replace=True, p=weights)
        fitted = hand.fit(train[bag], y[bag], random_state=seed)
        losses = np.abs(fitted.predict(train) - y)
        losses /= losses.max()
        error = float(weights @ losses)
        beta = error / (1 - error)
        answers.append(fitted.predict(test))
        says.append(np.log(1 / beta))
        weights = weights * beta ** (1 - losses)
        weights /= weights.sum()
    order = np.argsort(answers, axis=0)
    shares = np.cumsum(np.array(says)[order], axis=0)
    middle = np.argmax(shares >= 0.5 * shares[-1], axis=0)
    where = np.arange(len(test))
    return np.array(answers)[order[middle, where], where]


def one_against_rest_by_hand(hand: Hand, _: Hand, train: Any, test: Any) -> np.ndarray:
    answers = [hand.fit(train, (LABELS[train] == k).astype(int)).respond(test) for k in range(3)]
    if answers[0].ndim == 1:
        return np.column_stack(answers)
    chances = np.column_stack([answer[:, 1] for answer in answers])
    return chances / chances.sum(axis=1, keepdims=True)


def one_against_one_by_hand(hand: Hand, _: Hand, train: Any, test: Any) -> np.ndarray:
    votes, sums = [], []
    for i, j in [(0, 1), (0, 2), (1, 2)]:
        part = train[np.isin(LABELS[train], [i, j])]
        fitted = hand.fit(part, (LABELS[part] == j).astype(int))
        votes.append(fitted.predict(test))
        response = decide(fitted, test)
        sums.append(response[:, 1] if response.ndim == 2 else response)
    return _ovr_decision_function(np.column_stack(votes), np.column_stack(sums), 3)


def label_themselves_by_hand(hand: Hand, _: Hand, train: Any, test: Any) -> np.ndarray:
    y = PARTLY[train].copy()
    for _step in range(10):
        known = y >= 0
        fitted = hand.fit(train[known], y[known])
        if known.all():
            break
        chances = fitted.ask("predict_proba", train[~known])
        sure = chances.max(axis=1) > 0.75
        y[np.flatnonzero(~known)[sure]] = np.argmax(chances, axis=1)[sure]
        if not sure.any():
            break
    else:
        fitted = hand.fit(train[y >= 0], y[y >= 0])
    return fitted.predict(test)


def scores_of(hand: Hand, folds: Any, options: list[dict[str, Any]], train: Any) -> list[float]:
    def score(option: Any, a: Any, b: Any) -> float:
        found = hand.fit(train[a], LABELS[train[a]], **option).predict(train[b])
        return float(np.mean(found == LABELS[train[b]]))

    return [np.mean([score(option, a, b) for a, b in folds]) for option in options]


def options_of(hand: Hand) -> list[dict[str, Any]]:
    ((name, values),) = hand.kind.grid.items()
    return [{name: value} for value in values]


def search_by_hand(hand: Hand, _: Hand, train: Any, test: Any) -> np.ndarray:
    options = options_of(hand)
    scores = scores_of(hand, list(INNER.split(train, LABELS[train])), options, train)
    return hand.fit(train, LABELS[train], **options[int(np.argmax(scores))]).respond(test)


def halving_by_hand(hand: Hand, _: Hand, train: Any, test: Any) -> np.ndarray:
    """Let the options compete on two thirds of each fold, and the better one have it all."""
    y, options = LABELS[train], options_of(hand)
    fraction = HALF / len(train)
    cut = _SubsampleMetaSplitter(
        base_cv=INNER, fraction=fraction, subsample_test=True, random_state=0
    )
    scores = scores_of(hand, list(cut.split(train, y)), options, train)
    best = int(np.argsort(scores, kind="stable")[-1])
    return hand.fit(train, y, **options[best]).respond(test)


def halving(kind: Kind, one: Any, _: Any) -> HalvingGridSearchCV:
    return HalvingGridSearchCV(
        one, kind.grid, cv=INNER, factor=1.5, min_resources=HALF, random_state=0
    )


def through_logarithm_by_hand(hand: Hand, _: Hand, train: Any, test: Any) -> np.ndarray:
    return np.sinh(hand.fit(train, np.arcsinh(VALUES[train])).predict(test))


def alone_by_hand(hand: Hand, _: Hand, train: Any, test: Any) -> np.ndarray:
    return hand.fit(train, LABELS[train]).respond(test)


def named(one: Any, other: Any) -> list[tuple[str, Any]]:
    return [("one", one), ("other", other)]


def stacking(one: Any, other: Any, **options: Any) -> StackingClassifier:
    method = "decision_function" if hasattr(one, "decision_function") else "predict_proba"
    return StackingClassifier(
        named(one, other), LogisticRegression(), cv=INNER, stack_method=method, **options
    )


COMBINED = [
    Combined(
        "BaggingClassifier",
        lambda kind, one, _: BaggingClassifier(one, 4, random_state=0),
        bag_by_hand(BaggingClassifier, DummyClassifier(), LABELS, "respond"),
    ),
    Combined(
        "BaggingRegressor",
        lambda kind, one, _: BaggingRegressor(one, 4, random_state=0),
        bag_by_hand(BaggingRegressor, SeededDummy(), VALUES, "predict"),
        "predict",
        VALUES,
    ),
    Combined(
        "AdaBoostClassifier",
        lambda kind, one, _: AdaBoostClassifier(one, n_estimators=3, random_state=0),
        boost_by_hand,
        "decision_function",
    ),
    Combined(
        "AdaBoostRegressor",
        lambda kind, one, _: AdaBoostRegressor(one, n_estimators=3, random_state=0),
        boost_numbers_by_hand,
        "predict",
        VALUES,
    ),
    *(
        calibration(method, is_ensemble)
        for method in ("sigmoid", "isotonic", "temperature")
        for is_ensemble in (True, False)
    ),
    Combined(
        "StackingClassifier",
        lambda kind, one, other: stacking(one, other),
        stack_by_hand,
        "predict_proba",
    ),
    Combined(
        "StackingClassifier(passthrough=True)",
        lambda kind, one, other: stacking(one, other, passthrough=True),
        stack_with_rows_by_hand,
        "predict_proba",
    ),
    Combined(
        "StackingRegressor",
        lambda kind, one, other: StackingRegressor(
            named(one, other), LinearRegression(), cv=KFold(3)
        ),
        stack_numbers_by_hand,
        "predict",
        VALUES,
    ),
    Combined(
        'VotingClassifier(voting="soft")',
        lambda kind, one, other: VotingClassifier(named(one, other), voting="soft"),
        vote_by_hand,
        "predict_proba",
    ),
    Combined(
        'VotingClassifier(voting="hard")',
        lambda kind, one, other: VotingClassifier(named(one, other)),
        count_votes_by_hand,
        "predict",
    ),
    Combined(
        "VotingRegressor",
        lambda kind, one, other: VotingRegressor(named(one, other)),
        average_by_hand,
        "predict",
        VALUES,
    ),
    Combined(
        "MultiOutputClassifier",
        lambda kind, one, _: MultiOutputClassifier(one),
        each_output_by_hand,
        "predict",
        BOTH_LABELS,
    ),
    Combined(
        "ClassifierChain",
        lambda kind, one, _: ClassifierChain(one),
        chain_by_hand,
        "predict",
        BOTH_LABELS,
    ),
    Combined(
        "OneVsRestClassifier",
        lambda kind, one, _: OneVsRestClassifier(one),
        one_against_rest_by_hand,
    ),
    Combined(
        "OneVsOneClassifier",
        lambda kind, one, _: OneVsOneClassifier(one),
        one_against_one_by_hand,
        "decision_function",
    ),
    Combined(
        "SelfTrainingClassifier",
        lambda kind, one, _: SelfTrainingClassifier(one),
        label_themselves_by_hand,
        "predict",
        PARTLY,
    ),
    Combined(
        "TransformedTargetRegressor",
        lambda kind, one, _: TransformedTargetRegressor(one, func=np.arcsinh, inverse_func=np.sinh),
        through_logarithm_by_hand,
        "predict",
        VALUES,
    ),
    Combined(
        "GridSearchCV",
        lambda kind, one, _: GridSearchCV(one, kind.grid, cv=INNER),
        search_by_hand,
    ),
    Combined("HalvingGridSearchCV", halving, halving_by_hand),
    Combined(
        "Pipeline, a single step",
        lambda kind, one, _: make_pipeline(one),
        alone_by_hand,
    ),
    Combined(
        "Pipeline, another step before it",
        lambda kind, one, _: make_pipeline(FunctionTransformer(), one),
        alone_by_hand,
    ),
]
