"""The fast solver runs the kit; it lowers its objective on every symmetric relation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist
from sklearn.linear_model import Ridge

from relrbf import RBFNetworkClassifier, RBFNetworkRegressor
from relrbf.exceptions import OptionError
from relrbf.network import KERNELS, Forward, Gaussian, Multiquadric, Polynomial
from relrbf.network.model import solve_output
from relrbf.prototypes import RelationalSpace, VectorSpace
from relrbf.prototypes.base import plus
from relrbf.relations import DenseRelation
from relrbf.training import LBFGS, GradientDescent, Status
from relrbf.training.lbfgs import ProjectedProblem, solved
from tests.contracts.trainer_contract import TrainerContract, first_problem


class TestLBFGS(TrainerContract):
    """Rounding errors grow faster than in descent: tenfold in about ten epochs."""

    long, long_in_float32 = 30, 3

    @pytest.fixture(params=[name for name in KERNELS if name != "polynomial"])
    def kernel(self, request):
        return KERNELS[request.param]()

    def test_duality_where_weights_nearly_cancel(self, blobs):
        """Of the polynomial kernel they are some hundreds, and rounding errors as much larger."""
        X, D, y = blobs
        spaces = RelationalSpace(DenseRelation(D)), VectorSpace(X)
        graph, vector = (self.train(s, np.eye(3)[y], Polynomial(), 10) for s in spaces)
        self.assert_equivalent(graph, vector, rtol=1e-7)

    def make(self):
        return LBFGS(early_stopping=None)


KINDS = ("euclidean", "metric", "non-metric", "indefinite", "duplicates", "constant rows")


def relation_of(kind, n, scale, rng):
    X = rng.standard_normal((n, 3))
    if kind == "duplicates":
        X[n // 2 :] = X[: n - n // 2]
    D = cdist(X, X, "cityblock" if kind == "metric" else "euclidean")
    if kind in ("non-metric", "indefinite"):
        noise = np.triu(rng.uniform(0, 3, (n, n)), 1)
        D = np.abs(D + noise + noise.T) if kind == "non-metric" else noise + noise.T
    if kind == "constant rows":
        D[:3] = D[:, :3] = 1.0
    np.fill_diagonal(D, 0)
    return scale * D


@given(
    kind=st.sampled_from(KINDS),
    n=st.integers(6, 40),
    exponent=st.sampled_from([1, 2]),
    scale=st.sampled_from([1e-30, 1e-5, 1.0, 1e5, 1e30]),
    kernel=st.sampled_from([Gaussian(), Multiquadric()]),
    seed=st.integers(0, 10**6),
)
@settings(max_examples=200, deadline=None)
def test_the_objective_never_rises(kind, n, exponent, scale, kernel, seed):
    rng = np.random.default_rng(seed)
    D = relation_of(kind, n, scale, rng)
    space = RelationalSpace(DenseRelation(D, exponent=exponent), is_euclidean=kind == "euclidean")
    Y = np.eye(2)[rng.integers(0, 2, n)]
    problem, start = first_problem(space, Y, kernel, np.arange(0, n, 3))
    result = LBFGS(early_stopping=None).train(problem, start, max_iter=25, tol=0)
    objective = np.array(result.history.objective)
    assert (np.diff(objective) <= 1e-12 * objective[:-1]).all()
    forward = result.network.forward(result.prototypes.distances_sq)
    assert np.isfinite(forward.responses).all()


@pytest.mark.parametrize("is_euclidean", [True, False])
def test_the_direction_is_the_gradient_in_the_inner_product(rng, is_euclidean):
    """What the inner product predicts is what finite differences find."""
    X = rng.standard_normal((30, 4))
    D = cdist(X, X)
    if not is_euclidean:
        noise = np.triu(rng.uniform(0, 2, (30, 30)), 1)
        D = D + noise + noise.T
    space = RelationalSpace(DenseRelation(D), is_euclidean=is_euclidean)
    problem, start = first_problem(space, np.eye(2)[np.arange(30) % 2], Gaussian(), [0, 9, 20])
    space = space.definite()
    problem = type(problem)(space, problem.targets, problem.weights, 1e-3)
    projected = ProjectedProblem(problem, problem.mean_sq, min_bandwidth=0.0)
    point = solved(problem, start.network, space.convert(start.prototypes))
    gradient = projected.negative_gradient(point)
    farther = projected.move(point, gradient, 1.0)
    direction = plus(gradient, projected.negative_gradient(farther), -0.3)
    length = 1e-6
    ahead, back = (projected.move(point, direction, step).objective for step in (length, -length))
    derivative = -projected.inner(gradient, direction)
    assert_allclose((ahead - back) / (2 * length), derivative, rtol=1e-4)


def test_it_gets_farther_than_descent_in_the_same_epochs(blobs):
    X, _, y = blobs
    problem, start = first_problem(VectorSpace(X), np.eye(3)[y], Gaussian(), np.arange(0, 60, 8))

    fast, slow = (
        trainer.train(problem, start, max_iter=40, tol=0).history.objective[-1]
        for trainer in (LBFGS(early_stopping=None), GradientDescent.curvature_scaled())
    )
    assert fast < 0.8 * slow


def test_output_weights_are_the_ridge_solution(rng):
    activations, Y = rng.random((5, 40)), rng.standard_normal((40, 2))
    w = rng.random(40)
    w /= w.sum()
    weights, bias = solve_output(Forward(activations, activations, Y), Y, w, 0.01)
    expected = Ridge(alpha=0.01).fit(activations.T, Y, sample_weight=w)
    assert_allclose(weights, expected.coef_.T, rtol=1e-9)
    assert_allclose(bias, expected.intercept_, rtol=1e-9)


def test_early_stopping_is_chosen_by_what_is_to_be_learned():
    """A teacher, unless many objects, or some of them, have a given number of prototypes."""
    auto = LBFGS()
    for size in ((1000, 1000), (1001, 1001), (6000, 2000), (200, 50)):
        assert auto.for_size(*size, is_given=False).early_stopping == "distillation"
    assert auto.for_size(1000, 1000, is_given=True).early_stopping == "distillation"
    for size in ((1001, 1001), (6000, 2000), (200, 50)):
        assert auto.for_size(*size, is_given=True).early_stopping == "validation"
    for kind in (None, "distillation", "validation"):
        assert LBFGS(early_stopping=kind).for_size(9000, 500, True).early_stopping == kind


def test_a_loose_tolerance_keeps_a_small_network_and_a_tight_one_the_teacher(blobs):
    _, D, y = blobs
    loose = RBFNetworkClassifier(solver=LBFGS(teacher_tolerance=0.9), random_state=0).fit(D, y)
    tight = RBFNetworkClassifier(solver=LBFGS(teacher_tolerance=0), random_state=0).fit(D, y)
    assert loose.status_ is Status.DISTILLED
    assert tight.status_ is Status.WHOLE_TEACHER
    assert len(loose.prototypes_) < len(y) / 2 < len(tight.prototypes_)
    assert_array_equal(np.sort(tight.support_), np.arange(len(y)))


def test_a_given_number_of_prototypes_is_distilled_however_far_it_is_from_the_teacher(rng):
    X = rng.uniform(0, 1, (100, 1))
    far = RBFNetworkRegressor(3, random_state=0).fit(cdist(X, X), np.sin(25 * X[:, 0]))
    assert far.status_ is Status.DISTILLED
    assert len(far.prototypes_) == 3


def test_any_number_of_objects_can_be_distilled(rng):
    X = rng.standard_normal((300, 3))
    solver = LBFGS(early_stopping="distillation")
    model = RBFNetworkClassifier(5, solver=solver, n_support=40, random_state=0)
    model.fit(cdist(X, X), (X[:, 0] > 0).astype(int))
    assert model.status_ is Status.DISTILLED
    assert len(model.prototypes_) == 5
    assert model.score(cdist(X, X), (X[:, 0] > 0).astype(int)) > 0.85


def test_validation_keeps_the_best_state(rng):
    X = rng.standard_normal((300, 5))
    y = (X[:, 0] + rng.standard_normal(300) > 0).astype(int)
    model = RBFNetworkClassifier(30, solver=LBFGS(early_stopping="validation", max_epochs=40))
    model.set_params(random_state=0).fit(cdist(X, X), y)
    errors = model.history_.validation_error
    assert model.history_.best_epoch == int(np.argmin(errors))
    assert len(errors) == model.n_iter_ + 1
    assert model.status_ is Status.VALIDATION


def test_only_auto_trains_without_a_validation_set_that_cannot_be_drawn(rng):
    X, y = rng.standard_normal((8, 2)), np.array([0, 0, 0, 0, 0, 0, 0, 1])
    model = RBFNetworkClassifier(2, n_support=4, solver=LBFGS(), random_state=0).fit(cdist(X, X), y)
    assert model.history_.validation_error == []
    model.set_params(solver=LBFGS(early_stopping="validation"))
    with pytest.raises(OptionError, match=r"early_stopping='validation' leaves .* an LBFGS"):
        model.fit(cdist(X, X), y)


def test_the_advice_after_stopping_early_is_true(blobs):
    _, D, y = blobs
    solver = LBFGS(early_stopping="validation", max_epochs=1)
    model = RBFNetworkClassifier(5, solver=solver, random_state=0).fit(D, y)
    assert model.status_ is Status.EARLY_STOPPED
    assert "max_epochs" in model.status_.value


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"loss": "cross-entropy"}, "closed form"),
        ({"max_prototypes": 40, "n_prototypes": 5}, "does not have"),
    ],
)
def test_what_it_cannot_do_it_says(blobs, options, message):
    _, D, y = blobs
    with pytest.raises(OptionError, match=message):
        RBFNetworkClassifier(solver="lbfgs", **options).fit(D, y)


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"early_stopping": "luck"}, "early_stopping='luck' does not exist"),
        ({"teacher_tolerance": -1}, "teacher_tolerance is -1"),
        ({"max_epochs": 0}, "max_epochs is 0"),
        ({"memory": 0}, "memory is 0"),
        ({"min_bandwidth": np.nan}, "min_bandwidth is nan"),
    ],
)
def test_options_are_validated(option, message):
    with pytest.raises(OptionError, match=message):
        LBFGS(**option)
