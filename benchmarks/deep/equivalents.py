"""A relational and a vector network that begin the same, and what they are after some steps."""

from collections.abc import Iterator
from itertools import pairwise

import torch
from torch import Tensor, nn

from relrbf.torch import LatentAdam, RelationalNet, RelationalRBFLayer, VectorRBFLayer

OPTIMIZERS = {
    "sgd": lambda net, lr: torch.optim.SGD(net.parameters(), lr=lr),
    "nesterov": lambda net, lr: torch.optim.SGD(
        net.parameters(), lr=lr, momentum=0.9, nesterov=True
    ),
    "latent-adam": lambda net, lr: LatentAdam(net, lr=lr, weight_decay=0.1),
}


def squares(X: Tensor) -> Tensor:
    """Return squared distances of vectors: symmetric, with zeros on the diagonal."""
    wide = X.double()
    S = (wide[:, None] - wide[None]).square().sum(dim=-1)
    return ((S + S.T) / 2).to(X.dtype)


def tanh_head(n_inputs: int, depth: int, n_outputs: int, dtype: torch.dtype) -> nn.Sequential:
    """Return a smooth head of so many linear layers: no kink sends equal networks apart."""
    sizes = [n_inputs, *(depth - 1) * [8], n_outputs]
    layers = [part for a, b in pairwise(sizes) for part in (nn.Linear(a, b), nn.Tanh())]
    return nn.Sequential(*layers[:-1]).to(dtype)


def equivalent_networks(
    X: Tensor,
    n_prototypes: int,
    depth: int,
    n_outputs: int,
    kernel: str = "gaussian",
    seed: int = 0,
) -> tuple[RelationalNet, RelationalNet]:
    """Return a relational and a vector network that are the same."""
    torch.manual_seed(seed)
    S = squares(X)
    A = torch.rand(n_prototypes, len(X), dtype=X.dtype)
    A /= A.sum(dim=1, keepdim=True)
    relational = RelationalRBFLayer(S, A, kernel=kernel)
    width = relational.bandwidths.detach()
    vector = VectorRBFLayer(A @ X, width, kernel=kernel, unit=float(relational.unit))
    heads = []
    for _ in range(2):
        torch.manual_seed(seed)
        heads.append(tanh_head(n_prototypes, depth, n_outputs, X.dtype))
    return RelationalNet(relational, heads[0]), RelationalNet(vector, heads[1])


def train_both(
    nets: tuple[RelationalNet, RelationalNet],
    X: Tensor,
    y: Tensor,
    optimizer: str,
    lr: float,
    n_steps: int,
    batch_size: int | None = None,
    query: bool = False,
    seed: int = 0,
) -> Iterator[None]:
    """Train both networks on the same batches; yield after each step."""
    relational, vector = nets
    optimizers = [OPTIMIZERS[optimizer](net, lr) for net in nets]
    generator = torch.Generator().manual_seed(seed)
    S = relational.layers[0].support_sq
    for _ in range(n_steps):
        batch = torch.randperm(len(X), generator=generator)[:batch_size]
        for each in optimizers:
            each.zero_grad()
        found = relational(S[batch]) if query else relational(positions=batch)
        nn.functional.cross_entropy(found, y[batch]).backward()
        nn.functional.cross_entropy(vector(X[batch]), y[batch]).backward()
        for each in optimizers:
            each.step()
        yield


@torch.no_grad()
def differences(nets: tuple[RelationalNet, RelationalNet], X: Tensor) -> tuple[float, ...]:
    """Return the largest difference of weights, activations and responses."""
    relational, vector = nets
    S = relational.layers[0].support_sq
    pairs = zip(relational.head.parameters(), vector.head.parameters(), strict=True)
    weights = max(float((one - other).abs().max()) for one, other in pairs)
    activations = (relational.activate(S) - vector.activate(X)).abs().max()
    return weights, float(activations), float((relational(S) - vector(X)).abs().max())
