"""A made data set of two files, its entry, and a server on this machine that gives them."""

import hashlib
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from relrbf.datasets.fetch import DataFile, DatasetEntry, Source, contents_checksum

ARRAYS = {"X": np.arange(12.0).reshape(4, 3), "y": np.array(["a", "b", "a", "b"])}


def read_archive(path):
    with np.load(path) as file:
        return dict(file)


def read_texts(table, labels):
    return {"X": np.loadtxt(table), "y": np.loadtxt(labels, dtype=str)}


class Quiet(SimpleHTTPRequestHandler):
    """Serves a folder without a word.

    An address with ?short promises more than it gives; one with ?together waits for two who ask.
    """

    two = threading.Barrier(2, timeout=60)

    def do_GET(self):
        if "together" in self.path:
            self.two.wait()
        super().do_GET()

    def log_message(self, *args):
        pass

    def send_header(self, keyword, value):
        if keyword == "Content-Length" and "short" in self.path:
            value = str(int(value) + 1000)
        super().send_header(keyword, value)


@pytest.fixture
def served(tmp_path):
    """A folder with the two public files, and its address."""
    folder = tmp_path / "served"
    folder.mkdir()
    np.savetxt(folder / "table.txt", ARRAYS["X"])
    np.savetxt(folder / "labels.txt", ARRAYS["y"], fmt="%s")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder))
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield folder, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def make_entry(address, folder, suffix=""):
    """Return an entry whose archive is known by its checksum, and whose originals are public."""
    np.savez(folder / "MADE-4.npz", **ARRAYS)
    archive = folder / "MADE-4.npz"
    data = archive.read_bytes()
    known = DataFile("MADE-4.npz", sha256=hashlib.sha256(data).hexdigest(), size=len(data))
    public = tuple(
        DataFile(name, f"{address}/{name}{suffix}") for name in ("table.txt", "labels.txt")
    )
    sources = (Source((known,), read_archive), Source(public, read_texts))
    return DatasetEntry("MADE-4", contents_checksum(ARRAYS), sources, "Nobody: Nothing.", "None.")


@pytest.fixture
def entry(served):
    folder, address = served
    return make_entry(address, folder)


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """No test of data sets sees or fills the user's own cache."""
    monkeypatch.setenv("RELRBF_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"
