"""A kill of each job with processes of its own; ``make attack NAME=kills`` makes many of all.

Killed checkpoints, saves and ``relate`` have tests beside those of what they do.
"""

import os

import numpy as np
import pytest

from tests.attack.kills import kill_once
from tests.waiting import PATIENCE

pytestmark = pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="processes are found there")


@pytest.mark.parametrize("name", ["processes", "report", "study"])
def test_what_is_killed_leaves_nothing_and_goes_on_to_the_same_bits(name, tmp_path):
    kill_once(np.random.default_rng(0), tmp_path, name, PATIENCE)
