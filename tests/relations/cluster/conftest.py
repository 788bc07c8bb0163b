"""A cluster of two worker processes for all the tests here."""

import pytest


@pytest.fixture(scope="package")
def cluster():
    distributed = pytest.importorskip("distributed")
    import dask

    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    # else a worker that was killed twice in so many seconds is not started again
    long = {"distributed.deploy.lost-worker-timeout": "1 hour"}
    with dask.config.set(long), distributed.LocalCluster(**options) as made:
        yield made


@pytest.fixture(scope="package")
def client(cluster):
    from distributed import Client

    with Client(cluster, set_as_default=False) as made:
        yield made
