"""What the term sets of HG-194 and the published matrix say about each other."""

import numpy as np
import pytest

from benchmarks.measures import terms
from relrbf import inspect_relation
from relrbf.measures import fuzzy_measure_dissimilarities


@pytest.fixture
def published(shared_data):
    return terms.load(shared_data)


def test_two_objects_contradict_their_listed_terms_and_no_others(published):
    odd = terms.contradictions(published.R, published.sets)
    trusted = [i for i in range(194) if i not in terms.AMENDED]
    assert set(np.argsort(-odd)[:2]) == set(terms.AMENDED)
    sets = [published.sets[i] for i in trusted]
    assert terms.contradictions(published.R[np.ix_(trusted, trusted)], sets).sum() == 0


def test_with_two_objects_amended_zeros_are_equal_sets_and_ones_are_strangers(published):
    assert terms.contradictions(published.R, terms.amended(published.sets)).sum() == 0


def test_a_single_shared_term_weighs_the_same_in_every_pair(published):
    seen = terms.single_terms(published.R, terms.amended(published.sets))
    assert sum(map(len, seen.values())) == 2671
    assert all(len(set(values)) == 1 for values in seen.values())  # to the last digit


def test_the_published_matrix_is_the_fuzzy_measure_with_one_density_per_term(published):
    sets = terms.amended(published.sets)
    D = fuzzy_measure_dissimilarities(sets, terms.stored_densities())
    assert np.abs(D - published.R).max() < 2e-6


def test_densities_from_the_objects_alone_come_near_the_published_matrix(published):
    D = fuzzy_measure_dissimilarities(published.sets)
    above = np.triu_indices(194, 1)
    assert np.corrcoef(D[above], published.R[above])[0, 1] > 0.9
    assert not inspect_relation(D).has_vector_dual[1]
