"""``relrbf relate``, from a table to a matrix."""

import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from relrbf.cli.main import main
from relrbf.exceptions import RelationError
from relrbf.io.objects import load_objects

VECTORS = "name,x,y\nann,0,0\nbob,3,4\neve,6,8\n"


@pytest.fixture
def table(tmp_path):
    def write(text, name="objects.csv"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_a_table_becomes_a_matrix_with_names(table, tmp_path, capsys):
    D = tmp_path / "D.npy"
    words = ["relate", str(table(VECTORS)), "--measure", "euclidean", "-o", str(D), "--jobs", "2"]
    assert main(words) == 0
    assert np.load(D).tolist() == [[0, 5, 10], [5, 0, 5], [10, 5, 0]]
    assert (tmp_path / "D.ids.txt").read_text() == "ann\nbob\neve\n"
    printed = capsys.readouterr().out
    assert "3 vectors, euclidean" in printed
    assert "D.npy: 3 × 3, float64, in" in printed
    assert "D.ids.txt: their names" in printed


def test_options_go_to_the_measure_and_the_file(table, tmp_path):
    rows = "\n".join(f"{i};{i * i % 7};{i % 3}" for i in range(20))
    D = tmp_path / "D.npy"
    words = ["--measure", "minkowski", "--param", "p=3", "--delimiter", ";", "--dtype", "float32"]
    words += ["--block", "6", "--jobs", "1", "-o", str(D)]
    assert main(["relate", str(table("ID;x;y\n" + rows)), *words]) == 0
    X = np.array([[i * i % 7, i % 3] for i in range(20)], dtype=float)
    assert np.load(D).dtype == np.float32
    np.testing.assert_allclose(np.load(D), cdist(X, X, "minkowski", p=3), rtol=1e-6)
    assert (tmp_path / "D.ids.txt").read_text().split() == [str(i) for i in range(20)]


def test_series_of_unequal_length_become_a_zarr_folder(table, tmp_path):
    zarr = pytest.importorskip("zarr")
    pytest.importorskip("aeon")
    text, D = "t0,t1,t2\n1,2,3\n1,3,\n5,5,5\n", tmp_path / "D.zarr"
    words = ["relate", str(table(text)), "--measure", "dtw", "-o", str(D), "--jobs", "1"]
    assert main(words) == 0
    assert zarr.open_array(str(D), mode="r")[:].tolist() == [[0, 1, 29], [1, 0, 24], [29, 24, 0]]


def test_a_whole_matrix_is_replaced_only_when_asked(table, tmp_path, capsys):
    D = tmp_path / "D.npy"
    words = ["relate", str(table(VECTORS)), "--measure", "cityblock", "-o", str(D), "--jobs", "1"]
    assert main(words) == 0
    assert main(words) == 1
    assert "exists already" in capsys.readouterr().err
    assert main([*words, "--restart"]) == 0


def test_the_measures_are_listed(capsys):
    assert main(["relate", "--measures"]) == 0
    printed = capsys.readouterr().out
    for word in ("euclidean", "jaro-winkler", "dtw", "tanimoto", "(rapidfuzz)"):
        assert word in printed


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--measure", "euclid", "-o", "D.npy"], "--measures lists all"),
        (["--measure", "euclidean", "-o", "D.csv"], "must end in .npy or .zarr"),
        (["--measure", "euclidean", "-o", "no/where/D.npy"], "folder that does not exist"),
        (["--measure", "euclidean", "-o", "D.npy", "--ids", "who"], "no column 'who'"),
        (
            ["--measure", "euclidean", "-o", "D.npy", "--param", "q=2"],
            "failed with TypeError",
        ),
    ],
)
def test_what_is_wrong_is_one_line_and_exit_code_1(table, words, message, capsys, monkeypatch):
    path = table(VECTORS)
    monkeypatch.chdir(path.parent)
    assert main(["relate", str(path), *words, "--jobs", "1"]) == 1
    error = capsys.readouterr().err
    assert message in error
    assert len(error.splitlines()) == 1


def test_a_missing_file_is_one_line(tmp_path, capsys):
    words = ["relate", str(tmp_path / "none.csv"), "--measure", "euclidean", "-o", "D.npy"]
    assert main(words) == 1
    assert len(capsys.readouterr().err.splitlines()) == 1


@pytest.mark.parametrize("words", [["--param", "p"], ["--param", "1=2"], ["--jobs", "0"]])
def test_words_not_understood_exit_with_2(words):
    assert main(["relate", "x.csv", "--measure", "euclidean", "-o", "D.npy", *words]) == 2


@pytest.mark.parametrize("asked", [None, "word"])
def test_one_column_of_text_is_strings_and_their_names(table, asked):
    objects, ids = load_objects(table('word\nape\n"a, b"\n'), "strings", ids=asked)
    assert objects == ["ape", "a, b"]
    assert ids == ["ape", "a, b"]


@pytest.mark.parametrize("text", ["word\nape\nape\n", "word\na\u2028b\nc\n"])
def test_strings_that_cannot_be_told_apart_in_a_list_name_nothing(table, text):
    assert load_objects(table(text), "molecules")[1] is None


def test_words_that_are_related_are_named_beside_the_matrix(table, tmp_path):
    pytest.importorskip("rapidfuzz")
    words = ["--measure", "levenshtein", "-o", str(tmp_path / "D.npy"), "--jobs", "1"]
    assert main(["relate", str(table("word\nape\nbee\n")), *words]) == 0
    assert (tmp_path / "D.ids.txt").read_text() == "ape\nbee\n"


def test_text_beside_text_has_names_first(table):
    objects, ids = load_objects(table("key\tword\nk1\tape\nk2\t\n", "w.tsv"), "strings")
    assert objects == ["ape", ""]
    assert ids == ["k1", "k2"]


def test_a_column_of_numbers_can_name_the_objects(table):
    objects, ids = load_objects(table("x,key\n1,7\n2,8\n"), "vectors", ids="key")
    assert objects.tolist() == [[1], [2]]
    assert ids == ["7", "8"]


def test_a_column_called_name_alone_is_strings(table):
    assert load_objects(table("name\nann\nbob\n"), "strings") == (["ann", "bob"], ["ann", "bob"])


def test_series_end_where_their_row_is_blank(table):
    text = "id,t0,t1,t2\na,1,2,3\nb,1,2,\nc,1\n"
    objects, ids = load_objects(table(text), "series")
    assert [series.tolist() for series in objects] == [[1, 2, 3], [1, 2], [1]]
    assert ids == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("", "vectors", "has 0 line"),
        ("x\n", "vectors", "has 1 line"),
        ("1,2\n3,4\n", "vectors", "must name the columns"),
        ("x,y\n1,2,3\n", "vectors", "object 0 has 3 cells for 2 columns"),
        ("x,y\n1,2\n3,\n", "vectors", "object 1 has nothing in column 'y'"),
        ("x,y\n1,2\n3\n", "vectors", "object 1 has nothing in column 'y'"),
        ("a,b,x\nu,v,1\n", "vectors", "column 'b' holds 'v', which is no number"),
        ("name\nann\n", "vectors", "column 'name' holds 'ann'"),
        ("id,a,b\n1,u,v\n", "strings", r"columns \['a', 'b'\] beside names"),
        ("x,y,z\n1,,3\n", "series", "object 0 has a gap"),
        ("id,x\na,\n", "series", "object 0 has a gap, or no numbers"),
    ],
)
def test_a_table_that_cannot_be_read_is_refused_by_its_place(table, text, kind, message):
    with pytest.raises(RelationError, match=message):
        load_objects(table(text), kind)


def test_bytes_that_are_no_text_are_refused(tmp_path):
    path = tmp_path / "objects.csv"
    path.write_bytes(b"x,y\n\xff\xfe,1\n")
    with pytest.raises(RelationError, match="the text is not UTF-8"):
        load_objects(path, "vectors")


def test_stopped_by_a_key_it_says_so_and_goes_on_later(tmp_path, rng):
    table = tmp_path / "words.csv"
    words = ["".join(rng.choice(list("ACGT"), 300)) for _ in range(3000)]
    table.write_text("word\n" + "\n".join(words), encoding="utf-8")
    command = [sys.executable, "-c", "from relrbf.cli.main import run; run()"]
    command += ["relate", str(table), "--measure", "levenshtein", "-o", str(tmp_path / "D.npy")]
    running = subprocess.Popen([*command, "--jobs", "2"], stderr=subprocess.PIPE, text=True)
    while not (tmp_path / "D.npy.part").exists():
        assert running.poll() is None
        time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=60)
    assert said.strip() == "relrbf: stopped"
    assert running.returncode == 130
    assert (tmp_path / "D.npy.part").exists()
