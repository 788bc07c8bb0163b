"""``relrbf demo``: the main job on data that come along, and the same network from vectors."""

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
from relrbf.plotting import plot_embedding, plot_twins
from relrbf.report import FitSummary, Picture, Section, write_fit_report
from relrbf.report.page import prepare
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
    ids: np.ndarray

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
    ids = np.array([f"case-{i:03}" for i in range(1, len(labels) + 1)])
    X, X_new, y, y_new, ids, _ = train_test_split(
        bunch.data, labels, ids, test_size=0.3, stratify=labels, random_state=0
    )
    scaler = StandardScaler().fit(X)
    return Data(scaler.transform(X), scaler.transform(X_new), y, y_new, ids)


def run_demo(folder: Path, epochs: int, progress: Any = None) -> FitSummary:
    """Train a network on distances, compare it with its twin, and write the report."""
    prepare(folder / "report.html")
    data = load_data()
    print(f"Breast cancer: {len(data.X)} training objects, {len(data.X_new)} held out, 30 features")
    print(f"\nA network that sees only the {len(data.X)} × {len(data.X)} distances")
    model = RBFNetworkClassifier(random_state=0).fit(data.D, data.y)
    print(f"{'accuracy on held-out objects':<46} {model.score(data.D_new, data.y_new):.4f}")
    print(f"\nThe same network twice, trained for {epochs} epochs: from the distances")
    graph = _fit(data.D, data.y, epochs, space="relational")
    print("\nand from the features")
    vector = _fit(data.X, data.y, epochs, space="vector")
    facts = _compare(graph, vector, data)
    print()
    for name, value in facts:
        print(f"{name:<46} {value}")
    print("\nThe report, with parts of the training objects held out")
    summary = write_fit_report(
        folder / "report.html",
        model,
        data.D,
        data.y,
        ids=data.ids,
        command="relrbf demo",
        name="Breast cancer",
        n_repeats=1,
        progress=progress or _say,
        more=[_twins(folder, graph, vector, data, facts, epochs)],
    )
    print(f"\n{summary}\n\nThe page: {folder / 'report.html'}")
    return summary


def _say(text: str, done: float, total: int) -> None:
    end = "\n" if done >= total else ""
    print(f"\r{done / total:4.0%} {text:<45}", end=end, flush=True)


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


def _twins(
    folder: Path,
    graph: Any,
    vector: Any,
    data: Data,
    facts: list[tuple[str, str]],
    epochs: int,
) -> Section:
    """Return the section on the twins; their picture is a file as well."""
    responses = graph.decision_function(data.D_new), vector.decision_function(data.X_new)
    points, coefficients = PCA(2).fit_transform(data.X), graph.prototypes_.coefficients
    objects = partial(plot_embedding, points, data.y, coefficients)
    twins = partial(plot_twins, *responses)
    _draw([objects, twins]).savefig(folder / "demo.png", dpi=130)
    caption = "Each held-out response of the relational network against the vector network's."
    return Section(
        "The same network twice",
        "Trained on a matrix of distances, a network gives the same responses, to rounding, as a "
        "conventional RBF network trained on the vectors behind them.",
        facts=facts,
        pictures=[Picture(_draw([twins]), caption, "twins", in_ink=True)],
        code=CODE.format(epochs=epochs),
    )


def _draw(pictures: list[Callable[..., Any]]) -> "Figure":
    """Draw pictures side by side."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5 * len(pictures), 4.4), layout="constrained")
    for draw, ax in zip(pictures, figure.subplots(1, len(pictures), squeeze=False)[0], strict=True):
        draw(ax=ax)
    return figure
