"""What a cluster of two worker processes costs against threads on one matrix in memory.

Run ``python -m benchmarks.scale.cluster``; ``--objects 4000`` for less. Distances between vectors
lie in a file that the workers read. Times are ratios taken in this run, to the same product or the
same fit with the matrix in memory, on as many threads as there are cores. The worker that is killed
dies in the middle of a fit; what it held is read again by the other, which from then on does the
work of both until the first is back.
"""

import argparse
import os
import signal
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from relrbf import RBFNetworkClassifier
from relrbf.relations import DaskRelation, DenseRelation, Relation
from relrbf.training import GradientDescent

N_OBJECTS, N_PROTOTYPES, N_WORKERS = 20_000, 50, 2
REPEATED = 7  # products of each kind, in turns
EPOCHS = 10
KILLED_AT = 6  # the product of a fit at which a worker dies


def make_file(folder: Path, n: int, dtype: Any) -> tuple[Path, np.ndarray]:
    """Write distances between n vectors, and return the path and the vectors' classes."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, n)
    X = rng.standard_normal((n, 10)) + 1.5 * np.eye(10)[y]
    path = folder / f"{n}.npy"
    D = np.lib.format.open_memmap(path, "w+", dtype, (n, n))
    for start in range(0, n, 500):
        D[start : start + 500] = cdist(X[start : start + 500], X)
    D.flush()
    return path, y


def seconds(work: Callable[[], Any]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def products(here: Relation, there: Relation, n: int) -> tuple[float, float]:
    """Return the median ratio of the times of a product, and the largest relative difference."""
    A = np.random.default_rng(1).standard_normal((N_PROTOTYPES, n)).astype(np.float32)
    wanted = here.product(A)
    error = float(np.abs(there.product(A) - wanted).max() / np.abs(wanted).max())
    times = [
        [seconds(lambda r=relation: r.product(A)) for relation in (here, there)]  # type: ignore[misc]
        for _ in range(REPEATED)
    ]
    return median(other / own for own, other in times), error


def fitted(relation: Relation, y: np.ndarray) -> tuple[RBFNetworkClassifier, float]:
    """Return a network on all objects after some epochs, and the seconds it took.

    In float32 it starts at objects: by k-means, rounding might lead elsewhere.
    """
    shuffled = np.random.default_rng(2).permutation(relation.n_objects)
    chosen = np.eye(N_PROTOTYPES, relation.n_objects, dtype=np.float32)[:, shuffled]
    model = RBFNetworkClassifier(
        N_PROTOTYPES,
        exponent=2,
        init=chosen if relation.dtype == np.float32 else "k-means",
        alpha=1e-3,
        n_support=None,
        solver=GradientDescent(validation_fraction=None),
        max_iter=EPOCHS,
        random_state=0,
    )
    return model, seconds(lambda: model.fit(relation, y))


def difference(first: RBFNetworkClassifier, second: RBFNetworkClassifier) -> float:
    """Return the largest difference of two networks' parameters, each kind in its own unit."""
    kinds = (
        lambda model: model.prototypes_.coefficients,
        lambda model: model.bandwidths_,
        lambda model: model.weights_,
    )
    return max(
        float(np.abs(kind(first) - kind(second)).max() / np.abs(kind(first)).max())
        for kind in kinds
    )


class Murderer:
    """Multiplies like its relation, and kills a worker when it is asked for the k-th time."""

    def __init__(self, relation: DaskRelation, client: Any) -> None:
        self.product = relation.product
        self.client = client
        self.n_asked = 0

    def __call__(self, A: np.ndarray) -> np.ndarray:
        self.n_asked += 1
        if self.n_asked == KILLED_AT:
            os.kill(next(iter(self.client.run(os.getpid).values())), signal.SIGKILL)
        return self.product(A)


def compare(path: Path, y: np.ndarray, client: Any) -> None:
    """Print what products and fits cost, undisturbed and with a worker killed."""
    here, there = DenseRelation(np.load(path)), DaskRelation(path, client=client)
    ratio, error = products(here, there, len(y))
    print(f"\n{len(y)} objects, {here.dtype}, {N_PROTOTYPES} prototypes, {N_WORKERS} workers")
    print(f"product: {ratio:.2f} times that in memory; they differ by {error:.1g}", flush=True)
    model, usual = fitted(here, y)
    for what in ("fit", "fit, a worker killed"):
        other, took = fitted(there, y)
        gap = difference(model, other)
        print(f"{what}: {took / usual:.2f} times; networks differ by {gap:.1g}", flush=True)
        there.product = Murderer(there, client)  # type: ignore[method-assign]
    client.wait_for_workers(N_WORKERS, timeout=60)


def run(n: int) -> None:
    from distributed import Client, LocalCluster

    with (
        tempfile.TemporaryDirectory() as folder,
        LocalCluster(n_workers=N_WORKERS, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        for size, dtype in ((n, np.float32), (n // 4, np.float64)):
            compare(*make_file(Path(folder), size, dtype), client)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--objects", type=int, default=N_OBJECTS, help="number of objects")
    run(parser.parse_args().objects)


if __name__ == "__main__":
    main()
