"""PC-102: relations between expression profiles, and what a default network makes of them."""

import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
from sklearn.model_selection import train_test_split

from relrbf import RBFNetworkClassifier, inspect_relation
from relrbf.exceptions import RelationWarning
from relrbf.measures import common_source_dissimilarities, pearson_dissimilarities

Measure = Callable[..., np.ndarray]
SPLITS = 20
MEASURES: dict[str, Measure] = {
    "1 - Pearson": pearson_dissimilarities,
    "common source, relative": common_source_dissimilarities,
    "common source, relative, noise 0.5": lambda X, Y=None: common_source_dissimilarities(
        X, Y, noise_share=0.5
    ),
    "common source, kernel": lambda X, Y=None: common_source_dissimilarities(X, Y, form="kernel"),
    "common source, kernel, noise 0.5": lambda X, Y=None: common_source_dissimilarities(
        X, Y, form="kernel", noise_share=0.5
    ),
}


def load(folder: Path) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return log10 of the intensities within [10, 16000], the classes, the genes that vary much."""
    with np.load(folder / "PC-102" / "PC-102_raw12600.npz") as arrays:
        return (
            np.log10(np.clip(arrays["X"].astype(float), 10, 16000)),
            arrays["y"],
            arrays["keep5966"],
        )


def neighbour_error(D: np.ndarray, y: np.ndarray) -> float:
    others = D + np.diag(np.full(len(D), np.inf))
    return float(np.mean(y[others.argmin(axis=1)] != y))


def accuracies(measure: Measure, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the default network's test accuracy; all is estimated from training profiles."""
    scores = []
    for seed in range(SPLITS):
        train, test = train_test_split(
            np.arange(len(y)), test_size=0.3, stratify=y, random_state=seed
        )
        model = RBFNetworkClassifier(random_state=0).fit(measure(X[train]), y[train])
        scores.append(model.score(measure(X[test], X[train]), y[test]))
    return np.array(scores)


def row(name: str, D: np.ndarray, y: np.ndarray, scores: np.ndarray, beside: np.ndarray) -> str:
    report = inspect_relation(D)
    negative, gain = report.negative_eigenfraction, scores - beside
    return (
        f"| {name} | {100 * neighbour_error(D, y):.1f} % | {100 * negative[1]:.1f} % "
        f"| {100 * negative[2]:.1f} % | {100 * report.triangle_violation_fraction:.1f} % "
        f"| {100 * scores.mean():.1f} ± {100 * scores.std(ddof=1):.1f} % "
        f"| {100 * gain.mean():+.1f} ± {100 * gain.std(ddof=1) / np.sqrt(len(gain)):.1f} |"
    )


def show(folder: Path) -> None:
    X, y, kept = load(folder)
    warnings.simplefilter("ignore", RelationWarning)  # constant genes; relations without vectors
    at_cut = (X == 1).mean(axis=0)
    much, little = (100 * at_cut[part].mean() for part in (kept, ~kept))
    print(
        f"values at the lower cut: {much:.0f} % in genes that vary much, {little:.0f} % in others\n"
    )
    print("| relation | neighbours | negative, 1 | negative, 2 | triangles | network | gain |")
    print("|---|---|---|---|---|---|---|")
    for genes, part in ((int(kept.sum()), X[:, kept]), (X.shape[1], X)):
        beside = accuracies(pearson_dissimilarities, part, y)
        for name, measure in MEASURES.items():
            scores = accuracies(measure, part, y)
            print(row(f"{name}, {genes} genes", measure(part), y, scores, beside), flush=True)
