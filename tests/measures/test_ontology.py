import numpy as np
import pytest

from relrbf.exceptions import OptionError, RelationError
from relrbf.measures import (
    fuzzy_measure_dissimilarities,
    fuzzy_measure_similarity,
    information_content,
)
from relrbf.measures.terms import Ontology

# root ─ enzyme ─ kinase ─ (tyrosine, serine); root ─ tissue ─ (bone, muscle);
# serine is a kind of signal as well, and so is tyrosine
PARENTS = {
    "enzyme": ["root"],
    "kinase": ["enzyme"],
    "tyrosine": ["kinase", "signal"],
    "serine": {"kinase", "signal"},
    "signal": ["root"],
    "tissue": ["root"],
    "bone": ["tissue"],
    "muscle": ["tissue"],
}
G = {
    "root": 0.0,
    "enzyme": 0.2,
    "kinase": 0.4,
    "signal": 0.3,
    "tyrosine": 0.7,
    "serine": 0.6,
    "tissue": 0.1,
    "bone": 0.8,
    "muscle": 0.5,
    "alien": 0.5,
}


def test_ancestors_come_with_the_fewest_steps():
    assert Ontology(PARENTS).steps_up("tyrosine") == {
        "tyrosine": 0,
        "kinase": 1,
        "signal": 1,
        "root": 2,
        "enzyme": 2,
    }


@pytest.mark.parametrize(
    ("s", "t", "expected"),
    [
        ("tyrosine", "serine", "kinase"),
        ("tyrosine", "tyrosine", "tyrosine"),
        ("serine", "kinase", "kinase"),
        ("bone", "serine", "root"),
        ("bone", "alien", None),
    ],
)
def test_the_nearest_common_ancestor_says_most(s, t, expected):
    assert Ontology(PARENTS).nearest(s, t, G) == expected


def test_of_equally_telling_ancestors_the_closer_is_nearest():
    ontology = Ontology({"a": ["up"], "b": ["up"], "up": ["top"]})
    assert ontology.nearest("a", "b", {"up": 0.3, "top": 0.3}) == "up"
    ontology = Ontology({"a": ["y", "x"], "b": ["x", "y"]})
    assert ontology.nearest("a", "b", {"x": 0.3, "y": 0.3}) == "x"  # the same in every run


def test_ancestors_without_a_density_are_passed_over():
    assert Ontology(PARENTS).nearest("bone", "muscle", {"root": 0.1}) == "root"


def test_augmented_similarity_is_that_of_both_sets_with_the_ancestors():
    a, b = {"tyrosine", "bone"}, {"serine", "muscle"}
    shared = {"kinase", "tissue", "root"}
    assert fuzzy_measure_similarity(a, b, G) == 0
    assert fuzzy_measure_similarity(a, b, G, parents=PARENTS) == pytest.approx(
        fuzzy_measure_similarity(a | shared, b | shared, G)
    )


def test_augmented_dissimilarities_are_the_similarities_of_all_pairs():
    sets = [{"tyrosine", "bone"}, {"serine"}, {"bone", "muscle"}, {"alien"}, {"serine"}]
    D = fuzzy_measure_dissimilarities(sets, G, parents=PARENTS)
    expected = [
        [1 - fuzzy_measure_similarity(a, b, G, parents=PARENTS) for b in sets] for a in sets
    ]
    np.testing.assert_allclose(D, expected, atol=1e-12)
    assert (D == D.T).all()
    assert (np.diag(D) == 0).all()
    assert D[1, 4] == 0
    assert D[3, 0] == 1
    new = fuzzy_measure_dissimilarities(sets[:2], G, against=sets, parents=PARENTS)
    np.testing.assert_array_equal(new, D[:2])


def test_ancestors_get_densities_from_the_objects_when_none_are_given():
    sets = [{"tyrosine"}, {"serine"}, {"bone"}]
    content = information_content(sets, parents=PARENTS)
    np.testing.assert_array_equal(
        fuzzy_measure_dissimilarities(sets, parents=PARENTS),
        fuzzy_measure_dissimilarities(sets, content, parents=PARENTS),
    )


def test_terms_of_the_objects_need_a_density_even_with_an_ontology():
    with pytest.raises(RelationError, match="no density, for example 'bone'"):
        fuzzy_measure_similarity({"bone"}, {"kinase"}, {"kinase": 0.5}, parents=PARENTS)


@pytest.mark.parametrize("bad", [["a"], "ab", 3])
def test_parents_must_be_a_mapping(bad):
    with pytest.raises(OptionError, match="parents is"):
        fuzzy_measure_similarity({"bone"}, {"bone"}, G, parents=bad)


@pytest.mark.parametrize("bad", ["root", 3, None])
def test_the_parents_of_a_term_must_be_a_list(bad):
    with pytest.raises(OptionError, match=r"parents\['bone'\] is"):
        fuzzy_measure_similarity({"bone"}, {"bone"}, G, parents={"bone": bad})


def test_a_term_that_is_its_own_ancestor_is_refused():
    with pytest.raises(OptionError, match=r"circle: .*a"):
        fuzzy_measure_similarity({"bone"}, {"bone"}, G, parents={"a": ["b"], "b": ["a"]})
