"""The figures that PROVENANCE.txt states of the shared relations."""

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist

from relrbf import inspect_relation


def load(folder, name):
    found = np.load(folder / name / f"{name}.npz")
    return found["R"], found["y"]


def standardised(X):
    scaled = X / X.std(axis=0, ddof=1)
    return cdist(scaled, scaled)


def test_hg194(shared_data):
    R, y = load(shared_data, "HG-194")
    report = inspect_relation(R, y)
    assert (report.is_symmetric, report.has_zero_diagonal) == (True, True)
    assert (report.n_negative, report.n_missing) == (0, 0)
    assert report.n_objects - report.n_duplicate_objects == 30
    assert (report.n_violated, report.n_triples) == (401118, 7188864)
    assert inspect_relation(np.sqrt(R)).n_violated == 219856
    assert report.negative_eigenfraction == pytest.approx({1: 0.1358, 2: 0.1889}, abs=5e-5)
    assert report.smallest_eigenvalue == pytest.approx({1: -5.051, 2: -8.638}, abs=5e-4)
    assert report.largest_eigenvalue == pytest.approx({1: 33.88, 2: 36.13}, abs=5e-3)
    assert report.neighbour_error == 0
    assert report.neighbour_error_without_duplicates == pytest.approx(0.0103, abs=5e-5)
    assert inspect_relation(R.astype(np.float32)).n_violated == 401118


def test_yeast200(shared_data):
    R, y = load(shared_data, "yeast-200")
    report = inspect_relation(R, y)
    assert report.n_duplicate_objects == 0
    assert (report.n_violated, report.n_triples) == (1454078, 7880400)
    assert inspect_relation(np.sqrt(R)).n_violated == 627590
    assert report.negative_eigenfraction == pytest.approx({1: 0.4257, 2: 0.4518}, abs=5e-5)
    assert report.smallest_eigenvalue == pytest.approx({1: -3.373, 2: -3.621}, abs=5e-4)
    assert report.class_counts == {1: 100, 2: 100}
    assert report.neighbour_error == pytest.approx(0.1050)


def test_protein213(shared_data):
    R, y = load(shared_data, "protein-213")
    report = inspect_relation(R, y)
    assert report.is_metric
    assert report.n_triples == 9527916
    assert report.has_vector_dual == {2: False, 1: True}
    assert report.negative_eigenfraction == pytest.approx({1: 0, 2: 0.0007346}, abs=5e-8)
    assert report.smallest_eigenvalue[2] == pytest.approx(-6.554, abs=5e-4)
    assert report.class_counts == {"G": 30, "HA": 72, "HB": 72, "M": 39}
    assert report.neighbour_error == pytest.approx(0.0188, abs=5e-5)


def test_pc102_by_one_minus_pearson(shared_data):
    found = np.load(shared_data / "PC-102" / "PC-102_raw12600.npz")
    logs = np.log10(np.clip(found["X"][:, found["keep5966"]].astype(float), 10, 16000))
    R = 1 - np.corrcoef(logs)
    np.fill_diagonal(R, 0)
    report = inspect_relation((R + R.T) / 2, found["y"])
    assert (report.n_violated, report.n_triples) == (81954, 1030200)
    assert report.has_vector_dual == {2: False, 1: True}
    assert report.negative_eigenfraction == pytest.approx({1: 0, 2: 0.135}, abs=5e-4)
    assert report.smallest_eigenvalue[2] == pytest.approx(-1.094, abs=5e-4)
    assert report.neighbour_error == pytest.approx(0.1569, abs=5e-5)


def test_usc435(shared_data):
    found = np.load(shared_data / "USC-435" / "USC-435.npz")
    report = inspect_relation(standardised(found["X"]), found["y"])
    assert report.is_metric
    assert report.n_triples == 81746070
    assert report.n_objects - report.n_duplicate_objects == 342
    assert report.has_vector_dual == {2: True, 1: True}
    assert report.largest_eigenvalue[2] == pytest.approx(3213, abs=0.5)
    assert report.neighbour_error == pytest.approx(0.0667, abs=5e-5)


def test_hd303(shared_data):
    table = pd.read_csv(shared_data / "HD-303" / "processed_cleveland.csv")
    y = (table.pop("num") > 0).to_numpy()
    report = inspect_relation(standardised(table.fillna(table.median()).to_numpy()), y)
    assert report.is_metric
    assert report.n_triples == 27543306
    assert report.has_vector_dual == {2: True, 1: True}
    assert report.largest_eigenvalue[2] == pytest.approx(930, abs=0.5)
    assert report.neighbour_error == pytest.approx(0.2475, abs=5e-5)
