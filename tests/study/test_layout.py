"""Panels lie in rows, and share the labels of their axes."""

import pytest
from matplotlib.figure import Figure
from numpy.testing import assert_allclose

from study.figures import panels as layout


def test_panels_are_squares_of_one_size():
    figure, axes = layout.grid(2, (0.5, 0.1, 0.3), 0.2)
    sizes = figure.get_size_inches()
    for line in axes:
        for ax in line:
            assert_allclose(ax.get_position().size * sizes, layout.PANEL_SIDE)
    assert axes[0][0].get_position().y0 > axes[1][0].get_position().y1


@pytest.mark.parametrize(("x", "y"), [(True, False), (False, True)])
def test_only_the_axis_that_a_neighbour_labels_loses_its_labels(x, y):
    ax = Figure().subplots()
    ax.set(xlabel="across", ylabel="up")
    layout.unlabel([ax], x=x, y=y)
    assert (ax.get_xlabel() == "", ax.get_ylabel() == "") == (x, y)
    shown = ax.xaxis.get_tick_params()["labelbottom"], ax.yaxis.get_tick_params()["labelleft"]
    assert shown == (not x, not y)


@pytest.mark.parametrize(("names", "angle"), [("ab", 0), ("abc", 30)])
def test_names_are_turned_if_there_are_more_than_two(names, angle):
    ax = Figure().subplots()
    ax.set_xticks(range(len(names)), list(names))
    layout.tilt_names(ax)
    assert {name.get_rotation() for name in ax.get_xticklabels()} == {angle}
