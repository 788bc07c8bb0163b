"""The kit that every trainer runs: subclass it and say how to make one."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist

from relrbf.network import KERNELS
from relrbf.network.model import fitted_network
from relrbf.prototypes import MedoidSpace, RelationalSpace, VectorSpace
from relrbf.relations import DenseRelation
from relrbf.training import InitialState, Problem, Status, Trainer


def first_problem(space, Y, kernel, objects):
    """Return a problem and what training starts from: prototypes at some objects."""
    w = np.full(len(Y), 1 / len(Y), dtype=space.dtype)
    prototypes = space.place_at(objects)
    network, output = fitted_network(
        kernel, prototypes.distances_sq, Y.astype(space.dtype), w, space.mean_sq(w), None
    )
    problem = Problem(space, Y.astype(space.dtype), w, output.alpha)
    return problem, InitialState(network, prototypes)


class CountingRelation(DenseRelation):
    """A relation that counts the products asked of it."""

    n_products = 0

    def product(self, A):
        self.n_products += 1
        return super().product(A)


class TrainerContract:
    """What must be true of any trainer on any space."""

    def make(self) -> Trainer:
        raise AssertionError("a subclass says how to make its trainer")

    @pytest.fixture(params=KERNELS)
    def kernel(self, request):
        return KERNELS[request.param]()

    def train(self, space, Y, kernel, max_iter, **options):
        problem, start = first_problem(space, Y, kernel, np.arange(0, len(Y), 8))
        options = {"tol": 0, **options}
        return self.make().train(problem, start, max_iter=max_iter, **options)

    long, long_in_float32 = 1000, 100  # epochs

    @pytest.mark.parametrize("epochs", [1, 10, None])
    def test_duality(self, blobs, kernel, epochs):
        """Relational and vector network agree to 1e-9 after any number of epochs."""
        epochs = epochs or self.long
        X, D, y = blobs
        Y = np.eye(3)[y]
        graph = self.train(RelationalSpace(DenseRelation(D)), Y, kernel, epochs)
        vector = self.train(VectorSpace(X), Y, kernel, epochs)
        self.assert_equivalent(graph, vector, rtol=1e-9)
        assert graph.n_iter == vector.n_iter == epochs

    def test_duality_in_float32(self, blobs, kernel):
        X, _, y = blobs
        X = X.astype(np.float32)
        Y = np.eye(3)[y]
        D = cdist(X, X).astype(np.float32)
        epochs = self.long_in_float32
        graph = self.train(RelationalSpace(DenseRelation(D)), Y, kernel, epochs)
        vector = self.train(VectorSpace(X), Y, kernel, epochs)
        assert graph.network.weights.dtype == graph.prototypes.distances_sq.dtype == np.float32
        self.assert_equivalent(graph, vector, rtol=1e-3)

    def assert_equivalent(self, graph, vector, rtol):
        pairs = {
            "responses": [
                r.network.forward(r.prototypes.distances_sq).responses for r in (graph, vector)
            ],
            "weights": [r.network.weights for r in (graph, vector)],
            "bandwidths": [r.network.bandwidths for r in (graph, vector)],
            "distances": [r.prototypes.distances_sq for r in (graph, vector)],
        }
        for name, (one, other) in pairs.items():
            assert_allclose(one, other, rtol=0, atol=rtol * np.abs(other).max(), err_msg=name)

    @pytest.mark.parametrize("space", [RelationalSpace, MedoidSpace])
    def test_the_objective_never_rises_on_any_symmetric_relation(self, rng, kernel, space):
        for _ in range(5):
            S = rng.random((25, 25)) * 10 ** rng.uniform(-3, 3)
            S = (S + S.T) * (1 - np.eye(25))
            result = self.train(space(DenseRelation(S)), rng.standard_normal((25, 2)), kernel, 40)
            objective = np.array(result.history.objective)
            assert np.isfinite(objective).all()
            assert (np.diff(objective) <= 1e-9 * objective[0]).all()

    def test_an_epoch_costs_one_product(self, blobs, kernel):
        _, D, y = blobs
        products = []
        for epochs in (10, 30):
            relation = CountingRelation(D)
            self.train(RelationalSpace(relation), np.eye(3)[y], kernel, epochs)
            products.append(relation.n_products)
        assert products[1] - products[0] <= 20

    def test_the_history_begins_at_the_start_and_has_every_epoch(self, blobs, kernel):
        _, D, y = blobs
        result = self.train(RelationalSpace(DenseRelation(D)), np.eye(3)[y], kernel, 7)
        assert len(result.history) == 8
        assert result.history.n_prototypes == [8] * 8
        assert result.status is Status.MAX_ITER

    def test_a_callback_can_stop_it(self, blobs, kernel):
        _, D, y = blobs
        seen = []

        def stop_at_third(objective):
            seen.append(objective)
            return len(seen) == 3

        space = RelationalSpace(DenseRelation(D))
        result = self.train(space, np.eye(3)[y], kernel, 50, on_epoch=stop_at_third)
        assert result.status is Status.INTERRUPTED
        assert result.n_iter == 3
        assert seen == result.history.objective[1:]

    def test_it_stops_when_the_objective_no_longer_changes(self, blobs, kernel):
        _, D, y = blobs
        space = RelationalSpace(DenseRelation(D))
        result = self.train(space, np.eye(3)[y], kernel, 500, tol=0.1)
        assert result.status is Status.CONVERGED
        assert result.n_iter < 100
