"""Few objects that span the space express any of its points with small coefficients."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist

from relrbf.prototypes import RelationalSpace
from relrbf.prototypes.affine_basis import find_affine_basis
from relrbf.relations import DenseRelation


@pytest.fixture
def X(rng):
    return rng.standard_normal((40, 3)) + 7


def test_a_basis_of_vectors_has_one_object_more_than_dimensions(X):
    basis = find_affine_basis(DenseRelation(cdist(X, X)))
    assert len(basis.objects) == 4
    assert_allclose(cdist(basis.coordinates, basis.coordinates), cdist(X, X), atol=1e-10)


def test_re_expressed_points_are_the_same_points(X, rng):
    basis = find_affine_basis(DenseRelation(cdist(X, X)))
    A = rng.standard_normal((5, 40))
    A /= A.sum(axis=1, keepdims=True)
    re_expressed, products = basis.re_expressed(A)
    assert_allclose(re_expressed @ X, A @ X, rtol=1e-9)
    assert_allclose(products, re_expressed @ cdist(X, X) ** 2, rtol=1e-9)
    assert_array_equal(np.flatnonzero(re_expressed.any(axis=0)), np.sort(basis.objects))


def test_excluded_objects_are_in_no_basis(X):
    candidates = np.arange(40) % 2 == 1
    basis = find_affine_basis(DenseRelation(cdist(X, X)), candidates)
    assert candidates[basis.objects].all()
    assert len(basis.objects) == 4


def test_equal_objects_and_spaces_of_many_dimensions_have_no_basis(rng):
    assert find_affine_basis(DenseRelation(np.zeros((5, 5)))) is None
    many = rng.standard_normal((400, 300))
    assert find_affine_basis(DenseRelation(cdist(many, many))) is None


def ill_conditioned(X, rng, size):
    """Return a space, prototypes at its mean, and a direction that is nothing but cancellation."""
    space = RelationalSpace(DenseRelation(cdist(X, X)))
    placed = space.place(np.full((1, 40), 1 / 40))
    null = np.linalg.svd(np.column_stack([X, np.ones(40)]).T)[2][-1]
    b = size * null[None]
    return space, placed, (b, space.relation.product(b))


def test_coefficients_that_cancel_are_made_small_and_the_point_stays(X, rng):
    space, placed, direction = ill_conditioned(X, rng, 1e5)
    moved = space.move(placed, direction, np.ones(1))
    assert np.abs(moved.coefficients).sum() < 50
    # the direction is zero but for the rounding of X, multiplied by 1e5
    rounding = 2 * cdist(X, X).max() * 1e5 * np.finfo(float).eps * np.linalg.norm(X)
    assert_allclose(moved.distances_sq, placed.distances_sq, rtol=0, atol=rounding)
    assert_allclose(moved.coefficients.sum(), 1)


def test_small_coefficients_are_left_as_they_are(X, rng):
    space, placed, direction = ill_conditioned(X, rng, 1.0)
    moved = space.move(placed, direction, np.ones(1))
    assert_array_equal(moved.coefficients, placed.coefficients + direction[0])


def test_a_point_that_is_truly_far_away_keeps_its_coefficients(X):
    space = RelationalSpace(DenseRelation(cdist(X, X)))
    placed = space.place_at(np.array([0]))
    b = np.zeros((1, 40))
    b[0, :2] = -1e4, 1e4
    moved = space.move(placed, (b, space.relation.product(b)), np.ones(1))
    assert_allclose(moved.coefficients @ X, X[:1] + b @ X, rtol=1e-8)


@pytest.mark.parametrize("size", [1e200, np.inf])
def test_a_step_to_infinity_is_taken_and_left_to_be_rejected(X, rng, size):
    space, placed, direction = ill_conditioned(X, rng, 1.0)
    with np.errstate(over="ignore", invalid="ignore"):
        moved = space.move(placed, direction, np.array([size]))
        assert not np.isfinite(moved.distances_sq).all()


def test_where_there_are_no_vectors_nothing_is_touched(rng):
    S = rng.random((40, 40))
    S = (S + S.T) * (1 - np.eye(40))
    space = RelationalSpace(DenseRelation(S, exponent=1))
    placed = space.place_at(np.array([0]))
    b = 300 * rng.standard_normal((1, 40))
    b -= b.mean()
    moved = space.move(placed, (b, space.relation.product(b)), np.ones(1))
    assert_array_equal(moved.coefficients, placed.coefficients + b)
