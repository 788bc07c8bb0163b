"""Matrices, labels and results in files.

The names are imported when first used, so that ``import relrbf.files`` costs nothing.
"""

from importlib import import_module
from typing import Any

_HOMES = {
    "LoadedLabels": "relrbf.files.loaded",
    "LoadedMatrix": "relrbf.files.loaded",
    "load_labels": "relrbf.files.labels",
    "load_matrix": "relrbf.files.matrix",
    "match_columns": "relrbf.files.matching",
    "match_labels": "relrbf.files.matching",
    "save_matrix": "relrbf.files.saving",
    "save_rows": "relrbf.files.saving",
}

__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'relrbf.files' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
