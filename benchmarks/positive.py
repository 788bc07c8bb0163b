"""What prototypes of one class each cost in accuracy, and whether they explain.

Run ``python -m benchmarks positive``; the table of docs/report.md comes from here. Both networks
have default parameters but for ``positive``, on the splits of the accuracy benchmark. A prototype
agrees with its neighbourhood if the class of its largest weight is that of most of the ten nearest
training objects; prototypes without a weight do not count.
"""

import argparse
import warnings

import numpy as np
from sklearn.metrics import log_loss

from benchmarks.accuracy.sets import SETS, Set
from benchmarks.accuracy.tables import table, verdict
from relrbf import RBFNetworkClassifier

NAMES = (
    *("BC-569", "USC-435", "HD-303", "HG-194", "PC-102", "protein-213", "yeast-200"),
    *("plaid-1074", "shells", "iris", "wine-canberra", "digits", "decades", "strings"),
)
N_SPLITS, N_NEAREST = 10, 10
HEAD = (
    *("relation", "default", "positive", "difference ± standard error", "log-loss", "positive"),
    *("prototypes", "positive", "that agree, %", "positive"),
)


def measure(data: Set, n_splits: int, **options: bool) -> np.ndarray:
    """Return accuracy (%), log-loss, prototypes and those that agree (%) in each split."""
    rows = []
    for train, test in data.splits(n_splits):
        D, D_new = data.D[np.ix_(train, train)], data.D[np.ix_(test, train)]
        y, truth = data.y[train], data.y[test]
        model = RBFNetworkClassifier(random_state=0, **options).fit(D, y)
        loss = log_loss(truth, model.predict_proba(D_new), labels=model.classes_)
        used = model.weights_.any(axis=1)
        near = np.argsort(model.prototypes_.distances_sq[used], axis=1, kind="stable")
        positions = np.searchsorted(model.classes_, y)[near[:, :N_NEAREST]]
        most = np.array([np.bincount(row).argmax() for row in positions])
        agree = np.mean(most == model.weights_[used].argmax(axis=1))
        rows.append((100 * model.score(D_new, truth), loss, used.sum(), 100 * agree))
    return np.array(rows)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks positive")
    parser.add_argument("--splits", type=int, default=N_SPLITS)
    parser.add_argument("names", nargs="*", default=NAMES)
    given = parser.parse_args()
    warnings.simplefilter("ignore")  # that some relations are not Euclidean is known
    lines, means = [], []
    for name in given.names:
        pair = [measure(SETS[name](), given.splits, positive=value) for value in (False, True)]
        first, second = (np.mean(rows, axis=0) for rows in pair)
        difference = pair[1][:, 0] - pair[0][:, 0]
        accuracies = f"{first[0]:.2f}", f"{second[0]:.2f}", verdict(difference, ".2f")
        others = [(first[1], ".3f"), (second[1], ".3f"), (first[2], ".0f"), (second[2], ".0f")]
        others += [(first[3], ".0f"), (second[3], ".0f")]
        lines.append([name, *accuracies, *(f"{value:{form}}" for value, form in others)])
        means.append(difference.mean())
        print(*lines[-1], flush=True)
    lines.append(["**mean**", "", "", f"{np.mean(means):+.2f}", *[""] * 6])
    table("Prototypes of one class each", [*HEAD], lines)


if __name__ == "__main__":
    main()
