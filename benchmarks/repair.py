"""What it costs to repair a relation, and what it changes.

Run ``python -m benchmarks.repair``, about ten minutes; RELRBF_DATA names the folder with HG-194 and
yeast-200. Times are ratios to one exact search through all triangles (the floor of any
repair) in the same run, memory to the n³ · 8 bytes of an array of all triples. Memory, and NumPy
beside numba, are measured on the first iterations. ``--quick`` leaves out n = 500.
"""

import os
import sys
import time
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from scipy.spatial.distance import squareform

from relrbf.relations.properties import spectrum
from relrbf.repair import Repair, dykstra, nearest_metric, sweeps
from relrbf.repair.triangles import shortest_detours

NORMS = ("l2", "l1")
FIRST = 15  # iterations


def random_relation(n: int) -> np.ndarray:
    return squareform(np.random.default_rng(0).random(n * (n - 1) // 2))


def shared_relation(name: str) -> np.ndarray:
    folder = Path(os.environ["RELRBF_DATA"]) / name
    return np.load(folder / f"{name}.npz")["R"]


@contextmanager
def numpy_sweep() -> Iterator[None]:
    """Run the sweeps as where numba is not installed."""
    usual = dykstra.fastest_sweep
    dykstra.fastest_sweep = lambda: sweeps.sweep
    try:
        yield
    finally:
        dykstra.fastest_sweep = usual


def seconds(work, repeats: int = 1) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def violated_fraction(D: np.ndarray) -> float:
    """Return the share of ordered triples (i, k, j) with d_ij > d_ik + d_kj beyond rounding."""
    n = len(D)
    broken = sum(int((column[:, None] + column + 1e-12 * D.max() < D).sum()) for column in D)
    return broken / (n * (n - 1) * (n - 2))


def negative_fraction(D: np.ndarray, exponent: int) -> float:
    eigenvalues = spectrum(D**exponent)
    return float(-eigenvalues[eigenvalues < 0].sum() / np.abs(eigenvalues).sum())


def peak_memory(D: np.ndarray, norm: str) -> float:
    tracemalloc.start()
    nearest_metric(D, norm, max_iter=FIRST)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / (8 * len(D) ** 3)


def numpy_ratio(D: np.ndarray, norm: str) -> float:
    """Time the first iterations without numba and with; their numbers are the same."""
    with_numba = seconds(lambda: nearest_metric(D, norm, max_iter=FIRST))
    with numpy_sweep():
        return seconds(lambda: nearest_metric(D, norm, max_iter=FIRST)) / with_numba


def row(name: str, D: np.ndarray, norm: str) -> str:
    """Repair once; return what changed and what it cost, as a row of a table."""
    floor = seconds(lambda: shortest_detours(D), 5)
    results: list[Repair] = []
    taken = seconds(lambda: results.append(nearest_metric(D, norm)))
    repair = results[0]
    changes = np.abs(squareform(repair.matrix - D, checks=False)) / D.max()
    return (
        f"| {name}, {norm} | {violated_fraction(D):.2%} | {violated_fraction(repair.matrix):.2%} | "
        f"{np.mean(changes > 0):.1%} | {changes[changes > 0].mean():.3f} | "
        f"{repair.n_iter} | {repair.gap:.0e} | {repair.status.name} | {taken / floor:,.0f} | "
        f"{taken:.1f} | {numpy_ratio(D, norm):.1f} | {peak_memory(D, norm):.3f} |"
    )


def hg194_table(D: np.ndarray) -> None:
    relations = {"as given": D} | {norm: nearest_metric(D, norm).matrix for norm in NORMS}
    print("| HG-194 | triples violated | negative, exponent 1 | negative, exponent 2 |")
    print("|---|---|---|---|")
    for name, M in relations.items():
        negative = " | ".join(f"{negative_fraction(M, exponent):.4f}" for exponent in (1, 2))
        print(f"| {name} | {violated_fraction(M):.2%} | {negative} |")


def main() -> None:
    relations = {name: shared_relation(name) for name in ("HG-194", "yeast-200")}
    relations["random, n = 200"] = random_relation(200)
    if "--quick" not in sys.argv:
        relations["random, n = 500"] = random_relation(500)
    for norm in NORMS:
        nearest_metric(random_relation(20), norm)  # compiles
    hg194_table(relations["HG-194"])
    print("\n| relation | violated before | after | pairs changed | mean change ", end="")
    print("| iterations | gap | status | time / search | s | NumPy / numba | memory / n³·8 |")
    print("|---" * 12 + "|")
    for name, D in relations.items():
        for norm in NORMS:
            print(row(name, D, norm), flush=True)


if __name__ == "__main__":
    main()
