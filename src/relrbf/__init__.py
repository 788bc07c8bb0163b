"""Radial-basis-function networks trained on dissimilarities instead of feature vectors.

Public names and submodules are imported when first used, so that ``import relrbf`` costs nothing:
``relrbf.tendency.vat(D)`` works without another import.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_HOMES = {
    "RBFNetworkClassifier": "relrbf.estimators",
    "RBFNetworkRegressor": "relrbf.estimators",
    "as_relation": "relrbf.relations",
    "inspect_relation": "relrbf.inspection",
    "load": "relrbf.io.models",
    "relate": "relrbf.measures",
    "save": "relrbf.io.models",
}

_SUBMODULES = (
    "clustering",
    "datasets",
    "embeddings",
    "exceptions",
    "inspection",
    "io",
    "measures",
    "model_selection",
    "network",
    "parallel",
    "plotting",
    "prototypes",
    "relations",
    "repair",
    "report",
    "tendency",
    "torch",
    "training",
)

__all__ = [*_HOMES, "__version__"]


def __getattr__(name: str) -> Any:
    if name in _SUBMODULES:
        return import_module(f"relrbf.{name}")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'relrbf' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *_SUBMODULES})
