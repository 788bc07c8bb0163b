"""Series of unequal length by dynamic time warping: a support of a tenth beside all columns.

Run ``python -m benchmarks.scale.series`` in the environment of ``make accuracy``; aeon brings the
data (JapaneseVowels: 640 recordings of nine speakers, 7 to 29 steps of 12 numbers) and the measure,
which relrbf calls for the pairs it needs. Accuracy on a fifth that is held out, mean and standard
deviation over ten splits; the same for the nearest neighbour.
"""

import warnings

import numpy as np
from aeon.datasets import load_japanese_vowels
from aeon.distances import dtw_pairwise_distance
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.neighbors import KNeighborsClassifier

from relrbf import RBFNetworkClassifier
from relrbf.exceptions import NotEuclideanWarning
from relrbf.relations import ObjectRelation

SPLITS = 10


def table(series: list[np.ndarray], y: np.ndarray) -> dict[str, tuple[list[float], list[float]]]:
    """Return accuracies, and the share of all pairs that were compared, for each model."""
    found: dict[str, tuple[list[float], list[float]]] = {}
    for train, test in StratifiedShuffleSplit(SPLITS, test_size=0.2, random_state=0).split(y, y):
        some, new = [series[i] for i in train], [series[i] for i in test]
        n_pairs = len(train) * (len(train) - 1) / 2
        for name, n_support in (("all columns", None), ("a tenth", 0.1)):
            relation = ObjectRelation(some, dtw_pairwise_distance, pairwise=True, exponent=1)
            model = RBFNetworkClassifier(n_support=n_support, random_state=0)
            model.fit(relation, y[train])
            scores, shares = found.setdefault(name, ([], []))
            scores.append(model.score(relation.to(new), y[test]))
            shares.append(model.n_evaluations_ / n_pairs)
        near = KNeighborsClassifier(1, metric="precomputed").fit(relation.block(), y[train])
        scores, shares = found.setdefault("nearest neighbour", ([], []))
        scores.append(near.score(relation.to(new).block(), y[test]))
        shares.append(1.0)
    return found


def main() -> None:
    warnings.simplefilter("ignore", NotEuclideanWarning)
    series, y = load_japanese_vowels()
    print(f"{'':20} {'accuracy':>9} {'sd':>7} {'pairs compared in training':>27}")
    for name, (scores, shares) in table(series, y).items():
        spread = np.std(scores, ddof=1)
        print(f"{name:20} {np.mean(scores):9.4f} {spread:7.4f} {np.mean(shares):27.2f}")


if __name__ == "__main__":
    main()
