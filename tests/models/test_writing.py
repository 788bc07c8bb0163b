"""A file is there as a whole or not at all, and as large as the support."""

import json
import os
import subprocess
import sys
import zipfile
from copy import copy
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from relrbf import load, save
from relrbf.exceptions import ModelFileError, OptionError
from tests.models.made import classifier, fitted


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.relrbf"


@pytest.mark.parametrize("step", ["fsync", "replace"])
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_an_interrupted_save_leaves_the_old_file(path, monkeypatch, step, error):
    path.write_bytes(b"the old file")

    def fail(*args):
        raise error

    monkeypatch.setattr(os, step, fail)
    with pytest.raises((ModelFileError, KeyboardInterrupt)) as caught:
        save(fitted("classifier")[0], path)
    if isinstance(error, OSError):
        assert "could not be written (No space left on device)" in str(caught.value)
    assert path.read_bytes() == b"the old file"
    assert list(path.parent.iterdir()) == [path]


def test_a_killed_save_leaves_the_old_file(path):
    model, _ = fitted("classifier")
    save(model, path)
    before = path.read_bytes()
    code = (
        "import os, sys, relrbf; m = relrbf.load(sys.argv[1]); m._choices = 'other'; "
        "os.replace = lambda *_: os._exit(9); relrbf.save(m, sys.argv[1])"
    )
    assert subprocess.run([sys.executable, "-c", code, str(path)]).returncode == 9
    assert path.read_bytes() == before


def test_a_link_stays_a_link(path, tmp_path):
    target = tmp_path / "elsewhere.relrbf"
    target.write_bytes(b"old")
    path.symlink_to(target)
    save(fitted("classifier")[0], path)
    assert path.is_symlink()
    load(target)


def test_a_file_may_be_read_by_whom_the_user_lets(path):
    save(fitted("classifier")[0], path)
    usual = path.with_name("usual")
    usual.touch()
    assert path.stat().st_mode == usual.stat().st_mode


@pytest.mark.parametrize("wrong", ["missing/model.relrbf", "."])
def test_a_path_where_no_file_can_be_is_refused(tmp_path, wrong):
    with pytest.raises(ModelFileError, match="folder"):
        save(fitted("classifier")[0], tmp_path / wrong)
    with pytest.raises(OptionError, match="path is a int"):
        save(fitted("classifier")[0], 3)


def test_the_file_is_a_plain_zip_archive_that_says_what_it_is(path):
    save(fitted("classifier")[0], path)
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        assert {info.date_time[0] for info in archive.infolist()} == {1980}
        header = json.loads(archive.read("relrbf.json"))
    assert header["format"] == "relrbf-model"
    assert header["estimator"] == "RBFNetworkClassifier"


def size_of(path: Path, n_objects: int, **options) -> int:
    X = np.random.default_rng(0).standard_normal((n_objects, 3))
    options = {"n_support": 50, "n_prototypes": 10, "max_iter": 2, **options}
    save(classifier(**options).fit(cdist(X, X), X[:, 0] > 0), path)
    return path.stat().st_size


def test_the_file_grows_with_the_support_and_not_with_the_objects(path):
    assert size_of(path, 1600) - size_of(path, 400) < 3000
    more = size_of(path, 400, n_support=90) - size_of(path, 400)
    assert 0 < more < 40 * 10 * 8 * 2 + 40 * 8 * 3 + 1000  # coefficients, distances, positions


def test_more_workers_than_a_file_may_ask_for_are_not_written(tmp_path):
    model = copy(fitted("mahalanobis")[0]).set_params(n_jobs=300)
    save(model, tmp_path / "model.relrbf")
    assert load(tmp_path / "model.relrbf").n_jobs == 256
    assert model.n_jobs == 300
