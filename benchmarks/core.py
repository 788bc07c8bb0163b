"""What the exact core costs: an epoch, the memory of a fit, an import.

Run ``make bench``. Every figure is a ratio taken in this run: times against one product of a c × n
with an n × n array (NumPy's own, all cores), memory against the matrix, imports against
``import sklearn.base``, the start of the command against ``import numpy``.
"""

import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable

import numpy as np

from relrbf import RBFNetworkClassifier
from relrbf.network import KERNELS
from relrbf.network.model import fitted_network
from relrbf.prototypes import RelationalSpace
from relrbf.relations import DenseRelation, VectorRelation
from relrbf.training import GradientDescent, InitialState, Problem

N, C, EPOCHS, REPEATS = 4000, 40, 50, 5
TRAINERS = {
    "curvature_scaled": GradientDescent.curvature_scaled(),
    "the paper's protocol": GradientDescent(),
    "momentum": GradientDescent(acceleration="momentum"),
    "conjugate gradients": GradientDescent(acceleration="conjugate-gradients"),
}


def best_time(work: Callable[[], object], repeats: int = REPEATS) -> float:
    """Return the shortest of several times: what the work takes when nothing disturbs it."""
    work()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def rested_time(work: Callable[[], object]) -> float:
    """Let the threads of what ran before stop spinning, then time."""
    time.sleep(0.2)
    return best_time(work, 3)


def make_data(dtype: type) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N, 20))
    D = VectorRelation(X.astype(dtype)).block()
    return D, (X[:, 0] * X[:, 1] > 0).astype(int)


def epoch_ratio(
    D: np.ndarray, y: np.ndarray, exponent: int, kernel: str, trainer: GradientDescent
) -> str:
    """Time one epoch between two timings of one product, which drift of the machine meets alike."""
    space = RelationalSpace(DenseRelation(D, exponent))
    Y = np.eye(2, dtype=D.dtype)[y]
    validation_mask = np.arange(N) % 7 == 0
    w, validation = (
        part / part.sum() for part in ((~validation_mask).astype(D.dtype), validation_mask + 0.0)
    )
    prototypes = space.place_at(np.arange(C))
    network, output = fitted_network(
        KERNELS[kernel](), prototypes.distances_sq, Y, w, space.mean_sq(w), None
    )
    problem = Problem(space, Y, w, output.alpha, validation=validation.astype(D.dtype))
    A = np.random.default_rng(1).random((C, N)).astype(D.dtype)

    def train() -> None:
        trainer.train(problem, InitialState(network, prototypes), max_iter=EPOCHS, tol=0)

    ratios = []
    for _ in range(REPEATS):
        before = rested_time(lambda: A @ D)
        with space.relation.multiplying():
            epoch = rested_time(train) / EPOCHS
            own = rested_time(lambda: space.relation.product(A))
        after = rested_time(lambda: A @ D)
        ratios.append((2 * epoch / (before + after), epoch / own))
    numpys, own = np.median(ratios, axis=0)
    return f"{numpys:6.2f} {own:6.2f}"


def fit_memory_ratio(D: np.ndarray, y: np.ndarray) -> float:
    tracemalloc.start()
    RBFNetworkClassifier(C, random_state=0, max_iter=5).fit(D, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / D.nbytes


def seconds_of(code: str) -> float:
    """Time a new Python that runs a line."""
    words = [sys.executable, "-c", code]
    return best_time(lambda: subprocess.run(words, check=True, stdout=subprocess.DEVNULL), 5)


def import_ratio() -> float:
    return seconds_of("import relrbf") / seconds_of("import sklearn.base")


def help_seconds() -> float:
    """How much longer ``relrbf --help`` takes than an import of NumPy."""
    command = "import sys; sys.argv = ['relrbf', '--help']; from relrbf.cli.main import run; run()"
    return seconds_of(command) - seconds_of("import numpy")


def main() -> None:
    print(f"n = {N}, c = {C}; each row a ratio measured in this run\n")
    print(
        "An epoch is measured against NumPy's product with D, and against ours with S,\n"
        "D raised to the exponent on the way.\n"
    )
    print(f"{'what':<58} {'ratio':>6} {'to S':>6}  allowed")
    for dtype in (np.float64, np.float32):
        D, y = make_data(dtype)
        for exponent, kernel in ((2, "gaussian"), (1, "gaussian"), (2, "multiquadric")):
            name = f"epoch / product, {D.dtype}, exponent {exponent}, {kernel}"
            ratio = epoch_ratio(D, y, exponent, kernel, TRAINERS["curvature_scaled"])
            print(f"{name:<58} {ratio}  1.5")
        for name, trainer in TRAINERS.items():
            ratio = epoch_ratio(D, y, 1, "gaussian", trainer)
            print(f"{f'epoch / product, {D.dtype}, exponent 1, {name}':<58} {ratio}  1.5")
        name = f"memory allocated by fit / size of D, {D.dtype}"
        print(f"{name:<58} {fit_memory_ratio(D, y):6.3f}  0.25")
    print(f"{'import relrbf / import sklearn.base':<58} {import_ratio():6.2f}  1.3")
    name = "seconds of relrbf --help beyond import numpy"
    print(f"{name:<58} {help_seconds():6.2f}  0.3")


if __name__ == "__main__":
    main()
