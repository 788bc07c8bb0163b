"""The paper's protocol on BC-569: accuracy, duality, and what the printed update does.

Run ``make bench NAME=protocol`` (some minutes); ``--repetitions`` sets how many splits. Every
number in docs/protocol.md comes from here.
"""

import argparse
import time
import warnings

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from relrbf import RBFNetworkClassifier
from relrbf.prototypes import RelationalSpace
from relrbf.relations import DenseRelation
from relrbf.training import GradientDescent

PAPER = {"training": 98.27, "validation": 97.65, "test": 96.51}  # accuracy on BC-569, in percent
SHARE = 15 / 85  # validation objects among those that are not for the test: 70/15/15


def load() -> tuple[np.ndarray, np.ndarray]:
    X, y = load_breast_cancer(return_X_y=True)
    return StandardScaler().fit_transform(X), y


def network(
    seed: int, max_iter: int, solver: GradientDescent, **options: object
) -> RBFNetworkClassifier:
    """Return the network of the paper's section 3.1 for BC-569: 10 prototypes, at most 45."""
    options = {"n_prototypes": 10, "max_prototypes": 45, "init": "random-partition", **options}
    return RBFNetworkClassifier(
        **options, solver=solver, max_iter=max_iter, tol=0, random_state=seed
    )


def parts(y: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return training, validation and test objects: 70/15/15."""
    rest, test = train_test_split(np.arange(len(y)), test_size=0.15, random_state=seed, stratify=y)
    train, validation = train_test_split(rest, test_size=SHARE, random_state=seed, stratify=y[rest])
    return train, validation, test


def accuracies(D: np.ndarray, y: np.ndarray, seed: int, solver: dict[str, object]) -> list[float]:
    """Train once and return the accuracy on each part, the epochs and the prototypes."""
    train, validation, test = parts(y, seed)
    known = np.concatenate([train, validation])
    validation_mask = np.arange(len(known)) >= len(train)
    model = network(seed, 3000, GradientDescent(validation=validation_mask, **solver), exponent=2)
    model.fit(D[np.ix_(known, known)], y[known])
    scores = [
        100 * model.score(D[np.ix_(part, known)], y[part]) for part in (train, validation, test)
    ]
    return [*scores, model.n_iter_, len(model.prototypes_)]


def show(name: str, rows: np.ndarray, seconds: float) -> None:
    mean, spread = rows.mean(axis=0), rows.std(axis=0)
    cells = "  ".join(f"{m:6.2f} ± {s:4.2f}" for m, s in zip(mean[:3], spread[:3], strict=True))
    epochs, prototypes = mean[3:]
    print(f"{name:<34} {cells}  {epochs:6.0f} {prototypes:6.1f} {seconds / len(rows):8.2f} s")


def study(D: np.ndarray, y: np.ndarray, repetitions: int) -> None:
    fewer = max(repetitions // 5, 2)
    print("BC-569, random 70/15/15 splits; accuracy in percent, mean ± spread")
    print(f"{repetitions} of them for the protocol, {fewer} for its variants\n")
    head = "  ".join(f"{part:>13}" for part in PAPER)
    print(f"{'':<34} {head}  epochs  proto.  per fit")
    print(f"{'paper':<34} " + "  ".join(f"{value:13.2f}" for value in PAPER.values()))
    for name, solver in {
        "exact": {},
        "exact, momentum": {"acceleration": "momentum"},
        "exact, conjugate gradients": {"acceleration": "conjugate-gradients"},
        "exact, lengths as they are": {"unit": 1.0},
        "exact, the printed rule alone": {"stable": False},
        "published": {"update": "published"},
    }.items():
        start = time.perf_counter()
        n = fewer if solver else repetitions
        rows = np.array([accuracies(D, y, seed, dict(solver)) for seed in range(n)])
        show(name, rows, time.perf_counter() - start)


def gap(first: RBFNetworkClassifier, second: RBFNetworkClassifier) -> float:
    """Return the largest difference of the kept states' responses to the training objects."""
    one, other = (
        model._network.forward(model.prototypes_.distances_sq).responses
        for model in (first, second)
    )
    return float(np.abs(one - other).max())


def duality(X: np.ndarray, D: np.ndarray, y: np.ndarray, seeds: int) -> None:
    print(f"\nGraph and vector network, {seeds} seeds, whole protocol, 1,000 epochs\n")
    print(f"{'':<34} same decisions  largest difference of a response, median and worst")
    for name, solver in {
        "exact": {},
        "exact, momentum": {"acceleration": "momentum"},
        "exact, conjugate gradients": {"acceleration": "conjugate-gradients"},
        "exact, the printed rule alone": {"stable": False},
        "published": {"update": "published"},
    }.items():
        gaps, same = [], 0
        for seed in range(seeds):
            graph = network(seed, 1000, GradientDescent(**solver), exponent=2).fit(D, y)
            vector = network(
                seed, 1000, GradientDescent(**solver), space="vector", metric="euclidean"
            ).fit(X, y)
            gaps.append(gap(graph, vector))
            one, other = graph.history_, vector.history_
            same += (one.rejected, one.grown, len(one)) == (other.rejected, other.grown, len(other))
        print(f"{name:<34} {same:8d} of {seeds:<3} {np.median(gaps):12.1e} {max(gaps):12.1e}")


def one_step(D: np.ndarray) -> None:
    print("\nOne step of a prototype by equation 2.9 as printed: its error, relative to the step\n")
    exact = RelationalSpace(DenseRelation(D))
    rng = np.random.default_rng(0)
    A = rng.random((10, len(D)))
    A /= A.sum(axis=1, keepdims=True)
    gradients = rng.standard_normal((10, len(D))) / (2 * len(D))
    for eta in (1e-3, 1e-1, 1.0, 10.0):
        moved = []
        for space in (exact, exact.published()):
            placed = space.place(A)
            stepped = space.move(placed, space.descent(placed, gradients), np.full(10, eta))
            moved.append(stepped.distances_sq - placed.distances_sq)
        error = np.linalg.norm(moved[1] - moved[0]) / np.linalg.norm(moved[0])
        print(f"    step length {eta:6g}: {error:.3f}")


def printed_signs(D: np.ndarray, y: np.ndarray) -> None:
    """Take ten steps of the weights by equation 2.7 with its printed sign."""
    model = network(0, 1, GradientDescent(), exponent=2).fit(D, y)
    phi = model.transform(D)
    W, b = model.weights_.copy(), model.bias_.copy()
    errors = []
    for _ in range(11):
        E = np.eye(2)[y] - phi @ W - b
        errors.append(float(np.square(E).sum(axis=1).mean() / 2))
        W -= 0.5 * phi.T @ E / len(y)
        b -= 0.5 * E.mean(axis=0)
    print(
        "\nTen steps of the weights by equation 2.7 with the printed sign, rate 0.5: the objective"
    )
    print(f"    goes from {errors[0]:.3g} to {errors[-1]:.3g}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=100)
    parser.add_argument("--seeds", type=int, default=10)
    arguments = parser.parse_args()
    warnings.simplefilter("error")
    X, y = load()
    D = cdist(X, X)
    start = time.perf_counter()
    one_step(D)
    printed_signs(D, y)
    duality(X, D, y, arguments.seeds)
    print()
    study(D, y, arguments.repetitions)
    print(f"\nall in {(time.perf_counter() - start) / 60:.1f} minutes")


if __name__ == "__main__":
    main()
