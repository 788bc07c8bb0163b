"""Files of earlier versions keep loading. How to add those of a new version: see ``fixtures``."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from relrbf import load, save
from relrbf.exceptions import ModelFileError
from relrbf.io.models_format import loading
from relrbf.io.models_format.loading import UPGRADES, VERSION
from tests.models.fixtures import FILES, KEPT, names
from tests.models.made import answers, fitted

SAVED = sorted(FILES.glob("*.relrbf"))


@pytest.mark.parametrize("path", SAVED, ids=lambda path: path.stem)
def test_a_file_of_every_version_still_predicts_what_it_did(path):
    told = dict(np.load(path.with_suffix(".npz")))
    found = answers(load(path), told.pop("new"))
    assert set(found) == set(told)
    for name, answer in found.items():
        if answer.dtype.kind == "f":  # another machine may round another way
            assert_allclose(answer, told[name], rtol=1e-9, atol=1e-12)
        else:
            assert_array_equal(answer, told[name])


def test_every_version_has_its_files_and_its_step():
    assert set(UPGRADES) == set(range(1, VERSION))
    for version in range(1, VERSION + 1):
        stems = {f"{version}-{name.replace(' ', '-')}" for name in KEPT}
        assert stems <= {path.stem for path in SAVED}
    assert all(path.stat().st_size < 20_000 for path in FILES.iterdir())


def test_new_names_need_a_new_version():
    """An option or attribute that comes or goes makes files that the last release cannot read.

    Raise ``VERSION`` in ``relrbf.io.models_format.loading``, add the step from the last version to
    ``UPGRADES``, and run ``python -m tests.models.fixtures``.
    """
    assert json.loads((FILES / f"{VERSION}.json").read_text()) == names()


def test_an_earlier_file_is_brought_up_to_date_step_by_step(tmp_path, monkeypatch):
    model, new = fitted("classifier")
    path = tmp_path / "model.relrbf"
    save(model, path)

    def rename(old, new):
        def step(manifest):
            params = dict(manifest["params"])
            params[new] = params.pop(old)
            return {**manifest, "params": params}

        return step

    monkeypatch.setattr(loading, "VERSION", 3)
    monkeypatch.setattr(loading, "UPGRADES", {1: rename("tol", "x"), 2: rename("x", "tol")})
    assert_array_equal(load(path).predict(new), model.predict(new))
    monkeypatch.setattr(loading, "UPGRADES", {1: rename("tol", "x"), 2: dict})
    with pytest.raises(ModelFileError, match=r"more or fewer options: \['tol', 'x'\]"):
        load(path)
