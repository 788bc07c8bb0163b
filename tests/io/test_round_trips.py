"""Whatever is written in one of the layouts is read again: the same bits, the same names."""

import csv
import io

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from relrbf.io import load_matrix, save_matrix

LETTERS = st.characters(
    codec="utf-8",
    categories=["L", "N", "P", "S", "Zs"],
    exclude_characters="\x85\u2028\u2029",
)
NAMES = (
    st.text(LETTERS, min_size=1, max_size=12)
    .map(str.strip)
    .filter(lambda name: name and len(name.splitlines()) == 1)
)
DISTANCES = st.floats(1e-300, 1e12)
quick = settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def is_plain(name):
    """Tell whether a name cannot be taken for a number, a gap or a comment."""
    return not name.startswith(("#", '"')) and any(c.isalpha() for c in name) and len(name) > 4


@st.composite
def relations(draw, names=NAMES):
    n = draw(st.integers(3, 7))
    half = draw(st.lists(DISTANCES, min_size=n * (n - 1) // 2, max_size=n * (n - 1) // 2))
    D = np.zeros((n, n))
    D[np.triu_indices(n, 1)] = half
    ids = draw(st.lists(names, min_size=n, max_size=n, unique=True))
    return D + D.T, ids


def written(rows, delimiter):
    file = io.StringIO()
    csv.writer(file, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return file.getvalue()


def cells(D, decimal, half):
    texts = [[repr(v).replace(".", decimal) for v in row] for row in D.tolist()]
    if half == "lower":
        return [row[: i + 1] for i, row in enumerate(texts)]
    if half == "upper":
        return [row[i:] for i, row in enumerate(texts)]
    if half == "blank":
        return [["" if j > i else v for j, v in enumerate(row)] for i, row in enumerate(texts)]
    return texts


@quick
@given(
    relation=relations(NAMES.filter(is_plain)),
    delimiter=st.sampled_from([",", ";", "\t", "|"]),
    comma=st.booleans(),
    half=st.sampled_from([None, "lower", "upper", "blank"]),
    named=st.sampled_from(["both", "rows", "columns", "none"]),
    end=st.sampled_from(["\n", "\r\n"]),
    mark=st.booleans(),
)
def test_every_layout_gives_the_same_matrix(
    tmp_path, relation, delimiter, comma, half, named, end, mark
):
    D, ids = relation
    decimal = "," if comma and delimiter != "," else "."
    rows = cells(D, decimal, half)
    if named in ("both", "rows"):
        rows = [[name, *row] for name, row in zip(ids, rows, strict=True)]
    if named in ("both", "columns"):
        corner = [""] if named == "both" else []
        rows = [[*corner, *ids], *rows]
    text = written(rows, delimiter).replace("\n", end)
    path = tmp_path / "D.csv"
    path.write_bytes(text.encode("utf-8-sig" if mark else "utf-8"))
    matrix = load_matrix(path)
    np.testing.assert_array_equal(matrix.values, D)
    assert (matrix.ids is None) == (named == "none")
    if named != "none":
        assert matrix.ids.tolist() == ids


@quick
@given(relation=relations(), suffix=st.sampled_from([".csv", ".tsv", ".npy"]))
def test_what_is_saved_comes_back_bit_by_bit_with_any_names(tmp_path, relation, suffix):
    D, ids = relation
    save_matrix(tmp_path / f"D{suffix}", D, ids)
    matrix = load_matrix(tmp_path / f"D{suffix}")
    assert np.asarray(matrix.values).tobytes() == D.tobytes()
    assert matrix.row_ids.tolist() == matrix.column_ids.tolist() == ids


@quick
@given(relation=relations(), n_new=st.integers(1, 3), suffix=st.sampled_from([".csv", ".npy"]))
def test_new_objects_come_back_with_both_kinds_of_names(tmp_path, relation, n_new, suffix):
    D, ids = relation
    new = [f"new {i}" for i in range(n_new)]
    save_matrix(tmp_path / f"D{suffix}", D[:n_new] + 0.5, new, ids)
    matrix = load_matrix(tmp_path / f"D{suffix}")
    np.testing.assert_array_equal(matrix.values, D[:n_new] + 0.5)
    assert matrix.row_ids.tolist() == new
    assert matrix.column_ids.tolist() == ids


@pytest.mark.parametrize("seed", range(30))
def test_whole_numbers_that_name_objects_are_never_entries(tmp_path, seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 9))
    half = np.triu(rng.random((n, n)).round(3), 1)
    ids = rng.permutation(1000)[:n].astype(str).tolist()
    save_matrix(tmp_path / "D.csv", half + half.T, ids)
    matrix = load_matrix(tmp_path / "D.csv")
    assert matrix.ids.tolist() == ids
    np.testing.assert_array_equal(matrix.values, half + half.T)


@quick
@given(st.integers(3, 7), st.integers(0, 2**32 - 1), st.sampled_from(["{:.0f}", "{:.1f}", "{:g}"]))
def test_a_plain_matrix_of_small_numbers_has_no_names(tmp_path, n, seed, form):
    rng = np.random.default_rng(seed)
    half = np.triu(rng.integers(0, 9, (n, n)) / rng.choice([1, 2]), 1)
    half[0, -1], half[1, -1] = 1, 2  # a half of zeros would be a triangle
    D = np.round(half + half.T) if form == "{:.0f}" else half + half.T
    text = "\n".join(",".join(form.format(v) for v in row) for row in D)
    (tmp_path / "D.csv").write_text(text)
    matrix = load_matrix(tmp_path / "D.csv")
    np.testing.assert_array_equal(matrix.values, D)
    assert matrix.ids is None
