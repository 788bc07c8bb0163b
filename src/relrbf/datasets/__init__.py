"""The data of the paper, and five more relations: looked up, downloaded, verified, described.

The loaders are imported when first used, so that ``import relrbf.datasets`` costs nothing.
"""

from relrbf._utils import imported_when_used

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
_HOMES = dict.fromkeys(__all__, "relrbf.datasets.loaders")
__getattr__, __dir__ = imported_when_used(__name__, _HOMES)
