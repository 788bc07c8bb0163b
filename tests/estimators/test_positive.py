"""Prototypes that belong to one class each: one weight, for this class, which is positive."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import approx_fprime, lsq_linear
from scipy.spatial.distance import cdist

import relrbf
from relrbf import RBFNetworkClassifier, RBFNetworkRegressor
from relrbf.exceptions import OptionError
from relrbf.network import Gaussian, Network, SquaredError
from relrbf.network.model import CentredSquaredError, solve_output
from relrbf.prototypes import ObjectPrototypes
from relrbf.training import LBFGS, GradientDescent


def fitted(D, y, **options):
    return RBFNetworkClassifier(positive=True, random_state=0, **options).fit(D, y)


def assert_one_class_each(model):
    assert model.weights_.min() == 0
    assert_array_equal(np.count_nonzero(model.weights_, axis=1), 1)


@pytest.mark.parametrize("init", ["k-means", "random-partition", "fuzzy", "class", "random"])
def test_each_prototype_has_one_weight_and_it_is_positive(blobs, init):
    _, D, y = blobs
    model = fitted(D, y, init=init)
    assert_one_class_each(model)
    assert model.score(D, y) > 0.7
    assert set(model.weights_.argmax(axis=1)) == {0, 1, 2}


def test_most_objects_near_a_prototype_are_of_its_class(rng):
    y = np.repeat([0, 1, 2], 30)
    X = rng.standard_normal((90, 3)) + 3 * np.eye(3)[y]
    model = fitted(cdist(X, X), y)
    near = np.argsort(model.prototypes_.distances_sq, axis=1)[:, :10]
    most = [np.bincount(y[row]).argmax() for row in near]
    assert_array_equal(most, model.weights_.argmax(axis=1))


def test_larger_classes_have_more_prototypes_and_every_class_has_one(rng):
    y = np.repeat([0, 1, 2], [70, 20, 4])
    X = rng.standard_normal((94, 3)) + 2 * np.eye(3)[y]
    model = fitted(cdist(X, X), y, n_prototypes=9)
    counts = np.bincount(model.weights_.argmax(axis=1), minlength=3)
    assert counts[0] > counts[1] >= counts[2] >= 1


def test_the_names_of_the_classes_do_not_matter(rng):
    X = rng.standard_normal((40, 2))
    y = X[:, 0] + 0.3 * rng.standard_normal(40) > 0
    D, D_new = cdist(X, X), cdist(rng.standard_normal((9, 2)), X)
    expected = fitted(D, y).predict_proba(D_new)
    assert_allclose(fitted(D, ~y).predict_proba(D_new)[:, ::-1], expected, atol=1e-6)


def test_dissimilarities_and_vectors_give_the_same_network(blobs):
    X, D, y = blobs
    relational = fitted(D, y, exponent=2)
    vector = fitted(X, y, space="vector")
    assert_allclose(relational.weights_, vector.weights_, rtol=1e-9, atol=1e-9)
    ours = relational.decision_function(D[:20] + 0.0)
    assert_allclose(ours, vector.decision_function(X[:20]), rtol=1e-9, atol=1e-9)


def test_a_file_keeps_it(blobs, tmp_path):
    _, D, y = blobs
    model = fitted(D, y)
    relrbf.save(model, tmp_path / "model.relrbf")
    loaded = relrbf.load(tmp_path / "model.relrbf")
    assert loaded.positive is True
    assert_array_equal(loaded.weights_, model.weights_)
    assert_array_equal(loaded.predict_proba(D), model.predict_proba(D))


def test_of_more_objects_than_a_teacher_is_distilled_from_it_learns_the_labels(rng):
    y = np.arange(1100) % 3
    X = rng.standard_normal((1100, 4)) + 3 * np.eye(4)[y]
    model = fitted(cdist(X, X), y, n_prototypes=9)
    assert_one_class_each(model)
    assert model.score(cdist(X, X), y) > 0.95


@pytest.mark.filterwarnings("ignore:No vectors have these dissimilarities")
def test_where_means_of_clusters_fall_short_every_object_is_a_prototype_of_its_class(rng):
    y = np.arange(160) % 4
    spreads = np.array([0.02, 0.1, 0.5, 1.0])
    X = rng.standard_normal((4, 3))[y] + spreads[y, None] * rng.standard_normal((160, 3))
    D = np.expm1(4 * cdist(X, X))
    model = fitted(D, y)
    assert isinstance(model.prototypes_, ObjectPrototypes)
    rows, classes = np.nonzero(model.weights_)
    assert (model.weights_ >= 0).all()
    assert_array_equal(y[model.prototypes_.objects[rows]], classes)
    probabilities = model.predict_proba(D)
    assert probabilities.max(axis=1).mean() < model.score(D, y) + 0.05


def test_labels_without_signal_leave_a_constant(rng):
    D = cdist(*2 * [rng.standard_normal((60, 3))])
    model = fitted(D, rng.integers(0, 2, 60))
    assert (model.weights_ >= 0).all()
    assert np.ptp(model.predict_proba(D)[:, 0]) < 0.2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"positive": 1}, "positive is 1; it must be True or False"),
        ({"positive": "yes"}, "positive is 'yes'"),
        ({"kernel": "multiquadric"}, "kernel is 'multiquadric', which does not go with positive"),
        ({"solver": "gradient-descent"}, "solver is 'gradient-descent', which does not go with"),
        ({"solver": GradientDescent()}, "solver is GradientDescent"),
        ({"space": "medoid"}, "space is 'medoid'"),
        ({"loss": "cross-entropy"}, "loss is 'cross-entropy'"),
        ({"init": np.full((1, 60), 1 / 60)}, "init is array"),
        ({"n_prototypes": "all"}, "n_prototypes is 'all'"),
        ({"max_prototypes": 30}, "max_prototypes is 30"),
        ({"warm_start": True}, "warm_start is True"),
        ({"n_prototypes": 2}, "n_prototypes is 2 for 3 classes"),
    ],
)
def test_what_it_does_not_go_with_is_refused(blobs, options, message):
    _, D, y = blobs
    with pytest.raises(OptionError, match=message):
        RBFNetworkClassifier(**{"positive": True, **options}).fit(D, y)


def test_a_solver_may_be_given(blobs):
    _, D, y = blobs
    assert_one_class_each(fitted(D, y, solver=LBFGS(early_stopping=None), max_iter=5))


def test_a_regressor_does_not_have_it():
    with pytest.raises(TypeError, match="positive"):
        RBFNetworkRegressor(positive=True)


def made_problem(rng):
    """Return a forward pass of 6 prototypes and 40 objects, targets, weights and outputs."""
    network = Network(Gaussian(), np.ones(6), np.zeros((6, 3)), np.zeros(3))
    forward = network.forward(rng.uniform(0, 4, (6, 40)))
    w = rng.uniform(0.5, 1, 40)
    return forward, rng.standard_normal((40, 3)), w / w.sum(), np.array([0, 0, 1, 1, 2, 2])


@pytest.mark.parametrize("alpha", [0.0, 0.01])
def test_weights_are_those_of_bounded_least_squares(rng, alpha):
    forward, Y, w, outputs = made_problem(rng)
    W, bias = solve_output(forward, Y, w, alpha, outputs)
    centring = np.eye(3) - 1 / 3
    columns = [np.outer(forward.activations[j], centring[k]).ravel() for j, k in enumerate(outputs)]
    columns += [np.outer(np.ones(40), centring[k]).ravel() for k in range(3)]
    root = np.sqrt(np.repeat(w, 3))
    penalty = np.hstack([np.sqrt(alpha) * np.eye(6), np.zeros((6, 3))])
    A = np.vstack([root[:, None] * np.column_stack(columns), penalty])
    b = np.concatenate([root * (Y @ centring).ravel(), np.zeros(6)])
    expected = lsq_linear(A, b, ([0] * 6 + [-np.inf] * 3, np.inf), method="bvls").x
    assert_allclose(W[np.arange(6), outputs], expected[:6], atol=1e-9)
    assert_allclose(bias - bias.mean(), expected[6:] - expected[6:].mean(), atol=1e-9)


def test_the_loss_does_not_depend_on_what_all_classes_have_in_common(rng):
    R, Y = rng.standard_normal((2, 10, 3))
    w, loss = np.full(10, 0.1), CentredSquaredError()
    shifted = R + rng.standard_normal((10, 1))
    assert_allclose(loss.value(shifted, Y, w), loss.value(R, Y, w))
    assert loss.value(R, Y, w) < SquaredError().value(R, Y, w)
    numeric = approx_fprime(R.ravel(), lambda r: loss.value(r.reshape(R.shape), Y, w))
    assert_allclose(loss.gradient(R, Y, w).ravel(), numeric, atol=1e-6)
