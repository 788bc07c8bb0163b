"""A Dask cluster computes the same bits, also when a worker dies."""

import os
import signal
from importlib import import_module

import numpy as np
import pytest

from relrbf.exceptions import OptionError, RelationError
from relrbf.measures import relate
from tests.measures import slow

MODULE = import_module("relrbf.measures.relate")
pytestmark = pytest.mark.filterwarnings("default")  # a cluster that is torn down warns of much


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0"
    ) as made:
        yield made


def test_an_address_or_a_client_will_do(cluster, tmp_path):
    from distributed import Client

    alone = relate(slow.OBJECTS, slow.gap, block=5)
    assert (
        relate(slow.OBJECTS, slow.gap, block=5, scheduler=cluster.scheduler_address) == alone
    ).all()
    with Client(cluster) as client:
        D = relate(slow.OBJECTS, slow.gap, tmp_path / "D.npy", block=5, scheduler=client)
    assert (np.asarray(D) == alone).all()


def test_a_measure_that_fails_there_is_said_here(cluster):
    def broken(x, y):  # and nothing else is wrong with it, whichever block comes first
        odd = slow.OBJECTS[7]
        return abs(x - y) / abs((x - odd) * (y - odd))

    with pytest.raises(RelationError, match=r"ZeroDivisionError: .*object 7\b"):
        relate(slow.OBJECTS, broken, block=10, scheduler=cluster.scheduler_address)


def test_a_worker_that_is_killed_loses_nothing(cluster, tmp_path):
    from distributed import Client

    def kill_once(progress):
        if not killed:
            killed.append(client.run(os.getpid))
            os.kill(next(iter(killed[0].values())), signal.SIGKILL)

    killed = []
    with Client(cluster) as client:
        D = relate(
            slow.OBJECTS,
            slow.gap,
            tmp_path / "D.npy",
            block=5,
            scheduler=client,
            progress=kill_once,
        )
    assert len(killed) == 1
    assert (np.asarray(D) == relate(slow.OBJECTS, slow.gap, block=5)).all()


def test_a_cluster_that_goes_away_is_said_and_what_was_computed_is_kept(tmp_path):
    distributed = pytest.importorskip("distributed")
    path = tmp_path / "D.npy"
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, dashboard_address=":0"
    ) as made:
        seen = []

        def close(progress):
            seen.append(progress)
            if len(seen) == 3:
                made.close()

        with pytest.raises(
            RelationError, match=r"scheduler at .* went away.*the same call goes on"
        ):
            relate(
                slow.OBJECTS,
                slow.gap,
                path,
                block=5,
                progress=close,
                scheduler=made.scheduler_address,
            )
    D = relate(slow.OBJECTS, slow.gap, path, block=5, progress=seen.append)
    assert len(seen) >= 36
    assert (np.asarray(D) == relate(slow.OBJECTS, slow.gap, block=5)).all()


def test_dask_that_is_not_installed_is_named(monkeypatch):
    def without(name, *args):
        raise ModuleNotFoundError(f"No module named {name!r}")

    monkeypatch.setattr("relrbf._utils.import_module", without)
    with pytest.raises(OptionError, match=r"scheduler needs 'relrbf\[dask\]'"):
        relate([1, 2], slow.gap, scheduler="tcp://127.0.0.1:1")


def test_an_address_where_nobody_is_is_said(monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr(MODULE, "CLUSTER_TIMEOUT", 1)
    with pytest.raises(RelationError, match=r"cluster of scheduler at .* cannot be reached"):
        relate([1, 2], slow.gap, scheduler="tcp://127.0.0.1:1")


def test_a_cluster_that_loses_all_workers_is_said(monkeypatch):
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(MODULE, "CLUSTER_TIMEOUT", 5)
    options = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": ":0"}
    with (
        distributed.LocalCluster(**options, processes=False) as made,
        pytest.raises(RelationError, match=r"has no workers any more.* the same call goes on"),
    ):
        relate(
            slow.OBJECTS,
            slow.gap,
            block=5,
            progress=lambda _: made.scale(0),
            scheduler=made.scheduler_address,
        )
