"""Axes without pyplot, and models that are quickly fitted."""

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure

from relrbf import RBFNetworkClassifier, RBFNetworkRegressor

mpl.use("Agg")


@pytest.fixture
def ax():
    return Figure().subplots()


@pytest.fixture
def named(blobs):
    """Distances between 60 objects, and their classes by name."""
    _, D, y = blobs
    return D, np.array(["ash", "birch", "cedar"])[y]


@pytest.fixture
def classifier(named):
    return RBFNetworkClassifier(6, random_state=0, max_iter=3).fit(*named)


@pytest.fixture
def regressor(blobs):
    X, D, _ = blobs
    return RBFNetworkRegressor(6, random_state=0, max_iter=3).fit(D, X[:, 0])
