"""scikit-learn's own checks, and its tools on a precomputed matrix."""

import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.callback import ProgressBar
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedKFold,
    cross_val_predict,
    cross_val_score,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks

from relrbf import RBFNetworkClassifier, RBFNetworkRegressor, as_relation
from relrbf.training import GradientDescent


class CityBlock:
    """A measure of one's own, whose name in a test's is the same in every process."""

    def __call__(self, a, b):
        return float(np.abs(a - b).sum())

    def __repr__(self):
        return "CityBlock()"


# Every space and every kind of metric, with one estimator or the other: checks take their time,
# and with a kernel other than the Gaussian, which has no exponentials beside it, half of it.
CHECKED = [
    estimator(max_iter=50, random_state=0, **options)
    for estimator, options in [
        (RBFNetworkClassifier, {}),
        (RBFNetworkClassifier, {"metric": "euclidean", "kernel": "inverse-multiquadric"}),
        (RBFNetworkClassifier, {"metric": CityBlock(), "kernel": "rational-quadratic"}),
        (RBFNetworkClassifier, {"metric": "euclidean", "space": "medoid"}),
        (RBFNetworkClassifier, {"metric": "euclidean", "space": "vector", "kernel": "polynomial"}),
        (RBFNetworkClassifier, {"metric": "euclidean", "n_support": 5}),
        (RBFNetworkClassifier, {"positive": True}),
        (RBFNetworkRegressor, {}),
        (RBFNetworkRegressor, {"metric": "cityblock", "kernel": "multiquadric"}),
        (RBFNetworkRegressor, {"space": "medoid"}),
        (RBFNetworkRegressor, {"metric": "euclidean", "space": "vector"}),
    ]
]


# One check passes a kernel matrix to every pairwise classifier; relrbf takes it and says so.
@pytest.mark.filterwarnings("ignore:X looks like similarities")
@pytest.mark.filterwarnings("ignore:No vectors have these dissimilarities")
@parametrize_with_checks(CHECKED)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


FOLDS = StratifiedKFold(3, shuffle=True, random_state=0)


def scores_by_hand(D, y, **options):
    return [
        RBFNetworkClassifier(random_state=0, **options)
        .fit(D[np.ix_(train, train)], y[train])
        .score(D[np.ix_(test, train)], y[test])
        for train, test in FOLDS.split(D, y)
    ]


@pytest.mark.parametrize("space", ["relational", "medoid"])
@pytest.mark.parametrize("kind", [np.asarray, as_relation])
def test_cross_validation_is_slicing_by_hand(blobs, space, kind):
    _, D, y = blobs
    model = RBFNetworkClassifier(random_state=0, space=space)
    assert_array_equal(
        cross_val_score(model, kind(D), y, cv=FOLDS), scores_by_hand(D, y, space=space)
    )


def test_a_relation_predicts_as_its_matrix_does(blobs):
    _, D, y = blobs
    predictions = [
        cross_val_predict(
            RBFNetworkClassifier(random_state=0), X, y, cv=FOLDS, method="decision_function"
        )
        for X in (D, as_relation(D))
    ]
    assert_array_equal(*predictions)


def test_grid_search_tunes_on_a_precomputed_matrix(blobs):
    _, D, y = blobs
    grid = {"n_prototypes": [3, 8], "kernel": ["gaussian", "inverse-multiquadric"]}
    search = GridSearchCV(RBFNetworkClassifier(random_state=0), grid, cv=FOLDS).fit(D, y)
    best = scores_by_hand(D, y, **search.best_params_)
    assert_allclose(search.best_score_, np.mean(best))


def test_a_pipeline_passes_the_matrix_on(blobs):
    _, D, y = blobs
    model = RBFNetworkClassifier(random_state=0)
    pipeline = make_pipeline(FunctionTransformer(), clone(model)).fit(D, y)
    assert_array_equal(pipeline.decision_function(D), model.fit(D, y).decision_function(D))


def test_activations_come_as_a_frame_when_asked(blobs):
    _, D, y = blobs
    model = RBFNetworkClassifier(4, random_state=0).fit(D, y)
    frame = model.set_output(transform="pandas").transform(D)
    assert isinstance(frame, pd.DataFrame)
    assert list(frame.columns) == [f"rbfnetworkclassifier{i}" for i in range(4)]
    u = model.prototypes_.distances_sq / model.bandwidths_[:, None] ** 2
    assert_allclose(frame.to_numpy().T, np.exp(-u / 2))


@pytest.mark.parametrize("copy", [lambda m: pickle.loads(pickle.dumps(m)), None])
def test_pickled_and_joblib_models_predict_the_same_bits(blobs, copy, tmp_path):
    _, D, y = blobs
    model = RBFNetworkClassifier(random_state=0).fit(D, y)
    if copy is None:
        joblib.dump(model, tmp_path / "model")
        again = joblib.load(tmp_path / "model")
    else:
        again = copy(model)
    assert_array_equal(again.predict_proba(D), model.predict_proba(D))


def test_a_fitted_model_does_not_carry_the_matrix(rng):
    X = rng.standard_normal((400, 3))
    D = as_relation(X, "euclidean").block()
    model = RBFNetworkClassifier(3, random_state=0, max_iter=5).fit(D, X[:, 0] > 0)
    assert len(pickle.dumps(model)) < D.nbytes / 10


def test_clones_share_the_relation_that_is_their_metric(blobs):
    _, D, _ = blobs
    relation = as_relation(D)
    assert clone(RBFNetworkClassifier(metric=relation)).metric is relation


def test_progress_callbacks_see_every_epoch(blobs):
    _, D, y = blobs

    class Counter:
        def __init__(self):
            self.names = []

        def setup(self, estimator, context):
            self.names.append("setup")

        def teardown(self, estimator, context):
            self.names.append("teardown")

        def on_fit_task_begin(self, estimator, context):
            pass

        def on_fit_task_end(self, estimator, context):
            self.names.append(context.task_name)
            return self.names.count("epoch") == 4

    counter = Counter()
    model = RBFNetworkClassifier(
        random_state=0, max_iter=9, solver=GradientDescent.curvature_scaled()
    )
    model.set_callbacks(counter).fit(D, y)
    assert counter.names == ["setup", *["epoch"] * 4, "fit", "teardown"]
    assert model.n_iter_ == 4
    assert model.status_.name == "INTERRUPTED"


def test_scikit_learns_progress_bar(blobs, capsys):
    _, D, y = blobs
    RBFNetworkClassifier(random_state=0, max_iter=9).set_callbacks(ProgressBar()).fit(D, y)
    assert "100%" in capsys.readouterr().out


@pytest.mark.parametrize(("verbose", "lines"), [(0, 0), (1, 10), (2, 30)])
def test_verbose_prints_lines(blobs, capsys, verbose, lines):
    _, D, y = blobs
    RBFNetworkClassifier(
        random_state=0,
        max_iter=30,
        tol=0,
        verbose=verbose,
        solver=GradientDescent.curvature_scaled(),
    ).fit(D, y)
    assert len(capsys.readouterr().out.splitlines()) == lines
