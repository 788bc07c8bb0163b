"""Prototypes that move no more."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.spatial.distance import cdist

from relrbf import as_relation
from relrbf.exceptions import RelationError
from relrbf.prototypes import MedoidSpace, RelationalSpace, SupportSpace
from relrbf.prototypes.relational import N_NEAR, FixedPrototypes, fixed

D = cdist(*2 * [np.random.default_rng(0).standard_normal((200, 3))])
NAMES = np.array([f"object {i}" for i in range(200)], dtype=object)
RELATION = as_relation(D, ids=NAMES)
OBJECTS = np.array([3, 50, 120])


def placed(kind):
    if kind == "medoid":
        return MedoidSpace(RELATION).place_at(OBJECTS)
    if kind == "few":
        A = np.zeros((2, 200))
        A[:, OBJECTS] = [[0.5, 0.25, 0.25], [-1, 1, 1]]
        return SupportSpace(RELATION, OBJECTS, is_euclidean=True).place(A)
    A = np.random.default_rng(1).random((2, 200))
    return RelationalSpace(RELATION).place(A / A.sum(axis=1, keepdims=True))


@pytest.fixture(params=["whole", "few", "medoid"])
def prototypes(request):
    return placed(request.param)


def test_they_are_where_they_were(prototypes):
    still = fixed(prototypes)
    assert_array_equal(still.coefficients, prototypes.coefficients)
    assert_array_equal(still.support, prototypes.support)
    query = D[:, still.support] ** 2
    assert_array_equal(still.distances_sq_to(query), prototypes.distances_sq_to(query))
    assert len(still) == len(prototypes)
    assert repr(still) == f"FixedPrototypes({len(still)} prototypes, 200 objects)"
    assert fixed(still) is still


def test_the_nearest_objects_are_the_same(prototypes):
    still = fixed(prototypes)
    assert_array_equal(still.nearest(), prototypes.nearest())
    assert_array_equal(still.nearest(N_NEAR), prototypes.nearest(N_NEAR))


def test_compact_ones_are_those_of_the_first_prototypes(prototypes):
    small, expected = fixed(prototypes).compact(), prototypes.compact()
    assert isinstance(expected, FixedPrototypes)
    for name in ("own", "offsets", "objects", "known_sq", "ids", "coefficients"):
        assert_array_equal(getattr(small, name), getattr(expected, name))
    assert_array_equal(small.nearest(2), expected.nearest(2))


def test_with_a_large_support_all_distances_are_kept():
    prototypes = placed("whole")
    still = fixed(prototypes)
    assert_array_equal(still.distances_sq, prototypes.distances_sq)
    assert_array_equal(still.nearest(200), prototypes.nearest(200))


def test_with_a_small_support_the_others_are_left_out_and_that_is_said():
    still = fixed(placed("few"))
    assert still.known_sq.shape == (2, 3)
    with pytest.raises(RelationError, match=r"3 objects of the support were kept, not .* all 200"):
        _ = still.distances_sq
    with pytest.raises(RelationError, match=r"n_nearest is 17; .* the 16 nearest"):
        still.nearest(17)


def test_the_same_rows_make_the_same_prototypes(prototypes):
    still = fixed(prototypes)
    again = still.with_rows(still.rows)
    assert_array_equal(again.nearest(), still.nearest())
    assert len(still.joined(again)) == 2 * len(still)
