"""70/15/15."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from study.data import split

Y = np.repeat([0, 1, 2], [100, 60, 40])
GROUPS = np.arange(200) // 4


def parts_of(parts):
    return parts.train, parts.test, parts.validation


@pytest.mark.parametrize("groups", [None, GROUPS])
def test_every_object_is_in_one_part(groups):
    parts = split(Y, groups, 0)
    assert sorted(np.concatenate(parts_of(parts))) == list(range(200))


def test_shares_are_70_15_15_in_every_class():
    shares = [np.bincount(Y[part]).tolist() for part in parts_of(split(Y, None, 0))]
    assert shares == [[70, 42, 28], [15, 9, 6], [15, 9, 6]]


def test_groups_are_kept_whole_and_shares_nearly_so():
    parts = parts_of(split(Y, GROUPS, 3))
    held = [set(GROUPS[part]) for part in parts]
    assert not held[0] & held[1] | held[0] & held[2] | held[1] & held[2]
    shares = np.array([np.bincount(Y[part]) for part in parts]) / np.bincount(Y)
    np.testing.assert_allclose(shares, [[0.7] * 3, [0.15] * 3, [0.15] * 3], atol=0.1)


@given(st.integers(0, 2**32 - 1))
def test_every_part_has_every_class_even_of_groups_of_unlike_sizes(seed):
    sizes = [1, 1, 2, 5, 5, 7, 1, 2, 7, 9, 9, 20, 39]
    groups = np.repeat(np.arange(13), sizes)
    y = (groups >= 6).astype(int)
    for part in parts_of(split(y, groups, seed)):
        assert set(y[part]) == {0, 1}


def test_a_class_of_one_group_is_for_training():
    groups = np.minimum(np.arange(38), 30)
    y = (groups == 30).astype(int)
    assert [np.count_nonzero(y[part]) for part in parts_of(split(y, groups, 0))] == [8, 0, 0]


def test_a_group_of_several_classes_is_dealt_with_its_largest():
    y = np.tile([0, 0, 1], 20)
    parts = parts_of(split(y, np.arange(60) // 3, 0))
    assert [len(part) for part in parts] == [42, 9, 9]


@pytest.mark.parametrize("groups", [None, GROUPS])
def test_a_seed_decides_the_split(groups):
    one, same, other = (split(Y, groups, seed).test.tolist() for seed in (1, 1, 2))
    assert one == same != other


def test_known_objects_are_training_then_validation():
    parts = split(Y, None, 0)
    assert parts.known.tolist() == [*parts.train, *parts.validation]
