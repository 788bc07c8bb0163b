"""Seconds, memory and growth of a default fit, beside one fit of an SVC.

Run ``python -m benchmarks.accuracy.speed``; it needs no extra. Every figure is a ratio taken in
this run: seconds against ``SVC(C=10, kernel="precomputed")`` with its kernel's evaluation, memory
against the matrix.
"""

import argparse
import subprocess
import sys
import time
import tracemalloc

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.datasets import make_classification
from sklearn.svm import SVC

from relrbf import RBFNetworkClassifier

N, NEW = 8000, 1000
GROWTH = (1000, 2000, 4000, 8000, 16000)
LARGEST = 24000  # objects drawn for the growth, so that the largest n is a sample as well


def make_data(n_train: int, n_all: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return squared Euclidean D and y for training, then those of 1,000 others."""
    X, y = make_classification(
        n_all,
        30,
        n_informative=10,
        n_classes=4,
        n_clusters_per_class=3,
        class_sep=1.5,
        random_state=0,
    )
    known, new = slice(0, n_train), slice(n_train, n_train + NEW)
    D, D_new = (cdist(X[part], X[known], "sqeuclidean") for part in (known, new))
    return D, y[known], D_new, y[new]


def kernel(D: np.ndarray, scale: float) -> np.ndarray:
    """Return exp(-D / scale), made in one buffer."""
    K = D / -scale
    return np.exp(K, out=K)


def timed_svc(D, y, D_new, y_new) -> tuple[float, float]:
    start = time.perf_counter()
    scale = float(np.median(D))
    svc = SVC(C=10, kernel="precomputed").fit(kernel(D, scale), y)
    seconds = time.perf_counter() - start
    return seconds, svc.score(kernel(D_new, scale), y_new)


def timed_fit(D: np.ndarray, y: np.ndarray, **options: float) -> tuple[float, RBFNetworkClassifier]:
    start = time.perf_counter()
    model = RBFNetworkClassifier(random_state=0, **options).fit(D, y)
    return time.perf_counter() - start, model


def seconds_and_support(n: int) -> None:
    D, y, D_new, y_new = make_data(n, n + NEW)
    svc_seconds, svc_score = timed_svc(D, y, D_new, y_new)
    seconds, model = timed_fit(D, y)
    score = model.score(D_new, y_new)
    print(f"n = {n}: default fit / one SVC fit: {seconds / svc_seconds:.2f}", end="")
    print(f"  ({seconds:.1f} s against {svc_seconds:.1f} s)")
    print(f"accuracy on {NEW} others: ours {score:.3f}, SVC {svc_score:.3f}", flush=True)
    few = timed_fit(D, y, n_support=0.05)[1]
    change = few.score(D_new, y_new) - score
    print(f"n_support=0.05: accuracy {change:+.3f}, support {len(few.support_) / n:.3f} of n")


def peak_memory(n: int) -> None:
    """Print what a fit allocates at its peak; tracemalloc counts NumPy's arrays too."""
    D, y, _, _ = make_data(n, n + NEW)
    tracemalloc.start()
    RBFNetworkClassifier(random_state=0).fit(D, y)
    print(f"peak of a fit / size of D: {tracemalloc.get_traced_memory()[1] / D.nbytes:.2f}")


def growth(sizes: tuple[int, ...]) -> None:
    times = []
    for n in sizes:
        D, y, _, _ = make_data(n, max(LARGEST, n + NEW))
        times.append(timed_fit(D, y)[0])
        print(
            f"n = {n:6d}: {times[-1]:8.2f} s, {times[-1] / times[0]:7.2f} of the first", flush=True
        )
        del D
    exponent = np.polyfit(np.log(sizes), np.log(times), 1)[0]
    print(f"seconds grow as n to the power {exponent:.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=N)
    parser.add_argument("--growth", type=int, nargs="+", default=GROWTH)
    parser.add_argument("--memory-only", action="store_true", help="what a fresh process measures")
    options = parser.parse_args()
    if options.memory_only:
        return peak_memory(options.n)
    # Tracing slows every allocation: the memory has a process to itself.
    command = [sys.executable, "-m", "benchmarks.accuracy.speed", "--memory-only"]
    subprocess.run([*command, "--n", str(options.n)], check=True)
    growth(tuple(options.growth))
    return seconds_and_support(options.n)


if __name__ == "__main__":
    main()
