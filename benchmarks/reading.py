"""What reading a matrix from text costs: beside one read of the bytes, numpy.loadtxt and pandas.

Run ``python -m benchmarks.reading``. Each reader runs in a process of its own, as often as
--repeats says, and the fastest counts. Times are of the processor, as ratios to one read of the
file's bytes in this run; memory is the peak beyond what the imports take, as a ratio to the matrix.
``--large N`` reads one file of N objects with ids, by relrbf alone: 25,000 objects are 5 GB.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

SIZES, DIGITS, POOL = (500, 2000, 5000), 5, 64
MEASURED = """
import resource, sys, time
{prepare}
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.process_time()
{read}
seconds = time.process_time() - start
print(seconds, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024)
"""
READERS = {
    "one read of the bytes": (
        "path = sys.argv[1]",
        "with open(path, 'rb') as file:\n    while file.read(2**20): pass",
    ),
    "relrbf.io.load_matrix": (
        "from relrbf.io import load_matrix",
        "D = load_matrix(sys.argv[1])",
    ),
    "numpy.loadtxt": (
        "import numpy as np",
        "n = int(sys.argv[2])\n"
        "D = np.loadtxt(sys.argv[1], delimiter=',', skiprows=1, usecols=range(1, n + 1))",
    ),
    "pandas.read_csv": (
        "import pandas as pd",
        "D = pd.read_csv(sys.argv[1], index_col=0).to_numpy()",
    ),
}


def lines(n: int) -> Iterator[str]:
    """Yield a header and rows with ids; as many rows as POOL differ, or writing would take long."""
    rng = np.random.default_rng(0)
    yield "," + ",".join(f"object{i}" for i in range(n)) + "\n"
    pool = [",".join(f"{v:.{DIGITS}f}" for v in rng.random(n)) + "\n" for _ in range(POOL)]
    for i in range(n):
        yield f"object{i},{pool[i % POOL]}"


def write(path: Path, n: int) -> int:
    with open(path, "w", encoding="utf-8", buffering=2**22) as file:
        file.writelines(lines(n))
    return os.path.getsize(path)


def measure(reader: str, path: Path, n: int, repeats: int) -> tuple[float, float]:
    """Return the shortest time and the least memory of several runs."""
    prepare, read = READERS[reader]
    code = MEASURED.format(prepare=prepare, read=read)
    command = [sys.executable, "-c", code, str(path), str(n)]
    runs = [subprocess.run(command, check=True, capture_output=True) for _ in range(repeats)]
    times, sizes = zip(*(map(float, run.stdout.split()) for run in runs), strict=True)
    return min(times), min(sizes)


def compare(folder: Path, repeats: int) -> None:
    print(f"{'n':>6} {'MB':>6}  {'reader':<26} {'time / read':>12} {'memory / matrix':>16}")
    for n in SIZES:
        path = folder / "D.csv"
        size = write(path, n)
        floor, _ = measure("one read of the bytes", path, n, repeats)
        for reader in list(READERS)[1:]:
            seconds, memory = measure(reader, path, n, repeats)
            ratios = f"{seconds / floor:12.1f} {memory / (8 * n * n):16.2f}"
            print(f"{n:6} {size / 1e6:6.0f}  {reader:<26} {ratios}", flush=True)


def read_large(folder: Path, n: int) -> None:
    path = folder / "D.csv"
    size = write(path, n)
    floor, _ = measure("one read of the bytes", path, n, 1)
    seconds, memory = measure("relrbf.io.load_matrix", path, n, 1)
    print(f"{n} objects with ids, {size / 1e9:.2f} GB of text, {8 * n * n / 1e9:.2f} GB as numbers")
    print(f"{seconds:.0f} s of the processor, {seconds / floor:.1f} times a read of the bytes")
    print(f"memory {memory / 1e9:.2f} GB, {memory / (8 * n * n):.3f} of the matrix")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--large", type=int, metavar="N")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if options.large:
            read_large(Path(folder), options.large)
        else:
            compare(Path(folder), options.repeats)


if __name__ == "__main__":
    main()
