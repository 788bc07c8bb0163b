"""Matrices, labels, results and models in files.

The names are imported when first used, so that ``import relrbf.io`` costs nothing.
"""

from importlib import import_module
from typing import Any

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


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'relrbf.io' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
