"""``relrbf relate``, from a table to a matrix."""

import re
import signal
import subprocess
import sys
from functools import partial

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from relrbf.cli.main import main
from relrbf.exceptions import RelationError
from relrbf.io import load_matrix
from relrbf.io import load_objects as load
from tests.waiting import PATIENCE, wait_until

VECTORS = "name,x,y\nann,0,0\nbob,3,4\neve,6,8\n"


def load_objects(*given, **options):
    """Return objects and names."""
    found = load(*given, **options)
    return found.objects, found.ids


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
    assert re.search("exists already.*pass --restart to replace", capsys.readouterr().err)
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
        (["--measure", "euclidean", "-o", "D.csv"], "--output 'D.csv' must end in .npy or .zarr"),
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
    assert main(["relate", str(path), *words, "--jobs", "1", "--quiet"]) == 1
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
        ("a,x\nu,1\nv,w\nz,2\n", "vectors", "column 'x' holds 'w', which is no number"),
        ('a,x,z\nu,"7,085",1\nv,"1,200",2\n', "vectors", "without the thousands separator"),
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


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stopped_by_a_signal_it_says_so_and_goes_on_later(tmp_path, rng, number):
    table = tmp_path / "words.csv"
    words = ["".join(rng.choice(list("ACGT"), 300)) for _ in range(3000)]
    table.write_text("word\n" + "\n".join(words), encoding="utf-8")
    command = [sys.executable, "-c", "from relrbf.cli.main import run; run()"]
    command += ["relate", str(table), "--measure", "levenshtein", "-o", str(tmp_path / "D.npy")]
    command += ["--jobs", "2", "--quiet", "--block", "100"]
    # in the background of a shell, Ctrl-C is ignored, and this is inherited
    listen = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    running = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, preexec_fn=listen)
    log = tmp_path / "D.npy.progress"
    wait_until(lambda: log.exists() and log.read_bytes().count(b"\n") >= 2, running)
    running.send_signal(number)
    _, said = running.communicate(timeout=PATIENCE)
    assert said == "relrbf: stopped\n"
    assert running.returncode == 128 + number
    assert (tmp_path / "D.npy.part").exists()


def test_a_file_is_not_replaced_by_the_names_of_its_own_objects(table, tmp_path, capsys):
    words = table(VECTORS, "S.ids.txt")
    options = ["--measure", "euclidean", "-o", str(tmp_path / "S.npy")]
    assert main(["relate", str(words), *options]) == 1
    assert "S.ids.txt is to be written beside" in capsys.readouterr().err
    assert words.read_text() == VECTORS
    assert list(tmp_path.iterdir()) == [words]


def test_more_jobs_than_a_machine_can_run_are_refused(table, tmp_path, capsys):
    options = ["--measure", "euclidean", "-o", str(tmp_path / "D.npy"), "--jobs", "100000"]
    assert main(["relate", str(table(VECTORS)), *options]) == 1
    assert "relrbf: --jobs is 100000, too many for" in capsys.readouterr().err


def relate(capsys, path, *words):
    """Return the matrix and what was said."""
    D = path.with_name("D.npy")
    code = main(["relate", str(path), *words, "-o", str(D), "--jobs", "1", "--restart"])
    said = capsys.readouterr()
    assert code == 0, said.err
    return np.load(D), said.err


WINE = "alcohol,proline,target\n14,1000,0\n12,500,1\n13,700,1\n"


def test_a_column_of_labels_is_no_feature_and_that_is_said(table, capsys):
    D, said = relate(capsys, table(WINE), "--measure", "cityblock")
    assert D[0].tolist() == [0, 502, 301]
    assert "columns used: 'alcohol', 'proline' (2)" in said
    assert "left out, as labels by their name: 'target'" in said


def test_columns_are_chosen_and_left_out_by_name(table, capsys):
    D, _ = relate(capsys, table(WINE), "--measure", "cityblock", "--columns", "alcohol,target")
    assert D[0].tolist() == [0, 3, 2]
    D, _ = relate(capsys, table(WINE), "--measure", "cityblock", "--drop", "proline")
    assert D[0].tolist() == [0, 2, 1]


def test_a_column_that_decides_all_is_said_and_standardizing_helps(table, capsys):
    text = "a,b,c\n" + "\n".join(f"{i % 3},{i % 5},{1000 * (i % 2)}" for i in range(30))
    _, said = relate(capsys, table(text), "--measure", "euclidean")
    assert "'c' varies" in said
    assert "--standardize" in said
    D, _ = relate(capsys, table(text), "--measure", "euclidean", "--standardize")
    X = np.array([[i % 3, i % 5, 1000 * (i % 2)] for i in range(30)], dtype=float)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    np.testing.assert_allclose(D, cdist(X, X), atol=1e-12)


def test_the_first_word_of_a_list_without_a_header_is_a_word(table, capsys):
    pytest.importorskip("rapidfuzz")
    words = table("ape\nbee\ncow\n", "list.txt")
    D, said = relate(capsys, words, "--measure", "levenshtein")
    assert len(D) == 3
    assert "the first line is taken for an object" in said
    D, _ = relate(capsys, words, "--measure", "levenshtein", "--header")
    assert len(D) == 2


def test_labels_beside_words_are_not_measured(table, capsys):
    pytest.importorskip("rapidfuzz")
    D, said = relate(capsys, table("word,label\nape,a\nbee,b\n"), "--measure", "levenshtein")
    assert D[0, 1] == 2
    assert "column used: 'word'" in said


def test_numbers_without_a_header_are_asked_about(table, capsys, tmp_path):
    words = ["relate", str(table("1,2\n3,4\n")), "--measure", "euclidean"]
    words += ["-o", str(tmp_path / "D.npy")]
    assert main(words) == 1
    assert "--no-header" in capsys.readouterr().err
    assert main([*words, "--no-header"]) == 0
    assert np.load(tmp_path / "D.npy").shape == (2, 2)


def test_new_objects_are_related_to_those_of_training_on_their_scale(table, capsys, tmp_path):
    known = table(WINE, "known.csv")
    new = table("id,proline,alcohol\nn1,1000,14\nn2,500,13\n", "new.csv")
    words = ["relate", str(new), "--to", str(known), "--measure", "euclidean", "--standardize"]
    assert main([*words, "-o", str(tmp_path / "N.csv")]) == 0
    X = np.array([[14, 1000], [12, 500], [13, 700]], dtype=float)
    N = (np.array([[14, 1000], [13, 500]]) - X.mean(axis=0)) / X.std(axis=0)
    found = load_matrix(tmp_path / "N.csv")
    np.testing.assert_allclose(found.values, cdist(N, (X - X.mean(axis=0)) / X.std(axis=0)))
    assert found.row_ids.tolist() == ["n1", "n2"]


@pytest.mark.parametrize(("wrong", "right"), [("euclidian", "euclidean"), ("jaro_winkler", "jaro")])
def test_a_measure_that_does_not_exist_reminds_of_one_that_does(table, capsys, wrong, right):
    assert main(["relate", str(table(VECTORS)), "--measure", wrong, "-o", "D.npy"]) == 1
    assert f"Did you mean {right}" in capsys.readouterr().err
