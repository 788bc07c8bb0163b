"""What else one would train on a relation, each tuned within the training part alone."""

import warnings
from collections.abc import Callable, Iterator
from itertools import product
from typing import TypeAlias

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.svm import SVC, SVR

from relrbf._typing import Array, Indices

NEIGHBOURS, MACHINE = "k-NN", "SVM"
FOLDS = 3
NUMBERS = (1, 3, 5, 9, 15)
PENALTIES, GAMMAS, POWERS = (1, 10, 100), (0.3, 1, 3), (1, 2)
MOST_TUNED = 2500  # objects beyond which tuning them takes longer than a reader waits
GRIDS = (
    f"k-NN: k in {', '.join(map(str, NUMBERS))}, votes equal or by 1 / distance. SVM: kernel "
    f"exp(-gamma (D / median)^power), C in {', '.join(map(str, PENALTIES))}, gamma in "
    f"{', '.join(map(str, GAMMAS))}, power in {', '.join(map(str, POWERS))}. The best by "
    f"{FOLDS}-fold cross-validation within each training part."
)

Weights: TypeAlias = dict[int, float] | str | None
"""Of classes by their positions, "balanced", or none."""
Answer: TypeAlias = Callable[[Array, np.ndarray, Array], np.ndarray]
"""What one candidate says of new objects, from D, y and the new objects' dissimilarities."""


def baseline(y: np.ndarray, n_new: int, has_classes: bool) -> np.ndarray:
    """Return what is right most often without looking: the largest class, or the mean."""
    return np.full(n_new, np.argmax(np.bincount(y)) if has_classes else y.mean())


def rival_answers(
    D: Array,
    y: np.ndarray,
    D_new: Array,
    *,
    has_classes: bool,
    seed: int,
    class_weight: Weights = None,
) -> dict[str, np.ndarray]:
    """Return what each tuned rival says of new objects; y are positions of classes, or numbers."""
    between = D[D > 0]
    unit = float(np.median(between)) if len(between) else 1.0
    D, D_new = D / unit, D_new / unit
    folds = list(_folds(y, has_classes, seed))
    return {
        NEIGHBOURS: _tuned(_votes(has_classes), D, y, D_new, folds, has_classes),
        MACHINE: _machine(D, y, D_new, folds, has_classes, class_weight),
    }


def _folds(y: np.ndarray, has_classes: bool, seed: int) -> Iterator[tuple[Indices, Indices]]:
    kind = StratifiedKFold if has_classes else KFold
    most = int(np.bincount(y).max()) if has_classes else len(y)
    if most < 2:
        return  # nothing to tune by: the first candidate it is
    dealing = kind(min(FOLDS, most), shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        for train, test in dealing.split(y, y):
            if not has_classes or len(np.unique(y[train])) > 1:
                yield train, test


def _tuned(
    candidates: list[Answer],
    D: Array,
    y: np.ndarray,
    D_new: Array,
    folds: list[tuple[Indices, Indices]],
    has_classes: bool,
) -> np.ndarray:
    """Return the answers of the candidate that is best on the folds."""
    losses = [_loss(answer, D, y, folds, has_classes) for answer in candidates]
    return candidates[int(np.argmin(losses))](D, y, D_new)


def _loss(
    answer: Answer,
    D: Array,
    y: np.ndarray,
    folds: list[tuple[Indices, Indices]],
    has_classes: bool,
) -> float:
    total = 0.0
    for train, test in folds:
        said = answer(D[np.ix_(train, train)], y[train], D[np.ix_(test, train)])
        total += np.sum(said != y[test]) if has_classes else np.sum((said - y[test]) ** 2)
    return float(total)


def _votes(has_classes: bool) -> list[Answer]:
    """Return k-NN for each k, with votes that are equal and votes by 1 / distance."""

    def answer(k: int, by_distance: bool) -> Answer:
        return lambda D, y, D_new: neighbour_votes(y, D_new, k, by_distance, has_classes)

    return [answer(k, by_distance) for k, by_distance in product(NUMBERS, (False, True))]


def neighbour_votes(
    y: np.ndarray, D_new: Array, k: int, by_distance: bool, has_classes: bool
) -> np.ndarray:
    """Return the class with the most votes of the k nearest objects, or their mean."""
    near = np.argsort(D_new, axis=1, kind="stable")[:, :k]
    # a copy outvotes all others
    votes = 1 / (np.take_along_axis(D_new, near, axis=1) + 1e-12) if by_distance else 1.0
    votes = np.broadcast_to(votes, near.shape)
    if not has_classes:
        return np.asarray(np.average(y[near], axis=1, weights=votes))
    counts = np.zeros((len(near), int(y.max()) + 1))
    np.add.at(counts, (np.arange(len(near))[:, None], y[near]), votes)
    return np.argmax(counts, axis=1)


def _machine(
    D: Array,
    y: np.ndarray,
    D_new: Array,
    folds: list[tuple[Indices, Indices]],
    has_classes: bool,
    class_weight: Weights,
) -> np.ndarray:
    """Return the answers of the best machine; each kernel is evaluated once."""
    mean, unit = (0, 1) if has_classes else (y.mean(), y.std() or 1.0)
    targets = y if has_classes else (y - mean) / unit
    machines = [_learner(penalty, has_classes, class_weight) for penalty in PENALTIES]
    best, least = (machines[0], GAMMAS[0], POWERS[0]), np.inf
    for gamma, power in product(GAMMAS, POWERS):
        K = np.exp(-gamma * D**power)
        for machine in machines:
            loss = _loss(machine, K, targets, folds, has_classes)
            if loss < least:
                best, least = (machine, gamma, power), loss
    machine, gamma, power = best
    said = machine(np.exp(-gamma * D**power), targets, np.exp(-gamma * D_new**power))
    return said if has_classes else said * unit + mean


def _learner(penalty: float, has_classes: bool, class_weight: Weights) -> Answer:
    how = {"C": penalty, "kernel": "precomputed"}
    machine = SVC(**how, class_weight=class_weight) if has_classes else SVR(**how)

    def answer(K: Array, y: np.ndarray, K_new: Array) -> np.ndarray:
        return np.asarray(clone(machine).fit(K, y).predict(K_new))

    return answer
