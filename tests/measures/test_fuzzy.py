import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from relrbf import inspect_relation
from relrbf.exceptions import OptionError, RelationError
from relrbf.measures import (
    fuzzy_measure,
    fuzzy_measure_dissimilarities,
    fuzzy_measure_similarity,
    information_content,
    sugeno_lambda,
)
from relrbf.measures.terms import all_terms

TERMS = "abcdefg"
G = dict(zip(TERMS, [0.9, 0.2, 0.5, 1.0, 0.05, 0.0, 0.5], strict=True))
term_sets = st.lists(
    st.sets(st.sampled_from(TERMS), min_size=1).filter(lambda s: s != {"f"}), min_size=1, max_size=6
)


def similarity_by_definition(a, b, g):
    """The formula as it is printed, one set after the other."""

    def part(own):
        informative = [g[t] for t in own if g[t] > 0]
        if len(informative) == 1:
            return float(any(g[t] > 0 for t in a & b))
        lam = sugeno_lambda(informative)
        return fuzzy_measure([g[t] for t in a & b], lam)

    return (part(a) + part(b)) / 2


@given(term_sets)
def test_dissimilarities_are_one_minus_the_printed_formula(sets):
    D = fuzzy_measure_dissimilarities(sets, G)
    expected = [[1 - similarity_by_definition(a, b, G) for b in sets] for a in sets]
    np.testing.assert_allclose(D, expected, atol=1e-12)


@given(term_sets)
def test_dissimilarities_are_a_relation(sets):
    D = fuzzy_measure_dissimilarities(sets, G)
    assert (D == D.T).all()
    assert (np.diag(D) == 0).all()
    assert D.min() >= 0
    assert D.max() <= 1


@given(term_sets)
def test_the_order_of_objects_and_of_terms_does_not_matter(sets):
    D = fuzzy_measure_dissimilarities(sets, G)
    turned = fuzzy_measure_dissimilarities([sorted(s) for s in sets[::-1]], G)
    np.testing.assert_allclose(turned[::-1, ::-1], D, atol=1e-12)


def test_equal_sets_are_at_zero_and_strangers_at_one():
    D = fuzzy_measure_dissimilarities([["a", "b", "a"], ["b", "a"], ["c", "g"]], G)
    np.testing.assert_array_equal(D, [[0, 0, 1], [0, 0, 1], [1, 1, 0]])


def test_rounding_leads_to_no_negative_dissimilarity(rng):
    for _ in range(50):
        densities = {**dict(zip("abcde", rng.random(5), strict=True)), "f": 0}
        sets = [{*"abcde"[:k], *extra} for k in (2, 3, 4, 5) for extra in ("", "f")]
        D = fuzzy_measure_dissimilarities(sets, densities)
        assert D.min() >= 0
        np.testing.assert_allclose(np.diag(D, 1)[::2], 0, atol=1e-15)  # "f" says nothing


def test_a_single_term_is_all_of_its_set():
    assert fuzzy_measure_similarity({"b"}, {"b"}, G) == 1
    assert fuzzy_measure_similarity({"b"}, {"b", "e"}, G) == pytest.approx(
        (1 + fuzzy_measure([0.2], sugeno_lambda([0.2, 0.05]))) / 2
    )


def test_new_objects_are_measured_like_training_objects():
    sets = [{"a", "b"}, {"b", "c", "g"}, {"a", "c"}, {"e", "g"}]
    D = fuzzy_measure_dissimilarities(sets, G)
    np.testing.assert_array_equal(
        fuzzy_measure_dissimilarities(sets[2:], G, against=sets), D[2:], strict=True
    )
    content = information_content(sets)
    np.testing.assert_allclose(
        fuzzy_measure_dissimilarities([{"a", "g"}], against=sets),
        fuzzy_measure_dissimilarities([{"a", "g"}], content, against=sets),
    )


def test_densities_come_from_the_objects_when_none_are_given():
    sets = [{"a", "b"}, {"b", "c"}, {"a", "c", "d"}]
    np.testing.assert_array_equal(
        fuzzy_measure_dissimilarities(sets),
        fuzzy_measure_dissimilarities(sets, information_content(sets)),
    )


def test_the_relation_breaks_triangles():
    D = fuzzy_measure_dissimilarities([{"a", "c"}, {"a", "g", "d"}, {"d", "b"}], G)
    assert inspect_relation(D).triangle_violation_fraction > 0


def test_terms_of_any_kind_come_in_one_order():
    assert all_terms([frozenset({"b", 1}), frozenset({"a", (2, 3)})]) == [(2, 3), 1, "a", "b"]


# Bad input


def test_an_object_without_terms_is_named():
    with pytest.raises(RelationError, match=r"term_sets\[1\] has no terms"):
        fuzzy_measure_dissimilarities([{"a"}, set()], G)
    with pytest.raises(RelationError, match="terms_b has no terms"):
        fuzzy_measure_similarity({"a"}, [], G)
    with pytest.raises(RelationError, match=r"against\[0\] has no terms"):
        fuzzy_measure_dissimilarities([{"a"}], G, against=[[]])


@pytest.mark.parametrize("bad", [None, float("nan"), ""])
def test_what_is_missing_is_no_term(bad):
    with pytest.raises(RelationError, match=r"term_sets\[0\] holds .*no term"):
        fuzzy_measure_dissimilarities([["a", bad]], G)


def test_a_string_is_not_taken_for_a_set_of_letters():
    with pytest.raises(RelationError, match=r"term_sets\[0\] is 'a;b'.*split"):
        fuzzy_measure_dissimilarities(["a;b"], G)
    with pytest.raises(RelationError, match=r"term_sets\[0\] is 3; it must be a set of terms"):
        fuzzy_measure_dissimilarities([3], G)


@pytest.mark.parametrize("bad", ["ab", 3, {"a": 1}])
def test_what_is_no_sequence_of_sets_is_refused(bad):
    with pytest.raises(RelationError, match="one set of terms per object"):
        fuzzy_measure_dissimilarities(bad, G)


def test_no_objects_at_all_are_refused():
    with pytest.raises(RelationError, match="term_sets is empty"):
        fuzzy_measure_dissimilarities([], G)


def test_terms_without_a_density_are_counted_and_named():
    with pytest.raises(RelationError, match="1 of 2 terms have no density, for example 'z'"):
        fuzzy_measure_dissimilarities([{"a", "z"}], G)


@pytest.mark.parametrize("bad", [-0.1, 1.5, np.nan, "x", None, True])
def test_a_density_outside_its_range_is_named_by_term(bad):
    with pytest.raises(OptionError, match="the density of 'b' is"):
        fuzzy_measure_dissimilarities([{"a", "b"}], {"a": 0.5, "b": bad})


def test_densities_that_are_no_mapping_are_refused():
    with pytest.raises(OptionError, match="mapping from each term"):
        fuzzy_measure_dissimilarities([{"a", "b"}], [0.5, 0.5])


def test_a_set_that_says_nothing_is_named():
    with pytest.raises(RelationError, match=r"every term of the set \['f'\] has the density 0"):
        fuzzy_measure_dissimilarities([{"a"}, {"f"}], G)
