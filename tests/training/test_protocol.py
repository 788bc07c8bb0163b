"""The paper's protocol (section 3.1), whole, in relational and vector space: one training."""

import csv

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist
from sklearn.datasets import load_breast_cancer

from relrbf import RBFNetworkClassifier, RBFNetworkRegressor
from relrbf.training import GradientDescent, Status

LIMITS = {"BC-569": (10, 45), "USC-435": (10, 35), "HD-303": (10, 30)}  # the paper's


def vectors(name, request):
    """Return the standardised vectors and classes of one of the paper's vector sets."""
    if name == "BC-569":
        X, y = load_breast_cancer(return_X_y=True)
    elif name == "USC-435":
        with np.load(request.getfixturevalue("shared_data") / name / "USC-435.npz") as file:
            X, y = file["X"].astype(float), file["y"]
    else:
        path = request.getfixturevalue("shared_data") / name / "processed_cleveland.csv"
        with open(path, newline="") as file:
            rows = [row for row in csv.reader(file) if row[0][0].isdigit()]
        table = np.array([[np.nan if value in "?" else float(value) for value in r] for r in rows])
        X, y = table[:, :13], table[:, 13] > 0
        X = np.where(np.isnan(X), np.nanmedian(X, axis=0), X)
    return (X - X.mean(axis=0)) / X.std(axis=0), y


def relational_and_vector(X, y, estimator=RBFNetworkClassifier, **options):
    """Train a network on distances and one on vectors, from the same seed."""
    options = {"max_iter": 300, "tol": 0, "random_state": 0, "solver": GradientDescent(), **options}
    graph = estimator(exponent=2, **options).fit(cdist(X, X), y)
    vector = estimator(space="vector", metric="euclidean", **options).fit(X, y)
    return graph, vector


def assert_same_training(graph, vector, tolerance=1e-8):
    one, other = graph.history_, vector.history_
    assert one.rejected == other.rejected
    assert one.grown == other.grown
    assert one.n_prototypes == other.n_prototypes
    assert one.best_epoch == other.best_epoch
    assert graph.n_iter_ == vector.n_iter_
    assert graph.status_ is vector.status_
    assert_allclose(one.objective, other.objective, rtol=tolerance)
    assert_allclose(one.validation_error, other.validation_error, rtol=tolerance)
    for name in ("weights_", "bias_", "bandwidths_"):
        mine, its = getattr(graph, name), getattr(vector, name)
        assert_allclose(mine, its, rtol=0, atol=tolerance * np.abs(its).max(), err_msg=name)
    mine, its = graph.prototypes_.distances_sq, vector.prototypes_.distances_sq
    assert_allclose(mine, its, rtol=0, atol=tolerance * np.abs(its).max())


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", LIMITS)
def test_duality_through_the_whole_protocol(name, seed, request):
    X, y = vectors(name, request)
    c, most = LIMITS[name]
    options = {"n_prototypes": c, "max_prototypes": most, "random_state": seed}
    graph, vector = relational_and_vector(X, y, max_iter=1000, **options)
    assert_same_training(graph, vector)
    assert graph.history_.objective[-1] < 0.2 * graph.history_.objective[0]


@pytest.mark.parametrize("acceleration", ["momentum", "conjugate-gradients"])
@pytest.mark.parametrize("name", LIMITS)
def test_duality_with_higher_order(name, acceleration, request):
    X, y = vectors(name, request)
    c, most = LIMITS[name]
    solver = GradientDescent(acceleration=acceleration)
    graph, vector = relational_and_vector(X, y, n_prototypes=c, max_prototypes=most, solver=solver)
    assert_same_training(graph, vector)


@pytest.mark.parametrize("name", ["USC-435", "HD-303"])
def test_the_printed_rule_alone_takes_the_same_decisions_for_a_while(name, request):
    """Without ceilings steps are rejected, by both networks alike, until rounding errors grow."""
    X, y = vectors(name, request)
    graph, vector = relational_and_vector(
        X, y, n_prototypes=10, solver=GradientDescent(stable=False), max_iter=100
    )
    assert graph.history_.rejected
    assert_same_training(graph, vector)


@settings(max_examples=15, deadline=None, derandomize=True)
@given(
    n=st.integers(20, 60),
    d=st.integers(1, 8),
    n_classes=st.integers(2, 4),
    spread=st.floats(0, 3),
    scale=st.sampled_from([1e-3, 1.0, 1e4]),
    kernel=st.sampled_from(["gaussian", "multiquadric", "inverse-multiquadric"]),
    loss=st.sampled_from(["squared-error", "cross-entropy"]),
    seed=st.integers(0, 2**16),
)
def test_duality_on_random_data(n, d, n_classes, spread, scale, kernel, loss, seed):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % n_classes
    X = scale * (rng.standard_normal((n, d)) + spread * rng.standard_normal((n_classes, d))[y])
    graph, vector = relational_and_vector(
        X, y, n_prototypes=4, max_prototypes=8, random_state=seed, kernel=kernel, loss=loss
    )
    assert_same_training(graph, vector)


def test_duality_of_regression(rng):
    X = rng.standard_normal((80, 4))
    Y = np.c_[np.sin(X[:, 0]), X[:, 1] * X[:, 2]]
    graph, vector = relational_and_vector(
        X, Y, RBFNetworkRegressor, n_prototypes=6, max_prototypes=12
    )
    assert_same_training(graph, vector)
    assert graph.score(cdist(X, X), Y) > 0.3


@pytest.fixture
def noise(rng):
    """Labels that nothing predicts: validation errors soon rise."""
    X = rng.standard_normal((80, 3))
    return cdist(X, X), rng.integers(0, 2, 80)


def fit(D, y, **options):
    options = {"n_prototypes": 6, "max_iter": 2000, "tol": 0, "random_state": 1, **options}
    return RBFNetworkClassifier(**options).fit(D, y)


def test_it_stops_after_thirty_rises_in_a_row_and_keeps_the_best_state(noise):
    D, y = noise
    model = fit(D, y, solver=GradientDescent())
    errors = np.array(model.history_.validation_error)
    assert model.status_ is Status.VALIDATION
    assert (np.diff(errors[-31:]) > 0).all()
    assert errors[-32] >= errors[-31]
    assert model.history_.best_epoch == np.argmin(errors)
    again = fit(D, y, solver=GradientDescent(), max_iter=model.history_.best_epoch)
    assert_allclose(model.decision_function(D), again.decision_function(D))


def test_it_grows_after_five_rises_in_a_row_at_the_worst_object(noise):
    D, y = noise
    model = fit(D, y, max_prototypes=7, solver=GradientDescent())
    (epoch, where), *more = model.history_.grown
    assert not more
    assert len(model.history_.n_prototypes) > epoch
    assert model.history_.n_prototypes[epoch - 1 : epoch + 1] == [6, 7]
    before = fit(D, y, solver=GradientDescent(), max_iter=epoch, warm_start=True)
    assert (np.diff(before.history_.validation_error[-6:]) > 0).all()
    last = before._last_fit.state.point.forward.responses
    deviations = np.abs(np.eye(2)[y] - last).max(axis=1)
    deviations[before._last_fit.validation_mask] = 0
    assert where == np.argmax(deviations)


def test_it_never_grows_beyond_the_limit(noise):
    D, y = noise
    solver = GradientDescent(patience=10**6, grow_after=1)
    model = fit(D, y, max_prototypes=9, solver=solver, max_iter=700)
    assert max(model.history_.n_prototypes) == 9
    assert len(model.history_.grown) == 3


def test_auto_grows_too_without_a_shock(noise):
    D, y = noise
    model = fit(D, y, max_prototypes=8, max_iter=600)
    assert model.history_.grown
    objective = np.array(model.history_.objective)
    assert (np.diff(objective) <= 1e-9 * objective[0]).all()


def test_given_validation_objects_watch_and_carry_no_coefficient(noise):
    D, y = noise
    positions = np.arange(0, 80, 4)
    mask = np.zeros(80, dtype=bool)
    mask[positions] = True
    models = [
        fit(D, y, solver=GradientDescent(validation=v), max_iter=50) for v in (positions, mask)
    ]
    assert_allclose(models[0].decision_function(D), models[1].decision_function(D))
    assert not np.isin(models[0].support_, positions).any()
    other = y.copy()
    other[positions] = 1 - other[positions]
    blind = fit(D, other, solver=GradientDescent(validation=positions), max_iter=50)
    assert_allclose(blind.history_.objective, models[0].history_.objective)
    assert not np.allclose(blind.history_.validation_error, models[0].history_.validation_error)


def test_validation_targets_teach_a_regressor_nothing(noise):
    D, _ = noise
    y = D[:, 0].copy()
    validated = np.arange(80) % 5 == 0
    options = {
        "max_iter": 20,
        "tol": 0,
        "random_state": 0,
        "solver": GradientDescent(validation=validated),
    }
    one = RBFNetworkRegressor(5, **options).fit(D, y)
    y[validated] += 50
    other = RBFNetworkRegressor(5, **options).fit(D, y)
    assert one.history_.objective == other.history_.objective
    assert max(one.history_.validation_error) < min(other.history_.validation_error)


def test_growth_passes_over_objects_that_had_their_prototype(noise):
    D, y = noise
    for solver in (
        GradientDescent(patience=10**6),
        GradientDescent.curvature_scaled(validation_fraction=0.15, patience=999),
    ):
        model = fit(D, y, max_prototypes=12, solver=solver)
        where = [place for _, place in model.history_.grown]
        assert len(where) == len(set(where)) > 2


def test_a_validation_object_does_not_merge_with_its_duplicate_in_training(rng):
    X = np.repeat(rng.standard_normal((20, 2)), 2, axis=0)
    y = np.repeat(np.arange(20) % 2, 2)
    validated = np.arange(40) % 2 == 1  # every object trains, and its copy validates
    model = RBFNetworkClassifier(
        4, solver=GradientDescent(validation=validated), max_iter=30, tol=0, random_state=0
    ).fit(cdist(X, X), y)
    assert_allclose(model.history_.validation_error, model.history_.objective)


def test_drawn_starts_lie_in_their_ranges_and_use_them(noise):
    D, y = noise
    unit = np.sqrt((D**2).mean())
    solver = GradientDescent(initial_weights=(2, 3), initial_bandwidths=(1, 1.5), unit=1.0)
    model = RBFNetworkClassifier(20, solver=solver, max_iter=1, random_state=0)
    model.fit(D / unit, y)
    assert 0.9 < model.bandwidths_.min() < model.bandwidths_.max() < 1.6
    assert model.weights_.max() - model.weights_.min() > 0.5


def test_the_unit_of_the_dissimilarities_does_not_matter(noise):
    D, y = noise
    models = [fit(scale * D, y, solver=GradientDescent(), max_iter=100) for scale in (1.0, 1e5)]
    assert_allclose(models[0].decision_function(D), models[1].decision_function(1e5 * D), rtol=1e-6)


def test_rates_shrink_on_rejection_and_grow_on_falls(noise):
    """Rejections come back at once when rates are far too high, each time by the same factor."""
    D, y = noise
    solver = GradientDescent(learning_rate=(1e3, 1e3), stable=False)
    model = fit(D, y, solver=solver, max_iter=60)
    rejected = model.history_.rejected
    assert rejected[:5] == [1, 2, 3, 4, 5]
    gentle = fit(
        D,
        y,
        solver=GradientDescent(learning_rate=(1e3, 1e3), stable=False, adapt=(0.1, 1.05, 0.05)),
        max_iter=60,
    )
    assert 0 < len(gentle.history_.rejected) < len(rejected)
    objective = np.array(model.history_.objective)
    assert (objective[1:] <= 1.05 * objective[:-1] * (1 + 1e-9)).all()


def test_cross_entropy_gives_probabilities_of_its_own(blobs):
    _, D, y = blobs
    model = RBFNetworkClassifier(6, loss="cross-entropy", random_state=0, max_iter=500).fit(D, y)
    responses = model.decision_function(D)
    expected = np.exp(responses) / np.exp(responses).sum(axis=1, keepdims=True)
    assert model.probability_scale_ == 1.0
    assert_allclose(model.predict_proba(D), expected)
    assert model.score(D, y) > 0.8
    loss = -np.log(expected[np.arange(60), y]).mean()
    ridge = model.alpha_ / 60 * np.square(model.weights_).sum() / 2
    assert_allclose(loss + ridge, model.history_.objective[-1], rtol=1e-6)


def test_medoids_jump_between_objects_and_distances_stay_look_ups(noise):
    D, y = noise
    options = {"space": "medoid", "init": "random", "max_iter": 200}
    model = fit(D, y, solver=GradientDescent(learning_rate=(20, 50), stable=False), **options)
    start = fit(
        D,
        y,
        solver=GradientDescent(learning_rate=(20, 50), stable=False),
        **options | {"max_iter": 1},
    )
    objects = model.prototypes_.objects
    assert_allclose(model.prototypes_.distances_sq, D[objects] ** 2)
    assert set(model.prototypes_.coefficients.ravel()) == {0, 1}
    assert objects.tolist() != start.prototypes_.objects.tolist()
