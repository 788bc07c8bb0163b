"""Bars show coefficients: whose, how large, and on which side of zero."""

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from numpy.testing import assert_allclose

from relrbf import RBFNetworkClassifier, as_relation
from relrbf.clustering import RelationalKMeans
from relrbf.exceptions import OptionError
from relrbf.plotting import plot_prototypes
from relrbf.plotting.style import COLOURS, NEGATIVE, POSITIVE
from relrbf.prototypes import RelationalSpace

ROWS = np.array([[0.9, 0.3, -0.25, 0.05, 0.0], [0.0, 0.0, 0.0, 0.0, 1.0]])


@pytest.fixture
def prototypes(k23):
    relation = as_relation(k23, ids=list("vwxyz"))
    space = RelationalSpace(relation, np.ones(5, dtype=bool), False)
    return space.place(ROWS)


def bars_of(ax):
    names = dict(zip(ax.get_yticks(), [t.get_text() for t in ax.get_yticklabels()], strict=True))
    middles = [round(bar.get_y() + bar.get_height() / 2) for bar in ax.patches]
    return [(names[m], bar.get_width()) for m, bar in zip(middles, ax.patches, strict=True)]


def test_each_prototype_has_its_largest_coefficients_by_name(ax, prototypes):
    assert plot_prototypes(prototypes, ax=ax, n_largest=3) is ax
    bars = bars_of(ax)
    assert [name for name, _ in bars] == ["v", "w", "x", "1 others", "z"]
    assert_allclose([width for _, width in bars], [0.9, 0.3, -0.25, 0.05, 1.0])
    assert [text.get_text() for text in ax.texts] == ["prototype 0", "prototype 1"]


def test_the_bars_of_a_prototype_sum_to_one(ax, classifier):
    plot_prototypes(classifier, ax=ax, n_prototypes=1, n_largest=2)
    assert sum(width for _, width in bars_of(ax)) == pytest.approx(1)


def test_signs_are_sides_and_colours(ax, prototypes):
    plot_prototypes(prototypes, ax=ax)
    colours = [to_hex(bar.get_facecolor()).upper() for bar in ax.patches[:3]]
    assert colours == [POSITIVE, POSITIVE, NEGATIVE]


def test_objects_have_the_colour_of_their_class(ax, prototypes):
    plot_prototypes(prototypes, list("abbbb"), ax)
    colours = [to_hex(bar.get_facecolor()).upper() for bar in ax.patches]
    assert colours == [COLOURS[0], *[COLOURS[1]] * 4]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["a", "b"]


def test_classes_of_the_same_colour_differ_in_pattern(ax, blobs):
    _, D, _ = blobs
    model = RelationalKMeans(2, random_state=0).fit(D)
    plot_prototypes(model, np.arange(60) % 9, ax, n_prototypes=1, n_largest=60)
    looks = {(bar.get_facecolor(), bar.get_hatch()) for bar in ax.patches}
    assert len(looks) == 9


def test_prototypes_of_a_classifier_are_named_by_what_they_favour(ax, classifier):
    plot_prototypes(classifier, ax=ax, n_prototypes=2)
    order = np.argsort(-np.linalg.norm(classifier.weights_, axis=1))[:2]
    assert [text.get_text() for text in ax.texts] == [
        f"prototype {j}, for {classifier.classes_[classifier.weights_[j].argmax()]}" for j in order
    ]
    assert ax.get_title(loc="left") == "Coefficients of 2 of 6 prototypes"


def test_prototypes_of_a_regressor_tell_their_weights(ax, regressor):
    plot_prototypes(regressor, ax=ax, n_prototypes=1)
    assert f"weight {np.abs(regressor.weights_).max():.2g}" in ax.texts[0].get_text().replace(
        "-", ""
    )


def test_axes_that_are_low_show_fewer(blobs):
    model = RelationalKMeans(6, random_state=0).fit(blobs[1])
    shown = []
    for height in (1, 4, 12):
        ax = plot_prototypes(model, ax=Figure(figsize=(5, height)).subplots())
        shown.append(len(ax.texts))
    assert shown[0] == 1
    assert shown[0] < shown[1] < shown[2] == 6


def test_a_model_in_vector_space_has_coefficients_too(ax, blobs):
    X, _, y = blobs
    model = RBFNetworkClassifier(6, space="vector", random_state=0, max_iter=2).fit(X, y)
    plot_prototypes(model, ax=ax, n_prototypes=1, n_largest=60)
    assert sum(width for _, width in bars_of(ax)) == pytest.approx(1)


def test_what_has_no_prototypes_is_refused(prototypes):
    with pytest.raises(OptionError, match="model is a ndarray; pass a fitted network"):
        plot_prototypes(np.eye(2))
    with pytest.raises(OptionError, match=r"labels has shape \(2,\) for 5 objects"):
        plot_prototypes(prototypes, ["a", "b"])
    with pytest.raises(OptionError, match="n_prototypes is 0"):
        plot_prototypes(prototypes, n_prototypes=0)
    with pytest.raises(OptionError, match="n_largest is 'all'"):
        plot_prototypes(prototypes, n_largest="all")
