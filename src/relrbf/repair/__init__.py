"""Dissimilarities mended: the nearest relation that obeys what the given one breaks."""

from relrbf.repair.euclidean import nearest_euclidean
from relrbf.repair.metric import nearest_metric
from relrbf.repair.result import Extension, Repair, RepairStatus
from relrbf.repair.spectral import spectrum_clip, spectrum_flip, spectrum_shift

__all__ = [
    "Extension",
    "Repair",
    "RepairStatus",
    "nearest_euclidean",
    "nearest_metric",
    "spectrum_clip",
    "spectrum_flip",
    "spectrum_shift",
]
