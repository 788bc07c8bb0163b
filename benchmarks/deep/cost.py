"""One training step of the relational layer against a vector layer and a product with S."""

import time
from collections.abc import Callable

import torch
from torch import nn

from benchmarks.deep.equivalents import equivalent_networks
from relrbf.torch import LatentAdam

N_ROUNDS, N_WARM = 150, 10


def seconds(*works: Callable[[], object]) -> list[float]:
    """Return the least processor time of each call; they take turns, so that all meet the same.

    The least, because other processes empty the caches and never make a step faster.
    """
    times: list[list[float]] = [[] for _ in works]
    for _ in range(N_WARM + N_ROUNDS):
        for work, found in zip(works, times, strict=True):
            start = time.process_time()
            work()
            found.append(time.process_time() - start)
    return [min(found[N_WARM:]) for found in times]


def show_cost() -> None:
    print("processor time of a training step, over that of a vector layer + one product with S")
    for n, k, c, batch in ((569, 30, 20, 569), (569, 30, 20, 32), (2000, 100, 64, 256)):
        torch.manual_seed(0)
        X, y = torch.randn(n, k), torch.randint(0, 3, (n,))
        ratios = {}
        for name in ("SGD", "LatentAdam"):
            nets = equivalent_networks(X, c, 2, 3)
            S, A = nets[0].layers[0].support_sq, torch.rand(c, n)
            some = torch.arange(batch)
            optimizers = [
                LatentAdam(net) if name == "LatentAdam" else torch.optim.SGD(net.parameters(), 0.01)
                for net in nets
            ]

            def step(which: int) -> None:
                optimizers[which].zero_grad()  # noqa: B023
                net = nets[which]  # noqa: B023
                found = net(X[some]) if which else net(positions=some)  # noqa: B023
                nn.functional.cross_entropy(found, y[some]).backward()  # noqa: B023
                optimizers[which].step()  # noqa: B023

            relational, vector, product = seconds(
                lambda: step(0), lambda: step(1), lambda A=A, S=S: A @ S
            )
            ratios[name] = relational / (vector + product)
        cells = "  ".join(f"{name} {ratio:.2f}" for name, ratio in ratios.items())
        print(f"{n} objects of {k} features, {c} prototypes, batches of {batch}: {cells}")


if __name__ == "__main__":
    torch.set_num_threads(1)
    show_cost()
