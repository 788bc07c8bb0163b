"""Figure 3.2: PC-102, whose relation scaling leaves as it is."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from study.data import PAPER
from study.figures.results import figure_3_2, in_units_of_the_original
from tests.study.looks import assert_is_fit_to_print, panels_of, words_of


def test_it_can_be_printed_and_says_what_it_is_of(rows, design):
    figure = figure_3_2(rows, design)
    assert_is_fit_to_print(figure)
    assert any(said.startswith("PC-102, ") for said in words_of(figure))


def test_a_euclidean_relation_looks_the_same_after_scaling(rows, design):
    first, *others = panels_of(figure_3_2(rows, design))
    for line in others:
        for ax, original in zip(line[:2], first[:2], strict=True):
            assert_allclose(ax.images[0].get_array(), original.images[0].get_array(), atol=1e-6)


def test_without_rows_there_is_no_figure(design):
    assert figure_3_2([], design) is None


@pytest.mark.parametrize("variant", ["classical", "proximal"])
def test_scaling_leaves_the_relation_of_pc102_as_it_is(shared_data, variant):
    (data,) = [data for data in PAPER if data.name == "PC-102"]
    original = in_units_of_the_original(data, "original")
    assert np.abs(in_units_of_the_original(data, variant) - original).max() < 1e-12
