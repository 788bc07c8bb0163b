"""The reliability diagram shows shares, intervals and counts as they are."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from relrbf.exceptions import OptionError
from relrbf.plotting import plot_calibration

Y = list("aabbbb")
P = np.array([[0.9, 0.1], [0.3, 0.7], [0.25, 0.75], [0.2, 0.8], [0.05, 0.95], [0.05, 0.95]])


def test_points_are_mean_probability_and_share_of_the_predicted_class(ax):
    assert plot_calibration(Y, P, ax=ax, n_bins=4) is ax
    (points,) = ax.containers[1:]
    # from 0.5 to 0.75 there are two objects, one wrongly taken for b; above, four, all right
    assert_allclose(
        points.lines[0].get_xydata(), [[0.725, 0.5], [np.mean(P.max(1)[[0, 3, 4, 5]]), 1]]
    )
    assert [text.get_text() for text in ax.texts] == ["2", "4"]
    assert ax.get_title(loc="left").startswith(
        "Calibration of predicted classes, expected error 0."
    )


def test_one_class_against_all_others(ax):
    plot_calibration(Y, P, ax=ax, positive="b", n_bins=2)
    (points,) = ax.containers[1:]
    assert_allclose(points.lines[0].get_xydata(), [[0.1, 0], [np.mean(P[1:, 1]), 4 / 5]])
    assert ax.get_title(loc="left").startswith("Calibration of b")


def test_intervals_are_wilsons(ax):
    plot_calibration(["a"] * 5 + ["b"] * 5, np.full(10, 0.5), ax=ax, positive="b", n_bins=1)
    (points,) = ax.containers[1:]
    (bars,) = points.lines[2]
    # Wilson (1927), 5 of 10
    assert_allclose(bars.get_segments()[0][:, 1], [0.2366, 0.7634], atol=1e-4)


def test_bars_below_the_diagram_are_as_high_as_there_are_objects(ax):
    plot_calibration(Y, P, ax=ax, n_bins=4)
    heights = [bar.get_height() for bar in ax.containers[0]]
    assert heights[1] == pytest.approx(2 * heights[0])
    assert all(bar.get_y() + bar.get_height() < 0 for bar in ax.containers[0])
    assert ax.get_yticks().min() == 0


def test_the_title_tells_the_expected_calibration_error(ax):
    plot_calibration(["a", "b", "b"], [0.3, 0.3, 1.0], ax=ax, positive="b", n_bins=5)
    assert ax.get_title(loc="left").endswith(f"expected error {(2 * 0.2 + 0) / 3:.2f}")
    assert [text.get_text() for text in ax.texts] == ["2", "1"]
    assert_allclose([bar.get_x() for bar in ax.containers[0]], [0.2, 0.8])


def test_two_classes_may_come_as_one_column(ax):
    plot_calibration(Y, P[:, 1], ax=ax)
    plot_calibration(Y, P, ax=ax)
    one, both = (points.lines[0].get_xydata() for points in ax.containers[1::2])
    assert_allclose(one, both)


def test_the_probabilities_of_a_model_are_drawn_in_the_order_of_its_classes(ax, classifier, named):
    D, y = named
    p = classifier.predict_proba(D)
    plot_calibration(y, p, classifier.classes_, ax, n_bins=1)
    shown = ax.containers[1].lines[0].get_xydata()
    assert_allclose(shown, [[p.max(axis=1).mean(), (classifier.predict(D) == y).mean()]])


@pytest.mark.parametrize(
    ("probabilities", "message"),
    [
        (np.where(P > 0.9, np.nan, P), r"for 2 of 6 objects, first for object 4: \[0.05, nan\]"),
        (P[:, :1], r"shape \(6, 1\) for 6 objects and 2 classes"),
        (P[:4], r"shape \(4, 2\) for 6 objects"),
        (2 * P - 1, "Pass predict_proba, not decision_function"),
        (P / 2, "with the sum 1, for 6 of 6 objects"),
    ],
)
def test_bad_probabilities_are_refused_by_name(probabilities, message):
    with pytest.raises(OptionError, match=f"^probabilities .*{message}"):
        plot_calibration(Y, probabilities)


def test_labels_and_classes_must_fit():
    with pytest.raises(OptionError, match=r"y_true holds \['b'\], which classes does not name"):
        plot_calibration(Y, P, ["a", "c"])
    with pytest.raises(OptionError, match="positive is 'c', which is none of"):
        plot_calibration(Y, P, positive="c")
    with pytest.raises(OptionError, match="n_bins is 0"):
        plot_calibration(Y, P, n_bins=0)
