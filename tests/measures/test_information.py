import numpy as np
import pytest

from relrbf.exceptions import OptionError, RelationError
from relrbf.measures import information_content

SETS = [{"kinase", "muscle"}, {"kinase", "bone"}, {"kinase"}, {"kinase", "bone"}]


def test_content_is_the_scaled_logarithm_of_the_smoothed_frequency():
    content = information_content(SETS)
    for term, count in {"kinase": 4, "bone": 2, "muscle": 1}.items():
        assert content[term] == pytest.approx(np.log((count + 1) / 6) / np.log(1 / 6))
    assert set(content) == {"kinase", "bone", "muscle"}


def test_smoothing_keeps_every_term_from_saying_nothing_or_all():
    content = information_content(SETS, smoothing=0.5)
    assert content["bone"] == pytest.approx(np.log(2.5 / 5) / np.log(0.5 / 5))
    assert all(0 < value < 1 for value in content.values())


def test_without_smoothing_a_general_term_says_nothing_and_a_unique_one_all():
    assert information_content(SETS, smoothing=0) == {
        "kinase": 0,
        "muscle": 1,
        "bone": pytest.approx(0.5),
    }


def test_an_object_counts_for_the_ancestors_of_its_terms():
    parents = {"kinase": ["enzyme"], "enzyme": ["protein"], "bone": ["tissue"]}
    content = information_content([{"kinase"}, {"enzyme"}, {"bone"}], smoothing=0, parents=parents)
    assert content["enzyme"] == content["protein"] == pytest.approx(np.log(3 / 2) / np.log(3))
    assert content["kinase"] == content["tissue"] == 1


@pytest.mark.parametrize("smoothing", [-1, np.nan, np.inf, "a", True])
def test_smoothing_must_be_a_number(smoothing):
    with pytest.raises(OptionError, match="smoothing is"):
        information_content(SETS, smoothing=smoothing)


def test_one_object_alone_makes_no_term_rare():
    with pytest.raises(RelationError, match="one object"):
        information_content([{"a"}], smoothing=0)
    assert information_content([{"a"}])["a"] == pytest.approx(np.log(3 / 2) / np.log(3))
