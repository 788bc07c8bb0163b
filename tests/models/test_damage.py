"""A damaged or foreign file gives one clear kind of error; nothing in it is run."""

import io
import os
import pickle
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from relrbf import load, save
from relrbf.exceptions import ModelFileError, OptionError
from tests.attack.kit import cut_off, flip_bits, insert, move, overwrite, remove
from tests.models.made import D, Y, answers, classifier

N_CORRUPTIONS = 1000
NEW = D[:5]


@pytest.fixture(scope="module")
def model():
    return classifier(n_prototypes=3, n_support=10).fit(D, Y)


@pytest.fixture(scope="module")
def content(model, tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "model.relrbf"
    save(model, path)
    return path.read_bytes()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.relrbf"


def zipped(entries, compression=zipfile.ZIP_STORED):
    """Return a zip of names and contents, as they come."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for name, content in entries:
            archive.writestr(zipfile.ZipInfo(name), content, compression)
    return buffer.getvalue()


def entries_of(content):
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return [(name, archive.read(name)) for name in archive.namelist()]


DAMAGES = (*(flip_bits, flip_bits, flip_bits, cut_off, insert, remove, overwrite, move),)


def test_a_thousand_corruptions_each_give_a_clear_error(content, model, path):
    rng = np.random.default_rng(0)
    expected, refusals = answers(model, NEW), []
    for number in range(N_CORRUPTIONS):
        damaged = DAMAGES[number % len(DAMAGES)](content, rng)
        path.write_bytes(damaged)
        try:
            loaded = load(path)
        except ModelFileError as error:
            refusals.append(str(error))
        else:  # dates, permissions and what else of a zip says nothing about the model
            for name, answer in answers(loaded, NEW).items():
                assert_array_equal(answer, expected[name])
    assert len(refusals) > 0.95 * N_CORRUPTIONS
    assert all(text.startswith(f"{path} cannot be loaded: ") for text in refusals)
    assert all(text.endswith(".") for text in refusals)


class Runs:
    """When unpickled, it leaves a trace."""

    def __init__(self, trace):
        self.trace = str(trace)

    def __reduce__(self):
        return os.mkdir, (self.trace,)


def with_pickle(trace):
    buffer = io.BytesIO()
    np.save(buffer, np.array([Runs(trace)], dtype=object), allow_pickle=True)
    return buffer.getvalue()


@pytest.mark.parametrize(
    "foreign",
    [
        b"",
        b"id,label\n1,a\n",
        b"PK\x03\x04",
        b"PK\x05\x06" + bytes(18),
        "[" * 100_000,
        zipped([]),
        zipped([("relrbf.json", b"{}")]),
        zipped([("schema.json", b"{}")]),
        zipped([("relrbf.json", b"{}"), ("schema.json", b"\xff")]),
    ],
    ids=lambda value: f"{value[:12]!r}",
)
def test_a_foreign_file_is_refused(foreign, path):
    path.write_bytes(foreign if isinstance(foreign, bytes) else foreign.encode())
    with pytest.raises(ModelFileError, match="cannot be loaded"):
        load(path)


def test_a_pickle_is_refused_and_not_run(path, tmp_path):
    trace = tmp_path / "trace"
    for content in (pickle.dumps(Runs(trace)), with_pickle(trace)):
        path.write_bytes(content)
        with pytest.raises(ModelFileError, match="no model file"):
            load(path)
    np.savez(path.with_suffix(".npz"), a=1)
    with pytest.raises(ModelFileError, match=r"no member relrbf\.json"):
        load(path.with_suffix(".npz"))
    assert not trace.exists()


def test_no_file_and_a_folder_are_refused(tmp_path):
    with pytest.raises(ModelFileError, match="No such file"):
        load(tmp_path / "missing.relrbf")
    with pytest.raises(ModelFileError, match=r"Is a directory|Permission"):
        load(tmp_path)
    with pytest.raises(OptionError, match="path is a BytesIO"):
        load(io.BytesIO())
    with pytest.raises(ModelFileError, match="null byte"):
        load(Path("a\0b"))


def test_without_skops_the_error_says_how_to_install_it(content, model, path, monkeypatch):
    path.write_bytes(content)
    monkeypatch.setitem(sys.modules, "skops.io", None)
    for call in (lambda: load(path), lambda: save(model, path)):
        with pytest.raises(OptionError, match=r"pip install 'relrbf\[io\]'"):
            call()
