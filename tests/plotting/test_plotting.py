"""Every picture draws into the axes it is given, and shows the data."""

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure
from numpy.testing import assert_allclose

from relrbf import RBFNetworkClassifier
from relrbf.plotting import plot_embedding, plot_history, plot_matrix, plot_twins
from relrbf.training import History

mpl.use("Agg")


@pytest.fixture
def ax():
    return Figure().subplots()


def test_the_embedding_has_a_mark_for_every_object_and_prototype(ax, blobs):
    X, D, y = blobs
    model = RBFNetworkClassifier(6, random_state=0, max_iter=3).fit(D, y)
    assert plot_embedding(X[:, :2], y, model.prototypes_.coefficients, ax) is ax
    drawn = [len(line.get_xdata()) for line in ax.lines]
    assert drawn == [20, 20, 20, 6, 6]
    assert_allclose(ax.lines[3].get_xdata(), model.prototypes_.coefficients @ X[:, 0])


def test_the_history_is_the_objective(ax, blobs):
    _, D, y = blobs
    model = RBFNetworkClassifier(random_state=0, max_iter=5).fit(D, y)
    assert plot_history(model.history_, ax) is ax
    assert_allclose(ax.lines[0].get_ydata(), model.history_.objective)


def test_the_history_shows_validation_growth_and_the_state_kept(ax):
    history = History([4.0, 2.0, 3.0, 1.0], [5.0, 3.0, 4.0, 6.0], [1, 1, 2, 2], [], [(2, 7)], 1)
    plot_history(history, ax)
    drawn = {line.get_label(): line.get_xydata().tolist() for line in ax.lines}
    assert drawn["validation"] == [[0, 5], [1, 3], [2, 4], [3, 6]]
    assert drawn["prototype added"] == [[2, 3]]
    assert drawn["state kept"] == [[1, 3]]


def test_the_matrix_is_ordered_by_class(ax, blobs, rng):
    _, D, y = blobs
    order = rng.permutation(60)
    assert plot_matrix(D[np.ix_(order, order)], y[order], ax) is ax
    shown = ax.images[0].get_array()
    assert shown[:20, :20].mean() < shown[:20, 20:].mean()
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["0", "1", "2"]


def test_twins_show_how_far_apart_they_are(ax):
    plot_twins(np.array([1.0, 2.0]), np.array([1.0, 2.5]), ax)
    assert "5.0e-01" in ax.texts[0].get_text()


def test_without_axes_new_ones_are_made(blobs):
    from matplotlib import pyplot as plt

    ax = plot_twins(np.zeros(2), np.ones(2))
    assert ax.get_xlabel() == "vector network"
    plt.close(ax.figure)
