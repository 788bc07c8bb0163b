"""Measures by name: an estimator takes the objects themselves."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from relrbf import RBFNetworkClassifier, RBFNetworkRegressor, load, relate, save
from relrbf.clustering import RelationalKMeans
from relrbf.exceptions import OptionError, RelationError

pytest.importorskip("rapidfuzz")
pytestmark = pytest.mark.filterwarnings("ignore::relrbf.exceptions.NotEuclideanWarning")

RNG = np.random.default_rng(0)
WORDS = ["".join(RNG.choice(list(letters), 8)) for letters in ("abcd", "bcde") * 30]
LABELS = np.array(["early", "late"] * 30)
NEW = ["abababab", "edededed", "aaaaaaaa"]


@pytest.mark.parametrize(
    "arrange",
    [list, np.array, lambda words: np.array(words, dtype=object)[:, None], pd.Series],
    ids=["list", "array", "column", "Series"],
)
def test_words_are_measured_as_relate_measures_them(arrange):
    model = RBFNetworkClassifier(metric="levenshtein", random_state=0)
    model.fit(arrange(WORDS), LABELS)
    plain = RBFNetworkClassifier(random_state=0).fit(relate(WORDS, "levenshtein"), LABELS)
    D_new = relate(NEW, "levenshtein", to=WORDS)
    assert_allclose(model.decision_function(arrange(NEW)), plain.decision_function(D_new))
    assert_array_equal(model.novelty(arrange(NEW)), plain.novelty(D_new))
    assert model.predict(NEW)[:2].tolist() == ["early", "late"]


def test_parameters_go_to_the_measure():
    weights = {"weights": (1, 1, 2)}
    model = RBFNetworkRegressor(metric="levenshtein", metric_params=weights, random_state=0)
    model.fit(WORDS, np.arange(60.0))
    D = relate(WORDS, "levenshtein", measure_params=weights)
    D_new = relate(NEW, "levenshtein", to=WORDS, measure_params=weights)
    expected = RBFNetworkRegressor(random_state=0).fit(D, np.arange(60.0))
    assert_allclose(model.predict(NEW), expected.predict(D_new))


def test_a_saved_model_measures_new_words_without_being_told_how(tmp_path):
    model = RBFNetworkClassifier(metric="jaro-winkler", random_state=0).fit(WORDS, LABELS)
    save(model, tmp_path / "m.relrbf")
    assert_array_equal(load(tmp_path / "m.relrbf").predict_proba(NEW), model.predict_proba(NEW))


def test_clusterers_take_them_too():
    labels = RelationalKMeans(2, metric="levenshtein", random_state=0).fit(WORDS).labels_
    assert set(labels) == {0, 1}


def test_what_is_no_word_is_refused_by_its_place():
    with pytest.raises(RelationError, match=r"objects\[1\] is 3"):
        RBFNetworkClassifier(metric="levenshtein").fit(["a", 3, "b"], [0, 1, 0])


def test_a_name_that_does_not_exist_reminds_of_one_that_does():
    with pytest.raises(OptionError, match=r"Did you mean levenshtein\?"):
        RBFNetworkClassifier(metric="levenstein").fit(WORDS, LABELS)


def test_what_is_related_to_others_is_not_written_to_a_file_of_all_pairs(tmp_path):
    with pytest.raises(OptionError, match="leave it out"):
        relate(NEW, "levenshtein", tmp_path / "D.npy", to=WORDS)
