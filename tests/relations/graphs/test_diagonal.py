"""The diagonal of an inverse follows from the factors."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.sparse.linalg import splu

from relrbf.relations import GraphRelation
from relrbf.relations.graphs import diagonal
from relrbf.relations.graphs.diagonal import inverse_diagonal, sweep_columns


def grid(side):
    """Return the edges of a square grid with random lengths."""
    nodes = np.arange(side * side).reshape(side, side)
    across = np.column_stack([nodes[:, :-1].ravel(), nodes[:, 1:].ravel()])
    down = np.column_stack([nodes[:-1].ravel(), nodes[1:].ravel()])
    ends = np.vstack([across, down])
    return np.column_stack([ends, np.random.default_rng(0).random(len(ends)) + 0.5])


def factorised(n, rng):
    A = sparse.random_array((n, n), density=3 / n, rng=rng)
    A = -abs(A + A.T)
    A = sparse.csc_array(A + sparse.diags_array(0.1 - A.sum(axis=1) + A.diagonal()))
    options = {"SymmetricMode": True}
    return A, splu(A, "MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=options)


def test_the_sweep_finds_what_the_inverse_has(rng):
    A, factor = factorised(50, rng)
    lower = factor.L
    lower.sort_indices()
    found = sweep_columns(lower.indptr, lower.indices, lower.data, factor.U.diagonal())
    expected = np.diagonal(np.linalg.inv(A.toarray()))
    assert_allclose(found[factor.perm_r], expected, rtol=1e-12)


def test_compiled_it_finds_the_same(rng):
    pytest.importorskip("numba")
    A, factor = factorised(diagonal.MANY, rng)
    found = inverse_diagonal(factor, n_wanted=diagonal.MANY)
    assert_allclose(found, np.diagonal(np.linalg.inv(A.toarray())), rtol=1e-10)


def test_few_wanted_entries_are_left_to_solutions(rng):
    assert inverse_diagonal(factorised(50, rng)[1], n_wanted=50) is None
    assert inverse_diagonal(factorised(diagonal.MANY, rng)[1], n_wanted=1) is None


def test_resistances_are_the_same_with_and_without_numba(monkeypatch):
    few = np.array([0, 500, 1023])
    swept = GraphRelation(grid(32), distance="resistance").block(few)
    monkeypatch.setattr(diagonal, "has_numba", lambda: False)
    solved = GraphRelation(grid(32), distance="resistance").block(few)
    assert_allclose(swept, solved, atol=1e-12)
