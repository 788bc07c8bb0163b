"""Colours can be told apart, and names do not run into each other."""

from itertools import combinations

import numpy as np
import pytest
from matplotlib import colormaps
from matplotlib.figure import Figure

from relrbf import RBFNetworkClassifier, as_relation
from relrbf.embeddings import ClassicalMDS
from relrbf.plotting import (
    plot_calibration,
    plot_confusion,
    plot_embedding,
    plot_matrix,
    plot_prototypes,
    plot_tendency,
)
from relrbf.plotting.style import (
    COLOURS,
    NEGATIVE,
    POSITIVE,
    SEQUENTIAL,
    colour_and_marker,
    shorten,
    spaced,
)
from relrbf.tendency import vat
from tests.plotting.colour_vision import VISIONS, seen

LONG = np.array([f"class number {k:02d} with a long name" for k in range(20)])


@pytest.mark.parametrize("vision", VISIONS)
def test_classes_can_be_told_apart_by_every_kind_of_eye(vision):
    pairs = combinations([seen(colour, vision) for colour in COLOURS], 2)
    assert min(np.linalg.norm(a - b) for a, b in pairs) > 15


@pytest.mark.parametrize("vision", VISIONS)
def test_the_middle_grey_of_old_could_not(vision):
    apart = np.linalg.norm(seen("#999999", vision) - seen("#CC79A7", vision))
    assert (apart < 10) == (vision == "deuteranopia")


@pytest.mark.parametrize("vision", VISIONS)
def test_signs_can_be_told_apart_by_every_kind_of_eye(vision):
    assert np.linalg.norm(seen(POSITIVE, vision) - seen(NEGATIVE, vision)) > 40


@pytest.mark.parametrize("vision", VISIONS)
def test_higher_values_are_lighter_for_every_kind_of_eye(vision):
    lightness = [seen(colour, vision)[0] for colour in colormaps[SEQUENTIAL](np.linspace(0, 1, 20))]
    assert (np.diff(lightness) > 0).all()


def test_marks_come_again_only_after_all_pairs():
    assert len({colour_and_marker(k) for k in range(64)}) == 64
    assert colour_and_marker(64) == colour_and_marker(0)


def test_long_names_keep_both_ends():
    assert shorten("short") == "short"
    assert shorten(LONG[3]) == "class number 03…ong name"
    assert len(shorten("x" * 99)) == 24


def test_positions_that_are_too_close_are_left_out():
    assert spaced(np.array([0.0, 1.0, 2.5, 2.6, 9.0]), 2) == [0, 2, 4]


def boxes_of(texts):
    return [text.get_window_extent() for text in texts if text.get_text() and text.get_visible()]


def assert_apart(texts):
    """Assert that no two upright or level texts cover each other by more than a hair."""
    boxes = boxes_of(texts)
    assert boxes
    for a, b in combinations(boxes, 2):
        wide = min(a.x1, b.x1) - max(a.x0, b.x0)
        high = min(a.y1, b.y1) - max(a.y0, b.y0)
        assert not (wide > 0.5 and high > 0.5)


def assert_inside(ax, figure):
    figure.draw_without_rendering()
    used, frame = ax.get_tightbbox(), figure.bbox
    assert min(used.x0, used.y0) >= -1
    assert used.x1 <= frame.x1 + 1
    assert used.y1 <= frame.y1 + 1


@pytest.fixture
def shown():
    """Close what a picture opened."""
    from matplotlib import pyplot as plt

    yield
    plt.close("all")


@pytest.mark.parametrize("given", [True, False])
def test_twenty_long_names_leave_a_confusion_matrix_readable(given, shown):
    ax = Figure(figsize=(5, 4), layout="constrained").subplots() if given else None
    ax = plot_confusion(np.eye(20), LONG, ax)
    assert_inside(ax, ax.figure)
    assert_apart(ax.get_xticklabels())
    assert_apart(ax.get_yticklabels())
    if not given:
        assert len(ax.get_yticklabels()) == 20
        assert_apart(ax.texts)


def test_three_long_names_are_slanted(shown):
    ax = plot_confusion(np.eye(3), LONG[:3])
    assert_inside(ax, ax.figure)
    assert {label.get_rotation() for label in ax.get_xticklabels()} == {35}
    assert {label.get_rotation() for label in ax.get_yticklabels()} == {0}


def test_many_classes_have_whole_numbers_and_empty_cells():
    counts = np.zeros((10, 10))
    counts[0, :3] = [0.5, 60.7, 38.8]
    ax = plot_confusion(counts, ax=Figure(figsize=(9, 9)).subplots())
    assert [text.get_text() for text in ax.texts if text.get_text()] == ["<1", "60", "38"]


def test_cells_too_small_for_numbers_have_none():
    ax = plot_confusion(np.eye(60), ax=Figure(figsize=(3, 3)).subplots())
    assert not ax.texts


def test_twenty_long_names_beside_a_matrix_stay_apart(shown, rng):
    y = LONG[rng.integers(0, 20, 100)]
    D = np.abs(np.subtract.outer(*[rng.random(100)] * 2))
    ax = plot_matrix(D + D.T, y)
    assert_inside(ax, ax.figure)
    assert_apart(ax.get_xticklabels())


def test_a_large_matrix_is_drawn_as_means():
    n = 1001
    D = np.abs(np.subtract.outer(np.arange(n), np.arange(n))).astype(float)
    ax = plot_matrix(D, np.zeros(n), Figure().subplots())
    assert ax.images[0].get_array().shape == (501, 501)
    assert ax.get_xlim() == (-0.5, 1000.5)
    assert ax.get_ylabel() == "1,001 objects"


def test_twenty_long_names_fit_beside_an_embedding(shown, rng):
    ax = plot_embedding(rng.random((40, 2)), np.tile(LONG, 2))
    assert_inside(ax, ax.figure)
    assert_apart(ax.get_legend().get_texts())
    assert ax.get_window_extent().width > 0.3 * ax.figure.bbox.width


def test_names_of_prototypes_stay_apart(shown, classifier):
    ax = plot_prototypes(classifier, np.repeat(LONG[:3], 20))
    assert_inside(ax, ax.figure)
    assert_apart([*ax.get_yticklabels(), *ax.texts])


@pytest.mark.parametrize("name", ["$x_{$", "a$b$c", "5 $", r"\$", "$" * 40, "x" * 30 + "$y$"])
def test_a_dollar_in_a_name_is_no_formula(name, named, ax, tmp_path):
    D, labels = named
    labels = np.where(labels == "ash", name, labels).astype(object)
    relation = as_relation(D, ids=[f"{i} {name}" for i in range(len(D))])
    model = RBFNetworkClassifier(6, random_state=0, max_iter=3).fit(relation, labels)
    points, counts = ClassicalMDS(2).fit_transform(D), np.eye(3)
    axes = [
        plot_confusion(counts, model.classes_, ax),
        plot_embedding(points, labels, ax=Figure().subplots()),
        plot_tendency(vat(D), labels, Figure().subplots()),
        plot_matrix(D, labels, Figure().subplots()),
        plot_calibration(
            labels,
            model.predict_proba(relation),
            model.classes_,
            Figure().subplots(),
            positive=name,
        ),
        plot_prototypes(model, labels, Figure().subplots()),
    ]
    for drawn in axes:
        drawn.figure.savefig(tmp_path / "plot.png")
    shown = [text.get_text().replace(r"\$", "") for text in ax.get_xticklabels()]
    assert not any("$" in text for text in shown)
