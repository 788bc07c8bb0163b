"""Prototype methods and rows as features, on the splits of ``make accuracy``.

Run ``python -m benchmarks.alternatives``, where ``pip install proto-dist-ml`` has been run for the
third column; the table of docs/comparison.md comes from here. Seven relations that need no
further package, 20 splits; every method but ours is tuned by three folds in each split.
"""

from collections.abc import Callable

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.accuracy.measure import fit_ours
from benchmarks.accuracy.sets import SETS
from benchmarks.accuracy.split import Set, Split
from benchmarks.accuracy.tables import table

SPLITS = 20
NAMES = ("BC-569", "USC-435", "HD-303", "HG-194", "PC-102", "protein-213", "yeast-200")
Predict = Callable[[Set, Split, float], np.ndarray]


def by_rows(data: Set, split: Split, strength: float) -> np.ndarray:
    """Logistic regression whose features are the dissimilarities to the training objects."""
    train, test = split
    model = make_pipeline(StandardScaler(), LogisticRegression(C=strength, max_iter=5000))
    model.fit(data.D[np.ix_(train, train)], data.y[train])
    return model.predict(data.D[np.ix_(test, train)])


def by_prototypes(data: Set, split: Split, n_prototypes: float) -> np.ndarray:
    """Relational learning vector quantisation with so many prototypes per class."""
    from proto_dist_ml.rglvq import RGLVQ

    train, test = split
    model = RGLVQ(int(n_prototypes)).fit(data.D[np.ix_(train, train)], data.y[train])
    return model.predict(data.D[np.ix_(test, train)])


def by_default(data: Set, split: Split, _: float) -> np.ndarray:
    """Ours, untouched."""
    train, test = split
    model = fit_ours(data, data.D[np.ix_(train, train)], data.y[train])
    return model.predict(data.D[np.ix_(test, train)])


METHODS: dict[str, tuple[Predict, tuple[float, ...]]] = {
    "rows + logistic": (by_rows, (0.0001, 0.001, 0.01, 0.1, 1.0)),
    "relational GLVQ": (by_prototypes, (1, 2, 4)),
    "relrbf": (by_default, (0,)),
}


def accuracy(data: Set, predict: Predict, split: Split, value: float) -> float:
    return float(np.mean(predict(data, split, value) == data.y[split[1]]))


def tuned(data: Set, predict: Predict, grid: tuple[float, ...], split: Split) -> float:
    """Choose by the set's folds, and return the accuracy on the test part."""
    if len(grid) == 1:
        return accuracy(data, predict, split, grid[0])
    train = split[0]
    folds = [(train[a], train[b]) for a, b in data.folds(train)]
    means = [np.mean([accuracy(data, predict, fold, value) for fold in folds]) for value in grid]
    return accuracy(data, predict, split, grid[int(np.argmax(means))])


def cell(data: Set, method: str) -> str:
    """Return mean and spread in percent, or what stopped the method."""
    predict, grid = METHODS[method]
    try:
        scores = [100 * tuned(data, predict, grid, split) for split in data.splits(SPLITS)]
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return f"{np.mean(scores):.2f} ± {np.std(scores):.2f}"


def main() -> None:
    print(f"NumPy {np.__version__}")
    lines = []
    for name in NAMES:
        data = SETS[name]()
        lines.append([name, *(cell(data, method) for method in METHODS)])
        print(*lines[-1], sep=" | ", flush=True)
    table("Accuracy in percent", ["set", *METHODS], lines)


if __name__ == "__main__":
    main()
