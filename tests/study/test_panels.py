"""A panel shows what it is given, or says why it does not."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from numpy.testing import assert_allclose

from study.figures import panels
from study.figures.drawing import MARKERS
from tests.study.invented import rows


@pytest.fixture
def ax():
    return Figure().subplots()


def test_a_small_image_is_drawn_as_it_is(ax):
    image = np.arange(16.0).reshape(4, 4)
    panels.draw_tendency(ax, image)
    assert_allclose(ax.images[0].get_array(), image)


def test_alike_is_black_and_black_is_zero(ax):
    panels.draw_tendency(ax, np.array([[5.0, 9.0], [9.0, 5.0]]))
    (image,) = ax.images
    assert image.get_clim() == (0, 9)
    assert image.to_rgba(0.0) == (0, 0, 0, 1)
    assert image.to_rgba(9.0) == (1, 1, 1, 1)


def test_a_large_image_is_drawn_as_means(ax):
    n = 2 * panels.MAX_CELLS
    panels.draw_tendency(ax, np.tile([1.0, 3.0], (n, n // 2)))
    shown = ax.images[0].get_array()
    assert shown.shape == (panels.MAX_CELLS, panels.MAX_CELLS)
    assert_allclose(shown, 2)


@pytest.mark.parametrize("draw", [panels.draw_deviations, panels.draw_confusion])
def test_what_was_not_run_is_said_to_be_missing(ax, draw):
    draw(*([ax, []] + ["test", ["a", "b"]] * (draw is panels.draw_confusion)))
    assert not ax.axison
    assert [text.get_text() for text in ax.texts] == ["not run"]


def test_classes_differ_in_marker_and_colour(ax):
    panels.draw_scatter(ax, np.arange(8.0).reshape(4, 2), np.array(["a", "b", "a", "b"]))
    first, second = ax.lines
    assert [first.get_marker(), second.get_marker()] == list(MARKERS[:2])
    assert first.get_color() != second.get_color()
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["a", "b"]


def test_both_networks_are_drawn_below_the_differences_of_all_repetitions(ax):
    relational, vector = np.array([[0.0, 1.0]]), np.array([[0.0, 1.5]])
    panels.draw_both_networks(ax, relational, vector, [1e-14, 0.5, 1e-15])
    (inset,) = ax.child_axes
    assert_allclose(inset.lines[1].get_xydata(), [[0, 0], [1.5, 1]])
    assert "median 1e-14, worst 5e-01" in ax.get_title()


def test_numbers_have_a_true_minus_and_no_negative_zero():
    assert panels.signed(-0.0004) == "0.000"
    assert panels.signed(-0.012) == "\N{MINUS SIGN}0.012"


def test_names_are_cut_only_if_they_stay_apart():
    assert panels.short(["collagen_alpha_chain", "receptor_precursor"]) == ["collagen", "receptor"]
    assert panels.short(["a_1", "a_2"]) == ["a_1", "a_2"]


def test_wild_runs_are_counted_over_the_histogram(ax):
    tame, wild = rows("d/original/graph", 1.0, 1.0, histogram=[1] * 61)
    wild["deviation_std_test"] = 200.0
    panels.draw_deviations(ax, [tame, wild])
    assert ax.get_title() == "0.000 ± 0.10, 1 wild"
    panels.draw_deviations(ax, [wild])
    assert ax.get_title() == "1 wild"
