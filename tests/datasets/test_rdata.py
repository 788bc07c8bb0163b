"""Files of R: known bytes, all packings, and a clear end where something is not read."""

import bz2
import gzip
import lzma

import numpy as np
import pytest

from relrbf.datasets.rdata import read_rdata
from tests.datasets.rfile import factor, listing, matrix, numbers, pairs, saved, strings, word

# Written by hand from the section on serialization in "R Internals": x twice, first c(a = 1L), then
# TRUE with the name NA; a reference stands for the second mention of a symbol.
BY_HAND = bytes.fromhex(
    "52445832 0a 58 0a"  # RDX2, X
    "00000002 00030600 00020300"  # version 2, written by R 3.6.0, readable from 2.3.0
    "00000402 00000001 00040009 00000001 78"  # a tagged pair; the symbol x
    "0000020d 00000001 00000001"  # one integer with attributes: 1
    "00000402 00000001 00040009 00000005 6e616d6573"  # a tagged pair; the symbol names
    "00000010 00000001 00040009 00000001 61"  # one string: a
    "000000fe"  # end of the attributes
    "00000402 000001ff"  # a tagged pair; the first symbol again
    "0000020a 00000001 00000001"  # one logical with attributes: TRUE
    "00000402 000002ff 00000010 00000001 00000009 ffffffff"  # the second symbol; NA
    "000000fe 000000fe"
)


def test_known_bytes_are_read(tmp_path):
    file = tmp_path / "x.RData"
    file.write_bytes(BY_HAND)
    x = read_rdata(file)["x"]
    assert x.values.tolist() == [1]
    assert x.attributes["names"].values == [""]  # the later x, whose name is NA


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress, bytes])
@pytest.mark.parametrize("version", [2, 3])
def test_every_packing_and_version_is_read(tmp_path, rng, pack, version):
    X, y = rng.standard_normal((5, 3)), np.array(["b", "a", "b", "c", "a"])
    file = tmp_path / "d.RData"
    parts = {"x": matrix(X), "y": factor(y), "n": numbers([7])}
    file.write_bytes(saved({"d": listing(parts), "e": strings(["é"])}, version, pack))
    found = read_rdata(file)
    named = found["d"].named()
    np.testing.assert_array_equal(named["x"].matrix(), X)
    assert named["y"].labels().tolist() == y.tolist()
    assert named["n"].values.tolist() == [7]
    assert found["e"].values == ["é"]


def test_nothing_is_nothing(tmp_path):
    file = tmp_path / "x.RData"
    file.write_bytes(saved({}))
    assert read_rdata(file) == {}
    file.write_bytes(saved({"x": listing({"a": word(254)})}))
    assert read_rdata(file)["x"].named() == {"a": {}}


def test_attributes_of_a_pair_are_passed_over(tmp_path):
    file = tmp_path / "x.RData"
    head = saved({}, pack=bytes)[:-4]
    tagged = word(2 | 0x600) + pairs(a=numbers([1])) + word(1) + word(9) + word(1) + b"x"
    file.write_bytes(head + tagged + numbers([4]) + word(254))
    assert read_rdata(file)["x"].values.tolist() == [4]


@pytest.mark.parametrize(
    ("data", "error", "told"),
    [
        (b"RDA2\nA\n", ValueError, "no binary file of R's save"),
        (saved({"f": word(3)}, pack=bytes), ValueError, "type 3 is not among those"),
        (saved({"x": numbers([1, 2])}, pack=bytes)[:-9], EOFError, "ends in the middle"),
        (saved({"x": word(13) + word(-1)}, pack=bytes), EOFError, "ends in the middle"),
    ],
)
def test_what_is_not_read_is_told(tmp_path, data, error, told):
    file = tmp_path / "x.RData"
    file.write_bytes(data)
    with pytest.raises(error, match=told):
        read_rdata(file)
