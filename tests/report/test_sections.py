"""Prototypes are described, and the lines that reproduce a page run and give the same network."""

import csv
import os
import re
from types import SimpleNamespace

import numpy as np
import pytest

from relrbf import RBFNetworkClassifier, RBFNetworkRegressor, as_relation
from relrbf.network import RationalQuadratic
from relrbf.plotting.style import COLOURS
from relrbf.report.data import FittedData, validate_fit
from relrbf.report.held_out import CrossValidation
from relrbf.report.objects import map_section, neighbourhood_text, prototypes_table, weights_text
from relrbf.report.sections import reproduction_section
from relrbf.training import LBFGS, GradientDescent
from tests.report.made import made_classes, made_classifier, made_regressor

PLAN = CrossValidation(2, 1)


def run_lines(model, n_lines=None, loading="", **given):
    """Run the lines on the page; return the variables that they leave."""
    code = reproduction_section(model, "relrbf fit D y", loading, PLAN).code
    lines = code.splitlines()
    assert lines[0] == "$ relrbf fit D y"
    variables = dict(given)
    exec("\n".join(lines[1:n_lines]), variables)
    return variables


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"n_prototypes": 4, "solver": GradientDescent(update="published")},
        {"solver": LBFGS(), "kernel": RationalQuadratic(2.0)},
        {"class_weight": {f"kind <{k}>": 1.0 + k for k in range(3)}, "alpha": 1e-3},
        {"n_support": 0.5, "max_iter": 7, "space": "medoid", "exponent": 2, "init": "class"},
    ],
    ids=lambda options: "-".join(options) or "default",
)
def test_the_lines_run_and_make_the_same_network(options):
    D, y = made_classes(n=24)
    model = RBFNetworkClassifier(random_state=0, **options).fit(D, y)
    again = run_lines(model, -2, D=D, y=y)["model"]
    assert again is not model
    np.testing.assert_array_equal(again.predict_proba(D), model.predict_proba(D))


def test_the_report_itself_is_written_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    _, D, y = made_regressor(24)
    model = RBFNetworkRegressor(kernel=RationalQuadratic(1.5), random_state=0).fit(D, y)
    run_lines(model, D=D, y=y)
    assert os.listdir(tmp_path) == ["report.html"]


def test_lines_that_load_the_data_come_first_and_run():
    D, y = made_classes(n=24)
    model = RBFNetworkClassifier(random_state=0).fit(D, y)
    loading = "from tests.report.made import made_classes\n\nD, y = made_classes(n=24)\n"
    again = run_lines(model, -2, loading)["model"]
    np.testing.assert_array_equal(again.predict_proba(D), model.predict_proba(D))
    assert "# D, y: the dissimilarities" in reproduction_section(model, "", "", PLAN).code


def data_with(weights):
    n = len(weights)
    model = SimpleNamespace(weights_=np.array([weights]))
    names, classes = np.arange(n).astype(str), np.array(list("abcdef"))[:n]
    return FittedData(as_relation(1 - np.eye(n)), names, np.arange(n), classes, model)


def test_few_weights_are_in_the_order_of_the_classes():
    assert weights_text(data_with([0.1, -3, 2]), 0) == "a: +0.1, b: -3, c: +2"


def test_of_many_weights_the_largest_come_first():
    text = weights_text(data_with([0.1, -3, 2, 0.2, 0.3]), 0)
    assert text == "b: -3, c: +2, e: +0.3, d: +0.2, 1 more"


def test_a_prototype_is_described_by_the_classes_around_it():
    model, D, y = made_classifier(n=60)
    data = validate_fit(model, D, y)
    table = prototypes_table(data)
    assert table.header == ["prototype", "neighbourhood", "nearest objects", "influence"]
    for key, row in zip(table.keys, table.rows, strict=True):
        place = int(key[1:])
        near = np.argsort(data.distances_sq[place], kind="stable")[:10]
        names, counts = np.unique(y[near], return_counts=True)
        assert row[1] == f"{names[np.argmax(counts)]}, {counts.max()} of 10 nearest"
    influence = [float(row[3].removesuffix("%")) for row in table.rows]
    assert influence == sorted(influence, reverse=True)


def test_prototypes_of_numbers_are_described_by_targets():
    model, D, y = made_regressor(40)
    data = validate_fit(model, D, y)
    assert neighbourhood_text(data, 0).startswith("targets ")


def test_weights_and_bandwidths_of_all_prototypes_are_in_the_file():
    model, D, y = made_classifier(n=60)
    name, text = prototypes_table(validate_fit(model, D, y)).download
    header, *rows = csv.reader(text.splitlines())
    assert name == "prototypes.csv"
    assert header[4:] == ["bandwidth", *(f"weight of {k}" for k in model.classes_)]
    assert len(rows) == len(model.prototypes_)
    order = [int(row[0]) - 1 for row in rows]
    found = np.array([[float(cell) for cell in row[4:]] for row in rows])
    expected = np.column_stack([model.bandwidths_, model.weights_])[order]
    np.testing.assert_allclose(found, expected, rtol=5e-6)  # six digits


def test_a_prototype_of_one_class_is_called_by_it():
    D, y = made_classes(60)
    model = RBFNetworkClassifier(positive=True, random_state=0).fit(D, y)
    data = validate_fit(model, D, y)
    table = prototypes_table(data)
    assert table.header[1] == "class"
    for row in table.rows:
        weights = model.weights_[int(row[0]) - 1]
        assert row[1].startswith(f"{model.classes_[np.argmax(weights)]}, ")
    drawn = map_section(data, model.exponent_).drawings[0][0]
    colours = {COLOURS[k] for k in model.weights_.argmax(axis=1)}
    found = set(re.findall(r'class="mark prototype" fill="(#\w+)"', drawn))
    assert found == colours
