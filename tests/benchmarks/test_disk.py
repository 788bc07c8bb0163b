"""The benchmark of matrices on a disk measures what it says, and leaves nothing behind."""

import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist

from benchmarks.scale import disk
from relrbf import as_relation
from tests.waiting import wait_until

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")


def test_the_file_holds_the_distances_of_the_vectors_and_is_deleted(tmp_path):
    X, _ = disk.make_vectors(600)
    with disk.made_file(tmp_path, 600) as path:
        D = np.load(path, mmap_mode="r")
        assert D.dtype == np.float32
        assert_allclose(D, cdist(X, X), atol=1e-4)
        assert as_relation(D).n_objects == 600
    assert not list(tmp_path.iterdir())


def test_memory_is_what_was_in_use_at_one_time(tmp_path, monkeypatch):
    measure, seen = disk.anonymous, []

    def hold(path, y):
        held, n_seen = np.ones(2**24), len(seen)
        wait_until(lambda: len(seen) > n_seen + 1)
        return held.sum()

    before = disk.anonymous()
    monkeypatch.setitem(disk.USES, "hold", hold)
    monkeypatch.setattr(disk, "anonymous", lambda: seen.append(measure()) or seen[-1])
    peak, seconds = disk.peak_of("hold", tmp_path, 600)
    assert peak > before + 2**26
    assert seconds > 0


def test_every_use_and_every_pass_is_shown(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(disk, "USES", {"vat of a sample": disk.USES["vat of a sample"]})
    monkeypatch.setattr(disk, "ROUNDS", 1)
    monkeypatch.setattr("sys.argv", ["disk", "--folder", str(tmp_path), "--n", "600"])
    disk.main()
    shown = capsys.readouterr().out
    for name in (*disk.passes(600), *disk.USES, "multiplying alone, c = 50"):
        assert name in shown
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("use", disk.USES.values(), ids=disk.USES)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_every_use_runs(use, tmp_path):
    with disk.made_file(tmp_path, 600) as path:
        assert use(path, disk.make_vectors(600)[1]) is not None
