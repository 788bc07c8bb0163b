"""Fits of 10,000 to 1,000,000 vectors and nodes of a graph: seconds, memory, growth.

Run ``python -m benchmarks.scale.many``; about a quarter of an hour on two cores. Every fit has a
process of its own, a support of 1,000 and 50 prototypes. The growth is the exponent of n between
two sizes; beside it stands that of one pass over the support's dissimilarities to all, computed by
scipy alone, on the same machine in the same run.
"""

import argparse
import resource
import subprocess
import sys
import time

import numpy as np
from scipy import sparse
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist

from relrbf import RBFNetworkClassifier
from relrbf.relations import GraphRelation

SIZES = {"vectors": (10_000, 100_000, 1_000_000), "nodes": (10_000, 50_000, 200_000)}
SUPPORT, PROTOTYPES = 1000, 50
HELD_OUT = 10  # every tenth object


def vectors(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return points of twenty clusters in ten dimensions, and five classes of clusters."""
    rng = np.random.default_rng(0)
    centres = 2 * rng.standard_normal((20, 10))
    clusters = rng.integers(0, 20, n)
    return centres[clusters] + rng.standard_normal((n, 10)), clusters % 5


def small_world(n: int) -> tuple[sparse.csr_array, np.ndarray]:
    """Return ten edges per node: to neighbours in the plane and a tenth of them to anywhere.

    Three classes of nodes form a checkered pattern in the plane.
    """
    rng = np.random.default_rng(0)
    places = rng.random((n, 2))
    near = cKDTree(places).query(places, 6)[1][:, 1:].ravel()
    far = rng.random(near.size) < 0.01
    near[far] = rng.integers(0, n, np.count_nonzero(far))
    ends = np.repeat(np.arange(n), 5), near
    graph = sparse.coo_array((np.ones(near.size), ends), shape=(n, n)).tocsr()
    graph = graph.maximum(graph.T)
    graph.setdiag(0)
    graph.eliminate_zeros()
    return graph, (4 * places).astype(int).sum(axis=1) % 3


def fit_vectors(n: int) -> tuple[float, float, float]:
    """Return seconds of the fit, of scipy's pass, and the accuracy on held-out vectors."""
    X, y = vectors(n)
    new = np.arange(n) % HELD_OUT == 0
    X_train, y_train = X[~new], y[~new]
    start = time.perf_counter()
    model = RBFNetworkClassifier(
        PROTOTYPES, metric="euclidean", n_support=SUPPORT, random_state=0
    ).fit(X_train, y_train)
    seconds = time.perf_counter() - start
    start = time.perf_counter()
    for at in range(0, len(X_train), 1000):
        cdist(X_train[at : at + 1000], X_train[model.support_])
    return seconds, time.perf_counter() - start, model.score(X[new], y[new])


def fit_graph(n: int) -> tuple[float, float, float]:
    """Return the same of a graph, whose pass is a search from each node of the support."""
    graph, y = small_world(n)
    new = np.arange(n) % HELD_OUT == 0
    train, test = np.flatnonzero(~new)[:, None], np.flatnonzero(new)[:, None]
    start = time.perf_counter()
    relation = GraphRelation(graph, disconnected="far")
    model = RBFNetworkClassifier(PROTOTYPES, metric=relation, n_support=SUPPORT, random_state=0)
    model.fit(train, y[train[:, 0]])
    seconds = time.perf_counter() - start
    start = time.perf_counter()
    for node in model.support_[:50]:
        sparse.csgraph.dijkstra(graph, unweighted=True, indices=train[node, 0])
    floor = (time.perf_counter() - start) * SUPPORT / 50
    return seconds, floor, model.score(test, y[test[:, 0]])


FITS = {"vectors": fit_vectors, "nodes": fit_graph}


def alone(kind: str, n: int) -> tuple[float, float, float, float]:
    """Fit in a process of its own; add the gigabytes it took at most."""
    command = [sys.executable, "-W", "ignore", "-m", __spec__.name, "--one", kind, str(n)]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    seconds, floor, accuracy, memory = map(float, printed.split())
    return seconds, floor, accuracy, memory


def report(kind: str, sizes: tuple[int, ...]) -> None:
    peer = "scipy's pass" if kind == "vectors" else "scipy's Dijkstra"
    print(f"{kind}, n_support={SUPPORT}, {PROTOTYPES} prototypes\n")
    print(f"{'n':>9} {'seconds':>8} {'growth':>7} {peer:>17} {'growth':>7} {'GB':>6} accuracy")
    rows: list[tuple[int, float, float]] = []
    for n in sizes:
        seconds, floor, accuracy, memory = alone(kind, n)
        rows.append((n, seconds, floor))
        ours, theirs = growth(rows[-2:])
        print(
            f"{n:9d} {seconds:8.1f} {ours:>7} {floor:17.1f} {theirs:>7} {memory:6.2f} "
            f"{accuracy:8.4f}",
            flush=True,
        )
    ours, theirs = growth([rows[0], rows[-1]])
    print(f"{'in all':>9} {'':8} {ours:>7} {'':17} {theirs:>7}\n")


def growth(rows: list[tuple[int, float, float]]) -> tuple[str, str]:
    """Return the exponents of n between the first and the last of some rows."""
    (n, *before), (more, *now) = rows[0], rows[-1]
    if more == n:
        return "", ""
    first, second = (np.log(b / a) / np.log(more / n) for a, b in zip(before, now, strict=True))
    return f"{first:.2f}", f"{second:.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--one", nargs=2, metavar=("KIND", "N"), help="one fit, in this process")
    parser.add_argument("--kinds", nargs="+", choices=[*FITS], default=[*FITS])
    parser.add_argument("--sizes", type=int, nargs="+", help="other sizes, for all kinds")
    options = parser.parse_args()
    if options.one:
        kind, n = options.one
        found = FITS[kind](int(n))
        print(*found, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6)
        return
    for kind in options.kinds:
        report(kind, tuple(options.sizes or SIZES[kind]))


if __name__ == "__main__":
    main()
