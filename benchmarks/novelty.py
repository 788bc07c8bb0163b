"""How well a fitted network tells objects of a class that it has never seen.

Run ``python -m benchmarks.novelty``; the table of docs/uncertainty.md comes from here. Each class
of a relation is held out in turn. Models learn 70 % of the other
objects; the area under the ROC curve tells how well a score separates the held-out class from the
other 30 %. LocalOutlierFactor and OneClassSVM have scikit-learn's defaults; the latter's kernel is
a Gaussian whose bandwidth is the median dissimilarity.
"""

import argparse
import warnings
from collections.abc import Callable

import numpy as np
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import LocalOutlierFactor
from sklearn.svm import OneClassSVM

from benchmarks.accuracy.sets import SETS, Set
from benchmarks.accuracy.tables import table
from relrbf import RBFNetworkClassifier, RBFNetworkRegressor

NAMES = (
    *("HG-194", "protein-213", "PC-102", "yeast-200", "USC-435", "HD-303", "plaid-1074"),
    *("BC-569", "shells", "iris", "wine-canberra", "digits", "digits-cosine", "digits-paths"),
    *("blobs-noisy", "decades", "topics", "baskets", "strings"),
)
TEST, MIN_HELD_OUT, N_DRAWS = 0.3, 20, 3
Score = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


def network(D: np.ndarray, y: np.ndarray, D_new: np.ndarray) -> np.ndarray:
    """Return the p-values of a classifier; of one class, those of a regressor on a constant."""
    is_one = len(np.unique(y)) == 1
    model = RBFNetworkRegressor() if is_one else RBFNetworkClassifier()
    return -model.set_params(random_state=0).fit(D, y).novelty(D_new)


def local_outlier_factor(D: np.ndarray, y: np.ndarray, D_new: np.ndarray) -> np.ndarray:
    model = LocalOutlierFactor(metric="precomputed", novelty=True)
    return -model.fit(D).score_samples(D_new)


def one_class_svm(D: np.ndarray, y: np.ndarray, D_new: np.ndarray) -> np.ndarray:
    gamma = np.median(D[np.triu_indices(len(D), 1)]) ** -2
    model = OneClassSVM(kernel="precomputed").fit(np.exp(-gamma * D**2))
    return -model.decision_function(np.exp(-gamma * D_new**2))


SCORES: dict[str, Score] = {
    "`novelty`": network,
    "LocalOutlierFactor": local_outlier_factor,
    "OneClassSVM": one_class_svm,
}


def areas(data: Set, score: Score, n_draws: int) -> float:
    """Return the mean area under the curve over classes and draws."""
    found, rng = [], np.random.default_rng(0)
    for held_out in np.unique(data.y):
        new = np.flatnonzero(data.y == held_out)
        if len(new) < MIN_HELD_OUT:
            continue
        for _ in range(n_draws):
            others = rng.permutation(np.flatnonzero(data.y != held_out))
            usual, train = np.split(others, [round(TEST * len(others))])
            D_new = data.D[np.ix_(np.concatenate([usual, new]), train)]
            scores = score(data.D[np.ix_(train, train)], data.y[train], D_new)
            is_new = np.arange(len(scores)) >= len(usual)
            found.append(roc_auc_score(is_new, scores))
    return float(np.mean(found))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks novelty")
    parser.add_argument("--draws", type=int, default=N_DRAWS)
    parser.add_argument("names", nargs="*", default=NAMES)
    given = parser.parse_args()
    warnings.simplefilter("ignore")  # that some relations are not Euclidean is known
    rows = []
    for name in given.names:
        rows.append([areas(SETS[name](), score, given.draws) for score in SCORES.values()])
        print(name, *(f"{area:.3f}" for area in rows[-1]), flush=True)
    labelled = [*zip(given.names, rows, strict=True), ("**mean**", np.mean(rows, axis=0))]
    lines = [[name, *(f"{area:.3f}" for area in row)] for name, row in labelled]
    table("Area under the ROC curve, held-out classes", ["relation", *SCORES], lines)


if __name__ == "__main__":
    main()
