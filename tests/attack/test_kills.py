"""A few kills of every job; ``make attack NAME=kills`` makes many."""

import os

import numpy as np
import pytest

from tests.attack.kills import JOBS, kill_once
from tests.waiting import PATIENCE

pytestmark = pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="processes are found there")


@pytest.mark.parametrize("name", JOBS)
def test_what_is_killed_leaves_nothing_and_goes_on_to_the_same_bits(name, tmp_path):
    kill_once(np.random.default_rng(0), tmp_path, name, PATIENCE)
