"""Every space runs the kit, and what each has of its own."""

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist

from relrbf.prototypes import MedoidSpace, RelationalSpace, SupportSpace, VectorSpace
from relrbf.relations import DenseRelation
from tests.contracts.space_contract import SpaceContract


def dense(X, **options):
    return DenseRelation(cdist(X, X).astype(X.dtype), **options)


class TestRelationalSpace(SpaceContract):
    def make(self, X):
        return RelationalSpace(dense(X))

    def test_any_affine_combination_is_measured_as_the_point_it_is(self, X, rng):
        A = rng.standard_normal((4, 30))
        A /= A.sum(axis=1, keepdims=True)
        placed = self.make(X).place(A)
        assert_allclose(placed.distances_sq, cdist(A @ X, X) ** 2, rtol=1e-9)

    def test_ten_moves_need_no_further_product_to_be_measured(self, X, rng):
        space = self.make(X)
        placed = space.place_at(np.array([3, 5]))
        for _ in range(10):
            gradients = rng.standard_normal((2, 30))
            direction = space.descent(placed, gradients)
            placed = space.move(placed, direction, np.array([0.1, 0.02]))
        assert_allclose(placed.products, space.relation.product(placed.coefficients), rtol=1e-9)
        assert_allclose(placed.distances_sq, cdist(placed.coefficients @ X, X) ** 2, atol=1e-8)

    def test_on_an_indefinite_relation_no_direction_ascends(self, k23, rng):
        space = RelationalSpace(DenseRelation(k23))
        placed = space.place_at(np.arange(5))
        for _ in range(20):
            gradients = rng.standard_normal((5, 5))
            # f(d) = sum(gradients * d) has exactly these derivatives, whatever the relation
            step = space.move(placed, space.descent(placed, gradients), np.full(5, 1e-6))
            change = (gradients * (step.distances_sq - placed.distances_sq)).sum(axis=1)
            assert (change <= 1e-12).all()

    def test_ids_name_the_nearest_objects(self, X):
        names = np.array([f"o{i}" for i in range(30)])
        space = RelationalSpace(dense(X, ids=names))
        assert_array_equal(space.place_at(np.array([4, 0])).nearest(1), [["o4"], ["o0"]])


class TestSupportSpaceOfAllObjects(SpaceContract):
    def make(self, X):
        return SupportSpace(dense(X), np.arange(30), is_euclidean=True)


class TestSupportSpaceOfSome(SpaceContract):
    """Twelve objects span the three dimensions: the others are reached all the same."""

    support = np.array([0, 2, 4, 5, 7, 9, 11, 14, 18, 21, 25, 29])

    def make(self, X):
        return SupportSpace(dense(X), self.support, is_euclidean=True)

    def test_mean_sq_is_the_weighted_mean_over_all_pairs(self, X, rng):
        """Over the pairs of the support: others are never read."""
        w = rng.random(30)
        own = w[self.support] / w[self.support].sum()
        among = cdist(X[self.support], X[self.support]) ** 2
        assert_allclose(self.make(X).mean_sq(w), own @ among @ own)

    def test_training_reads_the_supports_rows_only(self, X, rng):
        class CountingRelation(DenseRelation):
            read = 0

            def block(self, rows=slice(None), cols=slice(None)):
                part = super().block(rows, cols)
                self.read += part.size
                return part

        relation = CountingRelation(cdist(X, X))
        space = SupportSpace(relation, self.support, is_euclidean=True)
        placed = space.place_at(np.array([4, 9]))
        for _ in range(5):
            placed = space.move(
                placed, space.descent(placed, rng.standard_normal((2, 30))), np.full(2, 0.1)
            )
        assert relation.read <= 12 * 30 + 12 * 12 + 2 * 30
        assert not placed.coefficients[:, np.setdiff1d(np.arange(30), self.support)].any()

    def test_on_an_indefinite_relation_every_direction_descends(self, rng):
        noise = np.triu(rng.uniform(0, 3, (30, 30)), 1)
        space = SupportSpace(DenseRelation(noise + noise.T), self.support, is_euclidean=False)
        placed = space.place_at(self.support[:5])
        for _ in range(20):
            gradients = rng.standard_normal((5, 30))
            direction = space.descent(placed, gradients)
            step = space.move(placed, direction, np.full(5, 1e-6))
            change = (gradients * (step.distances_sq - placed.distances_sq)).sum(axis=1)
            assert (change < 0).all()
            # to first order, as much as the inner product says
            assert_allclose(change / 1e-6, -space.inner(direction, direction), rtol=1e-3)


class TestVectorSpace(SpaceContract):
    def make(self, X):
        return VectorSpace(X)

    def query(self, X, placed):
        return X

    def test_points_are_in_the_users_coordinates(self, X):
        assert_allclose(self.make(X).place_at(np.array([4])).points, X[[4]])


class TestMedoidSpace(SpaceContract):
    def make(self, X):
        return MedoidSpace(dense(X))

    def test_distances_are_a_look_up(self, X):
        D = cdist(X, X)
        placed = self.make(X).place_at(np.array([4, 0]))
        assert_array_equal(placed.distances_sq, D[[4, 0]] ** 2)
        assert_array_equal(placed.support, [0, 4])
        new = np.random.default_rng(1).random((6, 2))
        assert_array_equal(placed.distances_sq_to(new), new[:, [1, 0]].T)

    def test_inner_products_are_those_of_the_latent_vectors(self, X, placed, rng):
        """There are none: a step of a medoid gains nothing until it jumps."""
        space = self.make(X)
        direction = space.descent(placed, rng.standard_normal((3, 30)))
        assert_array_equal(space.inner(direction, direction), np.zeros(3))

    def test_short_steps_add_up_to_a_jump_unless_one_is_rejected(self, X):
        space = self.make(X)
        placed = space.place_at(np.array([4]))
        direction, step = space.descent(placed, np.eye(30)[[9]] / 2), np.array([0.11])
        accumulated = rejected = placed
        for _ in range(9):
            accumulated = space.move(accumulated, direction, step)
            rejected = space.after_rejection(space.move(rejected, direction, step))
        assert accumulated.objects.tolist() == [9]
        assert rejected.objects.tolist() == [4]

    def test_a_mean_becomes_the_nearest_object(self, X):
        w = np.full(30, 1 / 30)
        nearest = np.argmin(((X - X.mean(axis=0)) ** 2).sum(axis=1))
        assert self.make(X).place(w[None]).objects.tolist() == [nearest]

    def test_a_short_step_stays_and_a_long_one_jumps(self, X):
        space = self.make(X)
        placed = space.place_at(np.array([4]))
        direction = space.descent(placed, np.eye(30)[[9]] / 2)
        assert space.move(placed, direction, np.array([0.01])).objects.tolist() == [4]
        assert space.move(placed, direction, np.array([0.99])).objects.tolist() == [9]

    def test_an_excluded_object_is_never_a_prototype(self, X):
        w = np.full(30, 1 / 30)
        nearest = self.make(X).place(w[None]).objects[0]
        candidates = np.arange(30) != nearest
        space = MedoidSpace(dense(X), candidates)
        assert space.place(w[None]).objects[0] != nearest
