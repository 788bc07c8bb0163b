"""Prototypes are told of in words that can be compared from row to row."""

from types import SimpleNamespace

import numpy as np

from relrbf import as_relation
from relrbf.report.case import Case, case_of_fit
from relrbf.report.prototypes import prototypes_section, weight_words
from tests.report.made import made_classifier


def case_with(weights):
    n = len(weights)
    model = SimpleNamespace(weights_=np.array([weights]))
    names = np.arange(n).astype(str)
    return Case(
        as_relation(1 - np.eye(n)), names, np.arange(n), np.array(list("abcdef"))[:n], model
    )


def test_few_weights_are_in_the_order_of_the_classes():
    assert weight_words(case_with([0.1, -3, 2]), 0) == "a: +0.1, b: -3, c: +2"


def test_of_many_weights_the_largest_come_first():
    words = weight_words(case_with([0.1, -3, 2, 0.2, 0.3]), 0)
    assert words == "b: -3, c: +2, e: +0.3, d: +0.2, 1 more"


def test_the_header_says_which_weights_are_shown():
    model, D, y = made_classifier(n=60, n_classes=6)
    [table] = prototypes_section(case_of_fit(model, D, y, None)).tables
    assert table.header[3] == "4 largest class weights"
    model, D, y = made_classifier(n=24)
    section = prototypes_section(case_of_fit(model, D, y, None))
    assert section.tables[0].header[3] == "class weights"
    assert "may speak against it" in section.text
