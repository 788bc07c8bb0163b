"""``relrbf demo``: the same network twice, from distances and from the vectors behind them."""

from argparse import Namespace
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.callback import ProgressBar
from sklearn.datasets import load_breast_cancer
from sklearn.decomposition import PCA
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from relrbf import RBFNetworkClassifier
from relrbf._typing import Array
from relrbf.cli.screen import Screen
from relrbf.plotting import plot_embedding, plot_history, plot_matrix, plot_twins
from relrbf.report import Picture, Section, write_page
from relrbf.training import Descent

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CODE = """from relrbf import RBFNetworkClassifier
from relrbf.training import Descent

options = dict(solver=Descent.steady(), random_state=0, max_iter={epochs}, tol=0)
graph = RBFNetworkClassifier(20, **options).fit(D, y)
vector = RBFNetworkClassifier(20, space="vector", **options).fit(X, y)
abs(graph.decision_function(D_new) - vector.decision_function(X_new)).max()"""


@dataclass(frozen=True)
class Data:
    """The breast-cancer data, standardised, cut into training and held-out objects."""

    X: Array
    X_new: Array
    y: np.ndarray
    y_new: np.ndarray

    @property
    def D(self) -> Array:
        """Distances between the training objects."""
        return cdist(self.X, self.X)

    @property
    def D_new(self) -> Array:
        """Distances of the held-out objects to the training objects."""
        return cdist(self.X_new, self.X)


def load_data() -> Data:
    """Hold out 30 % of the 569 objects; standardise by the others."""
    bunch = load_breast_cancer()
    labels = bunch.target_names[bunch.target]
    X, X_new, y, y_new = train_test_split(
        bunch.data, labels, test_size=0.3, stratify=labels, random_state=0
    )
    scaler = StandardScaler().fit(X)
    return Data(scaler.transform(X), scaler.transform(X_new), y, y_new)


def run_demo(folder: Path, epochs: int) -> None:
    """Train both networks, print how they compare, write the page."""
    data = load_data()
    print(f"Breast cancer: {len(data.X)} training objects, {len(data.X_new)} held out, 30 features")
    print(f"\nRelational network: sees only the {len(data.X)} × {len(data.X)} distances")
    graph = _fit(data.D, data.y, epochs, space="relational")
    print("\nVector network: sees the features")
    vector = _fit(data.X, data.y, epochs, space="vector")
    facts = _compare(graph, vector, data)
    print()
    for name, value in facts:
        print(f"{name:<46} {value}")
    _write(folder, graph, vector, data, facts, epochs)
    print(f"\nThe page: {folder / 'report.html'}")


def run(options: Namespace, screen: Screen) -> None:
    """Train both networks, print how they compare, write the page."""
    run_demo(options.output, options.epochs)


def _fit(X: Array, y: np.ndarray, epochs: int, space: str) -> RBFNetworkClassifier:
    # the slow trainer, because rounding would tell after a thousand epochs if ever
    model = RBFNetworkClassifier(
        20, space=space, solver=Descent.steady(), random_state=0, max_iter=epochs, tol=0
    )
    return model.set_callbacks(ProgressBar()).fit(X, y).set_callbacks()


def _compare(graph: Any, vector: Any, data: Data) -> list[tuple[str, str]]:
    gap = np.abs(graph.decision_function(data.D_new) - vector.decision_function(data.X_new)).max()
    weights = np.abs(graph.weights_ - vector.weights_).max()
    bandwidths = np.abs(graph.bandwidths_ - vector.bandwidths_).max()
    return [
        ("accuracy on held-out objects, relational", f"{graph.score(data.D_new, data.y_new):.4f}"),
        ("accuracy on held-out objects, vector", f"{vector.score(data.X_new, data.y_new):.4f}"),
        ("epochs", f"{graph.n_iter_} and {vector.n_iter_}"),
        ("prototypes", f"{len(graph.prototypes_)}"),
        ("largest difference of a response", f"{gap:.1e}"),
        ("largest difference of a weight", f"{weights:.1e}"),
        ("largest difference of a bandwidth", f"{bandwidths:.1e}"),
    ]


def _write(
    folder: Path, graph: Any, vector: Any, data: Data, facts: list[tuple[str, str]], epochs: int
) -> None:
    responses = graph.decision_function(data.D_new), vector.decision_function(data.X_new)
    points, coefficients = PCA(2).fit_transform(data.X), graph.prototypes_.coefficients
    pictures = [
        (
            partial(plot_embedding, points, data.y, coefficients),
            "The objects in their first two principal components, and the prototypes: affine "
            "combinations of objects, not objects themselves.",
        ),
        (
            partial(plot_twins, *responses),
            "Every held-out response of the relational network against that of the vector network.",
        ),
        (partial(plot_matrix, data.D, data.y), "The distances, dark where objects are alike."),
        (partial(plot_history, graph.history_), "The objective that training lowers."),
    ]
    drawn = [Picture(_draw([draw]), caption) for draw, caption in pictures]
    sections = [
        Section("What came out", facts=facts),
        Section("The network and its twin", pictures=drawn[:2]),
        Section("What it was trained on, and how", pictures=drawn[2:]),
        Section("About the relation", code=str(graph.relation_report_)),
        Section("Do it yourself", code=CODE.format(epochs=epochs)),
    ]
    write_page(
        folder / "report.html",
        "An RBF network without feature vectors",
        "Trained on a matrix of distances, it gives the same responses, to rounding, as a "
        "conventional RBF network trained on the vectors behind them.",
        sections,
    )
    _draw([draw for draw, _ in pictures[:2]]).savefig(folder / "demo.png", dpi=130)


def _draw(pictures: list[Callable[..., Any]]) -> "Figure":
    """Draw pictures side by side."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5 * len(pictures), 4.4), layout="constrained")
    for draw, ax in zip(pictures, figure.subplots(1, len(pictures), squeeze=False)[0], strict=True):
        draw(ax=ax)
    return figure
