"""The originals' formats: files made in them hold the same arrays as the shared ones."""

import numpy as np
import pytest
from scipy import sparse
from scipy.io import savemat

from relrbf.datasets import formats
from relrbf.datasets.fetch import contents_checksum, read_registry
from relrbf.datasets.fetch import fetch as obtain
from tests.datasets.rfile import data_frame, factor, listing, matrix, saved


@pytest.fixture
def read_shared(shared_data):
    return lambda entry: obtain(entry, shared_data, download_if_missing=False)


@pytest.mark.parametrize("header", ["", "p,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"])
def test_votes_as_the_uci_repository_writes_them(read_shared, tmp_path, header):
    arrays = read_shared("USC-435")
    word = {1: "y", -1: "n", 0: "?"}
    lines = [
        ",".join([party, *(word[int(vote)] for vote in votes)])
        for party, votes in zip(arrays["y"], arrays["X"], strict=True)
    ]
    folder = tmp_path / "USC-435"
    folder.mkdir()
    (folder / "house-votes-84.data").write_text(header + "\n".join(lines) + "\n\n")
    np.testing.assert_array_equal(obtain("USC-435", tmp_path)["X"], arrays["X"])


@pytest.mark.parametrize("header", ["", "(age),(sex),(cp),(num) (the predicted attribute)\n"])
def test_heart_data_as_the_uci_repository_writes_them(read_shared, tmp_path, header):
    arrays = read_shared("HD-303")
    lines = [
        ",".join(["?" if np.isnan(cell) else str(cell) for cell in cells] + [str(num)])
        for cells, num in zip(arrays["X"], arrays["num"], strict=True)
    ]
    folder = tmp_path / "HD-303"
    folder.mkdir()
    (folder / "processed.cleveland.data").write_text(header + "\r\n".join(lines))
    np.testing.assert_array_equal(obtain("HD-303", tmp_path)["num"], arrays["num"])


def as_text(terms):
    return np.array(terms[::-1], dtype=object)


def as_numbers(terms):
    return np.array([float(term[3:]) for term in terms])


def as_records(terms):
    return [{"id": int(term[3:])} for term in terms]


@pytest.mark.parametrize("form", [as_text, as_numbers, as_records])
def test_gene_products_as_matlab_keeps_them(read_shared, tmp_path, form):
    arrays = read_shared("HG-194")
    folder = tmp_path / "HG-194"
    folder.mkdir()
    savemat(folder / "go194_ju13_fms.mat", {"go194_ju13_fms": arrays["R"]})
    kinds = [("name", object), ("gene", object), ("go", object)]
    records = np.empty(194, dtype=kinds)
    for i, (gene, terms) in enumerate(zip(arrays["gene"], arrays["terms"], strict=True)):
        records[i] = ("AAC79117", gene, form(str(terms).split(";")))
    savemat(folder / "data194.mat", {"data194": records})
    assert contents_checksum(obtain("HG-194", tmp_path)) == read_registry()["HG-194"].contents


@pytest.mark.parametrize("form", [matrix, data_frame])
def test_profiles_as_r_keeps_them(read_shared, tmp_path, form):
    arrays = read_shared("PC-102")
    folder = tmp_path / "PC-102"
    folder.mkdir()
    parts = {"x": form(arrays["X"].astype(float)), "y": factor(arrays["y"])}
    (folder / "singh.RData").write_bytes(saved({"singh": listing(parts)}, pack=bytes))
    np.testing.assert_array_equal(obtain("PC-102", tmp_path)["X"], arrays["X"])


def test_proteins_as_r_keeps_them(read_shared, tmp_path):
    arrays = read_shared("protein-213")
    folder = tmp_path / "protein-213"
    folder.mkdir()
    parts = {"D": matrix(arrays["R"]), "class": factor(arrays["y"])}
    (folder / "protein.RData").write_bytes(saved({"protein": listing(parts)}))
    np.testing.assert_array_equal(obtain("protein-213", tmp_path)["y"], arrays["y"])


@pytest.mark.parametrize("form", [np.asarray, sparse.csc_array])
def test_yeast_as_matlab_keeps_it(read_shared, tmp_path, form):
    arrays = read_shared("yeast-200")
    folder = tmp_path / "yeast-200"
    folder.mkdir()
    savemat(folder / "Yeast.mat", {"A": form(arrays["S"]), "C": arrays["y"][:, None].astype(float)})
    np.testing.assert_array_equal(obtain("yeast-200", tmp_path)["S"], arrays["S"])


def test_an_archive_of_pickles_is_not_opened(tmp_path):
    np.savez(tmp_path / "a.npz", X=np.array([{}], dtype=object), y=np.zeros(1))
    with pytest.raises(ValueError, match="allow_pickle"):
        formats.archive(tmp_path / "a.npz")
