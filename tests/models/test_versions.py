"""Files of earlier versions keep loading. How to add those of a new version: see ``fixtures``."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from relrbf import load
from relrbf.io.models import VERSION
from tests.models.fixtures import FILES, KEPT, names
from tests.models.made import answers

SAVED = sorted(FILES.glob("*.relrbf"))


@pytest.mark.parametrize("path", SAVED, ids=lambda path: path.stem)
def test_a_file_of_every_version_still_predicts_what_it_did(path):
    expected = dict(np.load(path.with_suffix(".npz")))
    found = answers(load(path), expected.pop("new"))
    assert set(found) == set(expected)
    for name, answer in found.items():
        if answer.dtype.kind == "f":  # another machine may round differently
            assert_allclose(answer, expected[name], rtol=1e-9, atol=1e-12)
        else:
            assert_array_equal(answer, expected[name])


def test_the_present_version_has_its_files():
    stems = {f"{VERSION}-{name.replace(' ', '-')}" for name in KEPT}
    assert stems <= {path.stem for path in SAVED}
    # half of the largest is S of 60 objects, which a whole teacher keeps
    assert all(path.stat().st_size < 70_000 for path in FILES.iterdir())


def test_new_names_need_a_new_version():
    """An option or attribute that comes or goes makes files that the last release cannot read.

    Raise ``VERSION`` in ``relrbf.io.models``, let ``load`` read the last version as well, and run
    ``python -m tests.models.fixtures``. Before the first release, write the files again instead.
    """
    assert json.loads((FILES / f"{VERSION}.json").read_text()) == names()
