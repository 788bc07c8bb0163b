"""Depth on relations: deep head against linear head, guards one by one, and the default estimator.

Run ``make bench NAME=deep-accuracy`` (about an hour on one core). Splits are those of
``make accuracy``, the first few of them; differences are paired by split.
"""

import argparse
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.accuracy.sets import SETS
from benchmarks.accuracy.split import Set
from relrbf import RBFNetworkClassifier, RBFNetworkRegressor
from relrbf.exceptions import RelationWarning
from relrbf.torch import DeepRBFClassifier, DeepRBFRegressor

RELATIONS = [
    *("PC-102", "HG-194", "yeast-200", "protein-213", "HD-303", "GunPoint-DTW", "words-400"),
    *("USC-435", "diabetes", "few-objects", "BC-569", "FreeSolv", "plaid-1074"),
]
METHODS: dict[str, dict[str, Any] | None] = {
    "default": None,
    "linear": {"start": "k-means", "hidden_layer_sizes": ()},
    "deep": {"start": "k-means"},
    "guarded": {},
}
PAIRS = [("deep", "linear"), ("guarded", "default")]
WITHOUT_GUARDS = {"weight_decay": 0.0, "dropout": 0.0}
ABLATION: dict[str, dict[str, Any] | None] = {
    "default": None,
    "deep, no guard, all epochs": {
        "start": "k-means",
        "early_stopping": False,
        **WITHOUT_GUARDS,
    },
    "deep, early stopping": {"start": "k-means", **WITHOUT_GUARDS},
    "deep, early stopping, decay": {"start": "k-means", "dropout": 0.0, "weight_decay": 1.0},
    "deep, early stopping, dropout": {"start": "k-means", "weight_decay": 0.0, "dropout": 0.3},
    "on a teacher, all epochs": {"early_stopping": False, **WITHOUT_GUARDS},
    "on a teacher, guarded": {},
}


def fit(data: Set, options: dict[str, Any] | None, train: np.ndarray, max_iter: int) -> Any:
    """Return the estimator, fitted to the training objects; without options, the default."""
    if options is None:
        model: Any = (RBFNetworkRegressor if data.regression else RBFNetworkClassifier)(
            random_state=0
        )
    else:
        kind: Callable[..., Any] = DeepRBFRegressor if data.regression else DeepRBFClassifier
        model = kind(max_iter=max_iter, random_state=0, **options)
    return model.fit(data.D[np.ix_(train, train)], data.y[train])


def measure(
    data: Set, methods: dict[str, dict[str, Any] | None], n_splits: int, max_iter: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return scores and epochs (splits × methods)."""
    scores, epochs = [], []
    for train, test in data.splits(n_splits):
        models = [fit(data, options, train, max_iter) for options in methods.values()]
        D_new = data.D[np.ix_(test, train)]
        scores.append([model.score(D_new, data.y[test]) for model in models])
        epochs.append([getattr(model, "best_epoch_", -1) for model in models])
    return np.array(scores), np.array(epochs)


def paired(one: np.ndarray, other: np.ndarray) -> str:
    gaps = one - other
    return f"{gaps.mean():+.3f} ± {gaps.std(ddof=1) / np.sqrt(len(gaps)):.3f}"


def show(names: list[str], methods: list[str], n_splits: int, max_iter: int) -> None:
    print(f"accuracy or R², mean of {n_splits} splits; differences ± standard error")
    pairs = [pair for pair in PAIRS if set(pair) <= set(methods)]
    gaps: dict[tuple[str, str], list[float]] = {pair: [] for pair in pairs}
    print(f"{'':<14}{'  '.join(f'{name:>7}' for name in methods)}   {pairs}")
    for name in names:
        chosen = {method: METHODS[method] for method in methods}
        scores, epochs = measure(SETS[name](), chosen, n_splits, max_iter)
        by_method = dict(zip(methods, scores.T, strict=True))
        cells = [f"{each:7.3f}" for each in scores.mean(axis=0)]
        for one, other in pairs:
            cells.append(paired(by_method[one], by_method[other]))
            gaps[one, other].append(float((by_method[one] - by_method[other]).mean()))
        print(f"{name:<14}{'  '.join(cells)}  epochs {epochs.tolist()}", flush=True)
    for (one, other), found in gaps.items():
        if len(found) > 1:
            spread = np.std(found, ddof=1) / np.sqrt(len(found))
            print(f"{one} - {other}, {len(found)} relations: {np.mean(found):+.4f} ± {spread:.4f}")


def show_ablation(names: list[str], n_splits: int, max_iter: int) -> None:
    print(f"\nablation, mean of {n_splits} splits, and difference from the default")
    for name in names:
        scores, epochs = measure(SETS[name](), ABLATION, n_splits, max_iter)
        print(name)
        for k, method in enumerate(ABLATION):
            row = f"  {method:<32} {scores[:, k].mean():.3f}  {paired(scores[:, k], scores[:, 0])}"
            print(f"{row}  epochs {np.mean(epochs[:, k]):.0f}" if k else row, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", default=RELATIONS, help="which relations")
    parser.add_argument("--methods", nargs="*", default=[*METHODS], choices=METHODS)
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=50)
    parser.add_argument("--ablation", nargs="*", default=["yeast-200", "protein-213"])
    options = parser.parse_args()
    warnings.simplefilter("ignore", RelationWarning)  # known of these sets
    if options.methods:
        show(options.sets, options.methods, options.splits, options.epochs)
    if options.ablation:
        show_ablation(options.ablation, options.splits, options.epochs)


if __name__ == "__main__":
    main()
