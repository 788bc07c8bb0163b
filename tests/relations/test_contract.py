"""Every relation runs the kit."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from relrbf.relations import DenseRelation, VectorRelation
from relrbf.relations.on_disk import MappedRelation, ZarrRelation
from relrbf.relations.views import PartRelation, SymmetrizedRelation
from tests.contracts.relation_contract import RelationContract


class TestDenseRelation(RelationContract):
    def make(self, X, exponent=2, ids=None):
        return DenseRelation(cdist(X, X).astype(X.dtype), exponent, ids)

    def test_the_array_is_used_in_place(self, X):
        D = cdist(X, X)
        assert np.shares_memory(DenseRelation(D).block(slice(0, 9)), D)
        assert np.shares_memory(DenseRelation(D, exponent=1).block_sq(slice(0, 9)), D)


class OnDisk(RelationContract):
    @pytest.fixture(autouse=True)
    def folder(self, tmp_path):
        self.folder = tmp_path

    def save(self, X):
        np.save(self.folder / "D.npy", cdist(X, X).astype(X.dtype))
        return np.load(self.folder / "D.npy", mmap_mode="r")

    def store(self, X, chunks=(16, 16)):
        zarr = pytest.importorskip("zarr")
        D = cdist(X, X).astype(X.dtype)
        return zarr.create_array(
            store=str(self.folder / "D.zarr"), data=D, chunks=chunks, overwrite=True
        )


class TestMappedRelation(OnDisk):
    def make(self, X, exponent=2, ids=None):
        return MappedRelation(self.save(X), exponent, ids)

    def test_slices_are_views_of_the_file(self, X):
        relation = self.make(X, exponent=1)
        assert np.shares_memory(relation.block_sq(slice(0, 9)), relation.matrix)
        assert np.shares_memory(relation.restrict(slice(3, 9)).matrix, relation.matrix)

    def test_few_columns_are_read_as_rows(self, X):
        relation, few = self.make(X), np.array([3, 8])
        assert relation.block(slice(None), few).T.flags.c_contiguous
        assert relation.block(few, slice(None)).flags.c_contiguous


class TestFortranOrder(OnDisk):
    def make(self, X, exponent=2, ids=None):
        np.save(self.folder / "F.npy", np.asfortranarray(cdist(X, X).astype(X.dtype)))
        return MappedRelation(np.load(self.folder / "F.npy", mmap_mode="r"), exponent, ids)

    def test_columns_of_the_file_are_its_rows(self, X):
        assert self.make(X)._lines().flags.c_contiguous


class TestPartOfAFile(OnDisk):
    """40 objects of 45, read through all of them, or of 100, read row by row."""

    @pytest.fixture(autouse=True, params=[45, 100])
    def n_all(self, request, rng, monkeypatch):
        monkeypatch.setattr("relrbf.relations.on_disk.MAX_COPY_BYTES", 0)
        self.rng, self.n_all = rng, request.param

    def make(self, X, exponent=2, ids=None):
        objects = self.rng.permutation(self.n_all)[:40]
        others = self.rng.standard_normal((self.n_all, X.shape[1])).astype(X.dtype)
        others[objects] = X
        names = np.zeros(self.n_all, dtype=int)
        names[objects] = 0 if ids is None else ids
        source = MappedRelation(self.save(others), exponent, None if ids is None else names)
        part = source.restrict(objects)
        assert isinstance(part, PartRelation)
        return part

    def test_a_relation_of_many_blocks_has_the_same_product(self, X, rng, monkeypatch):
        monkeypatch.setattr("relrbf.relations.views.READ_BYTES", 8 * 8 * 40 * 9)
        A, relation = rng.standard_normal((2, 40)), self.make(X, exponent=1)
        assert len(list(relation.row_blocks())) > 1
        np.testing.assert_allclose(relation.product(A), A @ cdist(X, X), rtol=1e-11)

    def test_an_object_may_come_several_times(self, X, rng):
        twice = self.make(X).restrict(np.array([0, 1, 1, 5]))
        A = rng.standard_normal((2, 4))
        D = cdist(X, X)[np.ix_([0, 1, 1, 5], [0, 1, 1, 5])]
        np.testing.assert_allclose(twice.product(A), A @ D**2, rtol=1e-11)


class TestZarrRelation(OnDisk):
    def make(self, X, exponent=2, ids=None):
        return ZarrRelation(self.store(X), exponent, ids)

    def test_restricted_it_keeps_its_names_and_exponent(self, X):
        relation = self.make(X, exponent=1, ids=np.array([f"o{i}" for i in range(40)]))
        part = relation.restrict(np.array([5, 2]))
        assert part.ids.tolist() == ["o5", "o2"]
        assert part.exponent == 1

    @pytest.mark.parametrize("chunks", [(40, 40), (1, 40), (40, 1), (7, 13), (3, 40)])
    @pytest.mark.parametrize("memory", [2**28, 8 * 8 * 100])
    def test_the_product_does_not_depend_on_the_chunks(self, X, rng, chunks, memory, monkeypatch):
        monkeypatch.setattr("relrbf.relations.on_disk.READ_BYTES", memory)
        relation = ZarrRelation(self.store(X, chunks))
        A, D = rng.standard_normal((2, 40)), cdist(X, X)
        np.testing.assert_allclose(relation.product(A), A @ D**2, rtol=1e-11)
        assert sum(rows.stop - rows.start for rows in relation.row_blocks()) == 40
        assert relation.summarize_entries().largest == D.max()
        assert relation.tile**2 * 8 <= memory


class TestPartOfAZarrArray(OnDisk):
    def make(self, X, exponent=2, ids=None):
        names = None if ids is None else np.append(ids, -1)
        source = ZarrRelation(self.store(np.vstack([X, X[:1]])), exponent, names)
        return PartRelation(source, np.arange(40))

    test_a_relation_of_many_blocks_has_the_same_product = (
        TestPartOfAFile.test_a_relation_of_many_blocks_has_the_same_product
    )


class TestSimilaritiesInAFile(OnDisk):
    def make(self, X, exponent=2, ids=None):
        np.save(self.folder / "D.npy", (50 - cdist(X, X) ** 2 / 2).astype(X.dtype))
        source = MappedRelation(np.load(self.folder / "D.npy", mmap_mode="r"), exponent, ids)
        return SymmetrizedRelation(source, self_similarity=50.0)


class TestAsymmetryInAFile(OnDisk):
    def make(self, X, exponent=2, ids=None):
        D = cdist(X, X)
        np.save(self.folder / "D.npy", (D + np.triu(D) / 8 - np.tril(D) / 8).astype(X.dtype))
        source = MappedRelation(np.load(self.folder / "D.npy", mmap_mode="r"), exponent, ids)
        source.is_symmetric = False
        return SymmetrizedRelation(source, "mean")


class TestVectorRelation(RelationContract):
    def make(self, X, exponent=2, ids=None):
        return VectorRelation(X, exponent, ids)

    def test_product_never_asks_for_a_block(self, X, rng, monkeypatch):
        relation = self.make(X)
        monkeypatch.setattr(VectorRelation, "block", None)
        assert relation.product(rng.standard_normal((2, 40))).shape == (2, 40)
