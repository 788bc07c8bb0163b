"""Downloads, from a server on this machine: verified, whole or not at all."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pooch
import pytest

import relrbf
from relrbf.datasets.fetch import fetch_entry as obtain
from relrbf.exceptions import DatasetError
from tests.datasets.conftest import ARRAYS, make_entry


@pytest.fixture(autouse=True)
def alone(monkeypatch):
    monkeypatch.delenv("RELRBF_DATA", raising=False)


def found(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


WHOLE = ["MADE-4", "MADE-4/labels.txt", "MADE-4/table.txt"]


def test_what_is_fetched_is_kept_and_not_fetched_again(entry, cache, monkeypatch):
    arrays = obtain(entry)
    np.testing.assert_array_equal(arrays["X"], ARRAYS["X"])
    assert found(cache) == WHOLE
    monkeypatch.setattr(pooch, "retrieve", None)
    np.testing.assert_array_equal(obtain(entry)["X"], ARRAYS["X"])


def test_a_download_is_told_with_its_address(entry, served, caplog):
    pooch.get_logger().addHandler(caplog.handler)
    obtain(entry)
    pooch.get_logger().removeHandler(caplog.handler)
    told = [record.getMessage() for record in caplog.records if record.name == "pooch"]
    assert len(told) == 2
    assert all(f"from '{served[1]}/" in text for text in told)


def test_data_home_is_made_and_filled(entry, tmp_path):
    obtain(entry, tmp_path / "a" / "b")
    assert found(tmp_path / "a" / "b") == WHOLE


def test_other_contents_are_not_kept(entry, served, cache):
    np.savetxt(served[0] / "table.txt", ARRAYS["X"] + 1)
    with pytest.raises(DatasetError, match="not what it should be, and was not kept") as error:
        obtain(entry)
    assert "its contents have another sha256" in str(error.value)
    assert f"{served[1]}/table.txt and {served[1]}/labels.txt" in str(error.value)
    assert f"put into {cache / 'MADE-4'}" in str(error.value)
    assert found(cache) == []


def test_a_page_instead_of_the_file_is_not_kept(entry, served, cache):
    (served[0] / "table.txt").write_text("<html>Log in to the hotel's network</html>")
    with pytest.raises(DatasetError, match=r"was not kept .*could not convert string"):
        obtain(entry)
    assert found(cache) == []


def test_a_server_without_the_file_leads_to_advice(entry, served, cache):
    (served[0] / "labels.txt").unlink()
    with pytest.raises(DatasetError, match=r"could not be downloaded .*404.*\n.*MADE-4.npz"):
        obtain(entry)
    assert found(cache) == []


def test_no_network_leads_to_advice(served, cache):
    entry = make_entry("http://127.0.0.1:9", served[0])  # nobody listens there
    with pytest.raises(DatasetError, match=r"could not be downloaded .*refused") as error:
        obtain(entry)
    assert "labels.txt, from http://127.0.0.1:9/labels.txt" in str(error.value)
    assert found(cache) == []


def test_half_a_file_is_refused(served, cache):
    entry = make_entry(served[1], served[0], "?short")
    with pytest.raises(DatasetError, match="IncompleteRead"):
        obtain(entry)
    assert found(cache) == []


def test_an_interrupted_download_leaves_nothing_behind(entry, cache, monkeypatch):
    real = pooch.retrieve

    def interrupted(url, *args, **kwargs):
        if "labels" in url:
            assert list(cache.glob("MADE-4.*.part/table.txt"))
            raise KeyboardInterrupt
        return real(url, *args, **kwargs)

    monkeypatch.setattr(pooch, "retrieve", interrupted)
    with pytest.raises(KeyboardInterrupt):
        obtain(entry)
    assert found(cache) == []


def test_a_known_checksum_of_the_file_is_verified_as_it_is_downloaded(entry, cache):
    archive, originals = entry.sources
    files = tuple(replace(file, sha256="0" * 64) for file in originals.files)
    wrong = replace(entry, sources=(archive, replace(originals, files=files)))
    with pytest.raises(DatasetError, match=r"SHA256 hash of downloaded file"):
        obtain(wrong)
    assert found(cache) == []


def test_a_cache_that_cannot_be_written_is_told(entry, tmp_path):
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(DatasetError, match=r"could not be downloaded to .*file .*RELRBF_CACHE"):
        obtain(entry, tmp_path / "file")


def test_a_download_replaces_nothing_until_it_is_verified(entry, served, cache):
    (cache / "MADE-4").mkdir(parents=True)
    np.savetxt(cache / "MADE-4" / "table.txt", ARRAYS["X"])  # the labels are missing
    (served[0] / "table.txt").write_text("damaged")
    with pytest.raises(DatasetError):
        obtain(entry)
    np.testing.assert_array_equal(np.loadtxt(cache / "MADE-4" / "table.txt"), ARRAYS["X"])


FETCH = """
import sys
from pathlib import Path
from relrbf.datasets.fetch import fetch_entry as obtain
from tests.datasets.conftest import make_entry
print(len(obtain(make_entry(sys.argv[1], Path(sys.argv[2]), "?together"))["X"]))
"""


def test_two_processes_at_once_do_not_clash(served, cache, tmp_path):
    root = str(Path(__file__).parents[2])
    path = os.pathsep.join([str(Path(relrbf.__file__).parents[1]), root])
    runs = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        command = [sys.executable, "-c", FETCH, served[1], tmp_path / name]
        environment = os.environ | {"PYTHONPATH": path}
        runs.append(subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True))
    assert [run.communicate()[0] for run in runs] == ["4\n", "4\n"]
    assert found(cache) == WHOLE
