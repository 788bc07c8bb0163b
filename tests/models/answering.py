"""Run as a program: load every model of a folder and write down what it says of new objects."""

import sys
from pathlib import Path

import numpy as np

from relrbf import load
from tests.models.made import answers

if __name__ == "__main__":
    for path in Path(sys.argv[1]).glob("*.relrbf"):
        new = np.load(path.with_suffix(".npy"))
        np.savez(path.with_suffix(".npz"), **answers(load(path), new))
