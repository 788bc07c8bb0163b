"""What an inspection costs, step by step, and what it finds about the shared relations.

Run ``python -m benchmarks.inspection``; ``--shared`` prints the table of docs/inspection.md, of
relations that relrbf.datasets finds. Every time is a ratio taken in this run, to one
``numpy.linalg.eigvalsh`` of an n × n matrix.
"""

import sys
import time

import numpy as np
from scipy.spatial.distance import cdist

from relrbf import inspect_relation
from relrbf.datasets import load_hg194, load_pc102, load_protein213, load_yeast200
from relrbf.inspection import RelationInspection
from relrbf.inspection.triangles import MIN_COMPILED_OBJECTS

SIZES = (500, 1000, 2000, 4000)
SHARED = {
    "HG-194": load_hg194,
    "protein-213": load_protein213,
    "yeast-200": load_yeast200,
    "PC-102, 1 - Pearson": load_pc102,
}
HEADINGS = (
    "relation",
    "objects (distinct)",
    "triangles violated",
    "negative share, exponent 2",
    "exponent 1",
    "dimension",
    "neighbour error",
)


class Stopwatch:
    """Adds up the time between two words of an inspection, by what was being done."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.doing, self.since, self.silence = "", time.perf_counter(), 0.0

    def __call__(self, doing: str, _: float) -> None:
        now = time.perf_counter()
        self.seconds[self.doing] = self.seconds.get(self.doing, 0.0) + now - self.since
        self.silence = max(self.silence, now - self.since)
        self.doing, self.since = doing, now


def make_relation(n: int) -> np.ndarray:
    """Return distances to the power of 1.5: about one triangle in a hundred is violated."""
    X = np.random.default_rng(0).standard_normal((n, 10))
    return cdist(X, X) ** 1.5


def floor(n: int) -> float:
    A = make_relation(n)
    start = time.perf_counter()
    np.linalg.eigvalsh(A)
    return time.perf_counter() - start


def steps(D: np.ndarray, max_exact: int) -> Stopwatch:
    stopwatch = Stopwatch()
    inspect_relation(D, np.arange(len(D)) % 2, max_exact=max_exact, progress=stopwatch)
    stopwatch("", 1.0)
    return stopwatch


def cost() -> None:
    inspect_relation(make_relation(MIN_COMPILED_OBJECTS))  # compiles the loop over triangles
    print("seconds of each step / seconds of one numpy.linalg.eigvalsh of n × n\n")
    names: dict[str, dict[int, float]] = {}
    for n in SIZES:
        D, unit = make_relation(n), min(floor(n), floor(n))
        for max_exact, kind in ((n, "exact"), (n - 1, "beyond max_exact")):
            stopwatch = steps(D, max_exact)
            for name, seconds in stopwatch.seconds.items():
                if name:
                    names.setdefault(f"{name}, {kind}", {})[n] = seconds / unit
            names.setdefault(f"longest silence, {kind}", {})[n] = stopwatch.silence / unit
    print(f"{'step':<58}" + "".join(f"{f'n = {n}':>10}" for n in SIZES))
    for name, ratios in names.items():
        print(f"{name:<58}" + "".join(f"{ratios[n]:10.2f}" for n in SIZES))


def row(name: str, report: RelationInspection) -> str:
    shares = report.negative_eigenfraction
    dimension = report.intrinsic_dimension
    cells = [
        name,
        f"{report.n_objects} ({report.n_objects - (report.n_duplicate_objects or 0)})",
        f"{report.triangle_violation_fraction:.4f}",
        *(f"{shares[exponent]:.4f}" for exponent in (2, 1)),
        "none" if dimension is None else f"{dimension:.1f}",
        f"{report.neighbour_error:.4f}",
    ]
    return "| " + " | ".join(cells) + " |"


def shared() -> None:
    print(
        "| relation | objects (distinct) | triangles violated | negative share, exponent 2 | ",
        end="",
    )
    print("exponent 1 | dimension | neighbour error |\n|---|---|---|---|---|---|---|")
    for name, load in SHARED.items():
        data = load()
        print(row(name, inspect_relation(data.relation.block(), data.target)))


if __name__ == "__main__":
    shared() if "--shared" in sys.argv[1:] else cost()
