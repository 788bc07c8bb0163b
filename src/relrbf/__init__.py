"""Radial-basis-function networks trained on dissimilarities instead of feature vectors.

The public names are imported when first used, so that ``import relrbf`` costs nothing.
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

_PACKAGES = (
    "clustering",
    "datasets",
    "embeddings",
    "inspection",
    "io",
    "measures",
    "model_selection",
    "plotting",
    "relations",
    "repair",
    "report",
    "tendency",
    "training",
)

__all__ = [*_HOMES, "__version__"]


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return import_module(f"relrbf.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'relrbf' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*__all__, *_PACKAGES])
