"""How far a relational network is from its vector equivalent: depth, optimizers, batches, dtypes.

Run ``make bench NAME=deep`` (about ten minutes); ``--steps`` sets how many steps, and ``--picture
FILE`` draws the trajectories of docs/torch.md instead.
"""

import argparse
import copy
from itertools import product
from pathlib import Path

import numpy as np
import torch
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.preprocessing import StandardScaler
from torch import Tensor, nn

from benchmarks.deep.cost import show_cost
from benchmarks.deep.equivalents import (
    OPTIMIZERS,
    differences,
    equivalent_networks,
    squares,
    train_both,
)
from relrbf import RBFNetworkClassifier
from relrbf.plotting.style import COLOURS
from relrbf.training import GradientDescent

STEPS = {"sgd": 0.03, "nesterov": 0.003, "latent-adam": 0.001}
SMALL_STEP = 0.0003  # of LatentAdam, for random labels: training with 0.001 is not stable
BATCHES = {"all": None, "32": 32}
N_PROTOTYPES = 10


def load(name: str, dtype: torch.dtype = torch.float64) -> tuple[Tensor, Tensor]:
    """Return standardised vectors and classes."""
    if name == "random":
        rng = np.random.default_rng(0)
        X, y = rng.standard_normal((200, 20)), rng.integers(0, 3, 200)
    else:
        X, y = {"BC-569": load_breast_cancer, "wine": load_wine}[name](return_X_y=True)
        X = StandardScaler().fit_transform(X)
    return torch.from_numpy(X).to(dtype), torch.from_numpy(y)


def show_exactness(
    names: list[str], optimizers: list[str], batches: list[str], n_steps: int
) -> None:
    print(f"largest difference after {n_steps} steps: weights, activations, responses")
    worst = {torch.float64: 0.0, torch.float32: 0.0}
    for name, optimizer, batch, dtype in product(names, optimizers, batches, worst):
        lr, cells = STEPS[optimizer], []
        for depth in (1, 2, 3, 4):
            X, y = load(name, dtype)
            nets = equivalent_networks(X, N_PROTOTYPES, depth, int(y.max()) + 1)
            for _ in train_both(nets, X, y, optimizer, lr, n_steps, BATCHES[batch]):
                pass
            found = differences(nets, X)
            cells.append(" ".join(f"{each:.0e}" for each in found))
            worst[dtype] = max(worst[dtype], *found)
        row = f"{name:<7} {optimizer:<11} {lr} {batch:>3} {str(dtype)[6:]:<8}"
        print(f"{row} {'  |  '.join(cells)}", flush=True)
    print({str(dtype)[6:]: f"{value:.1e}" for dtype, value in worst.items()})


def show_divergences() -> None:
    for lr in (0.01, 0.05):
        show_divergence("BC-569", "nesterov", 3, lr, 500)
    for depth, lr in product((3, 4), (STEPS["latent-adam"], SMALL_STEP)):
        show_divergence("random", "latent-adam", depth, lr, 1000)


def show_divergence(name: str, optimizer: str, depth: int, lr: float, n_steps: int) -> None:
    """Compare with what a rounding error does: of two vector networks, one has a weight changed."""
    X, y = load(name)
    nets = equivalent_networks(X, N_PROTOTYPES, depth, int(y.max()) + 1)
    control = copy.deepcopy(nets)
    with torch.no_grad():
        control[1].head[0].weight[0, 0] += 1e-15
    runs = [train_both(pair, X, y, optimizer, lr, n_steps) for pair in (nets, control)]
    print(f"{name}, depth {depth}, {optimizer}, rate {lr}, all objects, responses after steps:")
    print("       loss  relational - vector  vector - perturbed vector")
    for step, _ in enumerate(zip(*runs, strict=True), 1):
        if step % (n_steps // 10) == 0:
            with torch.no_grad():
                loss = float(nn.functional.cross_entropy(nets[1](X), y))
                moved = float((nets[1](X) - control[1](X)).abs().max())
            print(
                f"  {step:4d} {loss:8.4f} {differences(nets, X)[2]:8.0e} {moved:8.0e}", flush=True
            )


def show_plain(n_steps: int = 500) -> None:
    """Print what other optimizers of the coefficients do, and the printed update."""
    X, y = load("wine")
    for name in ("plain gradient", "Adam"):
        relational, vector = equivalent_networks(X, N_PROTOTYPES, 3, 3)
        S, A = squares(X), relational.layers[0].coefficients
        steps = torch.optim.Adam if name == "Adam" else torch.optim.SGD
        optimizers = [steps(net.parameters(), lr=0.01) for net in (relational, vector)]
        for _ in range(n_steps):
            for each in optimizers:
                each.zero_grad()
            distances_sq = S @ A.T - ((A @ S) * A).sum(dim=1) / 2
            phi = relational.layers[0]._activate(distances_sq)
            nn.functional.cross_entropy(relational.head(phi), y).backward()
            nn.functional.cross_entropy(vector(X), y).backward()
            for each in optimizers:
                each.step()
        off = float((relational.head(phi) - vector(X)).detach().abs().max())
        sums = float((A.sum(dim=1) - 1).detach().abs().max())
        print(f"{name}, {n_steps} steps: responses differ by {off:.2g}, sums are off by {sums:.2g}")
    D = np.sqrt(squares(X).numpy())
    for update in ("exact", "published"):
        responses = []
        for space, data, metric in (
            ("relational", D, "precomputed"),
            ("vector", X.numpy(), "euclidean"),
        ):
            model = RBFNetworkClassifier(
                8,
                **{"space": space, "metric": metric, "exponent": 2, "init": "random-partition"},
                **{"solver": GradientDescent(update=update), "max_iter": 100, "tol": 0},
                random_state=0,
            )
            responses.append(model.fit(data, y.numpy()).decision_function(data))
        off = np.abs(responses[0] - responses[1]).max()
        print(f"update={update!r} (one linear layer, 100 epochs): responses differ by {off:.2g}")


def draw(path: Path, n_steps: int = 300) -> None:
    """Draw how prototypes move: relational, of plain gradients, and the vector equivalent's."""
    import matplotlib.pyplot as plt

    rng = np.random.default_rng(3)
    y = np.repeat([0, 1, 2], 40)
    centers = np.array([[0, 0], [4, 0], [2, 3]])
    X = torch.from_numpy(rng.standard_normal((120, 2)) + centers[y])
    targets = torch.from_numpy(y)
    nets = equivalent_networks(X, 4, 3, 3)
    plain, _ = equivalent_networks(X, 4, 3, 3)
    A, S = plain.layers[0].coefficients, squares(X)
    optimizer = torch.optim.SGD(plain.parameters(), lr=0.05, momentum=0.9, nesterov=True)
    paths: list[list[Tensor]] = [[], [], []]
    gaps = []
    for _ in train_both(nets, X, targets, "nesterov", 0.05, n_steps):
        optimizer.zero_grad()
        distances_sq = S @ A.T - ((A @ S) * A).sum(dim=1) / 2
        responses = plain.head(plain.layers[0]._activate(distances_sq))
        nn.functional.cross_entropy(responses, targets).backward()
        optimizer.step()
        for path_, points in zip(
            paths,
            (nets[0].layers[0].coefficients @ X, nets[1].layers[0].prototypes, A @ X),
            strict=True,
        ):
            path_.append(points.detach().clone())
        gaps.append([float((paths[k][-1] - paths[1][-1]).abs().max()) for k in (0, 2)])
    fig, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
    left.scatter(*X.T, c=[COLOURS[k] for k in y], s=8, alpha=0.4)
    relational, vector, other = (torch.stack(each).numpy() for each in paths)
    for j in range(4):
        left.plot(*vector[:, j].T, color="0.75", linewidth=5, label="vector" if not j else None)
        left.plot(
            *relational[:, j].T, color="k", linewidth=1.2, label="relational" if not j else None
        )
        left.plot(*other[:, j].T, "k:", linewidth=1, label="plain gradient" if not j else None)
        left.plot(*vector[-1, j], "o", color="k", markersize=4)
    left.set(xlim=(-4, 8), ylim=(-4, 7))  # plain gradients go much farther
    left.legend(fontsize=8)
    left.set_title("prototypes during training, three layers behind them", fontsize=10)
    right.semilogy(np.maximum(np.array(gaps)[:, 0], 1e-17), "k", label="relational")
    right.semilogy(np.array(gaps)[:, 1], "k:", label="plain gradient")
    right.set_xlabel("step of Nesterov's method")
    right.set_title("largest difference from the vector network's prototypes", fontsize=10)
    right.legend(fontsize=8)
    fig.savefig(path, dpi=110)


PARTS = {"divergence": show_divergences, "updates": show_plain, "cost": show_cost}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", default=["BC-569", "wine", "random"])
    parser.add_argument("--parts", nargs="*", default=["table", *PARTS])
    parser.add_argument("--optimizers", nargs="*", default=[*OPTIMIZERS])
    parser.add_argument("--batches", nargs="*", default=[*BATCHES], choices=BATCHES)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--picture", type=Path)
    options = parser.parse_args()
    torch.set_num_threads(1)
    if options.picture:
        draw(options.picture)
        return
    if "table" in options.parts:
        show_exactness(options.sets, options.optimizers, options.batches, options.steps)
    for part in PARTS:
        if part in options.parts:
            PARTS[part]()


if __name__ == "__main__":
    main()
