"""The same network twice, from distances and from the vectors behind them."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.callback import ProgressBar
from sklearn.decomposition import PCA

from relrbf import RBFNetworkClassifier
from relrbf._typing import Array
from relrbf.cli.breast_cancer import Data
from relrbf.plotting import plot_embedding, plot_equivalence
from relrbf.report import Picture, Section
from relrbf.training import GradientDescent

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CODE = """from relrbf import RBFNetworkClassifier
from relrbf.training import GradientDescent

options = dict(solver=GradientDescent.curvature_scaled(), random_state=0, max_iter={epochs}, tol=0)
graph = RBFNetworkClassifier(20, **options).fit(D, y)
vector = RBFNetworkClassifier(20, space="vector", **options).fit(X, y)
abs(graph.decision_function(D_new) - vector.decision_function(X_new)).max()"""


@dataclass(frozen=True, eq=False)
class Twins:
    """A network that saw distances, and one that saw vectors."""

    graph: RBFNetworkClassifier
    vector: RBFNetworkClassifier
    data: Data
    epochs: int

    @classmethod
    def train(cls, data: Data, epochs: int, *, silent: bool) -> "Twins":
        """Train both for as many epochs."""
        graph = _fit(data.D, data.y, epochs, "relational", silent)
        return cls(graph, _fit(data.X, data.y, epochs, "vector", silent), data, epochs)

    @property
    def facts(self) -> list[tuple[str, str]]:
        """How good each is, and how far they are apart."""
        data, graph, vector = self.data, self.graph, self.vector
        gap = np.abs(np.subtract(*self._responses)).max()
        weights = np.abs(graph.weights_ - vector.weights_).max()
        bandwidths = np.abs(graph.bandwidths_ - vector.bandwidths_).max()
        return [
            ("accuracy on held-out objects, relational", _percent(graph, data.D_new, data.y_new)),
            ("accuracy on held-out objects, vector", _percent(vector, data.X_new, data.y_new)),
            ("epochs", f"{graph.n_iter_} and {vector.n_iter_}"),
            ("prototypes", f"{len(graph.prototypes_)}"),
            ("largest difference of a response", f"{gap:.1e}"),
            ("largest difference of a weight", f"{weights:.1e}"),
            ("largest difference of a bandwidth", f"{bandwidths:.1e}"),
        ]

    def draw(self, path: Path) -> None:
        """Draw the objects with the prototypes, and the responses of both."""
        points = PCA(2).fit_transform(self.data.X)
        coefficients = self.graph.prototypes_.coefficients
        objects = partial(plot_embedding, points, self.data.y, coefficients)
        _draw([objects, partial(plot_equivalence, *self._responses)]).savefig(path, dpi=130)

    def section(self) -> Section:
        """Return what a page says of them."""
        caption = "Each held-out response of the relational network against the vector network's."
        figure = _draw([partial(plot_equivalence, *self._responses)])
        return Section(
            "The same network twice",
            "Trained on a matrix of distances, a network gives the same responses, to rounding, as "
            "a conventional RBF network trained on the vectors behind them.",
            facts=self.facts,
            pictures=[Picture(figure, caption, "twins", in_ink=True)],
            code=CODE.format(epochs=self.epochs),
        )

    @property
    def _responses(self) -> tuple[Array, Array]:
        data = self.data
        return self.graph.decision_function(data.D_new), self.vector.decision_function(data.X_new)


def _fit(X: Array, y: np.ndarray, epochs: int, space: str, silent: bool) -> RBFNetworkClassifier:
    # the slow trainer, because rounding would tell after a thousand epochs if ever
    model = RBFNetworkClassifier(
        20,
        space=space,
        solver=GradientDescent.curvature_scaled(),
        random_state=0,
        max_iter=epochs,
        tol=0,
    )
    if not silent:
        model.set_callbacks(ProgressBar())
    return model.fit(X, y).set_callbacks()


def _percent(model: Any, X: Array, y: np.ndarray) -> str:
    return f"{model.score(X, y):.4f}"


def _draw(pictures: list[Callable[..., Any]]) -> "Figure":
    """Draw pictures side by side."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5 * len(pictures), 4.4), layout="constrained")
    for draw, ax in zip(pictures, figure.subplots(1, len(pictures), squeeze=False)[0], strict=True):
        draw(ax=ax)
    return figure
