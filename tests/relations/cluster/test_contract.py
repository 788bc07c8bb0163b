"""Wherever its blocks come from, a relation on a cluster keeps the contract."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist

from relrbf.relations import DaskRelation, DenseRelation
from tests.contracts.relation_contract import RelationContract


class OnCluster(RelationContract):
    @pytest.fixture(autouse=True)
    def surroundings(self, client, tmp_path, monkeypatch):
        self.client = client
        self.folder = tmp_path
        monkeypatch.setattr("relrbf.relations.dask.MAX_LOCAL_BYTES", 0)


class TestArray(OnCluster):
    def make(self, X, exponent=2, ids=None):
        D = cdist(X, X).astype(X.dtype)
        return DaskRelation(D, client=self.client, exponent=exponent, ids=ids, side=16)

    def test_a_large_part_stays_on_the_workers(self, X, rng):
        objects = rng.permutation(40)[:31]
        part = self.make(X).restrict(objects)
        D = cdist(X[objects], X[objects])
        A = rng.standard_normal((2, 31))
        assert isinstance(part, DaskRelation)
        assert_allclose(part.product(A), A @ D**2, rtol=1e-10, atol=1e-10)
        assert_allclose(part.block(slice(3, 9)), D[3:9], atol=1e-12)
        again = part.restrict(np.arange(30, 0, -2))
        assert_allclose(again.block(), D[30:0:-2, 30:0:-2], atol=1e-12)

    def test_an_object_may_be_in_a_part_twice(self, X, rng):
        objects = np.array([7, 7, 30, 2, 7])
        A = rng.standard_normal((2, 5))
        part = self.make(X, exponent=1).restrict(objects)
        assert_allclose(part.product(A), A @ cdist(X[objects], X[objects]), atol=1e-11)

    def test_a_small_part_comes_to_memory(self, X, monkeypatch):
        monkeypatch.setattr("relrbf.relations.dask.MAX_LOCAL_BYTES", 8 * 20**2)
        relation = self.make(X, ids=np.arange(40))
        assert isinstance(relation.restrict(np.arange(20)), DenseRelation)
        assert isinstance(relation.restrict(np.arange(21)), DaskRelation)
        assert_array_equal(relation.restrict(np.arange(5, 9)).ids, [5, 6, 7, 8])

    def test_a_memmap_is_read_by_the_workers(self, X, rng):
        D, A = cdist(X, X), rng.standard_normal((3, 40))
        matrix = np.memmap(self.folder / "D", float, "w+", 160, (40, 40), "F")
        matrix[:] = D
        matrix.flush()
        relation = DaskRelation(matrix, client=self.client, side=16)
        assert_array_equal(relation.block(), D)
        assert_allclose(relation.product(A), A @ D**2, rtol=1e-11)

    def test_the_path_of_a_file_will_do(self, X):
        path = self.folder / "D.npy"
        np.save(path, cdist(X, X))
        assert_array_equal(DaskRelation(str(path), client=self.client).block(), cdist(X, X))

    def test_a_view_of_a_map_is_not_taken_for_the_map(self, X):
        path = self.folder / "both.npy"
        np.save(path, np.hstack([np.ones((40, 3)), cdist(X, X)]))
        view = np.load(path, mmap_mode="r")[:, 3:]
        assert_array_equal(DaskRelation(view, client=self.client).block(), cdist(X, X))

    @pytest.mark.parametrize("side", [3, 40, 1000])
    def test_any_side_of_the_blocks_gives_the_same(self, X, rng, side):
        D, A = cdist(X, X), rng.standard_normal((3, 40))
        relation = DaskRelation(D, client=self.client, side=side)
        assert_array_equal(relation.block(), D)
        assert_allclose(relation.product(A), A @ D**2, rtol=1e-11)

    def test_a_frame_names_its_objects(self, X):
        names = [f"o{i}" for i in range(40)]
        frame = pytest.importorskip("pandas").DataFrame(cdist(X, X), index=names, columns=names)
        relation = DaskRelation(frame[names[::-1]], client=self.client)
        assert relation.ids.tolist() == names
        assert_array_equal(relation.block(), cdist(X, X))

    def test_nothing_is_asked_for_and_nothing_comes(self, X):
        relation = self.make(X)
        assert relation.block(np.arange(0)).shape == (0, 40)
        assert relation.product(np.empty((0, 40))).shape == (0, 40)

    def test_integers_become_float64(self):
        D = np.array([[0, 3, 4], [3, 0, 5], [4, 5, 0]])
        relation = DaskRelation(D, client=self.client)
        assert relation.dtype == relation.block().dtype == np.float64


class TestZarr(OnCluster):
    def make(self, X, exponent=2, ids=None):
        zarr = pytest.importorskip("zarr")
        D = cdist(X, X).astype(X.dtype)
        path = str(self.folder / "D.zarr")
        array = zarr.create_array(
            store=path, shape=D.shape, chunks=(3, 3), dtype=D.dtype, overwrite=True
        )
        array[:] = D
        return DaskRelation(array, client=self.client, exponent=exponent, ids=ids, side=16)

    def test_blocks_are_whole_chunks(self, X, monkeypatch):
        monkeypatch.setattr("relrbf.relations.dask.MIN_ROWS", 16)
        self.make(X)
        relation = DaskRelation(self.folder / "D.zarr", client=self.client)
        assert relation._block_rows == 15

    def test_a_path_or_an_array_in_memory_will_do(self, X):
        zarr = pytest.importorskip("zarr")
        self.make(X)
        stored = DaskRelation(self.folder / "D.zarr", client=self.client)
        assert_array_equal(stored.block(), cdist(X, X))
        array = zarr.create_array(store=zarr.storage.MemoryStore(), data=cdist(X, X))
        assert_array_equal(DaskRelation(array, client=self.client).block(), cdist(X, X))


class TestDaskArray(OnCluster):
    def make(self, X, exponent=2, ids=None):
        da = pytest.importorskip("dask.array")
        D = da.from_array(cdist(X, X).astype(X.dtype), chunks=(11, 17))
        return DaskRelation(D, client=self.client, exponent=exponent, ids=ids, side=16)

    def test_what_a_cluster_holds_already_stays_there(self, X):
        da = pytest.importorskip("dask.array")
        held = self.client.persist(da.from_array(cdist(X, X), chunks=10))
        relation = DaskRelation(held)
        assert relation._cluster.client is self.client
        assert_array_equal(relation.block(), cdist(X, X))


class TestObjects(OnCluster):
    def make(self, X, exponent=2, ids=None):
        return DaskRelation.from_objects(
            X, distance, client=self.client, exponent=exponent, ids=ids, dtype=X.dtype, side=16
        )

    def test_a_function_of_two_lists_will_do(self, X):
        relation = DaskRelation.from_objects(X, cdist, pairwise=True, client=self.client, side=9)
        assert relation.n_evaluations == 0
        assert_allclose(relation.block(), cdist(X, X))
        assert relation.n_evaluations == 40 * 39 // 2

    @pytest.mark.parametrize("side", [3, 16, 40])
    def test_blocks_of_rows_are_made_of_whole_squares(self, X, rng, side, monkeypatch):
        monkeypatch.setattr("relrbf.relations.dask.MIN_ROWS", 4)
        relation = DaskRelation.from_objects(
            X, cdist, pairwise=True, client=self.client, side=side, check_symmetry=False
        )
        A = rng.standard_normal((2, 40))
        assert relation._block_rows % side == 0
        assert_allclose(relation.block(), cdist(X, X), atol=1e-12)
        assert_allclose(relation.product(A), A @ cdist(X, X) ** 2, rtol=1e-10)


def distance(x, y):
    return float(np.sqrt(np.square(x.astype(float) - y).sum()))
