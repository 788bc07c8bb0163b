"""Opening and closing the way to a cluster."""

from functools import partial
from multiprocessing import current_process
from threading import Thread
from typing import Any

from relrbf.exceptions import OptionError, RelationError


def import_distributed() -> Any:
    """Return dask.distributed, or say how to install it."""
    try:
        import distributed
    except ImportError as error:
        raise OptionError(
            f"DaskRelation needs dask.distributed, which cannot be imported ({error}). Install it "
            "with: pip install 'relrbf[dask]'"
        ) from error
    return distributed


def connected(distributed: Any, client: Any, timeout: float) -> Any:
    """Return a client: the one that came, that of an address, or of a new cluster here."""
    if isinstance(client, distributed.Client):
        if client.asynchronous or client.status != "running":
            raise distributed.client.ClosedClientError(f"the client is {client.status}")
        return client
    if isinstance(client, str):
        try:
            return distributed.Client(client, timeout=timeout, set_as_default=False)
        except ValueError as error:
            raise OptionError(
                f"client={client!r} is no address of a scheduler ({error}); give one such as "
                "'tcp://10.0.0.1:8786'."
            ) from None
    return _local(distributed)


def _local(distributed: Any) -> Any:
    """Return the client of a new cluster of worker processes on this machine."""
    unguarded = RelationError(
        "the workers of a cluster on this machine did not start. They are processes that import "
        "the script they are started from: put what makes the relation under "
        "if __name__ == '__main__':."
    )
    if getattr(current_process(), "_inheriting", False):  # in the midst of such an import
        raise unguarded
    try:
        # a process for each core: a measure in Python holds Python's lock
        cluster = distributed.LocalCluster(threads_per_worker=1, dashboard_address=":0")
    except RuntimeError:
        raise unguarded from None
    return distributed.Client(cluster, set_as_default=False)


def close_all(client: Any) -> None:
    """Close a client, and the cluster that was made for it."""
    cluster = client.cluster
    client.close()
    if cluster is not None:
        cluster.close()


def close_behind(client: Any) -> None:
    """Do so without waiting."""
    # garbage may be collected in the very thread that the closing needs
    Thread(target=partial(close_all, client), daemon=True).start()
