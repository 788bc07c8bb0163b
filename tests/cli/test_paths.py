"""What is written where: nothing is lost."""

import os

import pytest

from relrbf.cli.main import main

pytestmark = pytest.mark.usefixtures("folder")


@pytest.mark.parametrize(
    "words",
    [
        ["fit", "D.csv", "y.csv", "-o", "y.csv"],
        ["fit", "D.csv", "y.csv", "-o", "./D.csv"],
        ["fit", "D.csv", "y.csv", "-o", "link"],
        ["fit", "D.csv", "y.csv", "-o", "D_new.csv", "--groups", "D_new.csv"],
        ["fit", "D.csv", "y.csv", "-o", "m.html", "--report", "m.html"],
        ["cluster", "D.csv", "-o", "D.csv", "-k", "2"],
        ["embed", "D.csv", "-o", "Z.csv", "--new", "D_new.csv", "--new-output", "D_new.csv"],
    ],
)
def test_what_is_read_is_not_written_over(words, folder, capsys):
    os.symlink("D.csv", "link")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert main(words) == 1
    assert "named twice" in capsys.readouterr().err
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.parametrize(
    "words",
    [
        ["relate", "S.ids.txt", "--measure", "euclidean", "-o", "S.npy"],
        ["relate", "S.zarr.progress", "--measure", "euclidean", "-o", "S.zarr"],
        ["fit", "D.csv", "S.columns.txt", "-o", "S.npy"],
        ["embed", "D.csv", "-o", "Z.npy", "--new", "D_new.csv", "--new-output", "Z.ids.txt"],
        ["predict", "S.npy", "D_new.csv", "-o", "S.ids.txt"],
    ],
)
def test_what_lies_beside_a_matrix_is_not_written_over(words, folder, capsys):
    for name in ("S.ids.txt", "S.zarr.progress", "S.columns.txt"):
        (folder / name).write_text("x,y\n1,2\n")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert main(words) == 1
    assert "would be written over" in capsys.readouterr().err
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_a_pipe_is_not_replaced_by_a_file(folder, capsys):
    os.mkfifo("pipe.csv")
    assert main(["cluster", "D.csv", "-o", "pipe.csv", "-k", "2"]) == 1
    assert "pipe.csv is a device or a pipe" in capsys.readouterr().err
    assert (folder / "pipe.csv").is_fifo()


def test_a_picture_that_cannot_be_drawn_leaves_the_old_one(folder, monkeypatch, capsys):
    (folder / "v.png").write_bytes(b"old")

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("matplotlib.figure.Figure.savefig", full)
    assert main(["vat", "D.csv", "-o", "v.png"]) == 1
    assert "v.png: No space left on device" in capsys.readouterr().err
    assert (folder / "v.png").read_bytes() == b"old"
    assert not list(folder.glob(".v.png*"))


def test_only_one_file_comes_through_a_pipe(capsys):
    assert main(["fit", "-", "-", "-o", "m.relrbf"]) == 1
    assert "only one can come from standard input" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["repair", "embed"])
@pytest.mark.parametrize("beside", ["F.ids.txt", "N.ids.txt"])
def test_a_list_of_names_that_is_not_ours_is_refused_before_the_work(
    command, beside, folder, monkeypatch, capsys
):
    (folder / beside).write_text("others\n")
    monkeypatch.setattr("relrbf.repair.nearest_metric", None)
    monkeypatch.setattr("relrbf.embeddings.ClassicalMDS.fit_transform", None)
    options = ["-o", "F.npy", "--new", "D_new.csv", "--new-output", "N.npy"]
    assert main([command, "D.csv", *options]) == 1
    assert f"{beside} names other objects" in capsys.readouterr().err
    assert (folder / beside).read_text() == "others\n"
