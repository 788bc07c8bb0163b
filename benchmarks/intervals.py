"""Prediction intervals should contain as many targets as they say, without a calibration split.

Run ``python -m benchmarks.intervals``; the table of docs/uncertainty.md comes from here. The
default regressor, coverage of 90 %, on objects that were held out.
"""

import argparse
import warnings
from collections.abc import Callable

import numpy as np
from sklearn import datasets

from benchmarks.accuracy.sets import SETS, Set, standardised
from benchmarks.accuracy.tables import table
from relrbf import RBFNetworkRegressor

COVERAGE, N_SPLITS = 0.9, 20


def one_from_others(load: Callable, column: int) -> Callable[[], Set]:
    """Return a set whose target is one measurement, to be told from the others."""

    def make() -> Set:
        X = load().data
        name = f"{load.__name__.removeprefix('load_')}-{column}"
        return Set(name, standardised(np.delete(X, column, axis=1)), X[:, column], regression=True)

    return make


def friedman3() -> Set:
    X, y = datasets.make_friedman3(300, noise=0.1, random_state=0)
    return Set("friedman3", standardised(X), y, regression=True)


RELATIONS: dict[str, Callable[[], Set]] = {
    **{name: SETS[name] for name in ("diabetes", "noise", "peptides-2500")},
    **{name: SETS[name] for name in ("friedman", "sparse", "sine", "string-shares")},
    "friedman3": friedman3,
    "wine: alcohol": one_from_others(datasets.load_wine, 0),
    "breast cancer: smoothness": one_from_others(datasets.load_breast_cancer, 4),
    "iris: petal width": one_from_others(datasets.load_iris, 3),
}


def measure(data: Set, n_splits: int) -> tuple[float, float, float]:
    """Return the share of targets covered, its standard error, and the mean width.

    Widths are in standard deviations of the targets.
    """
    shares, widths = [], []
    for train, test in data.splits(n_splits):
        model = RBFNetworkRegressor(random_state=0).fit(data.D[np.ix_(train, train)], data.y[train])
        lower, upper = model.predict_interval(data.D[np.ix_(test, train)], coverage=COVERAGE)
        shares.append(np.mean((lower <= data.y[test]) & (data.y[test] <= upper)))
        widths.append(np.mean(upper - lower) / np.std(data.y))
    return (
        float(np.mean(shares)),
        float(np.std(shares) / np.sqrt(len(shares))),
        float(np.mean(widths)),
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks intervals")
    parser.add_argument("--splits", type=int, default=N_SPLITS)
    parser.add_argument("names", nargs="*", default=list(RELATIONS))
    given = parser.parse_args()
    warnings.simplefilter("ignore")  # that some relations are not Euclidean is known
    lines = []
    for name in given.names:
        share, error, width = measure(RELATIONS[name](), given.splits)
        lines.append([name, f"{100 * share:.1f} ± {100 * error:.1f}", f"{width:.2f}"])
        print(*lines[-1], sep=" | ", flush=True)
    header = ["relation", "targets covered, %", "width / standard deviation"]
    table("Intervals of 90 %", header, lines)


if __name__ == "__main__":
    main()
