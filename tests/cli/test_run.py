"""From a raw file to a page in one command, for five kinds of objects."""

import csv
import html
import re
import shlex

import numpy as np
import pytest

from relrbf import RBFNetworkRegressor, as_relation, load
from relrbf.cli.main import main

pytestmark = pytest.mark.filterwarnings("ignore::relrbf.exceptions.NotEuclideanWarning")
FEW_FOLDS = ["--folds", "2"]  # where the score is not what is looked at


def words():
    rng = np.random.default_rng(0)
    lines = ["word,language"]
    for letters, language in (("abcde", "early"), ("vwxyz", "late")):
        lines += [f"{''.join(rng.choice(list(letters), 6))}{k},{language}" for k in range(20)]
    return "words.csv", "\n".join(lines), ["--label", "language"], "strings, levenshtein"


def table():
    y = np.arange(40) % 2
    X = np.random.default_rng(0).standard_normal((40, 2)) * [1, 1000] + np.c_[3 * y, 3000 * y]
    rows = enumerate(zip(X, y, strict=True))
    lines = [f"s{k},{a:.3f},{b:.1f},{['no', 'yes'][c]}" for k, ((a, b), c) in rows]
    text = "\n".join(["sample,height,weight,ill", *lines])
    return "table.csv", text, ["--label", "ill"], "vectors, euclidean"


def series():
    time, y, rng = np.linspace(0, 1, 12), np.arange(40) % 2, np.random.default_rng(0)
    X = np.sin(6 * time + y[:, None]) + 0.1 * rng.standard_normal((40, 12))
    lines = [",".join([f"{v:.4f}" for v in row] + ["ab"[c]]) for row, c in zip(X, y, strict=True)]
    text = "\n".join([",".join([*(f"t{k}" for k in range(12)), "shape"]), *lines])
    return "series.csv", text, ["--label", "shape", "--measure", "correlation"], "correlation"


def fingerprints():
    y, rng = np.arange(40) % 2, np.random.default_rng(0)
    bits = (rng.random((40, 15)) < np.where(np.arange(15) < 8, 0.8, 0.2)[::1]).astype(int)
    bits[y == 1] = bits[y == 1][:, ::-1]
    rows = enumerate(zip(bits, y, strict=True))
    lines = [",".join([f"m{k}", *map(str, row), f"{c + 0.5}"]) for k, (row, c) in rows]
    text = "\n".join([",".join(["name", *(f"bit{k}" for k in range(15)), "potency"]), *lines])
    return "sets.csv", text, ["--label", "potency", "--task", "regress"], "vectors, jaccard"


def graph():
    edges = [f"{k}{i} {k}{(i + s) % 12}" for k in "ab" for i in range(12) for s in (1, 2)]
    return "edges.txt", "\n".join([*edges, "a0 b0"]), ["--graph", "--labels", "nodes.csv"], ""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    nodes = [f"{k}{i},{k}" for k in "ab" for i in range(12)]
    (tmp_path / "nodes.csv").write_text("\n".join(["id,side", *nodes]))
    return tmp_path


@pytest.mark.parametrize("make", [words, table, series, fingerprints, graph])
def test_a_raw_file_becomes_a_page_in_one_command(make, folder, capsys):
    pytest.importorskip("rapidfuzz")
    name, text, options, said = make()
    (folder / name).write_text(text)
    assert main(["run", name, *options, "--report", "page.html", "-o", "m.relrbf"]) == 0
    out = capsys.readouterr().out
    assert said in out
    assert "on held-out objects" in out
    page = (folder / "page.html").read_text()
    assert name in page
    assert "<script" in page
    assert load("m.relrbf").ids_ is not None or make is series


def test_the_lines_that_the_page_shows_give_the_same_network(folder):
    name, text, options, _ = fingerprints()
    (folder / name).write_text(text)
    words = ["run", name, *options, "-o", "m.relrbf", "--report", "p.html", *FEW_FOLDS]
    assert main(words) == 0
    page = (folder / "p.html").read_text().replace("&#39;", "'").replace("&#34;", '"')
    begin = page.index("from relrbf import as_relation, relate")
    code = page[begin : page.index("model =", begin)]
    found = {}
    exec(code, found)
    model = RBFNetworkRegressor(random_state=0).fit(found["D"], found["y"])
    np.testing.assert_array_equal(
        model.predict(found["D"]), load("m.relrbf").predict(as_relation(found["D"]))
    )


@pytest.mark.parametrize(
    ("make", "have_labels"),
    [(words, [True, False]), (table, [False]), (series, [True]), (fingerprints, [False])],
)
def test_the_commands_that_the_page_shows_predict_new_objects(
    make, have_labels, folder, monkeypatch, capsys
):
    pytest.importorskip("rapidfuzz")
    name, text, options, _ = make()
    (folder / name).write_text(text)
    given = ["run", name, *options, "--report", "p.html", *FEW_FOLDS]
    monkeypatch.setattr("sys.argv", ["relrbf", *given])
    assert main(given) == 0
    page = html.unescape((folder / "p.html").read_text())
    commands = re.findall(r"^(?:.*<code>)?\$ relrbf (.*?)(?:</code>.*)?$", page, re.M)[:3]
    first, *others = map(shlex.split, commands)
    assert [first[0], *(words[0] for words in others)] == ["run", "relate", "predict"]
    assert main(first) == 0, capsys.readouterr().err
    lines = text.splitlines()[:6]
    for has_label in have_labels:
        new = "\n".join(lines if has_label else [line.rpartition(",")[0] for line in lines])
        (folder / "new.csv").write_text(new)
        for line in others:
            assert main(line) == 0, capsys.readouterr().err
        rows = list(csv.DictReader((folder / "predictions.csv").read_text().splitlines()))
        assert len(rows) == 5
        if make is not fingerprints:
            said = [row["prediction"] for row in rows]
            assert said == [line.split(",")[-1] for line in lines[1:]]


def test_without_a_page_the_score_is_printed(folder, capsys):
    name, text, options, _ = table()
    (folder / name).write_text(text)
    assert main(["run", name, *options, *FEW_FOLDS]) == 0
    said = capsys.readouterr()
    assert "Accuracy on held-out objects" in said.out
    assert "centred and divided by its standard deviation" in said.err
    assert "--report" in said.err


def test_objects_without_a_label_are_refused_or_left_out(folder, capsys):
    name, text, options, _ = table()
    (folder / name).write_text(text + "\ns99,1.0,2000,\n")
    assert main(["run", name, *options]) == 1
    assert "--unlabelled drop" in capsys.readouterr().err
    assert main(["run", name, *options, "--unlabelled", "drop", *FEW_FOLDS]) == 0
    assert "1 objects have no label and are left out" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([], "--label COLUMN"),
        (["--graph"], "--labels FILE"),
        (["--label", "colour"], "no column 'colour'"),
        (["--label", "ill", "--measure", "euclid"], "Did you mean euclidean?"),
    ],
)
def test_what_is_missing_is_said(folder, capsys, given, message):
    name, text, _, _ = table()
    (folder / name).write_text(text)
    assert main(["run", name, *given]) == 1
    assert message in capsys.readouterr().err


def test_a_command_that_does_not_exist_reminds_of_one_that_does(capsys):
    assert main(["prdict", "m.relrbf"]) == 2
    assert "Did you mean predict?" in capsys.readouterr().err
