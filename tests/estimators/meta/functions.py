"""Functions that cut X themselves, each beside the same computation by hand."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import (
    GridSearchCV,
    cross_val_predict,
    cross_val_score,
    learning_curve,
    permutation_test_score,
    train_test_split,
    validation_curve,
)
from sklearn.utils import check_random_state

from tests.estimators.meta.combined import alone_by_hand, options_of, scores_of
from tests.estimators.meta.kinds import FOLDS, INNER, LABELS, Hand, Kind, N

ALL = np.arange(N)
SIZES = [12, 24]


@dataclass(frozen=True, eq=False)
class Function:
    """A function of an estimator and X, and what it must return."""

    name: str
    run: Callable[[Kind, Any, Any], Any]
    by_hand: Callable[[Hand], Any]


def share_right(hand: Hand, train: Any, test: Any, y: np.ndarray = LABELS, **params: Any) -> float:
    return float(np.mean(hand.fit(train, y[train], **params).predict(test) == y[test]))


def halves(kind: Kind, estimator: Any, X: Any) -> float:
    X_train, X_test, y_train, y_test = train_test_split(X, LABELS, random_state=0)
    return estimator.fit(X_train, y_train).score(X_test, y_test)


def scores_by_hand(hand: Hand) -> list[float]:
    return [share_right(hand, train, test) for train, test in FOLDS]


def answers_by_hand(hand: Hand) -> np.ndarray:
    answers = np.zeros((N, 3))
    for train, test in FOLDS:
        answers[test] = alone_by_hand(hand, hand, train, test)
    return answers


def permuted_scores(kind: Kind, estimator: Any, X: Any) -> np.ndarray:
    found = permutation_test_score(estimator, X, LABELS, cv=FOLDS, n_permutations=3, random_state=0)
    return np.hstack(found)


def permuted_scores_by_hand(hand: Hand) -> np.ndarray:
    rng = check_random_state(0)
    permuted = [LABELS[rng.permutation(N)] for _ in range(3)]
    score, *others = (
        np.mean([share_right(hand, train, test, y) for train, test in FOLDS])
        for y in (LABELS, *permuted)
    )
    return np.array([score, *others, (np.sum(np.array(others) >= score) + 1) / 4])


def curve_by_hand(hand: Hand) -> list[list[float]]:
    return [[share_right(hand, train[:n], test) for train, test in FOLDS] for n in SIZES]


def option_curve(kind: Kind, estimator: Any, X: Any) -> np.ndarray:
    ((name, values),) = kind.grid.items()
    return validation_curve(estimator, X, LABELS, param_name=name, param_range=values, cv=FOLDS)[1]


def option_curve_by_hand(hand: Hand) -> list[list[float]]:
    return [
        [share_right(hand, train, test, **option) for train, test in FOLDS]
        for option in options_of(hand)
    ]


def nested(kind: Kind, estimator: Any, X: Any) -> np.ndarray:
    return cross_val_score(GridSearchCV(estimator, kind.grid, cv=INNER), X, LABELS, cv=FOLDS)


def nested_by_hand(hand: Hand) -> list[float]:
    options, found = options_of(hand), []
    for train, test in FOLDS:
        scores = scores_of(hand, list(INNER.split(train, LABELS[train])), options, train)
        found.append(share_right(hand, train, test, **options[int(np.argmax(scores))]))
    return found


FUNCTIONS = [
    Function(
        "train_test_split",
        halves,
        lambda hand: share_right(hand, *train_test_split(ALL, random_state=0)),
    ),
    Function(
        "cross_val_score",
        lambda kind, estimator, X: cross_val_score(estimator, X, LABELS, cv=FOLDS),
        scores_by_hand,
    ),
    Function(
        "cross_val_predict",
        lambda kind, estimator, X: cross_val_predict(
            estimator, X, LABELS, cv=FOLDS, method=kind.response
        ),
        answers_by_hand,
    ),
    Function("cross_val_score of a GridSearchCV", nested, nested_by_hand),
    Function("permutation_test_score", permuted_scores, permuted_scores_by_hand),
    Function(
        "learning_curve",
        lambda kind, estimator, X: learning_curve(
            estimator, X, LABELS, train_sizes=SIZES, cv=FOLDS
        )[2],
        curve_by_hand,
    ),
    Function("validation_curve", option_curve, option_curve_by_hand),
]
