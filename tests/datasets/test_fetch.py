"""Where data are looked for, in which order; what is refused; what the errors say."""

import shutil
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pooch
import pytest

from relrbf.datasets import load_hg194
from relrbf.datasets.fetch import cache_folder
from relrbf.datasets.fetch import fetch_entry as obtain
from relrbf.exceptions import DatasetError
from tests.datasets.conftest import ARRAYS


@pytest.fixture
def data(tmp_path, monkeypatch):
    folder = tmp_path / "data"
    folder.mkdir()
    monkeypatch.setenv("RELRBF_DATA", str(folder))
    return folder


@pytest.fixture
def alone(monkeypatch):
    monkeypatch.delenv("RELRBF_DATA", raising=False)


def put(served, folder, *names):
    (folder / "MADE-4").mkdir(parents=True, exist_ok=True)
    for name in names:
        shutil.copy(served[0] / name, folder / "MADE-4")


def same(arrays):
    return all(np.array_equal(arrays[name], ARRAYS[name]) for name in ARRAYS)


@pytest.mark.parametrize("names", [["MADE-4.npz"], ["table.txt", "labels.txt"]])
def test_a_set_is_read_from_whichever_files_are_there(entry, served, data, names):
    put(served, data, *names)
    assert same(obtain(entry, download_if_missing=False))


def test_the_folder_of_data_comes_before_the_cache(entry, served, data, cache):
    put(served, data, "MADE-4.npz")
    put(served, cache, "MADE-4.npz")
    (cache / "MADE-4" / "MADE-4.npz").write_bytes(b"never opened")
    assert same(obtain(entry, download_if_missing=False))


@pytest.mark.usefixtures("data")
def test_the_cache_has_what_the_folder_of_data_has_not(entry, served, cache):
    put(served, cache, "MADE-4.npz")
    assert same(obtain(entry, download_if_missing=False))


def test_data_home_is_the_only_place_when_it_is_given(entry, served, data, tmp_path):
    put(served, data, "MADE-4.npz")
    with pytest.raises(DatasetError, match="elsewhere"):
        obtain(entry, tmp_path / "elsewhere", download_if_missing=False)
    put(served, tmp_path / "elsewhere", "MADE-4.npz")
    assert same(obtain(entry, str(tmp_path / "elsewhere"), download_if_missing=False))


def test_half_of_the_files_are_not_enough(entry, served, data):
    put(served, data, "table.txt")
    with pytest.raises(DatasetError, match="MADE-4 is not there"):
        obtain(entry, download_if_missing=False)


@pytest.mark.usefixtures("data")
def test_what_has_no_public_address_is_told_with_the_file_to_find(entry):
    kept = replace(entry, sources=entry.sources[:1])
    with pytest.raises(DatasetError, match="is not there, and has no public address") as error:
        obtain(kept)
    assert f"MADE-4.npz (sha256 {entry.sources[0].files[0].sha256}" in str(error.value)


def test_what_is_nowhere_is_told_with_folder_file_address_and_checksum(entry, data, cache):
    with pytest.raises(DatasetError) as error:
        obtain(entry, download_if_missing=False)
    archive, originals = entry.sources
    told = str(error.value)
    assert "MADE-4 is not there, and was not to be downloaded" in told
    assert f"looked for in {data / 'MADE-4'} and {cache / 'MADE-4'}" in told
    assert f"put into {cache / 'MADE-4'}" in told
    assert f"MADE-4.npz (sha256 {archive.files[0].sha256}, " in told
    assert all(f"{file.name}, from {file.url}" in told for file in originals.files)
    assert entry.contents in told


def test_the_real_registry_says_what_to_put_where(tmp_path):
    with pytest.raises(DatasetError, match=r"go194_ju13_fms\.mat, from https://raw\.github") as e:
        load_hg194(data_home=tmp_path, download_if_missing=False)
    assert isinstance(e.value, OSError)
    assert "HG-194.npz (sha256 007164fcc3e7" in str(e.value)


def test_a_damaged_archive_is_refused_and_left_alone(entry, served, data):
    put(served, data, "MADE-4.npz", "table.txt", "labels.txt")
    file = data / "MADE-4" / "MADE-4.npz"
    damaged = file.read_bytes()[:-1]
    file.write_bytes(damaged)
    with pytest.raises(DatasetError, match=r"bytes of .* its sha256 is .* Delete it, or put") as e:
        obtain(entry)
    assert str(file) in str(e.value)
    assert file.read_bytes() == damaged


def test_a_file_that_cannot_be_read_is_refused(entry, served, data):
    put(served, data, "table.txt", "labels.txt")
    (data / "MADE-4" / "table.txt").write_text("no numbers")
    with pytest.raises(DatasetError, match=r"table\.txt with .*labels\.txt .* cannot be read \("):
        obtain(entry)


def test_other_numbers_in_a_readable_file_are_refused(entry, served, data):
    put(served, data, "table.txt", "labels.txt")
    np.savetxt(data / "MADE-4" / "table.txt", ARRAYS["X"] + 1e-9)
    with pytest.raises(DatasetError, match=f"sha256 of what is in it .* not {entry.contents}"):
        obtain(entry)


def test_a_folder_of_data_that_is_none_is_told(entry, monkeypatch):
    monkeypatch.setenv("RELRBF_DATA", "no/such/folder")
    with pytest.raises(DatasetError, match="RELRBF_DATA is 'no/such/folder', which is no folder"):
        obtain(entry)


def test_a_tilde_is_the_users_home(entry, served, tmp_path, monkeypatch):
    put(served, tmp_path / "data", "MADE-4.npz")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    for variable in ("RELRBF_CACHE", "RELRBF_DATA"):
        monkeypatch.setenv(variable, "~/data")
        assert same(obtain(entry, download_if_missing=False))
        monkeypatch.setenv(variable, str(tmp_path))
    assert same(obtain(entry, "~/data", download_if_missing=False))


@pytest.mark.usefixtures("alone")
def test_without_a_folder_of_data_the_cache_is_looked_in(entry, served, cache):
    put(served, cache, "MADE-4.npz")
    assert same(obtain(entry, download_if_missing=False))


def test_the_cache_is_where_pooch_keeps_such_things(monkeypatch):
    monkeypatch.delenv("RELRBF_CACHE")
    assert cache_folder() == Path(pooch.os_cache("relrbf"))
    monkeypatch.setenv("RELRBF_CACHE", "mine")
    assert cache_folder() == Path("mine")


@pytest.mark.usefixtures("alone")
def test_without_pooch_the_extra_is_named(entry, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(DatasetError, match=r"pip install 'relrbf\[datasets\]'"):
        obtain(entry, tmp_path / "empty")
    monkeypatch.delenv("RELRBF_CACHE")
    with pytest.raises(DatasetError, match=r"pip install 'relrbf\[datasets\]'"):
        obtain(entry)


def test_data_at_hand_need_no_pooch(entry, served, data, monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    monkeypatch.delenv("RELRBF_CACHE")
    put(served, data, "MADE-4.npz")
    assert same(obtain(entry))
