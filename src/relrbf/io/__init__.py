"""Matrices, labels, results and models in files.

The names are imported when first used, so that ``import relrbf.io`` costs nothing.
"""

from relrbf._utils import imported_when_used

_HOMES = {
    "LoadedLabels": "relrbf.io.labels",
    "LoadedMatrix": "relrbf.io.matrices",
    "LoadedObjects": "relrbf.io.objects",
    "load": "relrbf.io.models",
    "load_labels": "relrbf.io.labels",
    "load_matrix": "relrbf.io.matrices",
    "load_objects": "relrbf.io.objects",
    "match_columns": "relrbf.io.matching",
    "match_labels": "relrbf.io.matching",
    "save": "relrbf.io.models",
    "save_matrix": "relrbf.io.writing",
    "save_rows": "relrbf.io.writing",
}

__all__ = [*_HOMES]
__getattr__, __dir__ = imported_when_used(__name__, _HOMES)
