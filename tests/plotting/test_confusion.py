"""The confusion matrix shows shares of the true classes."""

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from numpy.testing import assert_allclose

from relrbf.exceptions import OptionError
from relrbf.plotting import plot_confusion


def texts_of(ax):
    return [text.get_text() for text in ax.texts]


def test_rows_are_true_classes_and_add_up_to_a_hundred(ax):
    assert plot_confusion([[3, 1], [2, 8]], ax=ax) is ax
    assert_allclose(ax.images[0].get_array(), [[75, 25], [20, 80]])
    assert texts_of(ax) == ["75.0", "25.0", "20.0", "80.0"]
    assert [text.get_position() for text in ax.texts] == [(0, 0), (1, 0), (0, 1), (1, 1)]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("predicted", "true")


def test_none_and_all_are_told_from_nearly_none_and_nearly_all(ax):
    plot_confusion([[100, 0], [0.02, 99.98]], ax=ax)
    assert texts_of(ax) == ["100", "0", "0.0", "100.0"]


def test_rounding_does_not_make_all_nearly_all(ax):
    means = np.mean([[7.0, 0.0], [9.0, 0.0], [7.0, 0.0]], axis=0)
    plot_confusion([means, [0.1 + 0.2, 0]], ax=ax)
    assert texts_of(ax) == ["100", "0", "100", "0"]


def test_a_class_without_objects_has_an_empty_row(ax):
    plot_confusion([[4, 0], [0, 0]], ax=ax)
    assert texts_of(ax) == ["100", "0", "", ""]


def test_numbers_stand_out_from_their_cells(ax):
    shares = np.arange(0.0, 101.0, 5.0)
    counts = np.zeros((len(shares), len(shares)))
    counts[:, 0], counts[:, 1] = shares, 100 - shares
    plot_confusion(counts, ax=ax)
    (image,) = ax.images
    for text in ax.texts:
        j, i = text.get_position()
        cell = np.mean(image.to_rgba(image.get_array())[i, j, :3])
        assert abs(np.mean(to_rgb(text.get_color())) - cell) > 0.4


def test_classes_are_named_on_both_axes(ax):
    plot_confusion(np.eye(2), ["cat", "dog"], ax)
    for ticks in (ax.get_xticklabels(), ax.get_yticklabels()):
        assert [tick.get_text() for tick in ticks] == ["cat", "dog"]


@pytest.mark.parametrize("counts", [[1, 2], [[1, 2, 3], [4, 5, 6]], np.empty((0, 0))])
def test_counts_must_be_square(ax, counts):
    with pytest.raises(OptionError, match="counts has shape"):
        plot_confusion(counts, ax=ax)


@pytest.mark.parametrize("bad", [-1, np.nan])
def test_counts_must_be_numbers_of_objects(ax, bad):
    with pytest.raises(OptionError, match="counts holds negative or missing"):
        plot_confusion([[1, bad], [0, 1]], ax=ax)


def test_every_class_needs_a_name(ax):
    with pytest.raises(OptionError, match="classes holds 1 names for 2 classes"):
        plot_confusion(np.eye(2), ["cat"], ax)
