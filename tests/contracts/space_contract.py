"""The kit that every space runs: subclass it and say how to make one from vectors."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist

from relrbf.prototypes import Space
from relrbf.prototypes.base import plus, scaled


class SpaceContract:
    """Thirty vectors in three dimensions, and what any space must know about them."""

    def make(self, X) -> Space:
        raise AssertionError("a subclass says how to make its space")

    @pytest.fixture
    def X(self, rng):
        return rng.standard_normal((30, 3)) + 5

    @pytest.fixture
    def placed(self, X):
        """Prototypes on three objects, where every space can have them."""
        return self.make(X).place_at(np.array([4, 0, 7]))

    def test_a_prototype_on_an_object_has_that_objects_distances(self, X, placed):
        assert_allclose(placed.distances_sq, cdist(X[[4, 0, 7]], X) ** 2, atol=1e-12)

    def test_placing_by_a_unit_coefficient_is_placing_on_the_object(self, X, placed):
        again = self.make(X).place(np.eye(30)[[4, 0, 7]])
        assert_allclose(again.distances_sq, placed.distances_sq, atol=1e-12)

    def test_coefficients_sum_to_one_and_give_the_position(self, X, placed):
        assert_allclose(placed.coefficients.sum(axis=1), 1)
        assert_allclose(placed.coefficients @ X, X[[4, 0, 7]], atol=1e-10)

    def test_a_gradient_by_the_distance_to_one_object_points_there(self, X, placed):
        space = self.make(X)
        gradients = np.zeros((3, 30))
        gradients[:, 9] = 0.5
        direction = space.descent(placed, gradients)
        moved = space.move(placed, direction, np.ones(3))
        assert_allclose(moved.distances_sq, cdist(X[[9, 9, 9]], X) ** 2, atol=1e-10)

    def test_inner_products_are_those_of_the_latent_vectors(self, X, placed, rng):
        space = self.make(X)
        first, second = rng.standard_normal((2, 3, 30))
        v = X[[4, 0, 7]]
        latent = [2 * (g @ X - g.sum(axis=1)[:, None] * v) for g in (first, second)]
        directions = [space.descent(placed, g) for g in (first, second)]
        assert_allclose(space.inner(*directions), (latent[0] * latent[1]).sum(axis=1), rtol=1e-9)

    def test_directions_add_and_scale_as_latent_vectors_do(self, X, placed, rng):
        space = self.make(X)
        first, second = (space.descent(placed, g) for g in rng.standard_normal((2, 3, 30)))
        factors = np.array([0.5, -1.0, 2.0])
        mixed = plus(scaled(first, factors), second, 3.0)
        expected = factors * space.inner(first, first) + 3 * space.inner(second, first)
        assert_allclose(space.inner(mixed, first), expected, rtol=1e-9)

    def test_joined_prototypes_are_measured_as_each_was(self, X, placed):
        more = self.make(X).place_at(np.array([9]))
        joined = placed.joined(more)
        assert_allclose(joined.distances_sq, np.vstack([placed.distances_sq, more.distances_sq]))
        assert type(joined) is type(placed)

    def test_rows_are_all_there_is_to_know(self, X, placed):
        again = self.make(X).place_at(np.array([1])).with_rows(placed.rows)
        assert_array_equal(again.distances_sq, placed.distances_sq)

    def test_mean_sq_is_the_weighted_mean_over_all_pairs(self, X, rng):
        w = rng.random(30)
        w /= w.sum()
        assert_allclose(self.make(X).mean_sq(w), w @ cdist(X, X) ** 2 @ w)

    def test_float32_stays_float32(self, X):
        space = self.make(X.astype(np.float32))
        placed = space.place_at(np.array([1, 2]))
        direction = space.descent(placed, np.ones((2, 30), dtype=np.float32))
        moved = space.move(placed, direction, np.ones(2, dtype=np.float32) / 100)
        assert space.dtype == placed.distances_sq.dtype == moved.distances_sq.dtype == np.float32

    def test_new_objects_are_measured_as_training_objects_are(self, X, placed):
        assert_allclose(placed.distances_sq_to(self.query(X, placed)), placed.distances_sq)

    def query(self, X, placed):
        return cdist(X, X[placed.support]) ** 2

    def test_compact_prototypes_measure_alike(self, X, placed):
        small = placed.compact()
        query = self.query(X, placed)
        assert_array_equal(small.distances_sq_to(query), placed.distances_sq_to(query))
        assert_array_equal(small.compact().distances_sq_to(query), small.distances_sq_to(query))

    def test_nearest_objects_come_nearest_first(self, X, placed):
        nearest = placed.nearest(2)
        assert nearest.shape == (3, 2)
        assert nearest[:, 0].tolist() == [4, 0, 7]
