"""Workers die, clusters go away: the first changes no number, the second raises an error."""

import gc
import json
import os
import signal
import subprocess
import sys
import time
from functools import partial
from multiprocessing import current_process
from threading import Timer

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist

from relrbf import RBFNetworkClassifier
from relrbf.exceptions import OptionError, RelationError
from relrbf.relations import DaskRelation, DenseRelation, dask_cluster
from relrbf.relations.dask_cluster import Cluster, same
from tests.waiting import PATIENCE, wait_until

SILENT = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
# dask's own sockets and loops are closed late where workers were killed
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "default::pytest.PytestWarning")


@pytest.fixture
def D(rng):
    X = rng.standard_normal((90, 3))
    return cdist(X, X)


@pytest.fixture
def kill(client):
    """Kill the process of the worker that holds most (or least); wait until there are two again."""
    client.wait_for_workers(2, timeout=PATIENCE)
    killed = set()

    def kill_one(choose=max, of=""):
        held = client.has_what().items()
        n_held = {worker: sum(of in str(key) for key in keys) for worker, keys in held}
        worker = choose(n_held, key=n_held.get)
        killed.add(worker)
        os.kill(client.run(os.getpid)[worker], signal.SIGKILL)

    yield kill_one
    wait_until(lambda: killed.isdisjoint(client.nthreads()))  # the dead are counted for a while
    client.wait_for_workers(2, timeout=PATIENCE)


def logged(log):
    """Return a measure that writes a point to a file for each pair."""

    def measure(a, b):
        with open(log, "a") as file:
            file.write(".")
        return float(np.abs(a - b).sum())

    return measure


def test_when_all_workers_are_gone_others_take_over(D, tmp_path, rng):
    from distributed import Client, LocalCluster

    np.save(tmp_path / "D.npy", D)
    A = rng.standard_normal((2, 90))
    with (
        LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        relation = DaskRelation(tmp_path / "D.npy", client=client, side=20)
        assert_allclose(relation.product(A), A @ D**2, rtol=1e-11)
        before = set(client.nthreads())
        os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
        wait_until(lambda: set(client.nthreads()) - before)
        assert_allclose(relation.product(A), A @ D**2, rtol=1e-11)
        assert_allclose(relation.block(), D)
    for ask in (relation.block, lambda: relation.product(A)):
        with pytest.raises(RelationError, match="the Dask cluster of client"):
            ask()


def test_what_a_killed_worker_held_is_there_again(D, client, kill, tmp_path, rng):
    da = pytest.importorskip("dask.array")
    np.save(tmp_path / "D.npy", D)
    relations = [
        DaskRelation(source, client=client, side=20)
        for source in (D, tmp_path / "D.npy", da.from_array(D, chunks=30))
    ]
    A = rng.standard_normal((2, 90))
    kill()
    for relation in relations:
        assert_allclose(relation.product(A), A @ D**2, rtol=1e-11)
        assert_allclose(relation.product(A), A @ D**2, rtol=1e-11)
        assert_allclose(relation.block(), D)


def test_only_pairs_that_a_killed_worker_held_are_computed_again(client, kill, tmp_path):
    log, points = tmp_path / "log", np.arange(40.0)
    relation = DaskRelation.from_objects(
        points[:, None], logged(log), client=client, check_symmetry=False
    )
    D = relation.block()
    assert len(log.read_text()) == 40 * 39 // 2
    kill(min, of="_evaluate")  # at most 18 of the 36 squares, of at most 25 pairs
    assert_allclose(relation.block(), D)
    assert len(log.read_text()) <= 40 * 39 // 2 + 18 * 25


def test_a_worker_killed_in_mid_fit_changes_no_number(D, client, kill, tmp_path):
    y = np.arange(90) % 3
    model = RBFNetworkClassifier(6, n_support=None, random_state=0, max_iter=20)
    wanted = model.fit(DenseRelation(D), y).decision_function(D)
    np.save(tmp_path / "D.npy", D)
    relation = DaskRelation(tmp_path / "D.npy", client=client, side=20)
    seen = []

    def product(A, own=relation.product):
        seen.append(len(seen))
        if len(seen) == 6:
            kill()
        return own(A)

    relation.product = product
    assert_allclose(model.fit(relation, y).decision_function(D), wanted, rtol=1e-8)
    assert len(seen) > 6


def test_an_address_where_nobody_is_is_said_within_the_timeout(D):
    began = time.monotonic()
    with pytest.raises(RelationError, match=r"at tcp://127\.0\.0\.1:1 cannot be reached") as told:
        DaskRelation(D, client="tcp://127.0.0.1:1", timeout=1)
    assert time.monotonic() - began < 25  # Dask would wait for 30 seconds
    assert told.value.__suppress_context__


def test_an_address_of_a_scheduler_will_do(D, cluster):
    with DaskRelation(D, client=cluster.scheduler_address) as relation:
        assert_allclose(relation.block(slice(0, 3)), D[:3])
    with pytest.raises(RelationError, match="the relation was closed"):
        relation.block()


@pytest.fixture
def own_cluster():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, dashboard_address=":0", processes=False
    ) as made:
        yield made


def test_a_cluster_that_goes_away_is_said(D, own_cluster):
    relation = DaskRelation(D, client=own_cluster.scheduler_address, timeout=5)
    waiting = DaskRelation.from_objects(
        D, lambda a, b: time.sleep(0.01) or 0.0, client=own_cluster.scheduler_address, timeout=5
    )
    closing = Timer(0.5, own_cluster.close)
    closing.start()
    with pytest.raises(RelationError, match=r"the Dask cluster of client at .* make the relation"):
        waiting.block()
    with pytest.raises(RelationError, match=r"the Dask cluster of client at .* make the relation"):
        relation.product(np.ones((1, 90)))
    closing.join()


def test_a_cluster_without_workers_is_said(D, own_cluster):
    relation = DaskRelation(D, client=own_cluster.scheduler_address, timeout=5)
    own_cluster.scale(0)
    wait_until(lambda: not relation._cluster.client.nthreads())
    relation._cluster.timeout = 1
    with pytest.raises(RelationError, match="has no workers"):
        relation.product(np.ones((1, 90)))


def test_tasks_meant_for_a_worker_that_is_gone_are_done_by_others(own_cluster):
    """Dask itself never offers tasks to new workers that became ready when there were none."""
    cluster = Cluster(own_cluster.scheduler_address, 60)
    own_cluster.scale(0)
    wait_until(lambda: not cluster.client.nthreads())
    futures = cluster.submit(same, [7], places=[0])
    own_cluster.scale(1)
    assert cluster._collect(futures) == [7]
    cluster.close()


@pytest.fixture
def finished(own_cluster):
    """A future that was done, and whose result was lost with the only worker; the cluster."""
    cluster = Cluster(own_cluster.scheduler_address, 60)
    futures = cluster.submit(same, [7])
    cluster._wait(futures, "ALL_COMPLETED")
    own_cluster.scale(0)
    wait_until(lambda: not cluster.client.nthreads())
    yield futures, cluster
    cluster.close()


def test_a_result_that_is_lost_before_it_is_fetched_is_computed_again(own_cluster, finished):
    futures, cluster = finished
    own_cluster.scale(1)
    assert cluster._collect(futures) == [7]


def test_a_result_that_is_lost_with_the_last_worker_is_said(finished):
    futures, cluster = finished
    cluster.timeout = 1
    for ask in (cluster._collect, cluster.first_results):
        with pytest.raises(RelationError, match="has no workers any more"):
            ask(futures)


def start_worker(address):
    command = [sys.executable, "-m", "distributed.cli.dask_worker", address]
    options = ["--nthreads", "1", "--no-dashboard", "--no-nanny", "--death-timeout", "60"]
    return subprocess.Popen([*command, *options], **SILENT)


@pytest.fixture
def processes(tmp_path):
    """A scheduler and two workers, each a process of its own: their list, and the address."""
    pytest.importorskip("distributed")
    file = tmp_path / "scheduler.json"
    command = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", "0"]
    options = ["--host", "127.0.0.1", "--no-dashboard", "--scheduler-file", str(file)]
    started = [subprocess.Popen([*command, *options], **SILENT)]
    wait_until(lambda: file.exists() and file.read_text(), started[0])
    address = json.loads(file.read_text())["address"]
    started += [start_worker(address) for _ in range(2)]
    yield started, address
    for process in started:
        process.kill()
        process.wait()


@pytest.mark.parametrize("at", [1, 6])
def test_all_workers_killed_at_once_in_mid_fit_change_no_number(D, processes, at):
    started, address = processes
    y = np.arange(90) % 3
    model = RBFNetworkClassifier(6, n_support=None, random_state=0, max_iter=20)
    wanted = model.fit(DenseRelation(D), y).decision_function(D)
    relation, seen = DaskRelation(D, client=address, side=20, timeout=60), []

    def product(A, own=relation.product):
        seen.append(len(seen))
        if len(seen) == at:
            for worker in started[1:]:
                worker.kill()
            started.extend(start_worker(address) for _ in range(2))
        return own(A)

    relation.product = product
    assert_allclose(model.fit(relation, y).decision_function(D), wanted, rtol=1e-8)
    assert len(seen) > at
    relation.close()


def test_a_scheduler_that_is_killed_is_said(D, processes):
    started, address = processes
    relation = DaskRelation(D, client=address, timeout=60)
    started[0].kill()
    with pytest.raises(RelationError, match=r"the Dask cluster of client at .* make the relation"):
        relation.product(np.ones((1, 90)))


def test_a_scheduler_that_does_not_answer_is_said(D, processes, monkeypatch):
    started, address = processes
    relation = DaskRelation(D, client=address, timeout=60)
    monkeypatch.setattr("relrbf.relations.dask_cluster.ANSWER_SECONDS", 1.0)
    started[0].send_signal(signal.SIGSTOP)
    with pytest.raises(RelationError, match=r"the Dask cluster of client at .* cannot be reached"):
        relation.product(np.ones((1, 90)))
    relation.close()


def test_a_scheduler_that_falls_silent_after_the_first_word_is_said(D, processes, monkeypatch):
    started, address = processes
    connected = dask_cluster._connected

    def connect(*args):
        client = connected(*args)
        started[0].send_signal(signal.SIGSTOP)
        return client

    monkeypatch.setattr(dask_cluster, "_connected", connect)
    monkeypatch.setattr(dask_cluster, "ANSWER_SECONDS", 1.0)
    with pytest.raises(RelationError, match=r"the Dask cluster of client at .* cannot be reached"):
        DaskRelation(D, client=address, timeout=1)


SCRIPT = """
import numpy as np
from relrbf.relations import DaskRelation
if __name__ == "__main__":
    relation = DaskRelation(1 - np.eye(30))
    relation.product(np.ones((1, 30)))
    {end}
"""


@pytest.mark.parametrize("end", ["", "del relation"])
def test_a_script_ends_without_a_word(tmp_path, end):
    (tmp_path / "script.py").write_text(SCRIPT.format(end=end))
    command = [sys.executable, "-W", "ignore", str(tmp_path / "script.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout + done.stderr == ""


def test_a_client_that_is_closed_is_said(D, cluster):
    from distributed import Client

    with Client(cluster, set_as_default=False) as client:
        pass
    with pytest.raises(RelationError, match="the client is closed"):
        DaskRelation(D, client=client)


def test_dask_that_is_not_installed_is_named(D, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(OptionError, match=r"pip install 'relrbf\[dask\]'"):
        DaskRelation(D)


def test_without_a_client_it_makes_a_cluster_and_closes_it(D, monkeypatch):
    distributed = pytest.importorskip("distributed")
    threads = partial(distributed.LocalCluster, processes=False)
    monkeypatch.setattr(distributed, "LocalCluster", threads)
    with DaskRelation(D) as relation:
        own = relation._cluster.client
        assert_allclose(relation.block([1]), D[[1]])
        assert own.status == "running"
    assert own.status == own.cluster.status.name == "closed"


def test_a_relation_that_nobody_has_any_more_closes_its_cluster(D, monkeypatch):
    distributed = pytest.importorskip("distributed")
    threads = partial(distributed.LocalCluster, processes=False)
    monkeypatch.setattr(distributed, "LocalCluster", threads)
    relation = DaskRelation(D)
    own = relation._cluster.client
    del relation
    gc.collect()
    wait_until(lambda: own.status == "closed")


def test_a_script_that_its_own_workers_would_run_is_said(D, monkeypatch):
    words = "put what makes the relation under if __name__ == '__main__':"
    monkeypatch.setattr("distributed.LocalCluster", fail)
    with pytest.raises(RelationError, match=words):
        DaskRelation(D)
    monkeypatch.setattr(current_process(), "_inheriting", True, raising=False)
    with pytest.raises(RelationError, match=words):
        DaskRelation(D)


def fail(**options):
    raise RuntimeError("Nanny failed to start.")
