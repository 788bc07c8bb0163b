"""A relation that keeps rows which were read runs the same kit, whoever it asks."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist

from relrbf.relations import DenseRelation
from relrbf.relations.views import CachedRelation
from tests.contracts.relation_contract import RelationContract


class Counted(DenseRelation):
    """Counts how often it is asked."""

    n_asked = 0

    def block(self, *index):
        Counted.n_asked += 1
        return super().block(*index)


def cached(X, objects, exponent=2, ids=None, relation=DenseRelation):
    D = cdist(X, X).astype(X.dtype)
    return CachedRelation(relation(D, exponent, ids), np.asarray(objects), D[objects])


class TestSomeRows(RelationContract):
    def make(self, X, exponent=2, ids=None):
        return cached(X, [1, 3, 7, 30], exponent, ids)


class TestAllRows(RelationContract):
    def make(self, X, exponent=2, ids=None):
        return cached(X, np.arange(len(X)), exponent, ids)


@pytest.fixture
def X(rng):
    return rng.standard_normal((20, 3))


@pytest.mark.parametrize("exponent", [1, 2])
def test_what_is_kept_is_not_asked_for(X, rng, exponent):
    kept = np.array([2, 5, 11])
    relation, D = cached(X, kept, exponent, relation=Counted), cdist(X, X)
    Counted.n_asked = 0
    A = np.zeros((2, 20))
    A[:, kept[:2]] = rng.standard_normal((2, 2))
    assert_allclose(relation.block(kept), D[kept])
    assert_allclose(relation.block(slice(None), kept[1:]), D[:, kept[1:]])
    assert_allclose(relation.product(A), A @ D**exponent)
    assert_allclose(
        relation.restrict(kept[::-1]).block_sq(), D[np.ix_(kept[::-1], kept[::-1])] ** exponent
    )
    assert Counted.n_asked == 0
    assert_allclose(relation.block(np.array([0, 2])), D[[0, 2]])
    assert Counted.n_asked == 1


def test_a_part_keeps_exponent_and_ids(X):
    relation = cached(X, [2, 5], 1, np.arange(100, 120))
    relation.exponent_given = False
    for objects in ([5, 2], [0, 5]):
        part = relation.restrict(np.array(objects))
        assert part.exponent == 1
        assert not part.exponent_given
        assert_array_equal(part.ids, np.array(objects) + 100)
