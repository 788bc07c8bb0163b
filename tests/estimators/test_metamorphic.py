"""What must not change an estimator's answers, of every estimator: one table, one row per change.

Order of the objects, the unit of the dissimilarities, the names of classes, copies of objects as
weights, objects that nearly equal others, the layout and type of the arrays, rows asked for one by
one, another process, the number of threads. Of networks, novelty and intervals are answers too.
"""

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist
from sklearn.base import clone

from relrbf import RBFNetworkClassifier, RBFNetworkRegressor
from relrbf.clustering import RelationalFuzzyCMeans, RelationalKMeans
from relrbf.embeddings import (
    ClassicalMDS,
    DissimilarityRows,
    LandmarkMDS,
    MetricLearningMDS,
    NearestEuclideanMDS,
    ProximalMDS,
)
from relrbf.torch import DeepRBFClassifier, DeepRBFRegressor

ROOT = Path(__file__).parents[2]
RNG = np.random.default_rng(20261118)
N, N_NEW = 36, 7
LABELS = np.arange(N) % 3
VECTORS = RNG.standard_normal((N + N_NEW, 4))
VECTORS[:N] += 2 * np.eye(4)[LABELS]
VALUES = VECTORS[:N, 0] + np.sin(VECTORS[:N, 1])
WHOLE = cdist(VECTORS, VECTORS)
NOISE = np.triu(0.3 * RNG.random(WHOLE.shape), 1)
INDEFINITE = WHOLE + NOISE + NOISE.T
QUICK = {"random_state": 0, "max_iter": 8}


CLASSIFIERS = (RBFNetworkClassifier, DeepRBFClassifier)
REGRESSORS = (RBFNetworkRegressor, DeepRBFRegressor)


def make_network(kind, **options):
    return kind(**{**QUICK, **options}), "classes" if kind in CLASSIFIERS else "values"


def make_deep(kind):
    return make_network(kind, start="k-means", early_stopping=False, max_iter=2)


ESTIMATORS = {
    "classifier": make_network(RBFNetworkClassifier),
    "classifier, whole teacher": make_network(RBFNetworkClassifier, n_prototypes="all"),
    "classifier, 4 prototypes": make_network(RBFNetworkClassifier, n_prototypes=4),
    "classifier, medoids": make_network(RBFNetworkClassifier, n_prototypes=4, space="medoid"),
    "classifier, few support": make_network(RBFNetworkClassifier, n_support=8),
    "classifier, likelihood": make_network(
        RBFNetworkClassifier, n_prototypes=4, loss="cross-entropy"
    ),
    "classifier, positive weights": make_network(RBFNetworkClassifier, positive=True),
    "classifier, fuzzy c-means": make_network(RBFNetworkClassifier, n_prototypes=4, init="fuzzy"),
    "classifier, deep": make_deep(DeepRBFClassifier),
    "regressor": make_network(RBFNetworkRegressor),
    "regressor, whole teacher": make_network(RBFNetworkRegressor, n_prototypes="all"),
    "regressor, 4 prototypes": make_network(RBFNetworkRegressor, n_prototypes=4),
    "regressor, multiquadric": make_network(
        RBFNetworkRegressor, n_prototypes=4, kernel="multiquadric"
    ),
    "regressor, deep": make_deep(DeepRBFRegressor),
    "k-means": (RelationalKMeans(3, random_state=0), None),
    "fuzzy c-means": (RelationalFuzzyCMeans(3, fuzzifier=1.5, random_state=0), None),
    "classical": (ClassicalMDS(3), None),
    "proximal": (ProximalMDS(3), None),
    "landmarks": (LandmarkMDS(3, n_landmarks=N), None),
    "nearest Euclidean": (NearestEuclideanMDS(3), None),
    "metric learning": (MetricLearningMDS(3, max_iter=30), None),
    "rows": (DissimilarityRows(), None),
}
LEARNERS = [name for name, (_, y) in ESTIMATORS.items() if y is not None]
WEIGHTED = [*LEARNERS, "k-means", "fuzzy c-means"]
RELATIONS = {"vectors": WHOLE, "no vectors": INDEFINITE}
every_estimator = pytest.mark.parametrize("name", ESTIMATORS)
every_relation = pytest.mark.parametrize("of", RELATIONS)
pytestmark = [
    pytest.mark.filterwarnings("ignore::relrbf.exceptions.NotEuclideanWarning"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
]


def fit(name, D, order=slice(None), **options):
    """Fit an estimator to the objects in some order; options go to ``fit``."""
    estimator, kind = ESTIMATORS[name]
    y = {"classes": LABELS, "values": VALUES, None: np.zeros(N)}[kind][order]
    return clone(estimator).fit(D, None if kind is None else y, **options)


@cache
def plain(name, of="vectors"):
    """Return an estimator fitted to the objects as they are, and its answers: fitted once."""
    D, new = cut(RELATIONS[of])
    model = fit(name, D)
    expected = answers(model, new)
    expected.flags.writeable = False
    return model, expected


def answers(model, D_new, with_uncertainty=True):
    """Return what a model says of new objects, as numbers; embeddings by their distances."""
    if isinstance(model, CLASSIFIERS + REGRESSORS):
        is_classifier = isinstance(model, CLASSIFIERS)
        found = [model.predict_proba(D_new) if is_classifier else model.predict(D_new)]
        if with_uncertainty and hasattr(model, "novelty"):
            found += [model.novelty(D_new)]
            found += [] if is_classifier else model.predict_interval(D_new)
        return np.column_stack(found)
    if isinstance(model, RelationalFuzzyCMeans):
        return np.sort(model.predict_memberships(D_new), axis=1)  # clusters have no order
    if isinstance(model, RelationalKMeans):
        return np.sort(model.distances_sq(D_new), axis=1)
    if isinstance(model, DissimilarityRows):
        return np.sort(model.transform(D_new), axis=1)
    places = np.asarray(model.transform(D_new), dtype=np.float64)  # axes have no sign
    return cdist(places, np.asarray(model.embedding_)).sum(axis=1)


def cut(D):
    return D[:N, :N].copy(), D[N:, :N].copy()


def dimension(model):
    """Return the power of the unit of D that answers are in."""
    if isinstance(model, RelationalKMeans):
        return model.exponent_
    return float(hasattr(model, "embedding_") or isinstance(model, DissimilarityRows))


@every_relation
@every_estimator
def test_the_order_of_the_objects_does_not_matter(name, of):
    D, new = cut(RELATIONS[of])
    _, expected = plain(name, of)
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(N)
        found = answers(fit(name, D[np.ix_(order, order)], order), new[:, order])
        assert_allclose(found, expected, rtol=1e-6, atol=1e-6)


@every_relation
@pytest.mark.parametrize("unit", [1e-6, 1e6])
@every_estimator
def test_the_unit_of_the_dissimilarities_does_not_matter(name, of, unit):
    D, new = cut(RELATIONS[of])
    model, expected = plain(name, of)
    expected = expected * unit ** dimension(model)
    found = answers(fit(name, unit * D), unit * new)
    assert_allclose(found, expected, rtol=1e-6, atol=1e-6 * np.abs(expected).max())


@every_relation
@pytest.mark.parametrize("name", [name for name in LEARNERS if name.startswith("classifier")])
def test_the_names_of_the_classes_do_not_matter(name, of):
    D, new = cut(RELATIONS[of])
    expected = plain(name, of)[0].predict_proba(new)
    renamed = clone(ESTIMATORS[name][0]).fit(D, np.array(["b", "c", "a"])[LABELS])
    assert_allclose(renamed.predict_proba(new)[:, [1, 2, 0]], expected, atol=1e-6)


@pytest.mark.parametrize("nearly", [0, 1e-10])
@pytest.mark.parametrize("name", WEIGHTED)
def test_copies_of_objects_are_weights(name, nearly):
    vectors = VECTORS.copy()
    if nearly:  # three pairs of objects almost coincide
        vectors[:3] = vectors[3:6] + nearly * vectors[:3]
    D, new = cut(cdist(vectors, vectors))
    counts = 1 + np.arange(N) % 3
    copies = np.repeat(np.arange(N), counts)
    weighted = answers(fit(name, D, sample_weight=counts.astype(float)), new, False)
    copied = answers(fit(name, D[np.ix_(copies, copies)], copies), new[:, copies], False)
    assert_allclose(copied, weighted, rtol=1e-6, atol=1e-6)


LAYOUTS = {
    "Fortran order": np.asfortranarray,
    "lists": np.ndarray.tolist,
    "frame": lambda D: pd.DataFrame(D, columns=[f"#{j}" for j in range(D.shape[1])]),
    "every other entry": lambda D: np.repeat(np.repeat(D, 2, axis=0), 2, axis=1)[::2, ::2],
    "read only": lambda D: np.frombuffer(D.tobytes()).reshape(D.shape),
    "other bytes": lambda D: D.astype(D.dtype.newbyteorder()),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@every_estimator
def test_the_layout_of_an_array_does_not_matter(name, layout):
    D, new = cut(WHOLE)
    change = LAYOUTS[layout]
    found = answers(fit(name, change(D)), change(new))
    assert_allclose(found, plain(name)[1], rtol=1e-9, atol=1e-9)


@every_estimator
def test_single_precision_is_the_same_to_its_precision(name):
    D, new = cut(WHOLE.astype(np.float32))
    model, double = fit(name, D), fit(name, D.astype(np.float64))
    if name in LEARNERS and "teacher" not in name:  # what is drawn differs: ties are wider
        y = VALUES if isinstance(model, REGRESSORS) else LABELS
        assert abs(model.score(D, y) - double.score(D, y)) < 0.15
        assert getattr(model, "bandwidths_", D).dtype == np.float32
        return
    expected = answers(double, new.astype(np.float64))
    assert_allclose(answers(model, new), expected, atol=2e-3 * np.abs(expected).max())


@every_relation
@every_estimator
def test_an_object_is_predicted_alike_alone_and_with_others(name, of):
    model, together = plain(name, of)
    alone = np.concatenate([answers(model, row[None]) for row in cut(RELATIONS[of])[1]])
    assert_allclose(alone, together, rtol=1e-9, atol=1e-9)


PRINT_ALL = """
from tests.estimators.test_metamorphic import ESTIMATORS, WHOLE, answers, cut, fit
D, new = cut(WHOLE)
for name in ESTIMATORS:
    print(name, [x.hex() for x in answers(fit(name, D), new).astype(float).ravel()], sep=": ")
"""


def answers_of_a_process(n_threads):
    """Return every estimator's answers in another process, by name."""
    environment = {
        "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'src'}",
        "PYTHONWARNINGS": "ignore",
        "OMP_NUM_THREADS": str(n_threads),
        "PYTHONHASHSEED": str(n_threads),
    }
    done = subprocess.run(
        [sys.executable, "-c", PRINT_ALL],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return dict(line.split(": ", 1) for line in done.stdout.splitlines())


@pytest.fixture(scope="module")
def of_processes():
    return [answers_of_a_process(n_threads) for n_threads in (1, 1, 2)]


@every_estimator
def test_the_same_seed_is_the_same_in_another_process(of_processes, name):
    first, second, _ = of_processes
    assert first[name] == second[name]


@every_estimator
def test_the_number_of_threads_does_not_matter(of_processes, name):
    one, _, two = (
        np.array([float.fromhex(x) for x in of[name].strip("[]").replace("'", "").split(", ")])
        for of in of_processes
    )
    assert_allclose(two, one, rtol=1e-6, atol=1e-9)
