"""Seconds, memory, processor time and growth of a default fit, beside an SVC and a Nyström ridge.

Run ``make speed``; it needs no extra. Every figure is a ratio taken in this run: seconds
against one fit of ``SVC(C=10, kernel="precomputed")`` with its kernel's evaluation, memory against
the matrix, processor time with two threads against that with one while another process keeps a
core busy.
"""

import argparse
import os
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.datasets import make_classification
from sklearn.linear_model import RidgeClassifierCV
from sklearn.svm import SVC

from relrbf import RBFNetworkClassifier

N, NEW = 8000, 1000
GROWTH = (1000, 2000, 4000, 8000, 16000)
LARGEST = 24000  # objects drawn for the growth, so that the largest n is a sample as well
WIDTHS = {"median": 1.0, "median / 4": 0.25}  # of squared distances
COLUMNS, PENALTIES = 1000, np.logspace(-4, 2, 7)  # of a Nyström ridge
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
BUSY = [sys.executable, "-c", "while True: pass"]

Predict = Callable[[np.ndarray], np.ndarray]


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


def fit_svc(D: np.ndarray, y: np.ndarray, width: float) -> Predict:
    scale = width * float(np.median(D))
    svc = SVC(C=10, kernel="precomputed").fit(kernel(D, scale), y)
    return lambda D_new: svc.predict(kernel(D_new, scale))


def fit_nystroem(D: np.ndarray, y: np.ndarray, width: float) -> Predict:
    """Fit a ridge on 1,000 columns of the kernel, its penalty by leave-one-out."""
    scale = width * float(np.median(D))
    columns = np.random.default_rng(0).permutation(len(D))[:COLUMNS]
    K = kernel(D[:, columns], scale)
    values, vectors = np.linalg.eigh(K[columns])
    kept = values > 1e-10 * values[-1]
    axes = vectors[:, kept] / np.sqrt(values[kept])
    ridge = RidgeClassifierCV(PENALTIES).fit(K @ axes, y)
    return lambda D_new: ridge.predict(kernel(D_new[:, columns], scale) @ axes)


def fit_ours(D: np.ndarray, y: np.ndarray, **options: float) -> RBFNetworkClassifier:
    return RBFNetworkClassifier(random_state=0, **options).fit(D, y)


def seconds_and_accuracy(n: int) -> None:
    """Print each method's seconds over an SVC's at the better width, and accuracy on others."""
    D, y, D_new, y_new = make_data(n, n + NEW)
    methods = {"ours": lambda: fit_ours(D, y).predict}
    for name, width in WIDTHS.items():
        methods[f"SVC, {name}"] = lambda width=width: fit_svc(D, y, width)
        methods[f"Nyström, {name}"] = lambda width=width: fit_nystroem(D, y, width)
    measured = {}
    for name, fit in methods.items():
        start, start_processor = time.perf_counter(), time.process_time()
        predict = fit()
        seconds = time.perf_counter() - start, time.process_time() - start_processor
        measured[name] = (*seconds, np.mean(predict(D_new) == y_new))
    best = max((name for name in measured if name.startswith("SVC")), key=lambda m: measured[m][2])
    print(f"\nn = {n}: seconds, over one fit of {best}; processor time; accuracy on {NEW} others")
    for name, (seconds, processor, accuracy) in measured.items():
        ratio = seconds / measured[best][0]
        print(f"{name:20} {seconds:7.2f} s {ratio:6.2f} {processor:8.2f} s {accuracy:7.3f}")
    few = fit_ours(D, y, n_support=0.05)
    change = np.mean(few.predict(D_new) == y_new) - measured["ours"][2]
    print(f"n_support=0.05: accuracy {change:+.3f}, support {len(few.support_) / n:.3f} of n")


def peak_memory(n: int) -> None:
    """Print what a fit allocates at its peak; tracemalloc counts NumPy's arrays too."""
    D, y, _, _ = make_data(n, n + NEW)
    tracemalloc.start()
    fit_ours(D, y)
    print(f"peak of a fit / size of D: {tracemalloc.get_traced_memory()[1] / D.nbytes:.2f}")


def processor_time(n: int) -> None:
    """Print the processor time of a fit, all its threads together."""
    D, y, _, _ = make_data(n, n + NEW)
    few = slice(0, 100)
    fit_ours(D[few, few], y[few])  # what is imported or started at the first fit
    start = time.process_time()
    fit_ours(D, y)
    print(time.process_time() - start)


PARTS = {"memory": peak_memory, "processor": processor_time}


def in_process(part: str, n: int, threads: int | None = None) -> str:
    """Measure a part in a process of its own, which may have so many threads."""
    command = [sys.executable, "-m", "benchmarks.accuracy.speed", "--part", part, "--n", str(n)]
    limits = {} if threads is None else dict.fromkeys(THREADS, str(threads))
    run = subprocess.run(
        command, check=True, env=os.environ | limits, stdout=subprocess.PIPE, text=True
    )
    return run.stdout.strip()


def threads_beside_a_busy_process(n: int) -> None:
    busy = subprocess.Popen(BUSY)
    try:
        one, two = (float(in_process("processor", n, threads)) for threads in (1, 2))
    finally:
        busy.kill()
        busy.wait()
    print(f"processor time, one core busy, two threads / one: {two / one:.2f}", end="")
    print(f"  ({two:.1f} s against {one:.1f} s)", flush=True)


def growth(sizes: tuple[int, ...]) -> None:
    times = []
    for n in sizes:
        D, y, _, _ = make_data(n, max(LARGEST, n + NEW))
        start = time.perf_counter()
        fit_ours(D, y)
        times.append(time.perf_counter() - start)
        ratio = times[-1] / times[0]
        print(f"n = {n:6d}: {times[-1]:8.2f} s, {ratio:7.2f} of the first", flush=True)
        del D
    exponent = np.polyfit(np.log(sizes), np.log(times), 1)[0]
    print(f"seconds grow as n to the power {exponent:.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=N)
    parser.add_argument("--growth", type=int, nargs="+", default=GROWTH)
    parser.add_argument("--part", choices=PARTS, help="what a fresh process measures")
    options = parser.parse_args()
    if options.part:
        return PARTS[options.part](options.n)
    # Tracing slows every allocation: the memory has a process to itself.
    print(in_process("memory", options.n), flush=True)
    threads_beside_a_busy_process(options.n)
    growth(tuple(options.growth))
    return seconds_and_accuracy(options.n)


if __name__ == "__main__":
    main()
