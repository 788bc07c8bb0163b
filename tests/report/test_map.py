"""The map shows every object in its place, with a text, a colour and a shape."""

from types import SimpleNamespace

import numpy as np

from relrbf import as_relation
from relrbf.plotting.style import COLOURS
from relrbf.report.data import RelationData
from relrbf.report.objects import (
    MAP_SIZE,
    Mark,
    _prototype_marks,
    draw_map,
    map_section,
    place,
    shape_of,
)


def test_objects_are_within_the_map_and_prototypes_outside_at_its_edge():
    points = np.array([[0.0, 0.0], [10.0, 1.0]])
    positions, n_outside = place(points, points)
    assert (positions > 0).all()
    assert (positions < MAP_SIZE).all()
    assert n_outside == 0
    positions, n_outside = place(np.array([[100.0, 0.5], [5.0, 0.5]]), points)
    assert n_outside == 1
    assert positions[0, 0] < MAP_SIZE[0]


def test_equal_objects_have_a_position_too():
    assert np.isfinite(place(np.zeros((3, 2)), np.zeros((3, 2)))[0]).all()


def test_sixty_four_classes_differ_in_colour_or_shape():
    n = len(COLOURS)
    assert len({(COLOURS[k % n], shape_of(k, n)) for k in range(64)}) == 64


def test_texts_are_escaped_and_one_object_takes_the_focus():
    marks = [Mark(0, 0, "<b>"), Mark(1, 1, '"q"', kind="wrong")]
    svg = draw_map(marks, [], [("<i>", "M0", "#123456")])
    assert "<title>&lt;b&gt;</title>" in svg
    assert "<b>" not in svg
    assert "<i>" not in svg
    assert svg.count('tabindex="0"') == 1
    assert svg.count('class="mark wrong"') == 2  # the object and its legend


def test_many_objects_are_sampled_and_the_caption_tells(monkeypatch):
    monkeypatch.setattr("relrbf.report.objects.MAX_MAPPED_OBJECTS", 5)
    n = 12
    D = np.abs(np.subtract.outer(np.arange(n), np.arange(n))).astype(float)
    empty = np.empty(0)
    data = RelationData(as_relation(D), np.arange(n).astype(str), empty, empty)
    [(markup, caption)] = map_section(data, 2).drawings
    assert markup.count('role="img"') == 5
    assert "a random sample of 5 of 12 objects" in caption
    assert "objects close here are mostly close" in caption


def test_many_prototypes_have_small_circles():
    sizes = [prototype_sizes(count) for count in (20, 80, 500)]
    assert sizes == [{1.0}, {0.5}, {0.45}]


def prototype_sizes(count):
    model = SimpleNamespace(
        weights_=np.ones((count, 1)), bandwidths_=np.ones(count), prototypes_=()
    )
    near = np.zeros((count, 1), dtype=int)
    data = SimpleNamespace(has_classes=False, y=np.zeros(3), near_prototypes=near, model=model)
    data.prototype_classes = None
    return {mark.size for mark in _prototype_marks(data, np.zeros((count, 2)))}
