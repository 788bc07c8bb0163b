"""Run as a script: relates numbers slowly, so that it can be killed in the middle."""

import sys
import time

from relrbf.measures import relate

N_OBJECTS = 40
OBJECTS = [x * x / 7 for x in range(N_OBJECTS)]


def gap(x, y):
    return abs(x - y) / 3


def slow_gap(x, y, pause=0.0):
    time.sleep(pause)
    return gap(x, y)


if __name__ == "__main__":
    # the pause is no parameter of the measure: a later run without it is the same computation
    pause = float(sys.argv[2])
    real, time.sleep = time.sleep, lambda seconds: real(pause)
    relate(OBJECTS, slow_gap, sys.argv[1], block=5)
