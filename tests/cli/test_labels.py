"""Labels as people have them: blank, numbers, written in another way."""

import pytest
from scipy.spatial.distance import cdist

from relrbf.cli.main import main
from relrbf.io import save_matrix, save_rows

pytestmark = pytest.mark.usefixtures("folder")


def run(capsys, *words):
    code = main([*words])
    return code, capsys.readouterr()


@pytest.mark.parametrize("has_names", [True, False])
def test_blank_labels_are_left_out_when_asked(wine, capsys, has_names):
    (ids, X, y), _ = wine
    labels = [label if k % 5 else "" for k, label in enumerate(y)]
    rows = [
        [name, label] if has_names else [label] for name, label in zip(ids, labels, strict=True)
    ]
    save_matrix("M.csv", cdist(X, X), ids if has_names else None)
    save_rows("b.csv", ["id", "label"][not has_names :], rows)
    words = ["fit", "M.csv", "b.csv", "-o", "m.relrbf", "--folds", "0"]
    code, said = run(capsys, *words)
    assert code == 1
    assert "--unlabelled drop" in said.err
    code, said = run(capsys, *words, "--unlabelled", "drop", "--json")
    assert code == 0
    assert f'"n_objects": {sum(map(bool, labels))}' in said.out


def test_inspect_and_vat_take_numbers_as_labels(wine, capsys):
    (ids, X, _), _ = wine
    save_rows("n.csv", ["id", "value"], zip(ids, X[:, 0].tolist(), strict=True))
    code, said = run(capsys, "inspect", "D.csv", "--labels", "n.csv")
    assert code == 0
    assert "5 groups of about equal size" in said.err
    assert "1: " in said.out
    assert run(capsys, "vat", "D.csv", "-o", "v.png", "--labels", "n.csv")[0] == 0


@pytest.mark.parametrize(
    ("write", "difference"),
    [
        (lambda name: name.upper(), "upper and lower case"),
        (lambda name: name.replace(" ", "_"), "underscores"),
        (lambda name: name.replace("wine", "wi\u0301ne"), "Unicode form"),
    ],
)
def test_names_that_differ_in_writing_only_are_counted(wine, capsys, write, difference):
    (ids, X, y), _ = wine
    own = [str(name).replace("wine", "w\u00edne") for name in ids]
    if difference != "Unicode form":
        own = [str(name) for name in ids]
    save_matrix("M.csv", cdist(X, X), own)
    save_rows("w.csv", ["id", "label"], zip(map(write, map(str, ids)), y, strict=True))
    code, said = run(capsys, "fit", "M.csv", "w.csv", "-o", "m.relrbf")
    assert code == 1
    assert f"{len(ids)} would match if" in said.err
    assert difference in said.err


def test_advice_names_the_command_that_an_option_belongs_to(wine, capsys):
    (ids, X, _), _ = wine
    D = cdist(X, X)
    D[0, 1] += 1
    save_matrix("A.csv", D, ids)
    code, said = run(capsys, "inspect", "A.csv")
    assert code == 0
    assert "relrbf fit --symmetrize mean, min or max" in said.out
    code, said = run(capsys, "vat", "A.csv", "-o", "v.png")
    assert code == 1
    assert "Use --symmetrize mean" in said.err
    assert "relrbf fit" not in said.err
