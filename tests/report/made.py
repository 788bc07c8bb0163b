"""Small networks to report on."""

import numpy as np
from scipy.spatial.distance import cdist

from relrbf import RBFNetworkClassifier, RBFNetworkRegressor
from relrbf.report import evaluate, write_fit_report
from relrbf.report.held_out import HeldOut

NASTY = "<script>alert('x')</script> \"quoted\" & é漢 "


def made_classes(n=60, spread=1.0, n_classes=3):
    """Return dissimilarities and labels of overlapping groups."""
    rng = np.random.default_rng(3)
    y = np.arange(n) % n_classes
    X = spread * rng.standard_normal((n, 4)) + 2 * np.eye(max(4, n_classes))[y][:, :4]
    names = np.array([f"kind <{k}>" for k in range(n_classes)])
    return cdist(X, X), names[y]


def made_classifier(**how):
    """Return a fitted classifier, its dissimilarities and labels."""
    D, y = made_classes(**how)
    return RBFNetworkClassifier(random_state=0).fit(D, y), D, y


def made_regressor(n=60):
    """Return a fitted regressor, its dissimilarities and targets."""
    rng = np.random.default_rng(4)
    X = rng.standard_normal((n, 2))
    y = X[:, 0] + 0.3 * rng.standard_normal(n)
    D = cdist(X, X)
    return RBFNetworkRegressor(random_state=0).fit(D, y), D, y


def nasty_ids(n):
    """Return names that a careless page would run, break at, or be as wide as."""
    return [f"{NASTY}{i}{'x' * 200 if i % 10 == 0 else ''}" for i in range(n)]


def held_out_of(data, *folds):
    """Return predictions of folds: objects, predictions by model, and probabilities."""
    objects = [np.asarray(fold[0]) for fold in folds]
    probabilities = [np.empty((len(fold[0]), 0)) if fold[2] is None else fold[2] for fold in folds]
    return HeldOut(
        data,
        np.concatenate(objects),
        np.repeat(np.arange(len(folds)), [len(test) for test in objects]),
        {name: np.concatenate([fold[1][name] for fold in folds]) for name in folds[0][1]},
        np.concatenate(probabilities),
        1.0,
    )


def write_report(path, model, D, y, n_splits=2, n_repeats=1, ids=None, n_jobs=None, **options):
    """Evaluate, write the page, and return the evaluation."""
    folds = {"n_splits": n_splits, "n_repeats": n_repeats, "n_jobs": n_jobs}
    found = evaluate(model, D, y, ids=ids, **folds)
    write_fit_report(path, found, **options)
    return found
