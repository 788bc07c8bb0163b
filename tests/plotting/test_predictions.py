"""Predicted values are drawn against true ones."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from relrbf.exceptions import OptionError
from relrbf.plotting import plot_predictions


def test_true_values_are_drawn_against_predicted_ones(ax, regressor, blobs):
    X, D, _ = blobs
    predicted = regressor.predict(D)
    assert plot_predictions(X[:, 0], predicted, ax) is ax
    drawn = ax.collections[0].get_offsets()
    assert_allclose(drawn, np.column_stack([predicted, X[:, 0]]))
    diagonal = ax.lines[0].get_xydata()
    assert_allclose(diagonal[:, 0], diagonal[:, 1])
    assert ax.get_legend() is None


def test_residuals_are_true_less_predicted(ax):
    plot_predictions([1.0, 2.0], [1.5, 1.0], ax, kind="residual_vs_predicted")
    assert ax.collections[0].get_offsets().tolist() == [[1.5, -0.5], [1.0, 1.0]]
    assert list(ax.lines[0].get_ydata()) == [0, 0]


def test_outputs_have_marks_of_their_own(ax):
    plot_predictions(np.zeros((4, 2)), np.ones((4, 2)), ax)
    first, second = ax.collections
    assert first.get_facecolor().tolist() != second.get_facecolor().tolist()
    assert len(first.get_paths()[0].vertices) != len(second.get_paths()[0].vertices)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["output 0", "output 1"]


def test_many_objects_are_drawn_as_pixels(ax):
    plot_predictions(np.zeros(2001), np.zeros(2001), ax)
    assert ax.collections[0].get_rasterized()


@pytest.mark.parametrize(
    ("y_true", "y_pred", "message"),
    [
        ([1, 2], [1], r"y_true has shape \(2,\) and y_pred \(1,\)"),
        ([1, np.nan], [1, 2], "y_true holds NaN"),
        ([1, 2], [1, np.inf], "y_pred holds NaN or infinite"),
        (["a"], [1], "y_true holds values that are not numbers"),
    ],
)
def test_values_that_cannot_be_drawn_are_refused(y_true, y_pred, message):
    with pytest.raises(OptionError, match=message):
        plot_predictions(y_true, y_pred)


def test_an_unknown_kind_is_refused():
    with pytest.raises(OptionError, match="kind='both' does not exist"):
        plot_predictions([1], [1], kind="both")
