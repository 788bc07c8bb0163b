"""Files as people have them: half of the wine data by city-block distance, named and shuffled."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import load_wine

from relrbf.io import save_matrix, save_rows


@pytest.fixture(scope="session")
def wine():
    """Return training and new objects: names, vectors, classes."""
    X, y = load_wine(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    names = np.array([f"wine {k}" for k in range(len(X))], dtype=object)
    kinds = np.array(["barolo", "grignolino", "barbera"], dtype=object)[y]
    return (names[::2], X[::2], kinds[::2]), (names[1::2], X[1::2], kinds[1::2])


@pytest.fixture
def folder(tmp_path, wine, monkeypatch):
    """Make D.csv, D_new.csv, y.csv (of all objects, in another order), and go there."""
    (ids, X, y), (new_ids, X_new, y_new) = wine
    save_matrix(tmp_path / "D.csv", cdist(X, X, "cityblock"), ids)
    save_matrix(tmp_path / "D_new.csv", cdist(X_new, X, "cityblock"), new_ids, ids)
    labels = [*zip(ids, y, strict=True), *zip(new_ids, y_new, strict=True)]
    np.random.default_rng(0).shuffle(labels)
    save_rows(tmp_path / "y.csv", ["id", "label"], labels)
    monkeypatch.chdir(tmp_path)
    return tmp_path
