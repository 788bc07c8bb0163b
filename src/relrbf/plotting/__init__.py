"""Plots of relations, models and predictions: each takes data or a model and draws into an Axes.

Displays hold what they draw, as scikit-learn's do. For confusion matrices, calibration curves and
prediction errors, scikit-learn's own displays take models of this package.
"""

from relrbf.plotting.embedding import EmbeddingDisplay, plot_embedding, plot_embedding_of
from relrbf.plotting.history import plot_history
from relrbf.plotting.images import plot_matrix, plot_tendency
from relrbf.plotting.predictions import (
    DeviationsDisplay,
    plot_calibration,
    plot_confusion,
    plot_deviations,
    plot_equivalence,
    plot_predictions,
)
from relrbf.plotting.prototypes import plot_prototypes
from relrbf.plotting.spectrum import SpectrumDisplay, plot_spectrum

__all__ = [
    "DeviationsDisplay",
    "EmbeddingDisplay",
    "SpectrumDisplay",
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
