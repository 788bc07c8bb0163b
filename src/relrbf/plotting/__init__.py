"""Plots of relations, models and predictions: each takes data or a model and draws into an Axes.

Displays hold what they draw, as scikit-learn's do. For confusion matrices, calibration curves and
prediction errors, scikit-learn's own displays take models of this package.
"""

from relrbf.plotting.models import (
    EmbeddingDisplay,
    plot_embedding,
    plot_embedding_of,
    plot_history,
    plot_prototypes,
)
from relrbf.plotting.predictions import (
    DeviationsDisplay,
    plot_calibration,
    plot_confusion,
    plot_deviations,
    plot_equivalence,
    plot_predictions,
)
from relrbf.plotting.relations import SpectrumDisplay, plot_matrix, plot_spectrum, plot_tendency

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
