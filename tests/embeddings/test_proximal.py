"""Proximal scaling realises the shifted dissimilarities exactly."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist

from relrbf.embeddings import ClassicalMDS, ProximalMDS
from relrbf.embeddings.spectrum import centred
from relrbf.relations.properties import spectrum


def shifted(D, shift):
    return np.where(np.eye(len(D)), 0, D**2 + shift)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 40))
def test_distances_of_the_embedding_are_the_shifted_ones(seed, n):
    D = np.triu(np.random.default_rng(seed).random((n, n)), 1)
    D += D.T
    mds = ProximalMDS().fit(D)
    assert_allclose(mds.shift_, max(0, -2 * spectrum(D**2)[0]), atol=1e-12)
    assert_allclose(cdist(mds.embedding_, mds.embedding_) ** 2, shifted(D, mds.shift_), atol=1e-12)
    assert_allclose(mds.transform(D), mds.embedding_, atol=1e-8)


def test_k23_is_shifted_by_twice_its_smallest_eigenvalue(k23):
    assert_allclose(ProximalMDS(exponent=2).fit(k23).shift_, 3.2)  # theory 5.3
    assert_allclose(ProximalMDS(exponent=1).fit(k23).shift_, 0.4)


def test_where_vectors_exist_it_is_classical_scaling(blobs):
    _, D, _ = blobs
    mds = ProximalMDS().fit(D)
    assert mds.shift_ == 0
    assert_allclose(mds.embedding_, ClassicalMDS().fit_transform(D), atol=1e-9)


def test_a_new_object_lies_at_its_dissimilarities_but_for_what_the_shift_makes_flat(rng):
    D = np.triu(rng.random((31, 31)), 1)
    D += D.T
    mds = ProximalMDS().fit(D[:30, :30])
    between = cdist(mds.transform(D[30:, :30]), mds.embedding_)[0] ** 2
    # a height above all training objects, and what the object has of the one direction that the
    # shift makes flat, are not in the embedding; everything else is
    flat = np.linalg.eigh(centred(D[:30, :30] ** 2))[1][:, -1]
    gaps = between - D[30, :30] ** 2
    gaps -= gaps.mean()
    assert_allclose(gaps - flat * (flat @ gaps), 0, atol=1e-9)


def test_of_duplicates_each_has_its_own_place_and_a_copy_gets_the_first(shared_data):
    R = np.load(shared_data / "HG-194" / "HG-194.npz")["R"]
    mds = ProximalMDS().fit(R)
    assert_allclose(cdist(mds.embedding_, mds.embedding_) ** 2, shifted(R, mds.shift_), atol=1e-10)
    assert_allclose(mds.transform(R), mds.embedding_, atol=1e-8)
    first = np.flatnonzero((R[193] == R).all(axis=1))[0]
    assert_allclose(mds.transform(R[193:]), mds.embedding_[[first]], atol=1e-8)


def test_fewer_components_are_the_largest(rng):
    D = np.triu(rng.random((20, 20)), 1)
    D += D.T
    whole = ProximalMDS().fit(D)
    assert_allclose(ProximalMDS(4).fit(D).embedding_, whole.embedding_[:, :4])
    with pytest.warns(UserWarning, match="18 dimensions"):
        ProximalMDS(19).fit(D)
