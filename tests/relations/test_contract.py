"""Every relation runs the kit."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from relrbf.relations import DenseRelation, VectorRelation
from relrbf.relations.stored import StoredRelation
from tests.contracts.relation_contract import RelationContract


class TestDenseRelation(RelationContract):
    def make(self, X, exponent=2, ids=None):
        return DenseRelation(cdist(X, X).astype(X.dtype), exponent, ids)

    def test_the_array_is_used_in_place(self, X):
        D = cdist(X, X)
        assert np.shares_memory(DenseRelation(D).block(slice(0, 9)), D)
        assert np.shares_memory(DenseRelation(D, exponent=1).block_sq(slice(0, 9)), D)


class TestMemmap(RelationContract):
    @pytest.fixture(autouse=True)
    def folder(self, tmp_path):
        self.path = tmp_path / "D.npy"

    def make(self, X, exponent=2, ids=None):
        np.save(self.path, cdist(X, X).astype(X.dtype))
        return DenseRelation(np.load(self.path, mmap_mode="r"), exponent, ids)


class TestStoredRelation(RelationContract):
    @pytest.fixture(autouse=True)
    def folder(self, tmp_path):
        self.zarr = pytest.importorskip("zarr")
        self.path = tmp_path / "D.zarr"

    def make(self, X, exponent=2, ids=None):
        D = cdist(X, X).astype(X.dtype)
        array = self.zarr.create_array(
            store=str(self.path), shape=D.shape, chunks=(16, 16), dtype=D.dtype, overwrite=True
        )
        array[:] = D
        return StoredRelation(array, exponent, ids)

    def test_restricted_it_keeps_its_names_and_reading(self, X):
        relation = self.make(X, exponent=1, ids=np.array([f"o{i}" for i in range(40)]))
        part = relation.restrict(np.array([5, 2]))
        assert part.ids.tolist() == ["o5", "o2"]
        assert part.exponent == 1


class TestVectorRelation(RelationContract):
    def make(self, X, exponent=2, ids=None):
        return VectorRelation(X, exponent, ids)

    def test_product_never_asks_for_a_block(self, X, rng, monkeypatch):
        relation = self.make(X)
        monkeypatch.setattr(VectorRelation, "block", None)
        assert relation.product(rng.standard_normal((2, 40))).shape == (2, 40)
