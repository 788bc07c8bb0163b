"""One scale solved for thousands of objects: by the definition, and what must not matter."""

import tracemalloc
from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist

from relrbf import RBFNetworkClassifier, RBFNetworkRegressor
from relrbf.autotune import iterative
from relrbf.autotune import teacher as teaching
from relrbf.autotune.cholesky import fit_by_cholesky
from relrbf.autotune.iterative import fit_by_iteration
from relrbf.autotune.leave_one_out import LeftOut, fit_on_all, may_penalise_norm
from relrbf.autotune.resolve import _wanted_support
from relrbf.autotune.targets import Scale, Targets, TeacherProblem
from relrbf.network import Gaussian
from relrbf.relations import DenseRelation, ObjectRelation
from relrbf.training import LBFGS, GradientDescent
from tests.autotune.test_teacher import decades, make_problem

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
    return LeftOut(1.0, none, none, alpha, none, penalty)


@pytest.mark.parametrize("indefinite", [False, True])
@pytest.mark.parametrize("penalty", ["weights", "norm"])
def test_cholesky_solves_and_leaves_out_as_leave_one_out_does(rng, penalty, indefinite):
    problem, alpha = make(rng, indefinite), 3.0 if indefinite else 0.1
    tested = np.sort(rng.permutation(N)[:20])
    found = fit_by_cholesky(problem, np.arange(N), tested, SCALE, like(penalty, alpha))
    K, T = problem.activations(np.arange(N), np.arange(N), SCALE), problem.targets
    w = T.w
    if penalty == "weights":
        (expected,) = fit_on_all(K, T.centred, w, alpha, T.shares)
        left_out, weights = expected.responses[tested], expected.weights
    else:
        J = np.eye(N) - T.shares
        root = np.sqrt(w)[:, None]
        B = root * (J @ K @ J.T) * root.T + alpha * np.eye(N)
        weights = J.T @ (root * np.linalg.solve(B, root * T.centred))
        left_out = np.array([response_without(i, J @ K @ J.T, T, alpha) for i in tested])
    assert_allclose(found.weights, weights, atol=BOUND * np.abs(weights).max())
    offset = T.mean - T.of(tested).mean
    assert_allclose(found.responses, left_out + offset, atol=BOUND)


def response_without(i, K, targets, alpha):
    """Fit without object i and its prototype, under the second penalty; return the response."""
    rest = np.delete(np.arange(N), i)
    root = np.sqrt(targets.w[rest])[:, None]
    T = targets.Y[rest] - np.average(targets.Y[rest], axis=0, weights=targets.w[rest])
    B = root * K[np.ix_(rest, rest)] * root.T + alpha * np.eye(N - 1)
    return (K[i, rest] * root[:, 0]) @ np.linalg.solve(B, root * T)


def solved(K, T, root, alpha, penalty):
    """Return weights for centred activations by the definition."""
    C = root * K * root.T
    if penalty == "norm":
        W = np.linalg.solve(C + alpha * np.eye(len(C)), root * T)
    else:
        W = np.linalg.solve(C @ C + alpha * np.eye(len(C)), C @ (root * T))
    return root * W


@pytest.mark.parametrize("indefinite", [False, True])
@pytest.mark.parametrize("penalty", ["weights", "norm"])
def test_conjugate_gradients_solve_with_and_without_the_tested_objects(
    rng, monkeypatch, penalty, indefinite
):
    monkeypatch.setattr(iterative, "RESIDUAL", 1e-13)
    monkeypatch.setattr(iterative, "N_LANDMARKS", 20)
    monkeypatch.setattr(iterative, "ACTIVATIONS_AT_A_TIME", 7 * N)  # blocks of seven rows
    problem, alpha = make(rng, indefinite), 3.0 if indefinite else 0.1
    tested = np.sort(rng.permutation(N)[:20])
    found = fit_by_iteration(problem, tested, SCALE, like(penalty, alpha))
    K, T = problem.activations(np.arange(N), np.arange(N), SCALE), problem.targets
    J, rest = np.eye(N) - T.shares, np.setdiff1d(np.arange(N), tested)
    root = np.sqrt(T.w)[:, None]
    weights = J.T @ solved(J @ K @ J.T, T.centred, root, alpha, penalty)
    assert_allclose(found.weights, weights, atol=BOUND * np.abs(weights).max())
    assert_allclose(found.means, T.shares @ K, rtol=BOUND)
    among = (J @ K @ J.T)[np.ix_(rest, rest)]
    mean = np.average(T.Y[rest], axis=0, weights=T.w[rest])
    without = solved(among, T.Y[rest] - mean, root[rest], alpha, penalty)
    expected = (J @ K @ J.T)[np.ix_(tested, rest)] @ without + mean - T.of(tested).mean
    assert_allclose(found.responses, expected, atol=BOUND * max(1, np.abs(without).max()))


def test_objects_that_do_not_take_part_change_nothing(rng):
    problem = make(rng)
    some = np.sort(rng.permutation(N)[:50])
    w = problem.targets.w[some]
    targets = Targets(problem.targets.Y[some], w / w.mean(), False)
    alone = TeacherProblem(problem.relation.restrict(some), targets, Gaussian(), np.arange(50))
    own = np.zeros(N)
    own[some] = targets.w
    among = replace(problem, order=some, targets=replace(problem.targets, w=own))
    tested = np.arange(0, 50, 3)
    expected = fit_by_iteration(alone, tested, SCALE, like("norm"))
    found = fit_by_iteration(among, some[tested], SCALE, like("norm"))
    assert_allclose(found.weights, expected.weights, atol=BOUND)
    assert_allclose(found.responses, expected.responses, atol=BOUND)


def test_a_penalty_below_the_negative_part_becomes_one_on_the_weights(rng):
    problem, tested = make(rng, indefinite=True), np.arange(0, N, 3)
    for fit in (
        lambda alpha: fit_by_iteration(problem, tested, SCALE, like("norm", alpha)),
        lambda alpha: fit_by_cholesky(problem, np.arange(N), tested, SCALE, like("norm", alpha)),
    ):
        found = fit(1e-6)
        assert (found.penalty, found.alpha) == ("weights", 1e-12)
        assert np.isfinite(found.weights).all()


def fit_all(problem, tested):
    return fit_by_cholesky(problem, np.arange(N), tested, SCALE, like("norm"))


@pytest.mark.parametrize(
    "fit", [fit_all, lambda *given: fit_by_iteration(*given, SCALE, like("norm"))]
)
def test_a_response_to_an_object_left_out_does_not_know_its_target(rng, fit):
    problem, tested = make(rng), np.sort(rng.permutation(N)[:15])
    Y = problem.targets.Y.copy()
    Y[tested[4]] += 100
    other = replace(problem, targets=replace(problem.targets, Y=Y))
    found, changed = fit(problem, tested), fit(other, tested)
    own = [each.targets.of(tested).mean for each in (problem, other)]  # responses are less these
    differences = changed.responses + own[1] - found.responses - own[0]
    assert np.abs(differences[4]).max() < 100 / N  # by the mean of all targets at most
    assert np.abs(changed.weights - found.weights).max() > 1


def test_the_norm_is_penalised_only_beyond_the_negative_part_of_all_objects():
    fit = like("norm", alpha=1.0)
    definite, indefinite = fit, replace(fit, lowest=-1e-3)
    assert may_penalise_norm(definite, 10_000)
    assert may_penalise_norm(indefinite, 400)
    assert not may_penalise_norm(indefinite, 4000)


@pytest.fixture(params=["factorised", "iterative"])
def many(monkeypatch, request):
    """Let so few objects be many that a test is quick."""
    monkeypatch.setattr(teaching, "MAX_DECOMPOSED_OBJECTS", 350)
    monkeypatch.setattr(teaching, "N_SAMPLED_OBJECTS", 200)
    monkeypatch.setattr(teaching, "N_TESTED_OBJECTS", 100)
    if request.param == "iterative":
        monkeypatch.setattr(teaching, "MAX_FACTORISED_OBJECTS", 350)


def rings(rng, n=600):
    X = rng.standard_normal((n, 3))
    return X, np.digitize(np.linalg.norm(X, axis=1), [1.2, 1.8])


def test_classes_are_learned_and_the_vector_network_agrees(rng, many):
    X, y = rings(rng)
    D, D_new = cdist(X[:400], X[:400]), cdist(X[400:], X[:400])
    model = RBFNetworkClassifier("all", random_state=0).fit(D, y[:400])
    assert len(model.prototypes_) % 400 == 0
    assert model.score(D_new, y[400:]) > 0.8
    vector = RBFNetworkClassifier("all", space="vector", random_state=0).fit(X[:400], y[:400])
    ours, theirs = model.decision_function(D_new), vector.decision_function(X[400:])
    assert_allclose(ours, theirs, atol=1e-9 * np.abs(model.weights_).max())


def test_the_order_of_objects_does_not_matter(rng, many):
    X, y = rings(rng)
    D, D_new = cdist(X[:400], X[:400]), cdist(X[400:], X[:400])
    order = rng.permutation(400)
    model = RBFNetworkClassifier("all", random_state=0).fit(D, y[:400])
    other = RBFNetworkClassifier("all", random_state=0).fit(D[np.ix_(order, order)], y[order])
    ours, theirs = model.decision_function(D_new), other.decision_function(D_new[:, order])
    assert_allclose(ours, theirs, atol=1e-9 * np.abs(model.weights_).max())


def test_numbers_are_learned_and_their_mean_is_kept(rng, many):
    X = rng.uniform(0, 3, (420, 1))
    y = 1000 + np.sin(3 * X[:, 0])
    model = RBFNetworkRegressor(random_state=0).fit(cdist(X[:400], X[:400]), y[:400])
    assert model.score(cdist(X[400:], X[:400]), y[400:]) > 0.99
    noise = rng.standard_normal(400)
    constant = RBFNetworkRegressor(random_state=0).fit(cdist(X[:400], X[:400]), noise)
    assert_allclose(constant.predict(cdist(X[400:], X[:400])), noise.mean(), atol=1e-12)


def test_distances_that_span_decades_are_locally_scaled(rng, many):
    X, y = decades(rng, 420)
    D, D_new = cdist(X[:400], X[:400]), cdist(X[400:], X[:400])
    model = RBFNetworkClassifier(random_state=0).fit(D, y[:400])
    assert "locally scaled" in model.explain_choices()
    assert model.score(D_new, y[400:]) > 0.8


def test_what_a_sample_answered_is_gone_while_all_objects_are_solved(rng, many, monkeypatch):
    monkeypatch.setattr(teaching, "N_COMPARED_OBJECTS", (20, 40))
    X, fit_scale, n, held = rng.standard_normal((400, 3)), teaching._fit_scale, 400, []
    problem = make_problem(cdist(X, X), np.arange(n))  # a class for each
    problem.S(problem.objects, problem.objects)

    def fit(*args):
        held.append(tracemalloc.get_traced_memory()[0])
        return fit_scale(*args)

    monkeypatch.setattr(teaching, "_fit_scale", fit)
    tracemalloc.start()
    teaching.fit_teacher(problem, problem.objects)
    tracemalloc.stop()
    assert 0 < max(held) < 8 * n * n  # bytes; a sample's answers are some of that size


def test_only_relations_in_memory_of_a_limited_size_are_learned_whole(rng, monkeypatch):
    resolving = import_module("relrbf.autotune.resolve")  # which a function hides
    monkeypatch.setattr(resolving, "MAX_WHOLE_OBJECTS", 10)
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
