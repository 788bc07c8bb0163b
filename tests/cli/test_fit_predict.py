"""From a matrix in a file to predictions in a file."""

import csv
import json
import os
import re
from html import unescape

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import load_diabetes

from relrbf import RBFNetworkClassifier, RBFNetworkRegressor, load, save
from relrbf.cli.main import main
from relrbf.embeddings import ClassicalMDS
from relrbf.io import load_matrix, save_matrix, save_rows

pytestmark = pytest.mark.usefixtures("folder")


def rows_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def run(capsys, *words):
    capsys.readouterr()  # of what ran before
    code = main([*words])
    return code, capsys.readouterr()


def test_fit_and_predict_give_what_the_library_gives(wine, capsys):
    assert main(["fit", "D.csv", "y.csv", "-o", "m.relrbf", "--folds", "3"]) == 0
    assert main(["predict", "m.relrbf", "D_new.csv", "-o", "p.csv", "--proba"]) == 0
    (_, X, y), (new_ids, X_new, _) = wine
    model = RBFNetworkClassifier(random_state=0).fit(cdist(X, X, "cityblock"), y)
    header, *rows = rows_of("p.csv")
    assert header == ["id", "prediction", "novelty", *model.classes_]
    assert [row[0] for row in rows] == list(new_ids)
    D_new = cdist(X_new, X, "cityblock")
    assert [row[1] for row in rows] == list(model.predict(D_new))
    numbers = np.array([row[2:] for row in rows], dtype=float)
    np.testing.assert_array_equal(numbers[:, 0], model.novelty(D_new))
    np.testing.assert_array_equal(numbers[:, 1:], model.predict_proba(D_new))
    printed = capsys.readouterr().out
    assert "Accuracy on held-out objects is 9" in printed
    assert "Always predicting the largest class" in printed
    assert "n_prototypes" in printed


def test_ids_in_shuffled_order_give_the_same_predictions(folder, rng):
    main(["fit", "D.csv", "y.csv", "-o", "m.relrbf", "--folds", "0"])
    main(["predict", "m.relrbf", "D_new.csv", "-o", "p.csv", "--proba"])
    new = load_matrix(folder / "D_new.csv")
    rows, cols = rng.permutation(new.shape[0]), rng.permutation(new.shape[1])
    save_matrix("columns.tsv", new.values[:, cols], new.row_ids, new.column_ids[cols])
    main(["predict", "m.relrbf", "columns.tsv", "-o", "q.csv", "--proba"])
    assert rows_of("p.csv") == rows_of("q.csv")  # to the bit
    shuffled = new.values[np.ix_(rows, cols)], new.row_ids[rows], new.column_ids[cols]
    save_matrix("both.tsv", *shuffled)
    main(["predict", "m.relrbf", "both.tsv", "-o", "r.csv", "--proba"])
    expected, found = sorted(rows_of("p.csv")), sorted(rows_of("r.csv"))
    assert [row[:2] for row in expected] == [row[:2] for row in found]
    for before, after in zip(expected[1:], found[1:], strict=True):  # the header is first
        np.testing.assert_allclose(
            np.array(before[2:], float), np.array(after[2:], float), rtol=1e-9
        )


def test_a_shuffled_training_matrix_is_matched_with_its_labels_by_name(folder, rng):
    main(["fit", "D.csv", "y.csv", "-o", "m.relrbf", "--folds", "0"])
    matrix = load_matrix("D.csv")
    order, columns = (rng.permutation(len(matrix.ids)) for _ in range(2))
    values = matrix.values[np.ix_(order, columns)]
    save_matrix("E.csv", values, matrix.ids[order], matrix.ids[columns])
    assert main(["fit", "E.csv", "y.csv", "-o", "n.relrbf", "--folds", "0"]) == 0
    for model in ("m", "n"):
        main(["predict", f"{model}.relrbf", "D_new.csv", "-o", f"{model}.csv"])
    assert rows_of("m.csv") == rows_of("n.csv")


def test_only_the_columns_of_the_support_are_needed():
    main(["fit", "D.csv", "y.csv", "-o", "m.relrbf", "--support", "20", "--folds", "0"])
    model, new = load("m.relrbf"), load_matrix("D_new.csv")
    needed = model.support_[::-1]
    save_matrix("few.csv", new.values[:, needed], new.row_ids, new.column_ids[needed])
    for file in ("D_new", "few"):
        main(["predict", "m.relrbf", f"{file}.csv", "-o", f"{file}.out.csv", "--proba"])
    assert rows_of("D_new.out.csv") == rows_of("few.out.csv")


def test_a_column_that_is_needed_and_missing_is_named(capsys):
    main(["fit", "D.csv", "y.csv", "-o", "m.relrbf", "--folds", "0"])
    new = load_matrix("D_new.csv")
    save_matrix("few.csv", new.values[:, 1:], new.row_ids, new.column_ids[1:])
    code, said = run(capsys, "predict", "m.relrbf", "few.csv")
    assert code == 1
    assert "few.csv: no column for 1 of" in said.err
    assert "'wine 0'" in said.err


def test_predictions_go_to_standard_output_where_no_file_is_named(capsys):
    main(["fit", "D.csv", "y.csv", "-o", "m.relrbf", "--folds", "0"])
    capsys.readouterr()
    code, said = run(capsys, "predict", "m.relrbf", "D_new.csv", "--labels", "y.csv")
    assert code == 0
    assert said.out.splitlines()[0] == "id,prediction,novelty"
    assert len(said.out.splitlines()) == 90
    assert "accuracy on 89 new objects: 0.9" in said.err


NEW_TO_REPAIR = ["repair", "D.npy", "-o", "fixed.csv", "--new", "few.npy", "--new-output", "N.csv"]


def test_without_names_objects_are_known_by_their_row(capsys):
    matrix, new = load_matrix("D.csv"), load_matrix("D_new.csv")
    np.save("D.npy", matrix.values)
    np.save("D_new.npy", new.values)
    labels = dict(rows_of("y.csv"))
    np.savetxt("plain.csv", [labels[name] for name in matrix.ids], fmt="%s")
    assert main(["fit", "D.npy", "plain.csv", "-o", "n.relrbf", "--folds", "0"]) == 0
    assert "order" in capsys.readouterr().err
    main(["predict", "n.relrbf", "D_new.npy", "-o", "n.csv"])
    main(["fit", "D.csv", "y.csv", "-o", "m.relrbf", "--folds", "0"])
    main(["predict", "m.relrbf", "D_new.csv", "-o", "m.csv"])
    by_row, by_name = rows_of("n.csv")[1:], rows_of("m.csv")[1:]
    assert [row[0] for row in by_row] == [str(k) for k in range(89)]
    assert [row[1] for row in by_row] == [row[1] for row in by_name]
    np.save("few.npy", new.values[:, 1:])
    for words in (["predict", "n.relrbf", "few.npy"], NEW_TO_REPAIR):
        assert main(words) == 1
        assert "few.npy has 88 columns, and must have 89" in capsys.readouterr().err
    assert not os.path.exists("fixed.csv")


def test_objects_without_a_label_are_refused_or_dropped(capsys, folder):
    lines = (folder / "y.csv").read_text().splitlines()
    kept = [line for line in lines if not line.startswith(("wine 0,", "wine 2,"))]
    (folder / "some.csv").write_text("\n".join(kept))
    code, said = run(capsys, "fit", "D.csv", "some.csv", "-o", "m.relrbf")
    assert code == 1
    assert "no label for 2 of 89 objects ('wine 0', 'wine 2')" in said.err
    words = ["fit", "D.csv", "some.csv", "-o", "m.relrbf", "--unlabelled", "drop", "--folds", "0"]
    code, said = run(capsys, *words)
    assert code == 0
    assert "2 of 89 objects have no label" in said.err
    assert load("m.relrbf").n_features_in_ == 87


def test_json_holds_what_is_printed(capsys):
    words = ["fit", "D.csv", "y.csv", "-o", "m.relrbf", "--json", "--folds", "3"]
    code, said = run(capsys, *words)
    found = json.loads(said.out)
    assert code == 0
    assert found["n_objects"] == 89
    assert found["classes"] == ["barbera", "barolo", "grignolino"]
    assert found["cross_validation"]["scores"]["network"]["mean"] > 0.9
    assert any("exponent" in note for note in found["notes"])
    said = run(capsys, "predict", "m.relrbf", "D_new.csv", "--json", "--labels", "y.csv")[1]
    found = json.loads(said.out)
    assert found["predictions"][0]["id"] == "wine 1"
    assert found["accuracy"] > 0.9


def test_numbers_are_predicted(capsys, folder):
    X, y = load_diabetes(return_X_y=True)
    X = X[:120] / X.std(axis=0)
    save_matrix("D.csv", cdist(X, X))
    save_rows("t.csv", ["target"], [[value + 0.5] for value in y[:120]])
    code, said = run(capsys, "fit", "D.csv", "t.csv", "-o", "r.relrbf", "--folds", "3")
    assert code == 0
    assert "taken for numbers" in said.err
    assert "R² on held-out objects is 0." in said.out
    assert main(["predict", "r.relrbf", "D.csv", "-o", "p.csv", "--labels", "t.csv"]) == 0
    predicted = np.array([row[1] for row in rows_of("p.csv")[1:]], dtype=float)
    assert np.corrcoef(predicted, y[:120])[0, 1] > 0.6
    assert run(capsys, "predict", "r.relrbf", "D.csv", "--proba")[0] == 1
    code, said = run(capsys, "fit", "D.csv", "t.csv", "-o", "r.relrbf", "--balanced")
    assert code == 1
    assert "--balanced is about classes" in said.err
    code, said = run(capsys, "fit", "D.csv", "t.csv", "-o", "r.relrbf", "--positive")
    assert code == 1
    assert "--positive is about classes" in said.err


def test_whole_numbers_are_classes_unless_many_differ(capsys):
    labels = dict(rows_of("y.csv")[1:])
    codes = {"barolo": 1, "barbera": 2, "grignolino": 3}
    save_rows("n.csv", ["id", "label"], [[k, codes[v]] for k, v in labels.items()])
    said = run(capsys, "fit", "D.csv", "n.csv", "-o", "m.relrbf", "--folds", "0")[1]
    assert "taken for classes; --task regress" in said.err
    assert load("m.relrbf").classes_.tolist() == ["1", "2", "3"]
    words = ["fit", "D.csv", "n.csv", "-o", "m.relrbf", "--folds", "0", "--task", "regress"]
    assert run(capsys, *words)[0] == 0
    assert not hasattr(load("m.relrbf"), "classes_")
    ages = [[name, k] for k, name in enumerate(labels)]
    save_rows("ages.csv", ["id", "age"], ages)
    said = run(capsys, "fit", "D.csv", "ages.csv", "-o", "m.relrbf", "--folds", "0")[1]
    assert "taken for numbers; --task classify" in said.err
    words = ["fit", "D.csv", "y.csv", "-o", "m.relrbf", "--task", "regress"]
    assert "is not a number" in run(capsys, *words)[1].err


def test_options_reach_the_network():
    words = ["--prototypes", "4", "--kernel", "inverse-multiquadric", "--alpha", "0.5"]
    words += ["--exponent", "2", "--balanced", "--seed", "3", "--folds", "0", "--support", "0.5"]
    assert main(["fit", "D.csv", "y.csv", "-o", "m.relrbf", *words]) == 0
    model = load("m.relrbf")
    assert len(model.prototypes_) == 4
    assert (model.exponent_, model.alpha, model.random_state) == (2, 0.5, 3)
    assert (model.kernel, model.class_weight) == ("inverse-multiquadric", "balanced")
    assert len(model.support_) <= 45
    assert main(["fit", "D.csv", "y.csv", "-o", "m.relrbf", "--positive", "--folds", "0"]) == 0
    assert load("m.relrbf").positive is True


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["fit", "E.csv", "y.csv", "-o", "m"], "E.csv"),
        (["fit", "D.csv", "z.csv", "-o", "m"], "z.csv"),
        (["fit", "D.csv", "y.csv", "-o", "no/m"], "does not exist; create it"),
        (["fit", "D.csv", "y.csv", "-o", "."], "is a folder"),
        (["fit", "D.csv", "y.csv", "-o", "m", "--report", "r.pdf"], "must end in .html"),
        (["predict", "D.csv", "D.csv"], "D.csv"),
        (["predict", "none.relrbf", "D.csv"], "none.relrbf"),
        (["fit", "D_new.csv", "y.csv", "-o", "m"], "D_new.csv"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(words, said, capsys):
    code, printed = run(capsys, *words)
    assert code == 1
    errors = [line for line in printed.err.splitlines() if line.startswith("relrbf: ")]
    assert len(errors) == 1
    assert said in errors[0]
    assert "Traceback" not in printed.err
    assert printed.out == ""


def test_debug_shows_where_it_arose(capsys):
    code, printed = run(capsys, "fit", "E.csv", "y.csv", "-o", "m", "--debug")
    assert code == 1
    assert "Traceback" in printed.err
    assert "relrbf: " in printed.err


def test_similarities_are_refused_with_the_remedy_and_converted_when_asked(capsys):
    matrix = load_matrix("D.csv")
    save_matrix("S.csv", np.exp(-matrix.values / 10), matrix.ids)
    code, printed = run(capsys, "fit", "S.csv", "y.csv", "-o", "m.relrbf")
    assert code == 1
    assert "S.csv looks like similarities" in printed.err
    assert "--similarities convert" in printed.err
    words = ["fit", "S.csv", "y.csv", "-o", "m.relrbf", "--similarities", "convert"]
    code, printed = run(capsys, *words, "--folds", "3")
    assert code == 0
    assert "note: S.csv looks like similarities" in printed.err
    assert "as_relation" not in printed.err
    new = load_matrix("D_new.csv")
    save_matrix("S_new.csv", np.exp(-new.values / 10), new.row_ids, new.column_ids)
    words = ["predict", "m.relrbf", "S_new.csv", "--labels", "y.csv", "--json"]
    assert json.loads(run(capsys, *words)[1].out)["accuracy"] > 0.9


def test_a_matrix_that_is_not_symmetric_is_refused_with_the_remedy(capsys):
    matrix = load_matrix("D.csv")
    matrix.values[0, 1] += 1
    save_matrix("A.csv", matrix.values, matrix.ids)
    code, printed = run(capsys, "fit", "A.csv", "y.csv", "-o", "m.relrbf")
    assert code == 1
    assert "--symmetrize mean" in printed.err
    assert "A.csv is not symmetric: row 'wine 0', column 'wine 2' is" in printed.err
    words = ["fit", "A.csv", "y.csv", "-o", "m.relrbf", "--symmetrize", "mean", "--folds", "0"]
    code, printed = run(capsys, *words)
    assert code == 0
    assert "note: A.csv was not symmetric: --symmetrize mean changed 2 of 7921" in printed.err


@pytest.mark.parametrize(
    ("at", "value", "said"),
    [
        ((3, 3), 1.0, "D3.csv: row 'wine 6', column 'wine 6' is 1; an object's"),
        ((3, 5), np.nan, "D3.csv contains 1 NaN and 0 inf entries, the first at row 'wine 6'"),
        ((3, 5), -1.0, "D3.csv has 1 of them, the lowest -1"),
    ],
)
def test_an_entry_that_cannot_be_used_is_named(at, value, said, capsys):
    matrix = load_matrix("D.csv")
    matrix.values[at] = value
    save_matrix("D3.csv", matrix.values, matrix.ids)
    code, printed = run(capsys, "fit", "D3.csv", "y.csv", "-o", "m.relrbf")
    assert code == 1
    assert said in printed.err
    assert not re.search(r"\bX\b|metric=", printed.err)


def test_an_entry_of_a_new_object_that_cannot_be_used_is_named(capsys):
    main(["fit", "D.csv", "y.csv", "-o", "m.relrbf", "--folds", "0"])
    new = load_matrix("D_new.csv")
    new.values[2, 3] = np.nan
    save_matrix("N.csv", new.values, new.row_ids, new.column_ids)
    named = "N.csv contains 1 NaN and 0 inf entries, the first at row 'wine 5', column 'wine 6'"
    for words in (
        ["predict", "m.relrbf", "N.csv"],
        ["embed", "D.csv", "-o", "Z.csv", "--new", "N.csv", "--new-output", "Z_new.csv"],
    ):
        code, printed = run(capsys, *words)
        assert code == 1
        assert named in printed.err


def test_a_report_is_written_and_its_sentences_are_printed(capsys, folder):
    words = ["fit", "D.csv", "y.csv", "-o", "m.relrbf", "--report", "r.html", "--folds", "3"]
    code, printed = run(capsys, *words)
    assert code == 0
    assert "Accuracy on held-out objects is" in printed.out
    page = (folder / "r.html").read_text(encoding="utf-8")
    assert "wine 0" in page
    assert "r.html: the report" in printed.out


def test_groups_are_held_out_together_and_the_page_reproduces_it(capsys, folder, monkeypatch):
    ids = [row[0] for row in rows_of("y.csv")[1:]]
    groups = {name: f"case {i // 3}" for i, name in enumerate(ids)}
    save_rows("groups.csv", ["id", "group"], sorted(groups.items(), reverse=True))
    words = ["fit", "D.csv", "y.csv", "-o", "m.relrbf", "--folds", "3", "--groups", "groups.csv"]
    monkeypatch.setattr("sys.argv", ["relrbf", *words, "--report", "r.html"])
    code, printed = run(capsys, *words, "--report", "r.html")
    assert code == 0
    assert "with groups kept in one fold" in printed.out
    page = unescape((folder / "r.html").read_text(encoding="utf-8"))
    code = page[page.rindex("<pre") :].partition("<code>")[2].partition("</code>")[0]
    assert "--groups groups.csv" in code
    variables = {}
    exec(code[code.index("from relrbf") :], variables)
    again = variables["evaluation"]
    order = list(variables["D"].ids)
    together = np.array([groups[name] for name in order])
    for train, test in again.cross_validation.splits(again.data):
        assert not set(together[train]) & set(together[test])
    assert again.sentences[0] in printed.out


def test_groups_without_folds_are_refused(capsys):
    words = ["fit", "D.csv", "y.csv", "-o", "m.relrbf", "--groups", "y.csv", "--folds", "0"]
    code, printed = run(capsys, *words)
    assert code == 1
    assert "--groups is about objects held out" in printed.err


def test_nodes_of_a_graph_are_told_apart_by_their_names(capsys, folder):
    edges = [(a, b) for k in "ab" for a, b in ((f"{k}{i}", f"{k}{i + 1}") for i in range(9))]
    lines = [f"{a} {b} 1" for a, b in [*edges, ("a9", "b9")]]
    (folder / "edges.txt").write_text("\n".join(lines))
    save_rows("known.csv", ["id", "label"], [[f"{k}{i}", k] for k in "ab" for i in range(0, 10, 2)])
    words = ["fit", "edges.txt", "known.csv", "-o", "g.relrbf", "--graph", "--unlabelled", "drop"]
    assert run(capsys, *words, "--folds", "0")[0] == 0
    assert main(["predict", "g.relrbf", "edges.txt", "--graph", "-o", "p.csv"]) == 0
    predicted = {name: label for name, label, _ in rows_of("p.csv")[1:]}
    assert len(predicted) == 20
    assert np.mean([name[0] == label for name, label in predicted.items()]) >= 0.9


def test_a_class_may_be_called_as_a_column_is(capsys):
    names = {"barolo": "id", "barbera": "prediction", "grignolino": "x"}
    save_rows("odd.csv", ["id", "label"], [[k, names[v]] for k, v in rows_of("y.csv")[1:]])
    main(["fit", "D.csv", "odd.csv", "-o", "m.relrbf", "--folds", "0"])
    main(["predict", "m.relrbf", "D_new.csv", "-o", "p.csv", "--proba"])
    assert rows_of("p.csv")[0] == [
        *("id", "prediction", "novelty", "class id", "class prediction", "x")
    ]
    said = run(capsys, "predict", "m.relrbf", "D_new.csv", "--proba", "--json")[1]
    first = json.loads(said.out)["predictions"][0]
    assert first["id"] == "wine 1"
    assert set(first["probabilities"]) == {"id", "prediction", "x"}


def test_columns_of_a_model_on_vectors_are_features(capsys, wine):
    (_, X, y), (_, X_new, _) = wine
    features = [f"f{k}" for k in range(13)]
    frame = pd.DataFrame(X, columns=features)
    for options in ({"space": "vector"}, {"metric": "euclidean"}):
        save(RBFNetworkClassifier(random_state=0, **options).fit(frame, y), "v.relrbf")
        save_matrix("X_new.csv", X_new[:, ::-1], None, features[::-1])
        assert main(["predict", "v.relrbf", "X_new.csv", "-o", "p.csv"]) == 0
        expected = load("v.relrbf").predict(pd.DataFrame(X_new, columns=features))
        assert [row[1] for row in rows_of("p.csv")[1:]] == list(expected)
        save_matrix("few.csv", X_new[:, :3], None, ["foo", "bar", "f2"])
        code, said = run(capsys, "predict", "v.relrbf", "few.csv")
        assert code == 1
        assert "no column for 12 of 13" in said.err


def test_ids_that_are_numbers_are_matched_too(wine):
    (_, X, y), (_, X_new, _) = wine
    numbers = np.arange(100, 100 + len(X))
    D = pd.DataFrame(cdist(X, X, "cityblock"), index=numbers, columns=numbers)
    model = RBFNetworkClassifier(random_state=0).fit(D, y)
    save(model, "m.relrbf")
    D_new = pd.DataFrame(cdist(X_new, X, "cityblock"), columns=numbers)
    D_new[numbers[::-1]].to_csv("reversed.csv")
    assert main(["predict", "m.relrbf", "reversed.csv", "-o", "p.csv"]) == 0
    assert [row[1] for row in rows_of("p.csv")[1:]] == list(model.predict(D_new))


def test_classes_that_are_numbers_are_scored_as_numbers(capsys, wine):
    (_, X, y), (new_ids, X_new, y_new) = wine
    codes = {"barolo": 0, "barbera": 1, "grignolino": 2}
    D = cdist(X, X, "cityblock")
    save(RBFNetworkClassifier(random_state=0).fit(D, [codes[k] for k in y]), "m.relrbf")
    save_matrix("N.csv", cdist(X_new, X, "cityblock"), new_ids)
    save_rows("t.csv", ["id", "label"], zip(new_ids, [codes[k] for k in y_new], strict=True))
    said = run(capsys, "predict", "m.relrbf", "N.csv", "--labels", "t.csv", "--json")[1]
    assert json.loads(said.out)["accuracy"] > 0.9


def test_several_targets_have_a_column_each(wine):
    (_, X, _), _ = wine
    D = cdist(X, X)
    save(RBFNetworkRegressor(random_state=0).fit(D, X[:, :2]), "m.relrbf")
    save_matrix("N.csv", D[:3])
    assert main(["predict", "m.relrbf", "N.csv", "-o", "p.csv"]) == 0
    assert rows_of("p.csv")[0] == ["id", "prediction 0", "prediction 1", "novelty"]
    assert all(len(row) == 4 for row in rows_of("p.csv"))


def test_what_predicts_nothing_is_refused(capsys, wine):
    (_, X, _), _ = wine
    save(ClassicalMDS(2).fit(cdist(X, X)), "z.relrbf")
    code, said = run(capsys, "predict", "z.relrbf", "D_new.csv")
    assert code == 1
    assert "is a ClassicalMDS, which predicts nothing" in said.err


def test_codes_stay_as_they_are_written(capsys):
    codes = {"barolo": "007", "barbera": "1.10", "grignolino": "1.1"}
    save_rows("c.csv", ["id", "label"], [[k, codes[v]] for k, v in rows_of("y.csv")[1:]])
    assert run(capsys, "fit", "D.csv", "c.csv", "-o", "m.relrbf", "--folds", "0")[0] == 0
    assert load("m.relrbf").classes_.tolist() == ["007", "1.1", "1.10"]


def test_a_target_that_is_not_finite_is_refused(capsys):
    ids = [row[0] for row in rows_of("y.csv")[1:]]
    save_rows(
        "t.csv",
        ["id", "t"],
        [[name, "inf" if name == "wine 0" else k + 0.5] for k, name in enumerate(ids)],
    )
    code, said = run(capsys, "fit", "D.csv", "t.csv", "-o", "m.relrbf")
    assert code == 1
    assert "the label inf is not a finite number" in said.err


def test_a_file_of_labels_is_read_as_told(capsys, folder):
    lines = (folder / "y.csv").read_text().replace("barbera", "barbéra").replace(",", ";")
    (folder / "old.csv").write_bytes(lines.encode("cp1252"))
    code, said = run(capsys, "fit", "D.csv", "old.csv", "-o", "m.relrbf", "--folds", "0")
    assert code == 1
    assert "--labels-encoding cp1252" in said.err
    words = ["fit", "D.csv", "old.csv", "-o", "m.relrbf", "--folds", "0"]
    assert run(capsys, *words, "--labels-encoding", "cp1252")[0] == 0
    assert "barbéra" in load("m.relrbf").classes_


def test_a_model_that_cannot_be_evaluated_is_no_failure(capsys, wine):
    (ids, _, _), _ = wine
    save_rows(
        "one.csv", ["id", "label"], [[name, "b" if k == 0 else "a"] for k, name in enumerate(ids)]
    )
    code, said = run(capsys, "fit", "D.csv", "one.csv", "-o", "m.relrbf")
    assert code == 0
    assert "cannot be measured" in said.err


def test_a_report_needs_objects_held_out(capsys):
    words = ["fit", "D.csv", "y.csv", "-o", "m.relrbf", "--report", "r.html", "--folds", "0"]
    code, said = run(capsys, *words)
    assert code == 1
    assert "leave --folds 0 out" in said.err


def test_options_of_a_graph_are_passed_on(capsys, folder):
    (folder / "edges.txt").write_text("a b 1\nb c 1\nd e 1\n")
    code, said = run(capsys, "inspect", "edges.txt", "--graph")
    assert code == 1
    assert "--graph-option disconnected=far" in said.err
    words = ["inspect", "edges.txt", "--graph", "--graph-option", "disconnected=far"]
    assert run(capsys, *words)[0] == 0


def test_an_archive_brings_its_labels(capsys, wine):
    (_, X, y), _ = wine
    codes = np.array([{"barolo": 1.0, "barbera": 2.0, "grignolino": 3.0}[kind] for kind in y])
    np.savez("both.npz", D=cdist(X, X, "cityblock"), y=codes)
    words = ["fit", "both.npz", "both.npz", "-o", "m.relrbf", "--folds", "0"]
    assert run(capsys, *words)[0] == 0
    assert load("m.relrbf").classes_.tolist() == ["1", "2", "3"]


def test_a_header_of_numbers_is_no_object(capsys, wine):
    (_, X, y), (_, X_new, _) = wine
    D, D_new = cdist(X, X, "cityblock").round(), cdist(X_new, X, "cityblock").round()
    pd.DataFrame(D.astype(int)).to_csv("N.csv", index=False)
    pd.DataFrame(D_new.astype(int)).to_csv("N_new.csv", index=False)
    save_rows("plain.csv", ["label"], [[kind] for kind in y])
    assert run(capsys, "fit", "N.csv", "plain.csv", "-o", "m.relrbf", "--folds", "0")[0] == 0
    assert main(["predict", "m.relrbf", "N_new.csv", "-o", "p.csv"]) == 0
    expected = RBFNetworkClassifier(random_state=0).fit(D, y).predict(D_new)
    assert [row[1] for row in rows_of("p.csv")[1:]] == list(expected)


def test_objects_of_training_are_not_scored(capsys, folder, wine):
    (ids, _, _), (new_ids, _, _) = wine
    X = np.vstack([wine[0][1], wine[1][1]])
    save_matrix("all.csv", cdist(X, X, "cityblock"), [*ids, *new_ids])
    save_rows("some.csv", ["id", "label"], [r for r in rows_of("y.csv")[1:] if r[0] in set(ids)])
    words = ["fit", "all.csv", "some.csv", "-o", "m.relrbf", "--unlabelled", "drop"]
    assert run(capsys, *words, "--folds", "0")[0] == 0
    words = ["predict", "m.relrbf", "all.csv", "-o", "p.csv", "--labels", "y.csv", "--new-only"]
    said = run(capsys, *words)[1]
    assert "89 of 178 objects are those of training" in said.err
    assert "accuracy on 89 new objects" in said.err
    assert [row[0] for row in rows_of("p.csv")[1:]] == list(new_ids)


def test_rows_that_are_counted_are_not_those_of_training(capsys, wine):
    (_, X, y), (_, X_new, y_new) = wine
    pd.DataFrame(cdist(X, X, "cityblock")).to_csv("N.csv")
    pd.DataFrame(cdist(X_new, X, "cityblock")[:30]).to_csv("N_new.csv")
    save_rows("plain.csv", ["label"], [[kind] for kind in y])
    save_rows("truth.csv", ["label"], [[kind] for kind in y_new[:30]])
    main(["fit", "N.csv", "plain.csv", "-o", "m.relrbf", "--folds", "0"])
    said = run(capsys, "predict", "m.relrbf", "N_new.csv", "-o", "p.csv", "--labels", "truth.csv")[
        1
    ]
    assert "those of training" not in said.err
    assert "accuracy on 30 new objects" in said.err


def test_the_lines_on_the_page_do_it_again(folder):
    words = ["fit", "D.csv", "y.csv", "-o", "m.relrbf", "--report", "r.html", "--folds", "2"]
    assert main([*words, "--prototypes", "5"]) == 0
    page = (folder / "r.html").read_text(encoding="utf-8")
    blocks = re.findall(r"<pre[^>]*>(.*?)</pre>", page, re.DOTALL)
    lines = next(unescape(block) for block in blocks if "load_matrix" in block)
    made = {}
    exec(lines[lines.index("from relrbf") :].split("write_fit_report(")[0], made)
    np.testing.assert_array_equal(made["model"].weights_, load("m.relrbf").weights_)


def test_options_of_a_graph_need_a_graph(capsys):
    code, said = run(capsys, "inspect", "D.csv", "--graph-option", "disconnected=far")
    assert code == 2
    assert "add --graph" in said.err


def test_a_target_that_does_not_vary_is_told(capsys, wine):
    (ids, _, _), _ = wine
    save_rows("t.csv", ["id", "target"], [[name, 7.5] for name in ids])
    code, said = run(capsys, "fit", "D.csv", "t.csv", "-o", "m.relrbf", "--folds", "3")
    assert code == 0
    assert "The target does not vary" in said.out


def fitted_on_wine():
    main(["fit", "D.csv", "y.csv", "-o", "m.relrbf", "--folds", "0", "--quiet"])


@pytest.mark.parametrize(
    ("change", "cause"),
    [
        (lambda D: 1000 * D, "about 1e+03 times as large"),
        (lambda D: D / 1000, "about 0.001 times as large"),
        (lambda D: D.max() - D, "look like similarities"),
        (lambda D: D**2, "look like squares"),
    ],
)
def test_a_file_of_another_scale_or_of_similarities_is_refused_with_the_likely_cause(
    change, cause, capsys, folder
):
    fitted_on_wine()
    new = load_matrix(folder / "D_new.csv")
    save_matrix("off.csv", change(new.values), new.row_ids, new.column_ids)
    code, said = run(capsys, "predict", "m.relrbf", "off.csv", "-o", "p.csv")
    assert code == 1
    assert "off.csv" in said.err
    assert cause in said.err
    assert "--anyway" in said.err
    assert not (folder / "p.csv").exists()
    code, said = run(capsys, "predict", "m.relrbf", "off.csv", "-o", "p.csv", "--anyway")
    assert code == 0
    assert cause in said.err


def test_objects_beyond_what_was_seen_are_flagged_by_name(capsys, wine):
    fitted_on_wine()
    (ids, X, _), (new_ids, X_new, _) = wine
    X_new = X_new.copy()
    X_new[3] += 10
    save_matrix("new.csv", cdist(X_new, X, "cityblock"), new_ids, ids)
    code, said = run(capsys, "predict", "m.relrbf", "new.csv", "-o", "p.csv")
    assert code == 0
    assert new_ids[3] in said.err
    assert "farther out than any training object" in said.err
    p_values = [float(row[2]) for row in rows_of("p.csv")[1:]]
    assert p_values[3] == 1 / (1 + len(X))


def test_intervals_of_numbers_are_columns(capsys):
    X, y = load_diabetes(return_X_y=True)
    save_matrix("N.csv", cdist(X[:90], X[:90]))
    save_rows("t.csv", ["target"], [[value] for value in y[:90]])
    main(["fit", "N.csv", "t.csv", "-o", "n.relrbf", "--folds", "0", "--quiet"])
    assert main(["predict", "n.relrbf", "N.csv", "-o", "p.csv", "--interval", "0.8"]) == 0
    header, *rows = rows_of("p.csv")
    assert header == ["id", "prediction", "lower", "upper", "novelty"]
    assert all(float(row[2]) < float(row[1]) < float(row[3]) for row in rows)
    fitted_on_wine()
    code, said = run(capsys, "predict", "m.relrbf", "D_new.csv", "--interval", "0.8")
    assert code == 1
    assert "--interval" in said.err
