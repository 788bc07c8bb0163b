"""What a matrix on a disk costs: memory beside the file's own pages, and time per pass over it.

Run ``python -m benchmarks.scale.disk --folder DIR``, with room in DIR for 4 n² bytes (6.4 GB for
the 40,000 objects that are the default); the file is deleted afterwards. ``--part passes`` or
``--part memory`` measures one of the two. Every time is a ratio, taken in this run, to one plain
read of the file from its first byte to its last into a buffer.
"""

import argparse
import os
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from statistics import median

import numpy as np

from relrbf import RBFNetworkClassifier, as_relation, inspect_relation
from relrbf.clustering import RelationalFuzzyCMeans, RelationalKMeans
from relrbf.embeddings import LandmarkMDS
from relrbf.relations import VectorRelation
from relrbf.relations.on_disk import MappedRelation
from relrbf.tendency import vat

N, N_GROUPS, ROUNDS = 40_000, 5, 5
BUFFER = 2**23
ALLOWED = 1.5  # GB of memory, and times a plain read


def make_vectors(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw groups in ten dimensions, and say who belongs to which."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, N_GROUPS, n)
    centres = 3 * rng.standard_normal((N_GROUPS, 10))
    return (rng.standard_normal((n, 10)) + centres[y]).astype(np.float32), y


@contextmanager
def made_file(folder: Path, n: int) -> Iterator[Path]:
    """Write n × n float32 distances, a few rows at a time; delete them in the end."""
    path = folder / f"disk-{os.getpid()}.npy"
    try:
        D = np.lib.format.open_memmap(path, "w+", np.float32, (n, n))
        relation = VectorRelation(make_vectors(n)[0].astype(np.float64))
        for rows in relation.row_blocks():
            D[rows] = relation.block(rows)
        D.flush()
        del D
        with open(path, "rb") as file:
            os.fsync(file.fileno())
        yield path
    finally:
        path.unlink(missing_ok=True)


def read_plainly(path: Path) -> None:
    buffer = bytearray(BUFFER)
    with open(path, "rb", buffering=0) as file:
        while file.readinto(buffer):
            pass


def drop(path: Path) -> None:
    """Have the file's pages dropped from the page cache, as far as the system lets go of them."""
    with open(path, "rb") as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def timed(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def coefficients(c: int, n: int) -> np.ndarray:
    return np.random.default_rng(1).standard_normal((c, n)).astype(np.float32)


def opened(path: Path) -> MappedRelation:
    """Map the file anew: pages that are mapped cannot be dropped."""
    return MappedRelation(np.load(path, mmap_mode="r"))


def passes(n: int) -> dict[str, Callable[[Path], object]]:
    few, many = coefficients(3, n), coefficients(50, n)
    return {
        "survey (as_relation)": as_relation,
        "product, c = 3": lambda path: opened(path).product(few),
        "product, c = 50": lambda path: opened(path).product(many),
    }


def multiplying(c: int, n: int) -> float:
    """Return the seconds of a product of c × n with n × n in memory, from a part of its rows."""
    height = max(n // 20, 1)
    S, A = np.ones((height, n), dtype=np.float32), coefficients(c, n)
    return min(timed(lambda: A @ S.T) for _ in range(3)) * n / height


def show_passes(path: Path, n: int, rounds: int) -> None:
    uses = passes(n)
    print(f"\nmedian of {rounds} rounds: time of one pass / time of one plain read of the file")
    print(f"{'pass':<24} {'from the disk':>14} {'from the page cache':>20}   wanted")
    ratios: dict[str, list[str]] = {name: [] for name in uses}
    seconds: dict[str, float] = {}
    for place, prepare in (("disk", drop), ("cache", lambda path: None)):
        found: dict[str, list[float]] = {name: [] for name in ["plain", *uses]}
        read_plainly(path)
        for _ in range(rounds):
            prepare(path)
            found["plain"].append(timed(lambda: read_plainly(path)))
            for name, use in uses.items():
                prepare(path)
                found[name].append(timed(lambda use=use: use(path)))
        seconds[place] = median(found["plain"])
        for name in uses:
            each = zip(found[name], found["plain"], strict=True)
            ratios[name].append(f"{median(mine / plain for mine, plain in each):.2f}")
    for name, (disk, cache) in ratios.items():
        print(f"{name:<24} {disk:>14} {cache:>20}   at most {ALLOWED}")
    for c in (3, 50):
        alone = multiplying(c, n)
        times = (alone / seconds["disk"], alone / seconds["cache"])
        print(f"{f'multiplying alone, c = {c}':<24} {times[0]:>14.2f} {times[1]:>20.2f}")
    print(f"a plain read: {seconds['disk'] / seconds['cache']:.1f} times as long from the disk")


def fit_default(path: Path, y: np.ndarray) -> object:
    model = RBFNetworkClassifier(random_state=0).fit(as_relation(path), y)
    return model.predict(as_relation(path)[:1000])


def fit_all(path: Path, y: np.ndarray) -> object:
    model = RBFNetworkClassifier(3, n_support=None, max_iter=3, tol=0, random_state=0)
    return model.fit(np.load(path, mmap_mode="r"), y)


def k_means(path: Path, y: np.ndarray) -> object:
    return RelationalKMeans(N_GROUPS, random_state=0).fit(as_relation(path))


def fuzzy(path: Path, y: np.ndarray) -> object:
    return RelationalFuzzyCMeans(N_GROUPS, max_iter=5, random_state=0).fit(as_relation(path))


def inspect(path: Path, y: np.ndarray) -> object:
    return inspect_relation(path, y)


def sample(path: Path, y: np.ndarray) -> object:
    return vat(path, n_sample=1000, random_state=0)


def landmarks(path: Path, y: np.ndarray) -> object:
    return LandmarkMDS(2, random_state=0).fit(as_relation(path))


USES = {
    "fit, default, and predict": fit_default,
    "fit, n_support=None": fit_all,
    "k-means": k_means,
    "fuzzy c-means": fuzzy,
    "inspect_relation": inspect,
    "vat of a sample": sample,
    "LandmarkMDS": landmarks,
}


def anonymous() -> int:
    """Return the bytes of this process that are no file's pages."""
    text = Path("/proc/self/status").read_text()
    return 1024 * int(text.split("RssAnon:")[1].split()[0])


def peak_of(use: str, path: Path, n: int) -> tuple[float, float]:
    """Return the most memory that was in use, aside from files' pages, and the seconds it took."""
    warnings.simplefilter("ignore")
    peaks, done = [anonymous()], threading.Event()

    def sample() -> None:
        while not done.wait(0.01):
            peaks.append(anonymous())

    thread = threading.Thread(target=sample)
    thread.start()
    try:
        seconds = timed(lambda: USES[use](path, make_vectors(n)[1]))
    finally:
        done.set()
        thread.join()
    return max(peaks), seconds


def show_memory(path: Path, n: int) -> None:
    size = path.stat().st_size
    read_plainly(path)
    plain = min(timed(lambda: read_plainly(path)) for _ in range(3))
    print(f"\npeak memory aside from the file's pages (RssAnon), a process for each; {ALLOWED} GB")
    print("allowed; time / plain reads of the file from the page cache\n")
    print(f"{'what':<26} {'GB':>6} {'of the file':>12} {'time':>8}")
    for name in USES:
        with get_context("spawn").Pool(1) as pool:
            peak, seconds = pool.apply(peak_of, (name, path, n))
        row = f"{name:<26} {peak / 1e9:>6.2f} {peak / size:>12.1%} {seconds / plain:>8.0f}"
        print(row, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, required=True, help="where the file is made")
    parser.add_argument("--n", type=int, default=N, help="number of objects")
    parser.add_argument("--part", choices=["passes", "memory"], help="only this part")
    options = parser.parse_args()
    if not sys.platform.startswith("linux"):
        sys.exit("This benchmark reads /proc/self/status, which only Linux has.")
    with made_file(options.folder, options.n) as path:
        print(f"{options.n} objects, float32: {path.stat().st_size / 1e9:.2f} GB")
        if options.part != "memory":
            show_passes(path, options.n, ROUNDS)
        if options.part != "passes":
            show_memory(path, options.n)


if __name__ == "__main__":
    main()
