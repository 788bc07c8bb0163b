"""Relations as they are, and after embeddings."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from relrbf.embeddings import (
    ClassicalMDS,
    LandmarkMDS,
    MetricLearningMDS,
    NearestEuclideanMDS,
    ProximalMDS,
)
from relrbf.exceptions import NotEuclideanWarning, RelationError
from study import DataSet, Source
from study.data import loaded, relate
from tests.study import made
from tests.study.made import INDEFINITE, VECTORS

KNOWN = np.arange(50)


def test_the_original_is_what_was_loaded():
    related = relate(INDEFINITE, "original", KNOWN, 0)
    np.testing.assert_array_equal(related.D, made.indefinite().D)
    assert related.vectors is None
    assert related.classes[related.y].tolist() == made.indefinite().y.tolist()


@pytest.mark.filterwarnings("ignore::relrbf.exceptions.NotEuclideanWarning")
@pytest.mark.parametrize(
    ("variant", "mds"),
    [
        ("classical", ClassicalMDS()),
        ("proximal", ProximalMDS()),
        ("landmark", LandmarkMDS(n_landmarks=12, landmarks="random", random_state=5)),
        ("nearest-euclidean", NearestEuclideanMDS()),
        ("metric-learning", MetricLearningMDS()),
    ],
)
def test_a_variant_is_the_distances_among_the_embedded_objects(variant, mds):
    related = relate(INDEFINITE, variant, KNOWN, 5)
    Z = mds.fit_transform(made.indefinite().D)
    np.testing.assert_allclose(related.D, cdist(Z, Z), atol=1e-9)
    assert related.exponent == 2
    assert related.vectors.shape == Z.shape


def test_an_embedding_reads_the_relation_with_its_own_exponent():
    X, y = made.points()
    squared = DataSet("squared", lambda: Source(cdist(X, X) ** 2, y, exponent=1))
    related = relate(squared, "classical", KNOWN, 0)
    np.testing.assert_allclose(related.D, cdist(X, X), atol=1e-9)


def test_embedded_vectors_are_no_realisation():
    assert relate(VECTORS, "original", KNOWN, 0).realisation is not None
    assert relate(VECTORS, "classical", KNOWN, 0).realisation is None


def test_landmarks_are_drawn_anew_in_each_repetition():
    one, same, other = (relate(INDEFINITE, "landmark", KNOWN, seed).D for seed in (1, 1, 2))
    assert one is same
    assert not np.allclose(one, other)


def test_a_variant_of_all_objects_is_made_once():
    first, second = (relate(INDEFINITE, "classical", KNOWN[:n], n) for n in (40, 50))
    assert first is second


@pytest.mark.filterwarnings("ignore::relrbf.exceptions.NotEuclideanWarning")
def test_a_strict_variant_places_the_others_after_the_known_are_embedded():
    related = relate(INDEFINITE, "classical@known", KNOWN, 0)
    D = made.indefinite().D
    mds = ClassicalMDS().fit(D[:50, :50])
    np.testing.assert_allclose(related.vectors[:50], mds.embedding_)
    np.testing.assert_allclose(related.vectors[50:], mds.transform(D[50:, :50]))


def test_what_was_warned_of_is_kept_with_what_is_made_once():
    hasty = DataSet("hasty", made.warning)
    for _ in range(2):
        assert relate(hasty, "original", KNOWN, 0).warnings == {"ResourceWarning"}
        embedded = relate(INDEFINITE, "classical", KNOWN, 0)
        assert embedded.warnings == {NotEuclideanWarning.__name__}


def test_labels_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="short: y has 58 entries for the 60 objects"):
        loaded(DataSet("short", made.two_entries_short))


def test_a_relation_is_judged_when_loaded():
    X, y = made.points()
    D = cdist(X, X)
    D[3, 4] = np.nan
    with pytest.raises(RelationError):
        loaded(DataSet("holes", lambda: Source(D, y)))


def test_a_source_may_hold_a_relation():
    source = replace(made.indefinite(), D=made.a_relation())
    np.testing.assert_array_equal(loaded(DataSet("r", lambda: source)).D, made.indefinite().D)
