"""The file of rows."""

import os

import pytest

from study import Cell
from study import results as module
from study.results import ResumeLog
from tests.study.made import VECTORS

CELLS = [Cell(VECTORS, "original", "knn", n) for n in range(3)]


@pytest.fixture
def secured(monkeypatch):
    calls = []
    monkeypatch.setattr(os, "fsync", calls.append)
    return calls


def test_a_cell_can_be_read_as_soon_as_it_is_added(tmp_path):
    with ResumeLog(tmp_path) as store:
        store.add(CELLS[0], [{"a": 1}])
        assert ResumeLog(tmp_path).finished(CELLS) == {CELLS[0].key: [{"a": 1}]}


def test_the_newest_of_a_cell_counts(tmp_path):
    with ResumeLog(tmp_path) as store:
        store.add(CELLS[0], [{"a": 1}])
        store.add(CELLS[0], [{"a": 2}])
    assert ResumeLog(tmp_path).finished(CELLS) == {CELLS[0].key: [{"a": 2}]}


def test_a_folder_is_made_and_an_old_file_is_added_to(tmp_path):
    for cell in CELLS:
        with ResumeLog(tmp_path / "new" / "folder") as store:
            store.add(cell, [])
    assert list(store.finished(CELLS)) == [cell.key for cell in CELLS]


def test_what_was_added_is_secured_at_the_end(tmp_path, secured):
    with ResumeLog(tmp_path) as store:
        store.add(CELLS[0], [])
        assert secured == []
    assert len(secured) == 1


def test_what_was_added_is_secured_now_and_then(tmp_path, secured, monkeypatch):
    monkeypatch.setattr(module, "SYNC_INTERVAL", -1.0)
    with ResumeLog(tmp_path) as store:
        for cell in CELLS:
            store.add(cell, [])
        assert len(secured) == 3


def test_a_half_line_is_dropped_before_another_is_added(tmp_path):
    with ResumeLog(tmp_path) as store:
        store.add(CELLS[0], [])
    with open(store.path, "ab") as file:
        file.write(b'{"key": "vectors/orig')
    with ResumeLog(tmp_path) as store:
        store.add(CELLS[1], [])
    assert list(store.finished(CELLS)) == [CELLS[0].key, CELLS[1].key]
    assert store.path.read_bytes().count(b"\n") == 2
