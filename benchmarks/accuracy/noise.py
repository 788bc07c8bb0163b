"""Regression without signal: how far predictions go astray where the targets are noise.

Run ``make bench NAME=noise``; it needs no extra. The first 100 rows of diabetes with targets drawn
anew per seed, five folds; DummyRegressor, which predicts the mean, stands beside ours. Then
relations that are noise themselves: how often the default takes them for signal.
"""

import argparse
import warnings

import numpy as np
from joblib import Parallel, delayed
from sklearn.dummy import DummyRegressor
from sklearn.metrics import log_loss, r2_score
from sklearn.model_selection import KFold

from benchmarks.accuracy.measure import fit_ours
from benchmarks.accuracy.sets import noise
from benchmarks.accuracy.tables import table
from relrbf import RBFNetworkClassifier, RBFNetworkRegressor

SEEDS, FOLDS = 200, 5
SIZES = (30, 60, 100)  # objects for training; as many are new


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


def random_relation(seed: int, n: int) -> tuple[bool, bool, float]:
    """Return whether a classifier and a regressor of noise are more than a constant, and log-loss.

    Dissimilarities are drawn between 0 and 1 for each pair, two classes and targets at random.
    """
    rng = np.random.default_rng(seed)
    D = np.triu(rng.uniform(size=(2 * n, 2 * n)), 1)
    D += D.T
    y, t = rng.integers(0, 2, 2 * n), rng.normal(size=2 * n)
    y[:2] = 0, 1
    model = RBFNetworkClassifier(random_state=0).fit(D[:n, :n], y[:n])
    regressor = RBFNetworkRegressor(random_state=0).fit(D[:n, :n], t[:n])
    P, found = model.predict_proba(D[n:, :n]), regressor.predict(D[n:, :n])
    return np.ptp(P, axis=0).max() > 1e-6, np.ptp(found) > 1e-6, log_loss(y[n:], P)


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
    lines = []
    for n in SIZES:
        work = (delayed(random_relation)(seed, n) for seed in range(options.seeds))
        classes, targets, losses = np.transpose(Parallel(options.jobs)(work))
        shares = (f"{100 * some.mean():.1f}" for some in (classes, targets))
        lines.append([str(n), *shares, f"{losses.mean():.3f}", f"{losses.max():.3f}"])
    head = ["objects", "classes learned, %", "targets learned, %", "mean log-loss", "largest"]
    table(f"Relations that are noise, {options.seeds} seeds", head, lines)


if __name__ == "__main__":
    main()
