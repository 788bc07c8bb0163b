"""What the study is about: the data sets, and how each is read, split and modelled.

Exponents: the three vector sets hold distances, ``S = r ** 2``. HG-194 and PC-102 hold 1 - a
similarity, which is a squared quantity where vectors exist: ``S = r``, as their loaders say.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from relrbf._typing import Array
from relrbf.datasets import load_bc569, load_hd303, load_hg194, load_pc102, load_usc435
from relrbf.measures import common_source_dissimilarities

ORIGINAL = "original"
EMBEDDED = ("classical", "proximal", "landmark", "nearest-euclidean", "metric-learning")
LOWEST, HIGHEST = 10, 16000  # intensities outside say nothing; as in load_pc102


@dataclass(frozen=True, eq=False)
class Source:
    """Dissimilarities D, classes y, and what else is known of the objects.

    ``vectors`` only where their Euclidean distances are D; ``groups`` are never split.
    """

    D: Any
    y: Any
    exponent: float = 2
    vectors: Array | None = None
    groups: Any = None


@dataclass(frozen=True)
class DataSet:
    """A data set of the study.

    ``load`` is a function of some module, so that other processes find it. ``variants`` are the
    relations to compare; a network starts with ``n_prototypes``, and may grow to
    ``max_prototypes``, within ``max_iter`` epochs.
    """

    name: str
    load: Callable[[], Source]
    n_prototypes: int = 10
    max_prototypes: int | None = None
    variants: tuple[str, ...] = (ORIGINAL,)
    max_iter: int = 2000


def bc569() -> Source:
    """Return BC-569."""
    return _of_vectors(load_bc569())


def usc435() -> Source:
    """Return USC-435."""
    return _of_vectors(load_usc435())


def hd303() -> Source:
    """Return HD-303."""
    return _of_vectors(load_hd303())


def hg194() -> Source:
    """Return HG-194; a random split puts copies of one row into several parts."""
    genes = load_hg194()
    return Source(genes.relation.block(), genes.target, genes.relation.exponent)


def hg194_genes() -> Source:
    """Return HG-194 with its groups: genes, and copies of a row, stay together."""
    genes = load_hg194()
    return Source(
        genes.relation.block(), genes.target, genes.relation.exponent, groups=genes.groups
    )


def pc102() -> Source:
    """Return PC-102 with the common-source relation of its logarithmic profiles."""
    prostate = load_pc102()
    kept = prostate.data[:, prostate.keep].astype(float)
    profiles = np.log10(np.clip(kept, LOWEST, HIGHEST))
    return Source(common_source_dissimilarities(profiles), prostate.target, exponent=1)


def _of_vectors(found: Any) -> Source:
    return Source(found.relation.block(), found.target, found.relation.exponent, found.data)


# Epochs are limited by time, a hundred repetitions of all in about an hour, not by the paper.
PAPER = (
    DataSet("BC-569", bc569, 10, 45),
    DataSet("USC-435", usc435, 10, 35),
    DataSet("HD-303", hd303, 10, 30),
    DataSet("HG-194", hg194, 15, 30, (ORIGINAL, *EMBEDDED), 1000),
    DataSet("HG-194-genes", hg194_genes, 15, 30, (ORIGINAL, *EMBEDDED), 1000),
    DataSet("PC-102", pc102, 12, 32, (ORIGINAL, *EMBEDDED), 1000),
)
