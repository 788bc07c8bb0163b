"""Figure 3.1: three relations of HG-194, and how networks do on them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from relrbf.tendency import ivat, vat
from study import evidence as averages
from study.data import PAPER, loaded
from study.figures.results import figure_3_1, in_units_of_the_original
from tests.study.looks import assert_is_fit_to_print, panels_of, words_of


def of(rows, **wanted):
    return [row for row in rows if all(row[name] == value for name, value in wanted.items())]


def test_it_can_be_printed(rows, design):
    assert_is_fit_to_print(figure_3_1(rows, design=design))


def test_rows_are_relations_and_columns_are_the_papers(rows, design):
    figure = figure_3_1(rows, design=design)
    assert len(panels_of(figure)) == 3
    words = words_of(figure)
    for word in ("(a)", "(b)", "(c)", "original", "CMDS", "PMDS", "VAT", "iVAT"):
        assert words.count(word) == 1


def test_images_are_those_of_each_relation(rows, design):
    axes = panels_of(figure_3_1(rows, design=design))
    data = design.data[2]
    for line, variant in zip(axes, ("original", "classical", "proximal"), strict=True):
        D = in_units_of_the_original(data, variant)
        assert_allclose(line[0].images[0].get_array(), vat(D).image)
        assert_allclose(line[1].images[0].get_array(), ivat(D).image)


def test_histograms_are_of_medoids_and_then_of_relational_prototypes(rows, design):
    axes = panels_of(figure_3_1(rows, design=design))
    for ax, model in zip(axes[1][2:4], ("medoid", "graph"), strict=True):
        counts = averages.all_deviations(averages.kept(rows, "HG-194", "classical", model))
        assert_allclose(ax.patches[0].get_data().values, 100 * counts / counts.sum())
        assert ax.get_ylim()[1] > ax.patches[0].get_data().values.max()
    assert axes[1][2].get_ylim() == axes[1][3].get_ylim()


def test_confusion_is_of_training_test_and_validation(rows, design):
    axes = panels_of(figure_3_1(rows, design=design))
    for ax, part in zip(axes[2][4:], ("train", "test", "validation"), strict=True):
        graph = averages.kept(rows, "HG-194", "proximal", "graph")
        counts = averages.mean_confusion(graph, part)
        shares = 100 * counts / counts.sum(axis=1, keepdims=True)
        assert_allclose(ax.images[0].get_array(), shares)
        assert [name.get_text() for name in ax.get_xticklabels()] == ["no", "yes"]
        assert ax.get_title() == "{:.1f} ± {:.1f} %".format(*averages.mean_accuracy(graph, part))


def test_the_footer_counts_repetitions(rows, design):
    assert any("2 repetitions" in words for words in words_of(figure_3_1(rows, design=design)))


def test_whole_genes_are_drawn_on_request(rows, design):
    figure = figure_3_1(rows, "HG-194-genes", design)
    assert any("split by whole genes" in words for words in words_of(figure))
    with pytest.raises(ValueError, match="data"):
        figure_3_1(rows, "PC-102", design)


def test_without_rows_there_is_no_figure(rows, design):
    assert figure_3_1([], design=design) is None
    assert figure_3_1(of(rows, data="PC-102"), design=design) is None
    failed = [{**row, "status": "failed"} for row in rows]
    assert figure_3_1(failed, design=design) is None


def test_failed_rows_are_left_out_and_counted(rows, design):
    broken = {"status": "failed", "histogram": None, "confusion_test": None}
    cut = [row | broken if row["repetition"] == 1 else row for row in rows]
    words = words_of(figure_3_1(cut, design=design))
    assert any("1 repetition (6 failed runs left out)" in said for said in words)


def test_a_missing_model_leaves_its_panels_blank(rows, design):
    figure = figure_3_1(of(rows, model="graph"), design=design)
    for line in panels_of(figure):
        assert [ax.axison for ax in line] == [True, True, False, True, True, True, True]
        assert line[3].get_ylabel() == "responses, %"
    assert words_of(figure).count("not run") == 3


def test_a_missing_relation_leaves_names_below_the_last_panels(rows, design):
    axes = panels_of(figure_3_1(of(rows, variant="original"), design=design))
    assert not any(ax.axison for ax in axes[1][2:])
    assert axes[0][4].get_xlabel() == "predicted"
    full = panels_of(figure_3_1(rows, design=design))
    assert [line[4].get_xlabel() for line in full] == ["", "", "predicted"]


def test_hg194_holds_thirty_different_rows(shared_data):
    (data,) = [data for data in PAPER if data.name == "HG-194"]
    assert len(np.unique(loaded(data).D, axis=0)) == 30
