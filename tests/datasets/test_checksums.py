"""The checksum of arrays: of what is in them, not of how they are kept."""

import hashlib

import numpy as np

from relrbf.datasets.fetch import contents_checksum as contents
from relrbf.datasets.fetch import read_registry

ENTRIES = read_registry().values()


def test_contents_do_not_depend_on_bytes_order_or_width():
    X, y = np.array([[1.5, np.nan], [0.0, -2.0]]), np.array(["a", "bb"])
    same = {"y": y.astype("U9"), "X": np.asfortranarray(X.astype(">f8"))}
    assert contents({"X": X, "y": y}) == contents(same)
    assert contents({"y": y}) == contents({"y": y.astype(object)})


def test_zero_has_no_sign_and_nan_no_bits():
    odd = np.array([0x7FF8000000000001], dtype=np.uint64).view(float)
    assert contents({"X": np.array([-0.0])}) == contents({"X": np.array([0.0])})
    assert contents({"X": odd}) == contents({"X": np.array([np.nan])})


def test_contents_depend_on_values_names_shapes_and_kinds():
    X = np.arange(6.0)
    others = [
        {"X": X + 1e-15},
        {"Y": X},
        {"X": X.reshape(2, 3)},
        {"X": X.astype(np.float32)},
        {"X": X.astype(np.int64)},
        {"X": X, "y": X},
        {"X": X.astype(str)},
    ]
    assert len({contents(arrays) for arrays in [{"X": X}, *others]}) == 8
    assert contents({"X": np.array(["a\nb"])}) != contents({"X": np.array(["a", "b"])})


def test_every_file_of_the_registry_has_an_address_or_a_checksum():
    for entry in ENTRIES:
        for source in entry.sources:
            for file in source.files:
                if file.url is None:
                    assert len(file.sha256) == 64
                    assert file.size > 0
                else:
                    assert file.url.startswith("https://")
                    assert file.url.endswith(f"/{file.name}")
        assert len(entry.contents) == 64


def test_all_but_bc569_and_three_computed_relations_have_a_public_address():
    without = {e.name for e in ENTRIES if not any(source.is_public for source in e.sources)}
    assert without == {"BC-569", "peptides-2500", "plaid-1074", "surnames-3017"}


def test_every_shared_file_has_the_size_and_checksum_of_the_registry(shared_data):
    for entry in ENTRIES:
        for source in entry.sources:
            paths = source.paths(shared_data / entry.name)
            for file, path in zip(source.files, paths, strict=True):
                if file.sha256:
                    data = path.read_bytes()
                    assert hashlib.sha256(data).hexdigest() == file.sha256
                    assert len(data) == file.size


def test_all_shared_forms_of_a_set_hold_the_same_arrays(shared_data):
    for entry in ENTRIES:
        for source in entry.sources:
            paths = source.paths(shared_data / entry.name)
            if not source.is_public:
                assert contents(source.read(*paths)) == entry.contents
