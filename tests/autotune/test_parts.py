"""Objects divided into parts, each solved alone: by the definition, and what must not matter."""

from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist

from relrbf import RBFNetworkClassifier, RBFNetworkRegressor
from relrbf.autotune import parts as module
from relrbf.autotune import teacher as teaching
from relrbf.autotune.leave_one_out import LeftOut, fit_on_all
from relrbf.autotune.parts import divide, fit_in_parts, fit_part, may_penalise_norm
from relrbf.autotune.resolve import _wanted_support
from relrbf.autotune.targets import Scale, Targets, TeacherProblem
from relrbf.network import Gaussian
from relrbf.relations import DenseRelation, ObjectRelation
from relrbf.training import LBFGS, GradientDescent
from tests.autotune.test_teacher import decades

N = 60
# Systems of condition 1e5 at most, and responses of order one: a few objects' rounding times that.
BOUND = 1e-9


def make(rng, indefinite=False, alpha=None):
    X = rng.standard_normal((N, 3))
    D = cdist(X, X)
    if indefinite:
        noise = np.triu(rng.uniform(0, 2, (N, N)), 1)
        D = D + noise + noise.T
    Y, w = np.column_stack([X[:, 0], np.sin(X[:, 1])]), rng.uniform(0.5, 1.5, N)
    targets = Targets(Y, w / w.mean(), False)
    return TeacherProblem(DenseRelation(D), targets, Gaussian(), rng.permutation(N), alpha)


SCALE = Scale(1.0, -1, 4.0)


def like(penalty, alpha=0.1):
    none = np.zeros(0)
    return LeftOut(np.nan, none, none, alpha, none, penalty)


@pytest.mark.parametrize("indefinite", [False, True])
@pytest.mark.parametrize("penalty", ["weights", "norm"])
def test_one_part_of_all_objects_is_solved_and_left_out_as_in_leave_one_out(
    rng, penalty, indefinite
):
    problem, alpha = make(rng, indefinite), 3.0 if indefinite else 0.1
    tested = np.sort(rng.permutation(N)[:20])
    found = fit_part(problem, np.arange(N), tested, SCALE, like(penalty, alpha))
    K, T = problem.activations(np.arange(N), np.arange(N), SCALE), problem.targets
    w = T.w
    if penalty == "weights":
        (expected,) = fit_on_all(K, T.centred, w, alpha)
        left_out, weights = expected.responses[tested], expected.weights
    else:
        J = np.eye(N) - 1 / N
        root = np.sqrt(w)[:, None]
        B = root * (J @ K @ J) * root.T + alpha * np.eye(N)
        weights = root * np.linalg.solve(B, root * T.centred)
        weights -= weights.mean(axis=0)
        left_out = np.array([response_without(i, J @ K @ J, T, alpha) for i in tested])
    order = np.argsort(np.concatenate([np.setdiff1d(np.arange(N), tested), tested]))
    assert_allclose(found.weights[order], weights, atol=BOUND * np.abs(weights).max())
    offset = T.mean - T.of(tested).mean
    assert_allclose(found.responses, left_out + offset, atol=BOUND)


def response_without(i, K, targets, alpha):
    """Fit without object i and its prototype, under the second penalty; return the response."""
    rest = np.delete(np.arange(N), i)
    root = np.sqrt(targets.w[rest])[:, None]
    T = targets.Y[rest] - np.average(targets.Y[rest], axis=0, weights=targets.w[rest])
    B = root * K[np.ix_(rest, rest)] * root.T + alpha * np.eye(N - 1)
    return (K[i, rest] * root[:, 0]) @ np.linalg.solve(B, root * T)


@pytest.mark.parametrize("penalty", ["weights", "norm"])
def test_a_network_in_parts_is_the_mean_of_the_parts_networks(rng, monkeypatch, penalty):
    monkeypatch.setattr(module, "MAX_PART_OBJECTS", 25)
    problem = make(rng)
    parts, tested = divide(problem.order), np.sort(rng.permutation(N)[:15])
    assert [len(part) for part in parts] == [20, 20, 20]
    found = fit_in_parts(problem, tested, SCALE, like(penalty))
    alone = [
        fit_part(problem, part, tested[np.isin(tested, part)], SCALE, like(penalty))
        for part in parts
    ]
    new = rng.uniform(0, 3, (5, N))
    K = SCALE.activate(new, Gaussian())
    expected = np.zeros((5, 2))
    for part, fit in zip(parts, alone, strict=True):
        own = tested[np.isin(tested, part)]
        ordered = np.concatenate([np.setdiff1d(part, own), own])
        expected += (K[:, ordered] @ fit.weights - fit.means @ fit.weights) / 3
    ours = K @ found.weights + found.bias - found.offset
    assert_allclose(ours, expected, atol=BOUND * np.abs(found.weights).max())


def test_a_response_to_an_object_left_out_does_not_know_its_target(rng, monkeypatch):
    monkeypatch.setattr(module, "MAX_PART_OBJECTS", 30)
    problem, tested = make(rng), np.sort(rng.permutation(N)[:15])
    Y = problem.targets.Y.copy()
    Y[tested[4]] += 100
    other = replace(problem, targets=replace(problem.targets, Y=Y))
    found, changed = (fit_in_parts(p, tested, SCALE, like("norm")) for p in (problem, other))
    differences = changed.responses - changed.offset - found.responses + found.offset
    assert np.abs(differences[4]).max() < 100 / N  # by the mean of all targets at most
    assert np.abs(np.delete(differences, 4, axis=0)).max() > 1


def test_the_norm_is_penalised_only_beyond_the_negative_part_of_a_large_part():
    fit = like("norm", alpha=1.0)
    definite, indefinite = fit, replace(fit, lowest=-1e-3)
    assert may_penalise_norm(definite, 10_000)
    assert may_penalise_norm(indefinite, 400)
    assert not may_penalise_norm(indefinite, 4000)


@pytest.fixture
def small_parts(monkeypatch):
    """Let parts be solved of so few objects that a test is quick."""
    monkeypatch.setattr(teaching, "MAX_SOLVED_OBJECTS", 350)
    monkeypatch.setattr(teaching, "N_SAMPLED_OBJECTS", 200)
    monkeypatch.setattr(teaching, "N_TESTED_OBJECTS", 100)
    monkeypatch.setattr(module, "MAX_PART_OBJECTS", 250)


def rings(rng, n=420):
    X = rng.standard_normal((n, 3))
    return X, np.digitize(np.linalg.norm(X, axis=1), [1.2, 1.8])


def test_classes_are_learned_in_parts_and_the_vector_network_agrees(rng, small_parts):
    X, y = rings(rng)
    D, D_new = cdist(X[:400], X[:400]), cdist(X[400:], X[:400])
    model = RBFNetworkClassifier("all", random_state=0).fit(D, y[:400])
    assert len(model.prototypes_) % 400 == 0
    assert model.score(D_new, y[400:]) > 0.8
    vector = RBFNetworkClassifier("all", space="vector", random_state=0).fit(X[:400], y[:400])
    ours, theirs = model.decision_function(D_new), vector.decision_function(X[400:])
    assert_allclose(ours, theirs, atol=1e-9 * np.abs(model.weights_).max())


def test_the_order_of_objects_does_not_matter_in_parts(rng, small_parts):
    X, y = rings(rng)
    D, D_new = cdist(X[:400], X[:400]), cdist(X[400:], X[:400])
    order = rng.permutation(400)
    model = RBFNetworkClassifier("all", random_state=0).fit(D, y[:400])
    other = RBFNetworkClassifier("all", random_state=0).fit(D[np.ix_(order, order)], y[order])
    ours, theirs = model.decision_function(D_new), other.decision_function(D_new[:, order])
    assert_allclose(ours, theirs, atol=1e-9 * np.abs(model.weights_).max())


def test_numbers_are_learned_in_parts_and_their_mean_is_kept(rng, small_parts):
    X = rng.uniform(0, 3, (420, 1))
    y = 1000 + np.sin(3 * X[:, 0])
    model = RBFNetworkRegressor(random_state=0).fit(cdist(X[:400], X[:400]), y[:400])
    assert model.score(cdist(X[400:], X[:400]), y[400:]) > 0.99
    noise = rng.standard_normal(400)
    constant = RBFNetworkRegressor(random_state=0).fit(cdist(X[:400], X[:400]), noise)
    assert_allclose(constant.predict(cdist(X[400:], X[:400])), noise.mean(), atol=1e-12)


def test_distances_that_span_decades_are_locally_scaled_in_parts_too(rng, small_parts):
    X, y = decades(rng, 420)
    D, D_new = cdist(X[:400], X[:400]), cdist(X[400:], X[:400])
    model = RBFNetworkClassifier(random_state=0).fit(D, y[:400])
    assert "locally scaled" in model.explain_choices()
    assert model.score(D_new, y[400:]) > 0.8


def test_only_relations_in_memory_of_a_limited_size_are_divided(rng, monkeypatch):
    resolving = import_module("relrbf.autotune.resolve")  # which a function hides
    monkeypatch.setattr(resolving, "MAX_DIVIDED_OBJECTS", 10)
    few, many = (DenseRelation(np.zeros((n, n))) for n in (10, 11))
    costly = ObjectRelation(list(range(10)), lambda a, b: abs(a - b))
    for relation, solver, is_given, n_support, expected in [
        (few, LBFGS(), False, "auto", None),
        (few, LBFGS(), True, "auto", "auto"),
        (few, LBFGS(), False, 5, 5),
        (few, GradientDescent(), False, "auto", "auto"),
        (many, LBFGS(), False, "auto", "auto"),
        (costly, LBFGS(), False, "auto", "auto"),
    ]:
        assert _wanted_support(n_support, relation, solver, is_given) == expected
