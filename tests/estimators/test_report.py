"""The page from Python."""

import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError

from relrbf import RBFNetworkClassifier


def test_a_model_writes_its_page(tmp_path):
    pytest.importorskip("jinja2")
    X, y = load_iris(return_X_y=True)
    D = cdist(X[::3], X[::3])
    model = RBFNetworkClassifier(random_state=0)
    with pytest.raises(NotFittedError):
        model.report(D, y[::3], tmp_path / "out.html")
    options = {"name": "Flowers", "n_splits": 3, "n_repeats": 1, "baselines": False}
    found = model.fit(D, y[::3]).report(D, y[::3], tmp_path / "out.html", **options)
    assert "Accuracy on held-out objects" in str(found)
    assert "Flowers" in (tmp_path / "out.html").read_text()
