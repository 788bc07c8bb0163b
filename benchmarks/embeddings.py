"""What each embedding changes, what new objects keep of it, and what it costs.

Run ``make bench NAME=embeddings``. Four relations of the study, one of made vectors, as distances;
changes are relative to the norm of the squared dissimilarities, times to one eigendecomposition
(``numpy.linalg.eigh``) of that size in the same run. Accuracy is that of 3 nearest neighbours on
held-out objects, which ``transform`` places: 20 splits, the same for all.
"""

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.neighbors import KNeighborsClassifier

from benchmarks.accuracy.sets import CLASSIFICATION, Set
from relrbf.embeddings import (
    ClassicalMDS,
    LandmarkMDS,
    MetricLearningMDS,
    NearestEuclideanMDS,
    ProximalMDS,
)

SPLITS, NEIGHBOURS, REPEATS = 20, 3, 5
SETS = ("BC-569", "HG-194", "PC-102", "protein-213", "yeast-200")
EMBEDDINGS: dict[str, Callable[[], Any]] = {
    "ClassicalMDS()": ClassicalMDS,
    "ClassicalMDS(negative='flip')": lambda: ClassicalMDS(negative="flip"),
    "ProximalMDS()": ProximalMDS,
    "LandmarkMDS(n_landmarks=30)": lambda: LandmarkMDS(n_landmarks=30, random_state=0),
    "NearestEuclideanMDS()": NearestEuclideanMDS,
    "NearestEuclideanMDS(norm='l1')": lambda: NearestEuclideanMDS(norm="l1", tol=1e-5),
    "MetricLearningMDS()": MetricLearningMDS,
}


def main() -> None:
    warnings.simplefilter("ignore")
    for name in SETS:
        data = CLASSIFICATION[name]()
        print(f"\n{name}: {len(data.D)} objects\n")
        print("| embedding | change, L2 | change, L1 | time / eigh | accuracy, % |")
        print("|---|---:|---:|---:|---:|")
        print(f"| none, the dissimilarities | 0 | 0 | | {raw_accuracy(data)} |")
        floor = least_time(lambda D=data.D: np.linalg.eigh(D))
        for label, make in EMBEDDINGS.items():
            print(f"| `{label}` | {describe(data, make, floor)} |", flush=True)


def describe(data: Set, make: Callable[[], Any], floor: float) -> str:
    """Return the cells of one row."""
    seconds = least_time(lambda: make().fit(data.D, data.y), 1 if "l1" in str(make()) else REPEATS)
    changes = change(data.D**2, make().fit_transform(data.D, data.y))
    accuracy = spread([held_out(data, make, *split) for split in data.splits(SPLITS)])
    return f"{changes[0]:.3f} | {changes[1]:.3f} | {seconds / floor:.1f} | {accuracy}"


def change(S: np.ndarray, Z: np.ndarray) -> tuple[float, float]:
    """Return the change of squared dissimilarities by two norms, relative to their own."""
    difference = cdist(Z, Z) ** 2 - S
    return (
        float(np.linalg.norm(difference) / np.linalg.norm(S)),
        float(np.abs(difference).sum() / np.abs(S).sum()),
    )


def held_out(data: Set, make: Callable[[], Any], train: np.ndarray, test: np.ndarray) -> float:
    mds = make().fit(data.D[np.ix_(train, train)], data.y[train])
    placed = mds.transform(data.D[np.ix_(test, train)])
    model = KNeighborsClassifier(NEIGHBOURS).fit(mds.embedding_, data.y[train])
    return float(model.score(placed, data.y[test]))


def raw_accuracy(data: Set) -> str:
    scores = []
    for train, test in data.splits(SPLITS):
        model = KNeighborsClassifier(NEIGHBOURS, metric="precomputed")
        model.fit(data.D[np.ix_(train, train)], data.y[train])
        scores.append(float(model.score(data.D[np.ix_(test, train)], data.y[test])))
    return spread(scores)


def spread(scores: list[float]) -> str:
    return f"{100 * np.mean(scores):.1f} ± {100 * np.std(scores):.1f}"


def least_time(work: Callable[[], object], repeats: int = REPEATS) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


if __name__ == "__main__":
    main()
