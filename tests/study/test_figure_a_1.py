"""Figure A.1: graph and vector networks that are the same."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from study import evidence as averages
from study.claims.accuracy import ACCURACIES
from study.figures import results as module
from study.figures.results import figure_a_1, responses_of_both
from study.measure import input_of
from study.models import graph
from tests.study.looks import assert_is_fit_to_print, panels_of, words_of


@pytest.fixture(scope="module")
def figure(rows, design):
    return figure_a_1(rows, design)


def test_it_can_be_printed(figure):
    assert_is_fit_to_print(figure)


def test_a_missing_set_leaves_its_row_out(figure):
    assert len(panels_of(figure)) == 2
    words = words_of(figure)
    assert {"(a)", "BC-569", "(c)", "HD-303"} <= set(words)
    assert not {"(b)", "USC-435"} & set(words)


def test_without_rows_there_is_no_figure(rows, design):
    assert figure_a_1([], design) is None
    assert figure_a_1([row for row in rows if row["model"] == "medoid"], design) is None
    assert figure_a_1([{**row, "status": "failed"} for row in rows], design) is None


def test_failed_rows_are_left_out_and_counted(rows, design):
    broken = {"status": "failed", "histogram": None, "duality_gap": None}
    cut = [row | broken if row["repetition"] == 0 else row for row in rows]
    words = words_of(figure_a_1(cut, design))
    assert any("1 repetition (2 failed runs left out)" in said for said in words)


def test_principal_components_keep_the_distances_of_a_plane(figure, design):
    X = input_of(next(design.cells())).related.realisation
    Z = X - X.mean(axis=0)
    scale = np.linalg.svd(Z, compute_uv=False)[:2]
    drawn = np.vstack([line.get_xydata() for line in panels_of(figure)[0][2].lines])
    assert_allclose(np.linalg.svd(drawn, compute_uv=False), scale)


def test_responses_of_both_are_those_of_the_study(rows, design):
    cell = averages.cell_of(rows[0], design)
    relational, vector = responses_of_both(cell)
    found = graph(input_of(cell))
    assert_allclose(relational, found[0].responses)
    assert_allclose(vector, found[1].responses)
    assert np.abs(relational - vector).max() == rows[0]["duality_gap"]


def test_both_networks_are_trained_once(rows, design, monkeypatch):
    cell = averages.cell_of(rows[0], design)
    first = responses_of_both(cell)
    monkeypatch.setattr(module, "graph", lambda inputs: pytest.fail("trained again"))
    assert responses_of_both(cell) is first


def test_the_inset_is_of_the_first_repetition_whatever_came_first(rows, design):
    ax = panels_of(figure_a_1(rows[::-1], design))[0][3]
    (inset,) = ax.child_axes
    relational, vector = responses_of_both(averages.cell_of(rows[0], design))
    drawn = inset.lines[1].get_xydata()
    assert_allclose(drawn, np.column_stack([vector.ravel(), relational.ravel()]))


def test_the_inset_has_every_response_and_the_worst_gap_of_all_repetitions(figure, rows):
    ax = panels_of(figure)[0][3]
    (inset,) = ax.child_axes
    assert len(inset.lines[1].get_xdata()) == 120
    kept = averages.kept(rows, "BC-569", "original", "graph")
    worst = max(row["duality_gap"] for row in kept)
    assert ax.get_title().endswith(f"worst {worst:.0e}")


def test_the_papers_accuracy_is_beside_ours(figure, rows):
    axes = panels_of(figure)
    for line, name in zip(axes, ("BC-569", "HD-303"), strict=True):
        kept = averages.kept(rows, name, "original", "graph")
        parts = ("train", "test", "validation")
        for ax, part, printed in zip(line[4:], parts, ACCURACIES[name], strict=True):
            mean, _ = averages.mean_accuracy(kept, part)
            assert ax.get_title().startswith(f"{mean:.1f} ±")
            assert ax.get_title().endswith("paper {:.2f} ± {:.2f}".format(*printed))


def test_rows_of_another_design_are_refused(rows, design):
    with pytest.raises(ValueError, match="pass the design that gave the rows"):
        figure_a_1(rows, replace(design, seed=1))
