"""The benchmark of measures recovers what it is shown, and measures without a look at the test."""

import numpy as np
import pytest

from benchmarks.measures import profiles, recovery, terms
from relrbf.measures import fuzzy_measure_dissimilarities, pearson_dissimilarities

SETS = [frozenset(s) for s in ("ab", "bc", "abc", "cd", "abd", "acd")]
G = {"a": 0.3, "b": 0.6, "c": 0.45, "d": 0.8}


def test_densities_are_recovered_from_the_matrix_they_made():
    R = fuzzy_measure_dissimilarities(SETS, G)
    found = recovery.fitted_densities(R, SETS, terms.distinct(SETS))
    assert found == pytest.approx(G, abs=1e-6)


def test_a_wrong_set_shows_as_a_contradiction():
    R = fuzzy_measure_dissimilarities(SETS, G)
    assert terms.contradictions(R, SETS).sum() == 0
    wrong = [*SETS[:3], frozenset("e"), *SETS[4:]]
    assert terms.contradictions(R, wrong).argmax() == 3


def test_the_part_of_a_set_that_explains_a_row_is_found():
    R = fuzzy_measure_dissimilarities(SETS, G)
    gap, part = recovery.fitting_part(R, SETS, G, 1, frozenset("abcd"))
    assert part == SETS[1]
    assert gap < 1e-12


def test_a_single_shared_term_is_its_density():
    R = fuzzy_measure_dissimilarities(SETS, G)
    seen = terms.single_terms(R, SETS)
    assert {term: len(values) for term, values in seen.items()} == {"a": 1, "b": 2, "c": 3, "d": 1}
    for term, values in seen.items():
        assert values == pytest.approx([G[term]] * len(values))


def test_recovery_stores_what_it_found(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(recovery, "STORED", tmp_path / "densities.csv")
    monkeypatch.setattr(terms, "STORED", tmp_path / "densities.csv")
    for module in (recovery, terms):
        monkeypatch.setattr(module, "AMENDED", {})
    monkeypatch.setattr(recovery, "OTHER_TEK", 2)
    sets = SETS * 18  # object 107 is among them
    recovery.recover(terms.Published(fuzzy_measure_dissimilarities(sets, G), sets, ["x"] * 108))
    assert terms.stored_densities() == pytest.approx(G, abs=1e-6)
    assert "object 107" in capsys.readouterr().out


def test_accuracies_are_one_per_split(rng, monkeypatch):
    monkeypatch.setattr(profiles, "SPLITS", 2)
    y = np.repeat([0, 1], 15)
    X = rng.standard_normal((30, 6)) + 4 * np.eye(6)[y]
    scores = profiles.accuracies(pearson_dissimilarities, X, y)
    assert scores.shape == (2,)
    assert scores.min() > 0.5
    assert profiles.neighbour_error(pearson_dissimilarities(X), y) < 0.3
