"""The contact sheet of docs/plotting.md: every picture of ``relrbf.plotting`` on one sheet.

Run ``python -m benchmarks.pictures docs/plotting.png``. The data are scikit-learn's own: wines by
the city-block distance of standardised measurements, which no vectors have when they are squared.
"""

import argparse
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from sklearn.datasets import load_wine
from sklearn.metrics import confusion_matrix, pairwise_distances
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from relrbf import RBFNetworkClassifier, RBFNetworkRegressor
from relrbf.exceptions import NotEuclideanWarning
from relrbf.plotting import (
    DeviationsDisplay,
    EmbeddingDisplay,
    SpectrumDisplay,
    plot_calibration,
    plot_confusion,
    plot_history,
    plot_matrix,
    plot_predictions,
    plot_prototypes,
    plot_tendency,
)
from relrbf.tendency import ivat
from relrbf.training import GradientDescent

Draw = Callable[[Axes], Any]
COLUMNS, SIDE = 3, (5.2, 4.2)


def make_wines() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return distances between 178 wines, their grapes, and their alcohol, which is left out."""
    X, y = load_wine(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    names = np.array(["Barolo", "Grignolino", "Barbera"])
    return pairwise_distances(X[:, 1:], metric="cityblock"), names[y], X[:, 0]


def pictures() -> list[Draw]:
    """Return what draws each picture."""
    D, y, alcohol = make_wines()
    model = RBFNetworkClassifier(exponent=1, random_state=0).fit(D, y)
    protocol = {"solver": GradientDescent(grow_after=1), "max_iter": 600, "random_state": 1}
    with warnings.catch_warnings():  # that no vectors have these distances is what the sheet shows
        warnings.simplefilter("ignore", NotEuclideanWarning)
        grown = RBFNetworkClassifier(2, max_prototypes=8, exponent=2, **protocol).fit(D, y)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    p = cross_val_predict(model, D, y, cv=folds, method="predict_proba")
    predicted = model.classes_[p.argmax(axis=1)]
    values = cross_val_predict(RBFNetworkRegressor(exponent=1, random_state=0), D, alcohol, cv=5)
    return [
        lambda ax: SpectrumDisplay.from_relation(D, exponent=2, ax=ax),
        lambda ax: plot_tendency(ivat(D), y, ax),
        lambda ax: plot_matrix(D, y, ax),
        lambda ax: EmbeddingDisplay.from_estimator(model, D, y, ax=ax),
        lambda ax: plot_prototypes(model, y, ax),
        lambda ax: plot_history(grown, ax),
        lambda ax: plot_confusion(confusion_matrix(y, predicted), model.classes_, ax),
        lambda ax: plot_calibration(y, p, ax=ax),
        lambda ax: DeviationsDisplay.from_predictions(y[:, None] == model.classes_, p, ax=ax),
        lambda ax: plot_predictions(alcohol, values, ax),
        lambda ax: plot_predictions(alcohol, values, ax, kind="residual_vs_predicted"),
        lambda ax: EmbeddingDisplay.from_estimator(
            RBFNetworkRegressor(exponent=1, random_state=0).fit(D, alcohol), D, alcohol, ax=ax
        ),
    ]


def draw_sheet(draws: list[Draw]) -> Figure:
    """Draw each picture in a part of the sheet that is its own to arrange."""
    n_rows = -(-len(draws) // COLUMNS)
    figure = Figure(figsize=(COLUMNS * SIDE[0], n_rows * SIDE[1]), layout="constrained")
    for draw, part in zip(draws, figure.subfigures(n_rows, COLUMNS).ravel(), strict=False):
        draw(part.subplots())
    return figure


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", help="where to write the picture")
    draw_sheet(pictures()).savefig(parser.parse_args().path, dpi=75)


if __name__ == "__main__":
    main()
