"""Every picture draws into the axes it is given, and shows the data."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import NotFittedError

from relrbf import RBFNetworkClassifier
from relrbf.exceptions import OptionError
from relrbf.plotting import plot_embedding, plot_equivalence, plot_history, plot_matrix
from relrbf.training import History


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


def test_growth_is_counted_on_the_right(ax):
    history = History([4.0, 2.0, 3.0, 1.0], [], [1, 1, 2, 2], [], [(1, 7)], 1)
    plot_history(history, ax)
    (right,) = [other for other in ax.figure.axes if other is not ax]
    assert right.get_ylabel() == "prototypes"
    assert right.get_ylim() == (0, 1.6 * 2)  # from nothing, and below the legend
    assert right.lines[0].get_ydata().tolist() == [1, 1, 2, 2]
    assert [line.get_label() for line in ax.lines] == ["training", "prototype added"]


def test_a_number_of_prototypes_that_stays_needs_no_axis(ax, blobs):
    _, D, y = blobs
    model = RBFNetworkClassifier(random_state=0, max_iter=5).fit(D, y)
    assert plot_history(model, ax) is ax
    assert_allclose(ax.lines[0].get_ydata(), model.history_.objective)
    assert ax.figure.axes == [ax]
    assert ax.get_legend() is None


def test_a_validation_error_of_zero_is_drawn(ax):
    plot_history(History([1.0, 0.5], [0.5, 0.0], [1, 1], [], [], 1), ax)
    assert ax.get_yscale() == "linear"


@pytest.mark.parametrize(
    ("history", "message"),
    [([1, 2], "history is a list; pass a fitted network"), (History(), "history has no epochs")],
)
def test_what_is_no_history_is_refused(history, message):
    with pytest.raises(OptionError, match=message):
        plot_history(history)


def test_a_network_that_was_never_trained_has_no_history():
    with pytest.raises(NotFittedError):
        plot_history(RBFNetworkClassifier())


def test_the_matrix_is_ordered_by_class(ax, blobs, rng):
    _, D, y = blobs
    order = rng.permutation(60)
    assert plot_matrix(D[np.ix_(order, order)], y[order], ax) is ax
    shown = ax.images[0].get_array()
    assert shown[:20, :20].mean() < shown[:20, 20:].mean()
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["0", "1", "2"]


def test_equivalent_networks_show_their_largest_difference(ax):
    plot_equivalence(np.array([1.0, 2.0]), np.array([1.0, 2.5]), ax)
    assert "5.0e-01" in ax.texts[0].get_text()


def test_two_networks_are_compared_on_the_same_objects():
    with pytest.raises(OptionError, match=r"relational has shape \(2,\) and vector \(3,\)"):
        plot_equivalence(np.zeros(2), np.zeros(3))


def test_without_axes_new_ones_are_made(blobs):
    from matplotlib import pyplot as plt

    ax = plot_equivalence(np.zeros(2), np.ones(2))
    assert ax.get_xlabel() == "vector network"
    plt.close(ax.figure)
