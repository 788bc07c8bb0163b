"""The picture of cluster tendency shows the image, its cells and its classes as they are."""

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from numpy.testing import assert_allclose, assert_array_equal

from relrbf.exceptions import OptionError
from relrbf.plotting import plot_tendency
from relrbf.plotting.relations import MAX_CELLS, block_means
from relrbf.plotting.style import COLOURS
from relrbf.tendency import TendencyImage, ivat, vat


def lanes_of(ax):
    (lanes,) = ax.child_axes
    return lanes.images[0].get_array()


@pytest.mark.parametrize("assess", [vat, ivat])
def test_the_image_is_drawn_as_it_is_dark_for_alike(assess, ax, blobs):
    result = assess(blobs[1])
    assert plot_tendency(result, ax=ax) is ax
    (drawn,) = ax.images
    assert_array_equal(drawn.get_array(), result.image)
    assert drawn.get_clim() == (0, result.image.max())
    assert drawn.cmap(0.0)[:3] == (0, 0, 0)
    assert drawn.cmap(1.0)[:3] == (1, 1, 1)
    assert ax.get_legend() is None
    assert not ax.child_axes


def test_every_object_is_in_the_lane_and_colour_of_its_class(ax, blobs, rng):
    _, D, y = blobs
    mixed = rng.permutation(60)
    names = np.array(["ash", "birch", "cedar"])[y[mixed]]
    result = vat(D[np.ix_(mixed, mixed)])
    plot_tendency(result, names, ax)
    lanes = lanes_of(ax)
    assert lanes.shape == (60, 3, 3)
    assert ax.child_axes[0].images[0].get_interpolation() == "nearest"
    assert len(ax.get_yticks()) == 0
    for place, name in enumerate(names[result.order]):
        for k, own in enumerate(["ash", "birch", "cedar"]):
            assert_allclose(lanes[place, k], to_rgb(COLOURS[k]) if name == own else (1, 1, 1))


def test_the_legend_names_the_lanes_from_left_to_right(ax, blobs):
    plot_tendency(vat(blobs[1]), blobs[2], ax)
    legend = ax.get_legend()
    assert legend.get_title().get_text() == "left to right"
    assert [text.get_text() for text in legend.get_texts()] == ["0", "1", "2"]
    assert [patch.get_facecolor()[:3] for patch in legend.get_patches()] == [
        to_rgb(colour) for colour in COLOURS[:3]
    ]


def test_more_classes_than_colours_keep_lanes_of_their_own(ax, blobs):
    plot_tendency(vat(blobs[1]), np.arange(60) % 20, ax)
    assert lanes_of(ax).shape == (60, 20, 3)
    texts = ax.get_legend().get_texts()
    assert len(texts) == 20
    ax.figure.draw_without_rendering()
    assert len({text.get_window_extent().x0 for text in texts}) == 2  # columns
    (lanes,) = ax.child_axes
    assert lanes.get_window_extent().width == pytest.approx(0.3 * ax.get_window_extent().width)


def test_nothing_is_drawn_outside_the_figure(blobs):
    from matplotlib import pyplot as plt

    names = np.array(["a rather long name", "another one", "third"])[blobs[2]]
    ax = plot_tendency(vat(blobs[1]), names)
    ax.figure.draw_without_rendering()
    frame, used = ax.figure.bbox, ax.get_tightbbox()
    assert used.x0 >= 0
    assert used.x1 <= frame.x1
    assert used.y0 >= 0
    assert used.y1 <= frame.y1
    plt.close(ax.figure)


def test_a_sample_says_how_many_it_shows_and_takes_the_labels_of_all(ax, blobs):
    _, D, y = blobs
    result = ivat(D, n_sample=30, random_state=0)
    plot_tendency(result, y, ax)
    assert ax.get_xlabel() == "30 of 60 objects in display order"
    assert_array_equal((lanes_of(ax) < 1).any(axis=2).argmax(axis=1), y[result.order])
    plot_tendency(ivat(D), y, ax)
    assert ax.get_xlabel() == "60 objects in display order"


@pytest.mark.parametrize("n", [7, 8, 9])
def test_cells_hold_the_means_of_their_entries(n, rng):
    image = rng.random((n, n)).astype(np.float32)
    starts = np.arange(0, n, 2)
    cells = [[image[i : i + 2, j : j + 2].mean() for j in starts] for i in starts]
    assert_allclose(block_means(image, starts), cells, rtol=1e-6)


def test_a_large_image_is_drawn_small_and_its_lanes_as_shares(ax):
    n = 2 * MAX_CELLS + 1
    everything = np.arange(n)
    image = np.zeros((n, n), dtype=np.float32)
    image[:, -1] = 1
    result = TendencyImage(everything, image, np.zeros(n), everything, None)
    plot_tendency(result, everything % 3 == 0, ax)
    drawn = ax.images[0].get_array()
    assert drawn.shape == (667, 667)
    assert ax.images[0].get_extent() == [0, n, n, 0]
    assert_array_equal(drawn[:, -1], 1 / 3)
    assert drawn[:, :-1].max() == 0
    assert len(ax.get_xticks()) <= 6
    lanes = lanes_of(ax)
    assert_allclose(lanes[:, 0], np.tile(1 - 2 / 3 * (1 - np.array(to_rgb(COLOURS[0]))), (667, 1)))
    assert_allclose(lanes[:, 1], np.tile(1 - 1 / 3 * (1 - np.array(to_rgb(COLOURS[1]))), (667, 1)))


@pytest.mark.parametrize("labels", [[0, 1], np.zeros((60, 1)), 3])
def test_labels_that_do_not_fit_the_objects_are_refused(labels, ax, blobs):
    with pytest.raises(OptionError, match=r"labels has shape .* for 60 objects; give one"):
        plot_tendency(vat(blobs[1]), labels, ax)


def test_a_matrix_is_no_image():
    with pytest.raises(ValueError, match="result is a ndarray; pass what"):
        plot_tendency(np.zeros((3, 3)))
