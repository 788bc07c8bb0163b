"""The other commands, each beside the library."""

import json

import numpy as np
import pytest

from relrbf.cli.main import main
from relrbf.clustering import RelationalKMeans
from relrbf.embeddings import ClassicalMDS, LandmarkMDS
from relrbf.io import load_matrix, save_matrix
from relrbf.repair import nearest_euclidean, nearest_metric
from relrbf.tendency import ivat

pytestmark = pytest.mark.usefixtures("folder")


def run(capsys, *words):
    code = main([*words])
    return code, capsys.readouterr()


def table(path):
    return np.genfromtxt(path, delimiter=",", dtype=str, encoding="utf-8")


def test_inspect_says_what_the_matrix_is_like(capsys):
    code, said = run(capsys, "inspect", "D.csv", "--labels", "y.csv")
    assert code == 0
    assert "89 objects" in said.out
    assert "conclusions:" in said.out
    assert "barbera 24" in said.out
    assert "the first line and the first column hold ids" in said.err


def test_inspect_prints_json(capsys):
    found = json.loads(run(capsys, "inspect", "D.csv", "--json")[1].out)
    assert found["is_metric"] is True
    assert found["has_vector_dual"] == {"1": True, "2": False}
    assert found["n_objects"] == 89
    assert "ids" not in found


def test_inspect_describes_what_others_refuse(capsys):
    matrix = load_matrix("D.csv")
    matrix.values[3, 5] = np.nan
    matrix.values[1, 2] = -1
    save_matrix("bad.csv", matrix.values, matrix.ids)
    found = json.loads(run(capsys, "inspect", "bad.csv", "--json")[1].out)
    assert (found["n_missing"], found["n_negative"]) == (1, 1)
    assert found["is_relation"] is False
    assert run(capsys, "cluster", "bad.csv", "-o", "c.csv", "-k", "2")[0] == 1


def test_inspect_names_the_commands_that_help(capsys, k23):
    save_matrix("k23.csv", k23)
    said = run(capsys, "inspect", "k23.csv")[1].out
    assert "relrbf embed" in " ".join(said.split())


def test_inspect_writes_a_page(capsys, folder):
    words = ["inspect", "D.csv", "--labels", "y.csv", "--html", "page.html"]
    assert run(capsys, *words)[0] == 0
    assert "wine 0" in (folder / "page.html").read_text(encoding="utf-8")


def test_vat_draws_and_tells_the_order(folder, capsys):
    words = ["vat", "D.csv", "-o", "v.png", "--improved", "--labels", "y.csv", "--order", "o.csv"]
    assert run(capsys, *words)[0] == 0
    assert (folder / "v.png").read_bytes().startswith(b"\x89PNG")
    matrix = load_matrix("D.csv")
    expected = matrix.ids[ivat(matrix.values).order]
    assert table("o.csv").tolist() == ["id", *expected]


def test_vat_refuses_what_is_no_picture(capsys):
    code, said = run(capsys, "vat", "D.csv", "-o", "v.doc")
    assert code == 1
    assert ".png, .svg, .pdf" in said.err


def test_embed_writes_the_coordinates_of_old_and_new_objects(capsys):
    words = ["embed", "D.csv", "-o", "Z.csv", "--method", "landmark", "--components", "3"]
    words += ["--new", "D_new.csv", "--new-output", "Z_new.csv", "--exponent", "1"]
    assert run(capsys, *words)[0] == 0
    matrix, new = load_matrix("D.csv"), load_matrix("D_new.csv")
    mds = LandmarkMDS(3, exponent=1, random_state=0)
    Z = mds.fit_transform(matrix.values)
    found = load_matrix("Z.csv")
    np.testing.assert_array_equal(found.values, Z)
    assert found.row_ids.tolist() == matrix.ids.tolist()
    assert found.column_ids.tolist() == ["z1", "z2", "z3"]
    np.testing.assert_allclose(load_matrix("Z_new.csv").values, mds.transform(new.values))


def test_embed_says_which_exponent_it_chose(capsys):
    code, said = run(capsys, "embed", "D.csv", "-o", "Z.npy", "--components", "all")
    assert code == 0
    assert "read as squared distances (exponent 1)" in said.err
    expected = ClassicalMDS(exponent="auto").fit_transform(load_matrix("D.csv").relation())
    np.testing.assert_array_equal(np.load("Z.npy"), expected)


@pytest.mark.parametrize("method", ["classical", "proximal", "euclidean", "metric-learning"])
def test_every_method_embeds(method, capsys):
    assert run(capsys, "embed", "D.csv", "-o", "Z.csv", "--method", method)[0] == 0
    assert load_matrix("Z.csv").shape == (89, 2)


def test_new_objects_need_a_place(capsys):
    code, said = run(capsys, "embed", "D.csv", "-o", "Z.csv", "--new", "D_new.csv")
    assert code == 1
    assert "--new and --new-output go together" in said.err


def test_repair_writes_the_nearest_metric(capsys, folder):
    matrix = load_matrix("D.csv")
    matrix.values[0, 1] = matrix.values[1, 0] = 100.0
    save_matrix("bad.csv", matrix.values, matrix.ids)
    code, said = run(capsys, "repair", "bad.csv", "-o", "fixed.csv", "--norm", "l2")
    assert code == 0
    assert "pairs changed" in said.out
    fixed = load_matrix("fixed.csv")
    np.testing.assert_array_equal(fixed.values, nearest_metric(matrix.values).matrix)
    assert fixed.ids.tolist() == matrix.ids.tolist()


def test_repair_treats_new_objects_alike(capsys):
    words = ["repair", "D.csv", "-o", "E.csv", "--to", "euclidean"]
    words += ["--new", "D_new.csv", "--new-output", "E_new.csv"]
    assert run(capsys, *words)[0] == 0
    matrix, new = load_matrix("D.csv"), load_matrix("D_new.csv")
    repaired = nearest_euclidean(matrix.relation(), exponent=1)  # as a fit takes them
    np.testing.assert_array_equal(load_matrix("E.csv").values, repaired.matrix)
    found = load_matrix("E_new.csv")
    np.testing.assert_allclose(found.values, repaired.extend(new.values))
    assert found.column_ids.tolist() == matrix.ids.tolist()


@pytest.mark.parametrize("kind", ["clip", "flip", "shift"])
def test_the_spectrum_is_repaired(kind, capsys):
    found = run(capsys, "repair", "D.csv", "-o", "E.npy", "--to", kind, "--json")[1].out
    assert json.loads(found)["n_objects"] == 89
    assert np.load("E.npy").shape == (89, 89)


def test_cluster_writes_a_cluster_for_each_object(capsys):
    code, said = run(capsys, "cluster", "D.csv", "-o", "c.csv", "-k", "3")
    assert code == 0
    matrix = load_matrix("D.csv")
    expected = RelationalKMeans(3, random_state=0).fit(matrix.relation()).labels_
    rows = table("c.csv")
    assert rows[0].tolist() == ["id", "cluster"]
    assert rows[1:, 0].tolist() == matrix.ids.tolist()
    assert rows[1:, 1].astype(int).tolist() == expected.tolist()
    assert f"0: {np.sum(expected == 0)} objects" in said.out


def test_fuzzy_clusters_have_memberships(capsys):
    assert run(capsys, "cluster", "D.csv", "-o", "c.csv", "-k", "3", "--fuzzy")[0] == 0
    rows = table("c.csv")
    assert rows[0, 2:].tolist() == ["membership 0", "membership 1", "membership 2"]
    np.testing.assert_allclose(rows[1:, 2:].astype(float).sum(axis=1), 1)


def test_a_matrix_comes_through_a_pipe(capsys, monkeypatch, folder):
    with open(folder / "D.csv", encoding="utf-8") as file:
        monkeypatch.setattr("sys.stdin", file)
        code, said = run(capsys, "inspect", "-")
    assert code == 0
    assert "89 objects" in said.out
