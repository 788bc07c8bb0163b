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
from relrbf.network.model import fitted_network
from relrbf.prototypes import RelationalSpace
from relrbf.relations.dense import DenseRelation
from relrbf.torch.activations import as_kernel
from relrbf.torch.estimators import DeepNetwork
from relrbf.torch.layers import RelationalRBFLayer
from relrbf.torch.networks import RelationalNet, ResidualMLP
from relrbf.torch.optimizer import LatentAdam
from relrbf.torch.training import train_network

N_FOLDS = 3
STANDARD_ERRORS = 1.0  # by which held-out loss must fall for the teacher to be changed

Teach = Callable[[Indices, Indices], Array]


@dataclass(frozen=True, eq=False)
class DeepProblem:
    """Squared dissimilarities among the support (m × m) and to it (n × m), and targets.

    Targets are classes (n) or numbers (n × g).
    """

    S: Array
    T: Array
    targets: np.ndarray
    n_outputs: int
    has_classes: bool
    seed: int


@dataclass(frozen=True, eq=False)
class DeepFit:
    """The trained deep part, None where the teacher is kept, and how it came about."""

    network: DeepNetwork | None
    best_epoch: int
    validation_curve: Array
    loss_curve: Array


def fit_deep(
    problem: DeepProblem,
    options: dict[str, Any],
    teach: Teach | None,
    on_epoch: Callable[[float], bool],
    is_euclidean: bool,
) -> DeepFit:
    """Choose the number of epochs on folds, and train on all objects for as many."""
    n = len(problem.targets)
    with torch.random.fork_rng():
        torch.manual_seed(problem.seed)
        task = _Training(problem, options, is_euclidean, has_teacher=teach is not None)
        folds = make_folds(problem)
        n_epochs, curve = options["max_iter"], np.empty(0)
        if teach is not None:
            if not folds:  # nothing can be held out: what the deep part would learn is unknown
                on_epoch(float("nan"))
                return DeepFit(None, 0, curve, curve)
            for train, test in folds:
                task.offsets[test] = task.tensor(teach(train, test))
        if options["early_stopping"] and folds:
            losses = np.concatenate([task.held_out(train, test) for train, test in folds], axis=1)
            curve = losses.mean(axis=1)
            n_epochs = choose_epochs(losses, must_help=teach is not None)
        if n_epochs == 0:
            on_epoch(float(curve[0]))
            first = None if teach is not None else as_arrays(task.make_net(np.arange(n)))
            return DeepFit(first, 0, curve, np.empty(0))
        net = task.make_net(np.arange(n))
        found = task.train(net, np.arange(n), n_epochs, on_epoch)
    return DeepFit(as_arrays(net), len(found.training), curve, np.array(found.training))


def make_folds(problem: DeepProblem) -> list[tuple[Indices, Indices]]:
    """Return folds in which every class is in every part; none where there are too few objects."""
    y, n = problem.targets, len(problem.targets)
    fewest = int(np.bincount(y).min()) if problem.has_classes else n // 2
    n_folds = min(N_FOLDS, fewest)
    if n_folds < 2:
        return []
    kind = StratifiedKFold if problem.has_classes else KFold
    cut = kind(n_folds, shuffle=True, random_state=problem.seed)
    return list(cut.split(np.zeros(n), y if problem.has_classes else None))


def choose_epochs(losses: Array, must_help: bool) -> int:
    """Return the epoch of the lowest mean held-out loss (epochs × objects).

    Beside a teacher it is 0, unless the loss falls by more than the standard error of its fall.
    """
    best = int(losses.mean(axis=1).argmin())
    if not must_help:
        return best
    gains = losses[0] - losses[best]
    return best if gains.mean() > STANDARD_ERRORS * gains.std() / np.sqrt(len(gains)) else 0


class _Training:
    """Makes and trains networks of a problem, each on some of its objects."""

    def __init__(
        self, problem: DeepProblem, options: dict[str, Any], is_euclidean: bool, has_teacher: bool
    ) -> None:
        self.problem, self.options, self.has_teacher = problem, options, has_teacher
        self.directions = "latent" if is_euclidean else "positive"
        self.device = options["device"]
        self.kernel = as_kernel(options["kernel"])
        self.T = self.tensor(problem.T)
        y = torch.from_numpy(problem.targets).to(self.device)
        self.targets = y if problem.has_classes else y.to(self.T.dtype)
        self.offsets = self.T.new_zeros((len(y), problem.n_outputs))
        self._axes: Any = None

    def tensor(self, values: Array) -> Tensor:
        """Return an array as a tensor of the relation's precision, where it is computed on."""
        return torch.from_numpy(values).to(self.device, torch.from_numpy(self.problem.T).dtype)

    @cached_property
    def coefficients(self) -> Array:
        """The first prototypes, from relational k-means (c × m)."""
        p, wanted = self.problem, self.options["n_prototypes"]
        m = len(p.S)
        n_groups = p.n_outputs if p.has_classes else 1
        size = auto_n_prototypes(m, n_groups) if wanted == "auto" else min(wanted, m)
        space = RelationalSpace(DenseRelation(p.S, exponent=1))
        shares = np.full((1, m), 1 / m, dtype=p.S.dtype)
        return initial_coefficients("k-means", space, shares, size, np.random.default_rng(p.seed))

    def make_net(self, objects: Indices) -> RelationalNet:
        """Return the first network, whose bandwidths and weights some objects tell."""
        p, A = self.problem, self.coefficients
        halves = np.einsum("ji,ji->j", A @ p.S, A) / 2
        Y = np.eye(p.n_outputs)[p.targets] if p.has_classes else p.targets
        w = np.full(len(objects), 1 / len(objects))
        mean_sq = float(p.S.mean())
        distances_sq = A @ p.T[objects].T - halves[:, None]
        first, _ = fitted_network(self.kernel, distances_sq, Y[objects], w, mean_sq, None)
        layer = RelationalRBFLayer(
            self.tensor(p.S),
            self.tensor(A),
            bandwidths=self.tensor(first.bandwidths),
            kernel=self.kernel,
            dropout=self.options["dropout"],
            directions=self.directions,
        )
        self._axes = layer._axes = layer._hull() if self._axes is None else self._axes
        head = ResidualMLP(len(A), self.options["hidden_layer_sizes"], p.n_outputs).to(self.T)
        with torch.no_grad():
            head.linear.weight.copy_(self.tensor(first.weights).T)
            head.linear.bias.copy_(self.tensor(first.bias))
            if self.has_teacher:
                head.linear.weight.zero_()
                head.linear.bias.zero_()
        return RelationalNet(layer, head)

    def losses(self, net: nn.Module, batch: Tensor) -> Tensor:
        """Return the loss of each object."""
        responses = self.offsets[batch] + net(self.T[batch])
        if self.problem.has_classes:
            return nn.functional.cross_entropy(responses, self.targets[batch], reduction="none")
        return (responses - self.targets[batch]).square().mean(dim=1)

    def train(
        self, net: RelationalNet, objects: Indices, n_epochs: int, on_epoch: Any = None
    ) -> Any:
        """Train a network on some objects."""
        o = self.options
        return train_network(
            net,
            lambda batch: self.losses(net, batch).mean(),
            torch.from_numpy(objects).to(self.device),
            optimizer=LatentAdam(net, lr=o["learning_rate"], weight_decay=o["weight_decay"]),
            batch_size=o["batch_size"],
            max_epochs=n_epochs,
            on_epoch=on_epoch,
        )

    def held_out(self, train: Indices, test: Indices) -> Array:
        """Return the loss of each held-out object (1 + max_iter × k) after each epoch."""
        net, held_out = self.make_net(train), torch.from_numpy(test).to(self.device)
        rows: list[Array] = []

        def note(_: float = 0.0) -> bool:
            net.eval()
            with torch.no_grad():
                rows.append(self.losses(net, held_out).cpu().numpy().astype(np.float64))
            means = [row.mean() for row in rows]
            return len(rows) - 1 - int(np.argmin(means)) >= self.options["n_iter_no_change"]

        note()
        self.train(net, train, self.options["max_iter"], note)
        rows += [rows[-1]] * (1 + self.options["max_iter"] - len(rows))
        return np.stack(rows)


def as_arrays(net: RelationalNet) -> DeepNetwork:
    """Return a trained network in plain arrays."""
    layer, head = net.layers[0], net.head
    assert isinstance(layer, RelationalRBFLayer)
    assert isinstance(head, ResidualMLP)
    A = layer.coefficients.detach()
    halves = ((A @ layer.support_sq) * A).sum(dim=1) / 2
    deep = [] if head.deep is None else [each for each in head.deep if isinstance(each, nn.Linear)]
    hidden = [each.out_features for each in deep[:-1]]
    arrays = (A, halves, layer.bandwidths.detach(), parameters_to_vector(head.parameters()))
    own, offsets, bandwidths, parameters = (each.detach().cpu().numpy() for each in arrays)
    sizes = [len(own), *hidden, head.linear.out_features]
    return DeepNetwork(layer.activation.kernel, own, offsets, bandwidths, sizes, parameters)


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
