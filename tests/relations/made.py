"""Objects and measures whose dissimilarities are known."""

from collections import Counter

import numpy as np

N = 12
ROW_BYTES = 8 * N  # bytes


def distance(a, b):
    return float(np.sqrt(np.square(a.astype(float) - b).sum()))


def gap(a, b):
    return abs(a - b) ** 1.5


class Counted:
    """A measure between numbers that counts every pair it is evaluated on."""

    def __init__(self, measure=gap):
        self.measure = measure
        self.evaluated = Counter()

    def __call__(self, a, b):
        self.evaluated[min(a, b), max(a, b)] += 1
        return self.measure(a, b)


POINTS = [float(x) for x in np.random.default_rng(3).permutation(N) ** 1.3]
MATRIX = np.array([[gap(a, b) for b in POINTS] for a in POINTS])


def raising(bad):
    def measure(a, b):
        if bad in (a, b):
            raise KeyError("no such leaf")
        return gap(a, b)

    return measure
