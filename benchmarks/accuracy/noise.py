"""Regression without signal: how far predictions go astray where the targets are noise.

Run ``make bench NAME=noise``; it needs no extra. The first 100 rows of diabetes with targets drawn
anew per seed, five folds; DummyRegressor, which predicts the mean, stands beside ours.
"""

import argparse
import warnings

import numpy as np
from joblib import Parallel, delayed
from sklearn.dummy import DummyRegressor
from sklearn.metrics import r2_score
from sklearn.model_selection import KFold

from benchmarks.accuracy.measure import fit_ours
from benchmarks.accuracy.sets import noise
from benchmarks.accuracy.tables import table

SEEDS, FOLDS = 200, 5


def astray(seed: int, method: str) -> tuple[float, float, float]:
    """Return R² of all left-out predictions, its mean over folds, and the excess of predictions.

    The excess is how far one lies beyond the range of the training targets, over that range.
    """
    data, scores, excess = noise(seed), [], 0.0
    found = np.empty(len(data.y))
    for train, test in KFold(FOLDS, shuffle=True, random_state=0).split(data.D):
        D, y = data.D[np.ix_(train, train)], data.y[train]
        model = fit_ours(data, D, y) if method == "ours" else DummyRegressor().fit(D, y)
        found[test] = model.predict(data.D[np.ix_(test, train)])
        scores.append(r2_score(data.y[test], found[test]))
        beyond = max(found[test].max() - y.max(), y.min() - found[test].min())
        excess = max(excess, beyond / np.ptp(y))
    return r2_score(data.y, found), float(np.mean(scores)), excess


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--jobs", type=int, default=1, help="seeds at a time")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    lines = []
    for method in ("ours", "mean"):
        work = (delayed(astray)(seed, method) for seed in range(options.seeds))
        pooled, averaged, excess = np.transpose(Parallel(options.jobs)(work))
        numbers = (pooled.min(), np.median(pooled), averaged.min(), excess.max())
        lines.append([method, *(f"{number:.3f}" for number in numbers)])
    head = ["", "smallest R²", "median R²", "smallest mean R² of folds", "largest excess / range"]
    table(f"Targets without signal, {options.seeds} seeds", head, lines)


if __name__ == "__main__":
    main()
