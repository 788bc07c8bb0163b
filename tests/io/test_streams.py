"""Large text: one pass, no more memory than the matrix, a temporary file where that is too much."""

import gc
import io
import os
import sys
import tempfile
import tracemalloc
from pathlib import Path
from threading import Thread

import numpy as np
import pytest
from joblib import delayed

from relrbf.exceptions import RelationError
from relrbf.io import arrays, load_labels, load_matrix, save_matrix
from relrbf.parallel import worker_pool


@pytest.fixture
def large(tmp_path, rng):
    """400 objects, more lines than tell the layout."""
    half = np.triu(rng.random((400, 400)), 1)
    D = half + half.T
    path = tmp_path / "D.csv"
    save_matrix(path, D, [f"o{i}" for i in range(400)])
    return path, D


def test_text_comes_through_a_pipe(monkeypatch, large):
    path, D = large
    reader, writer = os.pipe()
    content = path.read_bytes()
    with open(writer, "wb") as end:
        end.write(content[:40_000].rsplit(b"\n", 1)[0])  # what a pipe holds
    with open(reader, "rb") as end:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(end))
        with pytest.raises(RelationError, match="standard input"):
            load_matrix("-").square()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(content))))
    np.testing.assert_array_equal(load_matrix("-").values, D)


@pytest.mark.parametrize("name", ["D.csv", "D"])
def test_a_pipe_that_has_a_path_is_read_like_the_standard_input(large, tmp_path, name):
    path, D = large
    pipe = tmp_path / "pipes" / name
    pipe.parent.mkdir()
    os.mkfifo(pipe)
    writing = Thread(target=lambda: pipe.write_bytes(path.read_bytes()), daemon=True)
    writing.start()
    calls = []
    matrix = load_matrix(pipe, progress=lambda done, total: calls.append((done, total)))
    writing.join()
    np.testing.assert_array_equal(matrix.values, D)
    assert calls[-1] == (path.stat().st_size, None)


def test_labels_come_through_a_pipe_that_has_a_path():
    reader, writer = os.pipe()
    with open(writer, "wb") as end:
        end.write(b"id,label\na,bird\nb,fish\n")
    with open(reader, "rb"):
        labels = load_labels(f"/dev/fd/{reader}")
    assert labels.ids.tolist() == ["a", "b"]


def test_memory_is_that_of_the_matrix_and_little_more(large):
    path, D = large
    load_matrix(path)
    tracemalloc.start()
    load_matrix(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < D.nbytes + 4e6  # the buffers


def test_progress_ends_with_all_the_bytes(large, monkeypatch):
    monkeypatch.setattr("relrbf.io.source.PROGRESS_BYTES", 2**19)
    path, _ = large
    calls = []
    load_matrix(path, progress=lambda done, total: calls.append((done, total)))
    size = path.stat().st_size
    assert len(calls) > 2
    assert calls[-1] == (size, size)
    assert [done for done, _ in calls] == sorted(done for done, _ in calls)


def test_a_matrix_too_large_for_memory_goes_to_a_file_that_goes_with_it(large, monkeypatch):
    path, D = large
    monkeypatch.setattr(arrays, "free_memory", lambda: D.nbytes)
    matrix = load_matrix(path)
    assert isinstance(matrix.values, np.memmap)
    assert any("temporary file" in note for note in matrix.notes)
    file = Path(matrix.values.filename)
    relation = matrix.relation()
    np.testing.assert_array_equal(relation.block(slice(0, 5)), D[:5])
    del matrix
    assert file.exists()
    del relation
    gc.collect()
    assert not file.exists()


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="a file has a name elsewhere")
def test_that_file_has_no_name_a_kill_could_leave_and_processes_read_it(
    large, monkeypatch, tmp_path
):
    path, D = large
    monkeypatch.setattr(arrays, "free_memory", lambda: D.nbytes)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    relation = load_matrix(path).relation()
    assert list(tmp_path.iterdir()) == [path]
    found = worker_pool(2)(delayed(relation.block)(slice(i, i + 5)) for i in (0, 5))
    np.testing.assert_array_equal(np.concatenate(found), D[:10])


def test_a_half_too_large_for_memory_goes_to_a_file_as_well(put, monkeypatch):
    monkeypatch.setattr(arrays, "free_memory", lambda: 8)
    matrix = load_matrix(put("0\n1,0\n2,3,0\n"))
    assert isinstance(matrix.values, np.memmap)
    assert matrix.values.tolist() == [[0, 1, 2], [1, 0, 3], [2, 3, 0]]


def halves(D):
    """Return how the halves of a matrix are written, and the name of the file."""
    rows = [[repr(v) for v in row] for row in D.tolist()]
    lower = "\n".join(",".join(row[: i + 1]) for i, row in enumerate(rows))
    upper = "\n".join(",".join(row[i + 1 :]) for i, row in enumerate(rows[:-1]))
    phylip = "\n".join(f"o{i} {' '.join(row[:i])}" for i, row in enumerate(rows))
    return {"lower.csv": lower, "upper.csv": upper, "lower.phy": f"{len(D)}\n{phylip}"}


@pytest.mark.parametrize("name", ["lower.csv", "upper.csv", "lower.phy"])
def test_half_a_matrix_takes_little_more_memory_than_a_whole_one(put, rng, name):
    part = np.triu(rng.random((1200, 1200)), 1).round(3)
    D = part + part.T
    path = put(halves(D)[name], name)
    np.testing.assert_array_equal(load_matrix(path).values, D)
    tracemalloc.start()
    load_matrix(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1.6 * D.nbytes + 3e6  # the buffers


def test_numbers_move_to_a_file_when_they_become_too_many_for_memory(monkeypatch):
    monkeypatch.setattr(arrays, "free_memory", lambda: 2 * 8 * 2 * arrays.MIN_GROWTH)
    buffer = arrays.Buffer()
    for n in range(1, 200):
        buffer.put(np.arange(float(n)))
        is_in_file = isinstance(buffer.numbers(), np.memmap)
        assert is_in_file == (len(buffer._numbers) > 2 * arrays.MIN_GROWTH)
    assert is_in_file
    assert buffer.numbers().tolist() == [v for n in range(1, 200) for v in range(n)]


def test_a_full_disk_is_refused_before_it_is_written_to(put, monkeypatch):
    monkeypatch.setattr(arrays, "free_memory", lambda: 8)
    monkeypatch.setattr(arrays.shutil, "disk_usage", lambda _: type("Usage", (), {"free": 5}))
    with pytest.raises(RelationError, match="Set TMPDIR"):
        load_matrix(put("0,1\n1,0\n"))


def test_more_rows_than_columns_are_read(put):
    rows = [[i, 2 * i] for i in range(300)]
    text = "\n".join(f"n{i},{a},{b}" for i, (a, b) in enumerate(rows))
    assert load_matrix(put(text)).values.tolist() == rows


def test_a_cell_far_down_is_named_by_its_line(large):
    path, _ = large
    lines = path.read_text().splitlines()
    cells = lines[350].split(",")
    cells[7] = "oops"
    lines[350] = ",".join(cells)
    path.write_text("\n".join(lines))
    with pytest.raises(RelationError, match=r"line 351, column 8 \('o6'\): 'oops'"):
        load_matrix(path)


def test_free_memory_is_known():
    assert 2**20 < arrays.free_memory() < 2**50
