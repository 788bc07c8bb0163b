"""Matrices, labels and results in files."""

from importlib import import_module
from typing import Any

_HOMES = {
    "LoadedLabels": "loaded",
    "LoadedMatrix": "loaded",
    "load_labels": "labels",
    "load_matrix": "matrix",
    "load_objects": "objects",
    "match_columns": "matching",
    "match_labels": "matching",
    "save_matrix": "saving",
    "save_rows": "saving",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'relrbf.files' has no attribute {name!r}")
    return getattr(import_module(f"relrbf.files.{_HOMES[name]}"), name)
