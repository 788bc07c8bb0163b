"""A model in a file says what it is."""

import json

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from relrbf import RBFNetworkRegressor, load, save
from relrbf.cli.main import main
from relrbf.embeddings import ClassicalMDS

pytestmark = pytest.mark.usefixtures("folder")


def test_it_says_what_a_prediction_needs_and_what_prototypes_stand_for(capsys, folder):
    main(["fit", "D.csv", "y.csv", "-o", "m.relrbf", "--support", "20", "--folds", "0"])
    capsys.readouterr()
    assert main(["show", "m.relrbf", "--needed", "needed.csv"]) == 0
    printed, model = capsys.readouterr().out, load("m.relrbf")
    assert "classes: barbera, barolo, grignolino" in printed
    assert f"({len(model.support_)})" in printed
    names = list(model.feature_names_in_[model.support_])
    assert (folder / "needed.csv").read_text().splitlines() == ["id", *names]
    assert main(["show", "m.relrbf", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["needed"] == names
    assert found["nearest"] == [list(near) for near in model.prototypes_.nearest(3)]


def test_features_and_rows_without_names_have_numbers(capsys, wine):
    (_, X, _), _ = wine
    save(RBFNetworkRegressor(space="vector", random_state=0).fit(X, X[:, 0]), "v.relrbf")
    save(RBFNetworkRegressor(random_state=0).fit(cdist(X, X), X[:, 0]), "d.relrbf")
    main(["show", "v.relrbf"])
    assert "the features 0, 1, 2, 3, 4, ... (13)" in capsys.readouterr().out
    main(["show", "d.relrbf", "--json"])
    needed = json.loads(capsys.readouterr().out)["needed"]
    assert sorted(needed, key=int) == [str(place) for place in np.arange(len(X))]


def test_what_is_no_network_is_refused(capsys, wine):
    (_, X, _), _ = wine
    save(ClassicalMDS(2).fit(cdist(X, X)), "z.relrbf")
    assert main(["show", "z.relrbf"]) == 1
    assert "is a ClassicalMDS; only networks are shown" in capsys.readouterr().err
