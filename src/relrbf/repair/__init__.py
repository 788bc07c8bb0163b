"""Dissimilarities mended: the nearest relation that obeys what the given one breaks."""

from relrbf.repair.metric import nearest_metric
from relrbf.repair.result import Extension, Repair, RepairStatus

__all__ = ["Extension", "Repair", "RepairStatus", "nearest_metric"]
