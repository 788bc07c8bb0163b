"""Training the deep part of an estimator: folds, the number of epochs, the last training.

The first prototypes are means of relational k-means clusters, bandwidths the best of a few by
leave-one-out. Beside a teacher the deep part starts at zero and learns what to add to responses
that a teacher gave to objects left out of its own training.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch
from sklearn.model_selection import KFold, StratifiedKFold
from torch import Tensor, nn
from torch.nn.utils import parameters_to_vector, vector_to_parameters

from relrbf._typing import Array, Indices
from relrbf.autotune.resolve import auto_n_prototypes
from relrbf.clustering import initial_coefficients
from relrbf.exceptions import OptionError
from relrbf.network.model import fitted_network
from relrbf.prototypes import RelationalSpace
from relrbf.relations.dense import DenseRelation
from relrbf.relations.properties import order_by_centrality
from relrbf.torch.activations import as_kernel
from relrbf.torch.estimators import DeepNetwork
from relrbf.torch.layers import RelationalRBFLayer
from relrbf.torch.networks import RelationalNet, ResidualMLP
from relrbf.torch.optimizer import LatentAdam
from relrbf.torch.training import train_network

N_FOLDS = 3
STANDARD_ERRORS = 1.0  # by which held-out loss must fall for the teacher to be changed


def choose_epochs(losses: Array, weights: Array, must_help: bool) -> int:
    """Return the epoch of the lowest mean held-out loss (epochs × objects).

    Beside a teacher it is 0, unless the loss falls by more than the standard error of its fall.
    """
    best = int(np.average(losses, axis=1, weights=weights).argmin())
    if not must_help:
        return best
    gains = losses[0] - losses[best]
    gain = np.average(gains, weights=weights)
    spread = np.sqrt(np.average(np.square(gains - gain), weights=weights))
    return best if gain > STANDARD_ERRORS * spread / np.sqrt(len(gains)) else 0


@dataclass(eq=False)
class DeepTraining:
    """Makes and trains networks, each on some of the objects.

    S are squared dissimilarities among the support (m × m), T those of the objects to it (n × m);
    Y (n × g) shares of classes, or numbers. The weights (n) sum to one. ``teach`` returns what a
    teacher of some objects says of others.
    """

    S: Array
    T: Array
    Y: Array
    weights: Array
    has_classes: bool
    seed: int
    options: dict[str, Any]
    directions: str
    teach: Callable[[Indices, Indices], Array] | None

    def __post_init__(self) -> None:
        self.kernel = as_kernel(self.options["kernel"])
        self.query_sq, self.targets = self.tensor(self.T), self.tensor(self.Y)
        self.offsets = torch.zeros_like(self.targets)
        self.counts = self.tensor(self.weights * len(self.weights))
        self._axes: Any = None

    def fit(self, on_epoch: Callable[[float], bool]) -> tuple[DeepNetwork | None, Array, Array]:
        """Choose the number of epochs on folds, and train on all objects for as many.

        Returns the network, None where the teacher is kept, and held-out and training losses.
        """
        n_epochs, curve, everyone = self.options["max_iter"], np.empty(0), np.arange(len(self.Y))
        with torch.random.fork_rng():
            torch.manual_seed(self.seed)
            folds = self.make_folds()
            if self.teach is not None:
                for train, test in folds:
                    self.offsets[test] = self.tensor(self.teach(train, test))
                if not folds:  # nothing can be held out: what to learn is unknown
                    n_epochs = 0
            if self.options["early_stopping"] and folds:
                losses = np.hstack([self.held_out(train, test) for train, test in folds])
                weights = self.weights[np.concatenate([test for _, test in folds])]
                curve = np.average(losses, axis=1, weights=weights)
                n_epochs = choose_epochs(losses, weights, must_help=self.teach is not None)
            if n_epochs == 0:
                on_epoch(float(curve[0]) if len(curve) else float("nan"))
                if self.teach is not None:
                    return None, curve, np.empty(0)
            net = self.make_net(everyone)
            training = self.train(net, everyone, n_epochs, on_epoch)
        deep, losses, rate = as_arrays(net), np.array(training), self.options["learning_rate"]
        found = (deep.own, deep.halves, deep.bandwidths, deep.parameters, losses)
        if not (all(np.isfinite(each).all() for each in found) and np.square(found[2]).all()):
            text = f"learning_rate is {rate!r}: training has diverged. Use a smaller one."
            raise OptionError(text, "learning_rate")
        return deep, curve, losses

    def make_folds(self) -> list[tuple[Indices, Indices]]:
        """Return folds with every class in every part; none where there are too few objects."""
        labels, n = self.Y.argmax(axis=1), len(self.Y)
        counts = np.bincount(labels, minlength=self.Y.shape[1]) if self.has_classes else [n // 2]
        n_folds = min(N_FOLDS, *counts)
        if n_folds < 2:
            return []
        kind = StratifiedKFold if self.has_classes else KFold
        return list(kind(n_folds, shuffle=True, random_state=self.seed).split(labels, labels))

    def tensor(self, values: Array) -> Tensor:
        """Return an array as a tensor of the relation's precision, where it is computed on."""
        dtype = torch.from_numpy(self.T).dtype
        return torch.from_numpy(values).to(self.options["device"], dtype)

    @cached_property
    def coefficients(self) -> Array:
        """The first prototypes, from relational k-means (c × m), however objects are numbered."""
        wanted, m = self.options["n_prototypes"], len(self.S)
        n_groups = self.Y.shape[1] if self.has_classes else 1
        size = auto_n_prototypes(m, n_groups) if wanted == "auto" else min(wanted, m)
        shares = np.full((1, m), 1 / m, dtype=self.S.dtype)
        order = order_by_centrality(lambda A: A @ self.S, shares[0], shares.T, self.S.mean(axis=0))
        space = RelationalSpace(DenseRelation(self.S[np.ix_(order, order)], exponent=1))
        rng = np.random.default_rng(self.seed)
        return initial_coefficients("k-means", space, shares, size, rng)[:, np.argsort(order)]

    def make_net(self, objects: Indices) -> RelationalNet:
        """Return the first network, whose bandwidths and weights some objects tell."""
        A, S, w = self.coefficients, self.S, self.weights[objects]
        halves = np.einsum("ji,ji->j", A @ S, A) / 2
        distances_sq = A @ self.T[objects].T - halves[:, None]
        first, _ = fitted_network(
            self.kernel, distances_sq, self.Y[objects], w / w.sum(), float(S.mean()), None
        )
        layer = RelationalRBFLayer(
            self.tensor(S),
            self.tensor(A),
            bandwidths=self.tensor(first.bandwidths),
            kernel=self.kernel,
            dropout=self.options["dropout"],
            directions=self.directions,
        )
        self._axes = layer._axes = layer._hull() if self._axes is None else self._axes
        sizes = self.options["hidden_layer_sizes"]
        head = ResidualMLP(len(A), sizes, self.Y.shape[1]).to(self.targets)
        is_alone = float(self.teach is None)  # beside a teacher the deep part begins at zero
        with torch.no_grad():
            head.linear.weight.copy_(is_alone * self.tensor(first.weights).T)
            head.linear.bias.copy_(is_alone * self.tensor(first.bias))
        return RelationalNet(layer, head)

    def losses(self, net: nn.Module, batch: Tensor) -> Tensor:
        """Return the loss of each object."""
        responses, targets = self.offsets[batch] + net(self.query_sq[batch]), self.targets[batch]
        if self.has_classes:
            return nn.functional.cross_entropy(responses, targets, reduction="none")
        return (responses - targets).square().mean(dim=1)

    def train(
        self, net: RelationalNet, objects: Indices, n_epochs: int, on_epoch: Any
    ) -> list[float]:
        """Train a network on some objects; return its losses."""
        o = self.options
        return train_network(
            net,
            lambda batch: (self.counts[batch] * self.losses(net, batch)).mean(),
            torch.from_numpy(objects).to(o["device"]),
            optimizer=LatentAdam(net, lr=o["learning_rate"], weight_decay=o["weight_decay"]),
            batch_size=o["batch_size"],
            max_epochs=n_epochs,
            on_epoch=on_epoch,
        ).training

    def held_out(self, train: Indices, test: Indices) -> Array:
        """Return the loss of each held-out object (1 + max_iter × k) after each epoch."""
        net, held_out = self.make_net(train), torch.from_numpy(test).to(self.options["device"])
        rows: list[Array] = []

        def note(_: float = 0.0) -> bool:
            net.eval()
            with torch.no_grad():
                losses = self.losses(net, held_out).cpu().numpy().astype(np.float64)
            if rows and not np.isfinite(losses).all():
                return True  # it has diverged
            rows.append(losses)
            means = np.average(rows, axis=1, weights=self.weights[test])
            return len(rows) - 1 - int(np.argmin(means)) >= self.options["n_iter_no_change"]

        note()
        self.train(net, train, self.options["max_iter"], note)
        return np.stack(rows + [rows[-1]] * (1 + self.options["max_iter"] - len(rows)))


def as_arrays(net: RelationalNet) -> DeepNetwork:
    """Return a trained network in plain arrays."""
    layer, head = net.layers[0], net.head
    assert isinstance(layer, RelationalRBFLayer)
    assert isinstance(head, ResidualMLP)
    deep = [] if head.deep is None else [each for each in head.deep if isinstance(each, nn.Linear)]
    hidden = [each.out_features for each in deep[:-1]]
    parameters = parameters_to_vector(head.parameters())
    tensors = (layer.coefficients, layer.halves(), layer.bandwidths, parameters)
    own, halves, bandwidths, values = (each.detach().cpu().numpy() for each in tensors)
    sizes = [len(own), *hidden, head.linear.out_features]
    return DeepNetwork(layer.activation.kernel, own, halves, bandwidths, sizes, values)


def check_device(device: str) -> None:
    """Refuse where torch cannot compute on this machine."""
    try:
        torch.empty(0, device=device).cpu()
    except Exception as error:  # of several types
        text = f"device is {device!r:.60}, where torch cannot compute here ({error!s:.100})."
        raise OptionError(f"{text} 'cpu' is everywhere.", "device") from None


@torch.no_grad()
def respond(network: DeepNetwork, query_sq: Array, device: str) -> Array:
    """Return the responses of a trained deep part to squared dissimilarities (k × m)."""
    c, *hidden, g = network.sizes
    head = ResidualMLP(c, hidden, g)
    values = torch.from_numpy(network.parameters)
    head.to(values.dtype)
    vector_to_parameters(values, head.parameters())
    distances_sq = network.own @ query_sq.T - network.halves[:, None]
    activations = network.kernel.activate(distances_sq / np.square(network.bandwidths)[:, None])
    phi = torch.from_numpy(np.ascontiguousarray(activations.T)).to(device, values.dtype)
    return head.to(device).eval()(phi).cpu().numpy()
