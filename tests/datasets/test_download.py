"""Downloads, from a server on this machine: verified, whole or not at all."""

import io
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from relrbf.datasets import download as room
from relrbf.datasets.find import obtain
from relrbf.datasets.progress import bar, progress_bar
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
    monkeypatch.setattr(room, "urlopen", None)
    np.testing.assert_array_equal(obtain(entry)["X"], ARRAYS["X"])


def test_data_home_is_made_and_filled(entry, tmp_path):
    obtain(entry, tmp_path / "a" / "b")
    assert found(tmp_path / "a" / "b") == WHOLE


def test_a_file_address_will_do(served, cache):
    obtain(make_entry(served[0].as_uri(), served[0]))
    assert found(cache) == WHOLE


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
    with pytest.raises(DatasetError, match=r"broke off after 300 of 1,300 bytes|IncompleteRead"):
        obtain(entry)
    assert found(cache) == []


def test_an_interrupted_download_leaves_nothing_behind(entry, cache, monkeypatch):
    class Interrupted:
        def __init__(self, answer):
            self.answer, self.headers = answer, answer.headers

        def __enter__(self):
            return self

        def __exit__(self, *args):
            self.answer.close()

        def read(self, n):
            assert list(cache.glob("MADE-4.*.part/table.txt"))
            raise KeyboardInterrupt

    real = room.urlopen
    monkeypatch.setattr(room, "urlopen", lambda *a, **k: Interrupted(real(*a, **k)))
    with pytest.raises(KeyboardInterrupt):
        obtain(entry)
    assert found(cache) == []


def test_what_a_kill_left_is_swept_a_day_later(entry, cache):
    for name, hours in (("old", 25), ("new", 1)):
        left = cache / f"MADE-4.{name}.part"
        left.mkdir(parents=True)
        (left / "table.txt").write_text("half")
        then = time.time() - hours * 3600
        os.utime(left, (then, then))
    obtain(entry)
    assert found(cache)[:2] == ["MADE-4", "MADE-4.new.part"]
    assert not list(cache.glob("*old*"))


def test_anothers_folder_that_goes_meanwhile_is_no_matter(entry, cache, monkeypatch):
    monkeypatch.setattr(Path, "glob", lambda self, pattern: [self / "MADE-4.gone.part"])
    obtain(entry)
    assert found(cache) == WHOLE


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
from relrbf.datasets.find import obtain
from tests.datasets.conftest import make_entry
print(len(obtain(make_entry(sys.argv[1], Path(sys.argv[2]), "?together"))["X"]))
"""


def test_two_processes_at_once_do_not_clash(served, cache, tmp_path):
    root = str(Path(__file__).parents[2])
    path = os.pathsep.join([str(Path(room.__file__).parents[2]), root])
    runs = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        command = [sys.executable, "-c", FETCH, served[1], tmp_path / name]
        environment = os.environ | {"PYTHONPATH": path}
        runs.append(subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True))
    assert [run.communicate()[0] for run in runs] == ["4\n", "4\n"]
    assert found(cache) == WHOLE


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_terminal_shows_how_far_it_is(entry, monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    obtain(entry)
    lines = terminal.getvalue().splitlines()
    assert lines[-1] == f"labels.txt  [{'#' * 30}] 100% of 0 kB"
    assert any(line.startswith("table.txt  [") for line in lines)


def test_nothing_is_shown_where_no_one_looks(entry, monkeypatch, capsys):
    obtain(entry)
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr(sys, "stderr", None)
    with progress_bar("file") as show:
        show(1, 2)


def test_a_bar_is_as_long_as_the_share_that_has_come():
    assert bar("a", 512, 2048) == f"a  [{'#' * 8}{' ' * 22}]  25% of 2 kB"
    assert bar("a", 4096, 2048).endswith("100% of 2 kB")
    assert bar("a", 2048, 0) == "a  2 kB"
