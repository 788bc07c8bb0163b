"""What VAT and iVAT cost, beside pyclustertend's and beside a copy of the matrix.

Run ``make bench NAME=tendency``. Every time is a ratio taken in this run. ``--growth`` leaves the
baseline out and needs nothing but relrbf; ``--picture FILE`` draws the picture of docs/tendency.md.
"""

import argparse
import tracemalloc
from collections.abc import Callable
from functools import partial

import numpy as np
from sklearn.metrics import pairwise_distances

from benchmarks.core import best_time
from relrbf.relations import VectorRelation
from relrbf.tendency import TendencyImage, ivat, vat

N_BASELINE, SIZES = 2000, (2500, 5000, 10_000, 20_000)
ASSESSMENTS = {"vat": vat, "ivat": ivat}


def make_vectors(n: int, dtype: type = np.float64) -> np.ndarray:
    """Draw five groups in three dimensions."""
    rng = np.random.default_rng(0)
    centres = 8 * rng.standard_normal((5, 3))
    return (rng.standard_normal((n, 3)) + centres[rng.integers(0, 5, n)]).astype(dtype)


def make_relation(n: int) -> np.ndarray:
    """Return n × n float32 dissimilarities, made a few rows at a time."""
    relation = VectorRelation(make_vectors(n, np.float32))
    D = np.empty((n, n), dtype=np.float32)
    for rows in relation.row_blocks():
        D[rows] = relation.block(rows)
    return D


def baselines() -> dict[str, tuple[Callable, Callable]]:
    """Return pyclustertend's functions: the ones that compute, and the public ones that draw."""
    import matplotlib as mpl

    mpl.use("Agg")
    import pyclustertend

    return {
        "vat": (pyclustertend.compute_ordered_dissimilarity_matrix, pyclustertend.vat),
        "ivat": (pyclustertend.compute_ivat_ordered_dissimilarity_matrix, pyclustertend.ivat),
    }


def drawn(assess: Callable[..., TendencyImage], X: np.ndarray) -> None:
    """Do what pyclustertend's public function does: vectors in, a picture out."""
    from matplotlib import pyplot as plt

    from relrbf.plotting import plot_tendency

    plot_tendency(assess(pairwise_distances(X)), ax=plt.subplots(figsize=(10, 10))[1])
    plt.close()


def drawn_by_baseline(draw: Callable, X: np.ndarray) -> None:
    from matplotlib import pyplot as plt

    draw(X)
    plt.close()


def compare_with_baseline() -> None:
    X = make_vectors(N_BASELINE)
    D = pairwise_distances(X)
    print(f"pyclustertend, n = {N_BASELINE}: its time / ours, both from the same vectors\n")
    print(f"{'what':<48} {'ratio':>7}  wanted")
    distances = best_time(lambda: pairwise_distances(X))
    for name, (compute, draw) in baselines().items():
        assess = ASSESSMENTS[name]
        ours = best_time(partial(assess, D))
        ours_drawn = best_time(partial(drawn, assess, X))
        theirs = best_time(partial(compute, X), 2)  # it compiles before it is timed
        theirs_drawn = best_time(partial(drawn_by_baseline, draw, X), 1)
        gap = np.abs(compute(X) - assess(D).image).max() / D.max()
        ratio = (theirs - distances) / ours
        print(f"{f'{name}, from the distances on':<48} {ratio:7.0f}  at least 100")
        print(f"{f'{name}, distances included':<48} {theirs / (ours + distances):7.0f}")
        print(f"{f'{name}, distances and picture included':<48} {theirs_drawn / ours_drawn:7.0f}")
        print(f"{f'{name}, largest difference / largest entry':<48} {gap:7.0e}  at most 1e-12")


def show_growth() -> None:
    print("\nfloat32 matrices: time / one copy of D, and memory allocated / size of D\n")
    print(f"{'n':>6} {'vat':>7} {'ivat':>7} {'vat':>12} {'ivat':>12}   GB beyond D, allowed 2")
    for n in SIZES:
        D = make_relation(n)
        repeats = 3 if n < max(SIZES) else 1
        copy = best_time(D.copy, repeats)
        times = [best_time(lambda f=f, D=D: f(D), repeats) for f in (vat, ivat)]
        peaks = [peak_of(f, D) for f in (vat, ivat)]
        shown = " ".join(f"{t / copy:7.1f}" for t in times)
        shown += " " + " ".join(f"{peak / D.nbytes:12.3f}" for peak in peaks)
        print(f"{n:6} {shown}   " + ", ".join(f"{peak / 1e9:.2f}" for peak in peaks))


def peak_of(assess: Callable[..., TendencyImage], D: np.ndarray) -> int:
    """Return the most bytes that were allocated at one time, the result included."""
    tracemalloc.start()
    assess(D)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def draw_picture(path: str) -> None:
    """Draw a matrix as it came, its VAT and its iVAT image: two moons and a group."""
    from matplotlib import pyplot as plt
    from sklearn.datasets import make_moons

    from relrbf.plotting import plot_tendency

    rng = np.random.default_rng(0)
    moons, y = make_moons(300, noise=0.06, random_state=0)
    X = np.vstack([moons, 0.12 * rng.standard_normal((100, 2)) + [2.6, 1.0]])
    mixed = rng.permutation(400)
    X, y = X[mixed], np.append(y, np.full(100, 2))[mixed]
    names = np.array(["one moon", "other moon", "group"])[y]
    D = pairwise_distances(X)
    everything = np.arange(400)
    as_given = TendencyImage(everything, D, np.zeros(400), everything, None)
    figure, axes = plt.subplots(1, 3, figsize=(11, 3.6), layout="compressed")
    titles = ("As it came", "vat", "ivat")
    for ax, title, result in zip(axes, titles, (as_given, vat(D), ivat(D)), strict=True):
        plot_tendency(result, names, ax).set_title(title, loc="left", fontsize=11)
        if title != titles[-1]:
            ax.get_legend().remove()
    axes[0].set_xlabel("400 objects in any order")
    figure.savefig(path, dpi=80)
    plt.close(figure)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--growth", action="store_true", help="leave the baseline out")
    parser.add_argument("--picture", metavar="FILE", help="draw the picture only")
    options = parser.parse_args()
    if options.picture:
        draw_picture(options.picture)
        return
    if not options.growth:
        compare_with_baseline()
    show_growth()


if __name__ == "__main__":
    main()
