"""The kit that every relation runs: subclass it and say how to make one from vectors."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist

from relrbf.relations import CrossRelation, Relation


class RelationContract:
    """Euclidean distances between 40 vectors, however the relation holds them."""

    def make(self, X, exponent=2, ids=None) -> Relation:
        raise AssertionError("a subclass says how to make its relation")

    @pytest.fixture
    def X(self, rng):
        return rng.standard_normal((40, 4))

    def test_shape_length_and_dtype_are_those_of_the_objects(self, X):
        relation = self.make(X)
        assert relation.shape == (40, 40)
        assert len(relation) == relation.n_objects == 40
        assert relation.dtype == np.float64

    def test_block_is_the_dissimilarities(self, X):
        relation, D = self.make(X), cdist(X, X)
        rows, cols = np.array([3, 1, 7]), np.array([0, 3])
        assert_allclose(relation.block(), D, atol=1e-12)
        assert_allclose(relation.block(rows, cols), D[np.ix_(rows, cols)], atol=1e-12)
        assert_allclose(relation.block(slice(2, 5), cols), D[2:5][:, cols], atol=1e-12)

    @pytest.mark.parametrize("exponent", [1, 2, 0.5, 3])
    def test_product_is_with_the_raised_dissimilarities(self, X, rng, exponent):
        A = rng.standard_normal((6, 40))
        relation = self.make(X, exponent)
        assert_allclose(relation.product(A), A @ cdist(X, X) ** exponent, rtol=1e-11)
        assert_allclose(relation.block_sq(), cdist(X, X) ** exponent, atol=1e-11)

    def test_float32_stays_float32(self, X, rng):
        relation = self.make(X.astype(np.float32))
        A = rng.standard_normal((3, 40)).astype(np.float32)
        assert relation.dtype == relation.block().dtype == np.float32
        assert relation.product(A).dtype == np.float32
        assert_allclose(relation.product(A), A @ cdist(X, X) ** 2, rtol=1e-3, atol=1e-2)

    def test_another_exponent_leaves_the_relation_as_it_was(self, X):
        relation = self.make(X, exponent=2)
        assert relation.with_exponent(1).exponent == 1
        assert relation.exponent == 2

    def test_the_same_rows_and_columns_give_a_relation(self, X):
        few = np.array([5, 2, 9])
        part = self.make(X, ids=np.arange(100, 140))[np.ix_(few, few)]
        assert isinstance(part, Relation)
        assert_array_equal(part.ids, [105, 102, 109])
        assert_allclose(part.block(), cdist(X[few], X[few]), atol=1e-12)

    def test_other_rows_and_columns_give_a_cross_relation(self, X):
        rows, cols = np.array([5, 2, 9]), np.array([1, 0])
        part = self.make(X)[np.ix_(rows, cols)]
        assert isinstance(part, CrossRelation)
        assert part.shape == (3, 2)
        assert len(part) == 3
        assert_allclose(np.asarray(part), cdist(X[rows], X[cols]), atol=1e-12)
        assert_allclose(np.asarray(part[np.array([2])]), cdist(X[[9]], X[cols]), atol=1e-12)
        assert_allclose(np.asarray(part[:2, [1]]), cdist(X[[5, 2]], X[[0]]), atol=1e-12)

    def test_masks_and_slices_index_as_positions_do(self, X):
        relation = self.make(X)
        mask = np.arange(40) < 4
        assert_allclose(np.asarray(relation[mask]), cdist(X[:4], X), atol=1e-12)
        assert_allclose(np.asarray(relation[:4, :4]), cdist(X[:4], X[:4]), atol=1e-12)

    def test_a_relation_of_many_blocks_has_the_same_product(self, X, rng, monkeypatch):
        monkeypatch.setattr("relrbf.relations.blocks.BLOCK_BYTES", 1024)
        A = rng.standard_normal((2, 40))
        relation = self.make(X, exponent=1)
        assert len(list(relation.row_blocks())) > 1
        assert_allclose(relation.product(A), A @ cdist(X, X), rtol=1e-11)
