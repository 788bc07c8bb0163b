"""Plots of relations, models and predictions: each takes data or a model and draws into an Axes.

Displays follow scikit-learn: they hold what is drawn, are made by ``from_estimator``,
``from_predictions`` or ``from_relation``, and draw again with ``plot``. For confusion matrices,
calibration curves and prediction errors of a fitted model, scikit-learn's own displays work too.
"""

from relrbf.plotting.embedding import EmbeddingDisplay, plot_embedding, plot_embedding_of
from relrbf.plotting.history import HistoryDisplay, plot_history
from relrbf.plotting.images import TendencyDisplay, plot_matrix, plot_tendency
from relrbf.plotting.predictions import (
    DeviationsDisplay,
    plot_calibration,
    plot_confusion,
    plot_deviations,
    plot_equivalence,
    plot_predictions,
)
from relrbf.plotting.prototypes import PrototypesDisplay, plot_prototypes
from relrbf.plotting.spectrum import SpectrumDisplay, plot_spectrum

__all__ = [
    "DeviationsDisplay",
    "EmbeddingDisplay",
    "HistoryDisplay",
    "PrototypesDisplay",
    "SpectrumDisplay",
    "TendencyDisplay",
    "plot_calibration",
    "plot_confusion",
    "plot_deviations",
    "plot_embedding",
    "plot_embedding_of",
    "plot_equivalence",
    "plot_history",
    "plot_matrix",
    "plot_predictions",
    "plot_prototypes",
    "plot_spectrum",
    "plot_tendency",
]
