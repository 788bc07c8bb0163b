"""Pictures, one file each: take a fitted model or data and an Axes, return the Axes.

Displays follow scikit-learn: they hold what is drawn, are made ``from_estimator``,
``from_predictions`` or ``from_relation``, and draw again with ``plot``.
"""

from relrbf.plotting.calibration import CalibrationDisplay, plot_calibration
from relrbf.plotting.confusion import ConfusionDisplay, plot_confusion
from relrbf.plotting.deviations import DeviationsDisplay, plot_deviations
from relrbf.plotting.embedding import EmbeddingDisplay, plot_embedding, plot_embedding_of
from relrbf.plotting.history import HistoryDisplay, plot_history
from relrbf.plotting.matrix import plot_matrix
from relrbf.plotting.predictions import PredictionsDisplay, plot_predictions
from relrbf.plotting.prototypes import PrototypesDisplay, plot_prototypes
from relrbf.plotting.spectrum import SpectrumDisplay, plot_spectrum
from relrbf.plotting.tendency import TendencyDisplay, plot_tendency
from relrbf.plotting.twins import plot_twins

__all__ = [
    "CalibrationDisplay",
    "ConfusionDisplay",
    "DeviationsDisplay",
    "EmbeddingDisplay",
    "HistoryDisplay",
    "PredictionsDisplay",
    "PrototypesDisplay",
    "SpectrumDisplay",
    "TendencyDisplay",
    "plot_calibration",
    "plot_confusion",
    "plot_deviations",
    "plot_embedding",
    "plot_embedding_of",
    "plot_history",
    "plot_matrix",
    "plot_predictions",
    "plot_prototypes",
    "plot_spectrum",
    "plot_tendency",
    "plot_twins",
]
