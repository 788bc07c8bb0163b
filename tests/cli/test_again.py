"""The lines on a page read what the command read."""

import numpy as np
import pytest

from relrbf.cli.again import loading_lines
from relrbf.cli.main import make_parser
from relrbf.io import load_matrix, save_matrix, save_rows

pytestmark = pytest.mark.usefixtures("folder")


def made(*words, has_classes=True):
    options = make_parser().parse_args(["fit", *words, "-o", "m.relrbf"])
    found = {}
    exec(loading_lines(options, has_classes=has_classes), found)
    return found["D"], found["y"]


def test_plain_files_take_plain_lines(wine):
    (ids, _, y), _ = wine
    D, labels = made("D.csv", "y.csv")
    assert D.ids.tolist() == list(ids)
    assert labels.tolist() == list(y)


def test_what_was_said_is_said_again(folder, wine):
    (ids, X, _), _ = wine
    matrix = load_matrix("D.csv")
    text = "\n".join(";".join(f"{v:.17g}".replace(".", ",") for v in row) for row in matrix.values)
    (folder / "G.txt").write_text(text)
    save_rows("t.csv", ["target"], [[value] for value in X[:, 0]])
    D, y = made("G.txt", "t.csv", "--no-ids", "--decimal", ",", has_classes=False)
    np.testing.assert_array_equal(D.block(), matrix.values)
    np.testing.assert_array_equal(y, X[:, 0])
    save_matrix("S.csv", np.exp(-matrix.values), ids)
    with pytest.warns(UserWarning, match="similarities"):
        D, _ = made("S.csv", "y.csv", "--similarities", "convert")
    assert D.self_similarity == 1


def test_objects_without_a_label_are_dropped_again(wine):
    (ids, _, y), _ = wine
    save_rows("some.csv", ["id", "label"], list(zip(ids, y, strict=True))[:40])
    D, labels = made("D.csv", "some.csv", "--unlabelled", "drop")
    assert len(D) == len(labels) == 40
