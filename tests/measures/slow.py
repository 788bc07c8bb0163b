"""Run as a script: relates numbers until some pairs are done, and waits there for a kill."""

import sys
import time

from relrbf.measures import relate

N_OBJECTS = 40
OBJECTS = [x * x / 7 for x in range(N_OBJECTS)]


def gap(x, y):
    return abs(x - y) / 3


def slow_gap(x, y, pause=0.0):
    time.sleep(pause)  # not at all, but for the script below
    return gap(x, y)


if __name__ == "__main__":
    # what waits is no parameter of the measure: a later run without it is the same computation
    pairs, wait = iter(range(int(sys.argv[2]))), time.sleep
    time.sleep = lambda seconds: None if next(pairs, None) is not None else wait(3600)
    relate(OBJECTS, slow_gap, sys.argv[1], block=5)
