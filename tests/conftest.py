"""Fixtures: seeded randomness, made relations, and the shared data where it lies."""

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from scipy.spatial.distance import cdist

# An example may take as long as it likes: other processes may have the machine. It is the same one
# in every run: `make attack` looks for others.
slow = [HealthCheck.too_slow]
settings.register_profile("relrbf", deadline=None, derandomize=True, suppress_health_check=slow)
settings.load_profile("relrbf")

K23 = np.array(
    [[0, 2, 1, 1, 1], [2, 0, 1, 1, 1], [1, 1, 0, 2, 2], [1, 1, 2, 0, 2], [1, 1, 2, 2, 0]],
    dtype=float,
)


@pytest.fixture(autouse=True, scope="session")
def no_wait_for_the_disk():
    """Leave out the waits that count only when the power is cut; thousands of files are written."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda file: None)
        yield


@pytest.fixture(autouse=True)
def same_draws():
    """Seed what ``random_state=None`` draws from."""
    np.random.seed(0)  # noqa: NPY002, the generator that scikit-learn takes


@pytest.fixture
def rng():
    return np.random.default_rng(20261115)


@pytest.fixture
def k23():
    """Shortest paths of the complete bipartite graph K(2,3): a metric without a vector dual."""
    return K23.copy()


@pytest.fixture
def blobs(rng):
    """Three overlapping groups of 20 objects in five dimensions: X, D, y."""
    y = np.repeat([0, 1, 2], 20)
    X = rng.standard_normal((60, 5)) + 1.5 * np.eye(5)[y]
    return X, cdist(X, X), y


@pytest.fixture(scope="session")
def shared_data():
    """The folder of real relations; RELRBF_DATA names it.

    They are not ours to carry along (some have no licence), so a clone without them skips.
    """
    folder = os.environ.get("RELRBF_DATA", "")
    if not folder or not Path(folder).is_dir():
        pytest.skip("RELRBF_DATA names no folder of shared relations")
    return Path(folder)
