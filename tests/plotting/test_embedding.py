"""Objects and prototypes stand where scaling puts them."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist
from sklearn.exceptions import NotFittedError

from relrbf import RBFNetworkClassifier
from relrbf.clustering import RelationalKMeans
from relrbf.embeddings import ClassicalMDS
from relrbf.exceptions import NotEuclideanWarning, OptionError
from relrbf.plotting import EmbeddingDisplay, plot_embedding, plot_embedding_of
from relrbf.plotting.models import MAX_CLASSICAL_MDS, embed
from relrbf.relations import VectorRelation


def test_a_fitted_model_is_drawn_by_classical_scaling(ax, classifier, named):
    D, y = named
    assert plot_embedding_of(classifier, D, y, ax) is ax
    points = ClassicalMDS(2).fit_transform(D)
    drawn = {line.get_label(): line.get_xydata() for line in ax.lines}
    assert_allclose(drawn["birch"], points[y == "birch"])
    assert_allclose(drawn["prototypes"], classifier.prototypes_.coefficients @ points)
    assert ax.get_xlabel() == "first component"
    assert ax.get_aspect() == 1


def test_a_relation_without_vectors_says_what_is_left_out(ax, k23):
    with pytest.warns(NotEuclideanWarning):
        model = RelationalKMeans(2, exponent=2, random_state=0).fit(k23)
    display = EmbeddingDisplay.from_estimator(model, k23, ax=ax)
    assert display.negative_fraction == pytest.approx(1.6 / 7.6)
    assert ax.get_xlabel().endswith("(21.1 % of the spectrum is negative and not shown)")


def test_the_exponent_is_that_of_the_model(ax, blobs):
    _, D, y = blobs
    model = RBFNetworkClassifier(6, exponent=1, random_state=0, max_iter=2).fit(D, y)
    points = EmbeddingDisplay.from_estimator(model, D, y, ax=ax).points
    assert_allclose(points, ClassicalMDS(2, exponent=1).fit_transform(D))


def test_values_of_a_regressor_are_shown_by_colour(ax, regressor, blobs):
    X, D, _ = blobs
    EmbeddingDisplay.from_estimator(regressor, D, X[:, 0], ax=ax)
    (objects,) = ax.collections
    assert_allclose(objects.get_array(), X[:, 0])
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["prototypes"]


def test_without_classes_objects_are_drawn_alike(ax, classifier, named):
    EmbeddingDisplay.from_estimator(classifier, named[0], ax=ax)
    assert [len(line.get_xdata()) for line in ax.lines] == [60, 6, 6]
    assert ax.lines[0].get_label() == "objects"


def test_models_of_feature_vectors_take_feature_vectors(ax, blobs):
    X, D, y = blobs
    model = RBFNetworkClassifier(6, space="vector", random_state=0, max_iter=2).fit(X, y)
    display = EmbeddingDisplay.from_estimator(model, X, y, ax=ax)
    assert_allclose(np.abs(display.points), np.abs(ClassicalMDS(2).fit_transform(D)))


def test_many_objects_are_placed_by_landmarks_and_drawn_as_pixels(ax, rng):
    X = rng.standard_normal((MAX_CLASSICAL_MDS + 1, 2))
    points, negative = embed(VectorRelation(X))
    some = slice(0, 50)
    assert_allclose(cdist(points[some], points[some]), cdist(X[some], X[some]), atol=1e-6)
    assert negative == pytest.approx(0, abs=1e-9)
    plot_embedding(points, X[:, 0] > 0, ax=ax)
    assert all(line.get_rasterized() for line in ax.lines)


def test_more_classes_than_colours_differ_in_colour_or_marker(ax, rng):
    plot_embedding(rng.random((64, 2)), np.arange(64), ax=ax)
    assert len({(line.get_color(), line.get_marker()) for line in ax.lines}) == 64
    assert ax.get_legend().get_texts()[-1].get_text() == "and 40 more"


def test_many_prototypes_have_small_rings(ax, rng):
    points = rng.random((41, 2))
    plot_embedding(points, coefficients=np.eye(41), ax=ax)
    plot_embedding(points, coefficients=np.eye(41)[:40], ax=ax)
    sizes = [line.get_markersize() for line in ax.lines if line.get_label() == "prototypes"]
    assert sizes == [5, 9]


def test_another_relation_than_the_models_is_refused(classifier, named):
    D, _ = named
    with pytest.raises(OptionError, match=r"X holds 50 objects, and the prototypes are .* 60"):
        EmbeddingDisplay.from_estimator(classifier, D[:50, :50])
    with pytest.raises(NotFittedError):
        EmbeddingDisplay.from_estimator(RBFNetworkClassifier(), D)
    with pytest.raises(OptionError, match="ClassicalMDS, which has no prototypes"):
        EmbeddingDisplay.from_estimator(ClassicalMDS().fit(D), D)
    with pytest.raises(OptionError, match="estimator is a str"):
        EmbeddingDisplay.from_estimator("model", D)


@pytest.mark.parametrize(
    ("points", "labels", "coefficients", "message"),
    [
        (np.zeros((3, 3)), None, None, r"points has shape \(3, 3\)"),
        ([[0, np.nan]], None, None, "points holds NaN"),
        (np.zeros((3, 2)), [1, 2], None, r"labels has shape \(2,\) for 3 objects"),
        ([["a", "b"]], None, None, "points holds values that are not numbers"),
        (np.zeros((2, 2)), [1, None], None, "labels holds labels that cannot be ordered"),
        (np.zeros((3, 2)), None, [[1, 0]], r"coefficients has shape \(1, 2\) for 3 points"),
    ],
)
def test_points_that_do_not_fit_are_refused(points, labels, coefficients, message):
    with pytest.raises(OptionError, match=message):
        plot_embedding(points, labels, coefficients, Figure().subplots())


def test_values_that_do_not_fit_are_refused(ax):
    with pytest.raises(OptionError, match=r"values has shape \(2,\) for 3 objects"):
        plot_embedding(np.zeros((3, 2)), ax=ax, values=[1, 2])
    with pytest.raises(OptionError, match="values holds NaN"):
        plot_embedding(np.zeros((1, 2)), ax=ax, values=[np.nan])
