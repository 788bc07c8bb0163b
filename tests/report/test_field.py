"""Drawings: every object is in its place, told apart, and in the page's own ink."""

import re

import numpy as np
from matplotlib.figure import Figure

from relrbf import as_relation
from relrbf.report.case import EMPTY, Case
from relrbf.report.field import HEIGHT, WIDTH, Extent, Legend, Marks, field
from relrbf.report.ink import drawn_in_ink
from relrbf.report.places import places_section


def test_objects_are_within_the_frame_and_prototypes_at_its_edge():
    places = np.array([[0.0, 0.0], [10.0, 1.0]])
    frame = Extent.around(places)
    there = frame.put(places)
    assert (there > 0).all()
    assert (there < [WIDTH, HEIGHT]).all()
    far = np.array([[100.0, 0.5], [5.0, 0.5]])
    assert frame.n_outside(far) == 1
    assert frame.put(far)[0, 0] < WIDTH


def test_equal_objects_have_a_place_too():
    assert np.isfinite(Extent.around(np.zeros((3, 2))).put(np.zeros((3, 2)))).all()


def test_sixty_four_classes_differ_in_colour_or_shape():
    legend = Legend([str(k) for k in range(64)])
    assert len({(legend.fill(k), legend.shape(k)) for k in range(64)}) == 64


def test_texts_are_escaped_and_one_object_takes_the_focus():
    marks = Marks(np.eye(2), ["<b>", '"q"'], np.array([0, 1]), np.array([False, True]))
    svg = field(marks, None, Legend(["<i>"], has_wrong=True), "two < three")
    assert "<title>&lt;b&gt;</title>" in svg
    assert "<b>" not in svg
    assert "<i>" not in svg
    assert svg.count('tabindex="0"') == 1
    assert svg.count('class="mark wrong"') == 2  # the object and its key


def test_many_prototypes_have_small_circles():
    def drawn(count):
        nobody = np.zeros(count, dtype=bool)
        marks = Marks(np.zeros((count, 2)), ["p"] * count, np.zeros(count, dtype=int), nobody)
        return field(Marks(np.eye(2), ["a", "b"], np.array([0, 0]), nobody[:2]), marks, key, "x")

    key = Legend(["one"])
    assert "scale(" not in drawn(20)
    assert drawn(80).count(" scale(0.50)") == 80
    assert drawn(500).count(" scale(0.45)") == 500


def test_many_objects_are_sampled_and_said_to_be(monkeypatch):
    monkeypatch.setattr("relrbf.report.places.MOST_SHOWN", 5)
    n = 12
    D = np.abs(np.subtract.outer(np.arange(n), np.arange(n))).astype(float)
    case = Case(as_relation(D), np.arange(n).astype(str), EMPTY, EMPTY)
    [drawing] = places_section(case, None, np.random.default_rng(0).random((n, 2)), 0.9).drawings
    assert drawing.markup.count('role="img"') == 5
    assert "Shown are 5 of 12 objects" in drawing.caption
    assert "what is near here is mostly near" in drawing.caption


def test_a_figure_takes_the_ink_of_the_page():
    figure = Figure()
    ax = figure.subplots()
    ax.plot([0, 1], color="#0072B2")
    ax.set_title("a title", color="#222222")
    svg = drawn_in_ink(figure, "my figure", 'a "picture"')
    assert svg.startswith('<svg class="plot" role="img" aria-label="a &quot;picture&quot;"')
    assert "currentColor" in svg
    assert "var(--blue)" in svg
    for leak in ("<style", "<metadata", "#222222", "stroke: #000000", "white", "http://purl"):
        assert leak not in svg
    assert not re.search(r'id="(?!my-figure-)', svg)
    assert not re.search(r'href="#(?!my-figure-)', svg)
    assert not re.search(r'<svg[^>]* width="', svg)
