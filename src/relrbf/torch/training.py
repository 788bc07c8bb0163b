"""A training loop: batches, LatentAdam, early stopping, the best epoch."""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

from relrbf.torch.optimizer import LatentAdam

BatchLoss = Callable[[Tensor], Tensor]


@dataclass
class LossCurve:
    """The losses after each epoch, and which was the best.

    Attributes
    ----------
    training, validation : list of float
        Mean losses; the first of ``validation`` is that before the first epoch.
    best_epoch : int
        The epoch after which the network was kept; 0 is the start.
    """

    training: list[float] = field(default_factory=list)
    validation: list[float] = field(default_factory=list)
    best_epoch: int = 0


def train_network(
    net: nn.Module,
    loss: BatchLoss,
    objects: Tensor,
    *,
    validation: Tensor | None = None,
    optimizer: torch.optim.Optimizer | None = None,
    batch_size: int = 32,
    max_epochs: int = 100,
    patience: int | None = 20,
    generator: torch.Generator | None = None,
    on_epoch: Callable[[float], bool] | None = None,
) -> LossCurve:
    """Train a network on batches of objects; with a validation set, keep its best epoch.

    Parameters
    ----------
    net : nn.Module
        The network.
    loss : callable
        Of a tensor of positions of objects, their mean loss.
    objects : Tensor of int
        The training objects.
    validation : Tensor of int or None, default=None
        Objects whose loss decides which epoch is kept, the start included.
    optimizer : Optimizer or None, default=None
        None: ``LatentAdam(net)``.
    batch_size, max_epochs : int
        Objects in a batch, and times that all of them are used.
    patience : int or None, default=20
        Epochs in a row without a lower validation loss before training stops.
    generator : torch.Generator or None, default=None
        Draws the batches.
    on_epoch : callable or None, default=None
        Called with the loss after each epoch; returns whether to stop.

    Returns
    -------
    LossCurve
    """
    optimizer = LatentAdam(net) if optimizer is None else optimizer
    curve = LossCurve()
    best = None
    if validation is not None:
        curve.validation.append(mean_loss(net, loss, validation))
        best = deepcopy(net.state_dict())
    for epoch in range(1, max_epochs + 1):
        curve.training.append(_train_epoch(net, loss, objects, optimizer, batch_size, generator))
        if validation is not None:
            curve.validation.append(mean_loss(net, loss, validation))
            if curve.validation[-1] < curve.validation[curve.best_epoch]:
                curve.best_epoch, best = epoch, deepcopy(net.state_dict())
        is_stopped = on_epoch is not None and on_epoch(curve.training[-1])
        is_late = patience is not None and epoch - curve.best_epoch >= patience
        if is_stopped or (validation is not None and is_late):
            break
    if best is not None:
        net.load_state_dict(best)
    else:
        curve.best_epoch = len(curve.training)
    net.eval()
    return curve


def _train_epoch(
    net: nn.Module,
    loss: BatchLoss,
    objects: Tensor,
    optimizer: torch.optim.Optimizer,
    batch_size: int,
    generator: torch.Generator | None,
) -> float:
    """Take a step for each batch; return the mean loss on the way."""
    net.train()
    order = objects[torch.randperm(len(objects), generator=generator)]
    total = 0.0
    for batch in order.split(min(int(batch_size), len(order))):
        optimizer.zero_grad()
        value = loss(batch)
        value.backward()
        optimizer.step()
        total += float(value.detach()) * len(batch)
    return total / len(objects)


@torch.no_grad()
def mean_loss(net: nn.Module, loss: BatchLoss, objects: Tensor) -> float:
    """Return the loss of objects, nothing being left out of the network."""
    net.eval()
    return float(loss(objects))
