"""The spectrum shows what is negative, and with which exponent."""

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from numpy.testing import assert_allclose
from scipy.spatial.distance import squareform

from relrbf import RBFNetworkClassifier, as_relation, inspect_relation
from relrbf.exceptions import OptionError, RelationError
from relrbf.plotting import SpectrumDisplay, plot_spectrum
from relrbf.plotting.style import NEGATIVE, POSITIVE


def steps_of(ax):
    return {stairs.get_label(): stairs.get_data().values for stairs in ax.patches}


def test_the_negative_part_is_marked_and_its_share_told(ax, k23):
    assert plot_spectrum(k23, ax, exponent=2) is ax
    share = inspect_relation(k23).negative_eigenfraction[2]
    assert ax.get_title(loc="left") == f"Spectrum as distances: {100 * share:.1f} % negative"
    steps = steps_of(ax)
    assert_allclose(steps["negative"], [0, 0, 0, -1.6])
    assert steps["positive"][-1] == 0
    assert [to_hex(stairs.get_facecolor()).upper() for stairs in ax.patches] == [POSITIVE, NEGATIVE]
    assert ax.get_xlabel() == "4 eigenvalues other than zero, largest first"


def test_vectors_have_nothing_negative(ax, blobs):
    X, D, _ = blobs
    display = SpectrumDisplay.from_relation(D, ax=ax)
    assert ax.get_title(loc="left") == "Spectrum as distances: nothing negative"
    assert display.negative_fraction == 0
    centred = X - X.mean(axis=0)
    assert_allclose(steps_of(ax)["positive"], np.linalg.eigvalsh(centred.T @ centred)[::-1])
    assert ax.get_legend() is None


def test_rounding_in_float32_is_not_a_negative_part(ax, blobs):
    assert SpectrumDisplay.from_relation(blobs[1].astype(np.float32), ax=ax).negative_fraction == 0


def test_auto_finds_that_squares_are_squares(ax, blobs):
    assert SpectrumDisplay.from_relation(blobs[1] ** 2, ax=ax).exponent == 1
    assert "as squared distances" in ax.get_title(loc="left")


def test_what_a_relation_was_told_is_kept(ax, k23):
    relation = as_relation(k23).with_exponent(2)
    assert SpectrumDisplay.from_relation(relation, ax=ax).exponent == 2


def test_a_model_brings_its_own_exponent(ax, blobs):
    _, D, y = blobs
    model = RBFNetworkClassifier(6, exponent=1, random_state=0, max_iter=2).fit(D, y)
    assert SpectrumDisplay.from_estimator(model, D, ax=ax).exponent == 1


def test_condensed_vectors_are_dissimilarities(k23):
    condensed = SpectrumDisplay.from_relation(squareform(k23), ax=Figure().subplots())
    square = SpectrumDisplay.from_relation(k23, ax=Figure().subplots())
    assert_allclose(condensed.eigenvalues, square.eigenvalues)


def test_of_many_objects_a_sample_is_drawn_and_the_label_tells(ax, blobs):
    display = SpectrumDisplay.from_relation(blobs[1], max_objects=20, ax=ax)
    assert len(display.eigenvalues) == 20
    assert ax.get_xlabel().endswith("(20 of 60 objects)")
    again = SpectrumDisplay.from_relation(blobs[1], max_objects=20, ax=ax)
    assert_allclose(again.eigenvalues, display.eigenvalues)
    other = SpectrumDisplay.from_relation(blobs[1], max_objects=20, random_state=1, ax=ax)
    assert not np.allclose(other.eigenvalues, display.eigenvalues)


def test_equal_objects_have_an_empty_spectrum(ax):
    plot_spectrum(np.zeros((3, 3)), ax)
    assert ax.get_xlabel().startswith("0 eigenvalues")


def test_what_cannot_be_read_is_refused():
    with pytest.raises(OptionError, match="exponent is -3; it must be 2"):
        plot_spectrum(np.zeros((3, 3)), exponent=-3)
    with pytest.raises(OptionError, match="max_objects is 1"):
        plot_spectrum(np.zeros((3, 3)), max_objects=1)
    with pytest.raises(OptionError, match=r"eigenvalues has shape \(2, 2\)"):
        SpectrumDisplay(np.eye(2)).plot(Figure().subplots())
    with pytest.raises(RelationError, match="D "):
        plot_spectrum([[0, 1], [2, 0]])
