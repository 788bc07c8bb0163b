"""Displays hold what is drawn, and keep to scikit-learn's convention."""

import subprocess
import sys

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.testing import assert_allclose, assert_array_equal

from relrbf.exceptions import OptionError
from relrbf.plotting import (
    DeviationsDisplay,
    EmbeddingDisplay,
    SpectrumDisplay,
    plot_confusion,
)

OF_CLASSIFIERS = (
    DeviationsDisplay,
    EmbeddingDisplay,
    SpectrumDisplay,
)


def of_everything(classifier, regressor, named, values):
    """Make each display in axes of its own."""
    D, y = named
    made = [cls.from_estimator(classifier, D, y, ax=Figure().subplots()) for cls in OF_CLASSIFIERS]
    for cls in (DeviationsDisplay, EmbeddingDisplay):
        made.append(cls.from_estimator(regressor, D, values, ax=Figure().subplots()))
    return made


def drawn_in(ax):
    lines = [line.get_xydata().tolist() for line in ax.lines]
    return [text.get_text() for text in ax.texts], lines, len(ax.patches), len(ax.images)


def test_every_display_remembers_its_axes_and_draws_the_same_again(
    classifier, regressor, named, blobs
):
    for display in of_everything(classifier, regressor, named, blobs[0][:, 0]):
        assert isinstance(display.ax_, Axes)
        first = display.ax_
        assert display.figure_ is first.figure
        other = Figure().subplots()
        assert display.plot(other) is display
        assert display.ax_ is other
        assert drawn_in(other) == drawn_in(first)


def test_no_picture_changes_matplotlib_or_opens_a_window(classifier, regressor, named, blobs):
    from matplotlib import pyplot as plt

    settings, open_before = dict(mpl.rcParams), plt.get_fignums()
    for display in of_everything(classifier, regressor, named, blobs[0][:, 0]):
        display.figure_.draw_without_rendering()
    assert dict(mpl.rcParams) == settings
    assert plt.get_fignums() == open_before


def test_importing_loads_no_matplotlib_and_axes_that_are_given_no_pyplot():
    code = """
import sys
from relrbf.plotting import plot_matrix, plot_spectrum
print("matplotlib" in sys.modules)
from matplotlib.figure import Figure
D = [[0, 1, 2], [1, 0, 1], [2, 1, 0]]
plot_spectrum(D, Figure().subplots())
plot_matrix(D, ["a", "a", "b"], Figure().subplots())
print("matplotlib.pyplot" in sys.modules)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["False", "False"]


def test_without_matplotlib_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.axes", None)
    with pytest.raises(ImportError, match=r"pip install 'relrbf\[plot\]'"):
        plot_confusion(np.eye(2))


def test_a_figure_is_not_axes():
    with pytest.raises(OptionError, match="ax is a Figure; pass one matplotlib Axes"):
        plot_confusion(np.eye(2), ax=Figure())


def test_deviations_of_a_classifier_are_those_of_its_probabilities(ax, classifier, named):
    D, y = named
    display = DeviationsDisplay.from_estimator(classifier, D, y, n_bins=4, ax=ax)
    deviations = classifier.predict_proba(D) - (y[:, None] == classifier.classes_)
    farthest = np.abs(deviations).max()
    assert_allclose(display.edges, np.linspace(-farthest, farthest, 5))
    assert display.counts.sum() == 180
    assert display.counts[:2].sum() == (deviations < 0).sum()


def test_deviations_of_a_regressor_are_predicted_less_true(ax, regressor, blobs):
    X, D, _ = blobs
    display = DeviationsDisplay.from_estimator(regressor, D, X[:, 0], ax=ax)
    assert_array_equal(
        display.counts, np.histogram(regressor.predict(D) - X[:, 0], display.edges)[0]
    )
    assert len(display.counts) == 31


def test_no_deviation_at_all_has_a_bin(ax):
    assert DeviationsDisplay.from_predictions([1, 2], [1, 2], n_bins=3, ax=ax).counts[1] == 2


def test_deviations_need_bins():
    with pytest.raises(OptionError, match="n_bins is 0"):
        DeviationsDisplay.from_predictions([1], [1], n_bins=0)


def test_what_is_no_model_is_refused():
    with pytest.raises(OptionError, match="estimator is a list; pass a fitted classifier"):
        DeviationsDisplay.from_estimator([], [[0]], [0])
