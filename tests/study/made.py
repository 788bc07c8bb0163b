"""Small data sets, in a module so that other processes find them."""

import os
import warnings
from pathlib import Path

import numpy as np
from scipy.spatial.distance import cdist

from relrbf.relations.base import Relation
from study import DataSet, Source


def points():
    rng = np.random.default_rng(7)
    y = np.repeat([0, 1], 30)
    return rng.standard_normal((60, 3)) + 1.5 * y[:, None], np.array(["no", "yes"])[y]


def vectors():
    X, y = points()
    return Source(cdist(X, X), y, vectors=X)


def indefinite():
    """Cityblock distances read as distances: no vectors have them."""
    X, y = points()
    return Source(cdist(X, X, "cityblock"), y)


def grouped():
    X, y = points()
    return Source(cdist(X, X), y, groups=np.arange(60) // 3)


def warning():
    warnings.warn("made in haste", ResourceWarning, stacklevel=1)
    return vectors()


def broken():
    raise OSError("the disk is gone")


def fragile():
    """Fail unless a file says that all is well again."""
    if not Path(os.environ["RELRBF_TEST_FLAG"]).exists():
        raise OSError("not yet")
    return vectors()


def two_entries_short():
    X, y = points()
    return Source(cdist(X, X), y[:-2])


def a_relation() -> Relation:
    from relrbf import as_relation

    return as_relation(indefinite().D)


VECTORS = DataSet("vectors", vectors, 4, 8, max_iter=60)
INDEFINITE = DataSet(
    "indefinite", indefinite, 4, 8, ("original", "classical", "landmark", "classical@known"), 60
)
GROUPED = DataSet("grouped", grouped, 4, 8, max_iter=60)
BROKEN = DataSet("broken", broken)
