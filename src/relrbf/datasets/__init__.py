"""The data of the paper, and five more relations: looked up, downloaded, verified, described.

The loaders are imported when first used, so that ``import relrbf.datasets`` costs nothing.
"""

from importlib import import_module
from typing import Any

__all__ = [
    "load_bc569",
    "load_hd303",
    "load_hg194",
    "load_pc102",
    "load_peptides2500",
    "load_plaid1074",
    "load_protein213",
    "load_surnames3017",
    "load_usc435",
    "load_yeast200",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'relrbf.datasets' has no attribute {name!r}")
    return getattr(import_module("relrbf.datasets.loaders"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
