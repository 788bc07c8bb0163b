"""The data of the paper, and two more relations: looked up, fetched, verified, described.

The loaders are imported when first used, so that ``import relrbf.datasets`` costs nothing.
"""

from importlib import import_module
from typing import Any

_HOMES = {
    "load_bc569": "relrbf.datasets.vectors",
    "load_usc435": "relrbf.datasets.vectors",
    "load_hd303": "relrbf.datasets.vectors",
    "load_hg194": "relrbf.datasets.relational",
    "load_pc102": "relrbf.datasets.profiles",
    "load_protein213": "relrbf.datasets.relational",
    "load_yeast200": "relrbf.datasets.relational",
}

__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'relrbf.datasets' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
