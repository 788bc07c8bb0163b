"""What the page costs: processor time of ``fit --report`` beside ``fit`` with cross-validation.

Run ``python -m benchmarks report``. Both are what the command does: fit once and hold out five
folds, or fit once, hold out twice five folds, tune three baselines on them, and write the page.
"""

import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits

from relrbf import RBFNetworkClassifier, RBFNetworkRegressor
from relrbf.report import evaluate, write_fit_report

N_OBJECTS = 500


def standardised(load):
    """Return Euclidean distances of 500 standardised objects, and their labels or targets."""
    X, y = load(return_X_y=True)
    some = np.random.default_rng(0).permutation(len(y))[:N_OBJECTS]
    X, y = X[some], y[some]
    X = (X - X.mean(axis=0)) / np.where(X.std(axis=0) > 0, X.std(axis=0), 1)
    return cdist(X, X), y


def main() -> None:
    warnings.simplefilter("ignore")
    page = Path(tempfile.mkdtemp()) / "report.html"
    print("processor time in seconds\nset             fit and folds  report  of it the page  ratio")
    for load in (load_breast_cancer, load_digits, load_diabetes):
        D, y = standardised(load)
        kind = RBFNetworkRegressor if load is load_diabetes else RBFNetworkClassifier
        ends = [time.process_time()]
        model = kind(random_state=0).fit(D, y)
        ends.append(time.process_time())
        evaluate(model, D, y, n_repeats=1, baselines=False)
        ends.append(time.process_time())
        found = evaluate(model, D, y)
        ends.append(time.process_time())
        write_fit_report(page, found)
        ends.append(time.process_time())
        fit, folds, both, drawn = np.diff(ends)
        plain, report = fit + folds, fit + both + drawn
        name = load.__name__.removeprefix("load_")
        print(f"{name:<15} {plain:13.1f} {report:7.1f} {drawn:15.1f} {report / plain:6.2f}")


if __name__ == "__main__":
    main()
