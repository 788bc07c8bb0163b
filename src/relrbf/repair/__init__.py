"""The nearest relation that is a metric, or Euclidean, and new objects treated alike."""

from relrbf.repair.euclidean import nearest_euclidean, spectrum_clip, spectrum_flip, spectrum_shift
from relrbf.repair.metric import nearest_metric
from relrbf.repair.result import Repair

__all__ = [
    "Repair",
    "nearest_euclidean",
    "nearest_metric",
    "spectrum_clip",
    "spectrum_flip",
    "spectrum_shift",
]
