"""Networks on relations: one or more input layers side by side, and any head."""

import warnings
from collections.abc import Sequence
from itertools import pairwise
from os import PathLike, fspath
from typing import Any, Self

import torch
from torch import Tensor, nn

from relrbf._options import check_choice
from relrbf.exceptions import OptionError, RelationError
from relrbf.torch.layers import RBFLayer, RelationalRBFLayer, local_scales


class InputLayers(nn.Module):
    """What all networks share: input layers side by side, one for each relation."""

    def __init__(self, layers: RBFLayer | Sequence[RBFLayer]) -> None:
        super().__init__()
        self.layers = nn.ModuleList([layers] if isinstance(layers, RBFLayer) else layers)
        if not len(self.layers):
            raise OptionError("layers is empty; a network needs an input layer.", "layers")
        self.n_activations = sum(layer.n_prototypes for layer in self.layers)  # type: ignore[misc]

    def activate(self, *queries: Tensor, positions: Tensor | None = None) -> Tensor:
        """Return the activations of all layers, side by side."""
        if positions is not None and not queries:
            return torch.cat([layer(positions=positions) for layer in self.layers], dim=-1)
        if len(queries) != len(self.layers):
            raise RelationError(
                f"{len(queries)} relations came; the network has {len(self.layers)} input layers "
                "and takes squared dissimilarities for each, in their order."
            )
        pairs = zip(self.layers, queries, strict=True)
        return torch.cat([layer(query) for layer, query in pairs], dim=-1)


class RelationalNet(InputLayers):
    """Input layers on one or more relations, whose activations go through a head.

    Parameters
    ----------
    layers : RBFLayer or sequence of them
        One for each relation, or for each support.
    head : nn.Module
        Takes as many features as the layers have prototypes together.

    Examples
    --------
    >>> import torch
    >>> from torch import nn
    >>> from relrbf.torch import RelationalNet, RelationalRBFLayer
    >>> S = torch.tensor([[0.0, 1, 4], [1, 0, 1], [4, 1, 0]])
    >>> layers = [RelationalRBFLayer(S, torch.eye(3)[:2]), RelationalRBFLayer(S, torch.eye(3))]
    >>> net = RelationalNet(layers, nn.Linear(5, 2))
    >>> net(S, S).shape
    torch.Size([3, 2])
    """

    def __init__(self, layers: RBFLayer | Sequence[RBFLayer], head: nn.Module) -> None:
        super().__init__(layers)
        self.head = head

    def forward(self, *queries: Tensor, positions: Tensor | None = None) -> Tensor:
        """Return responses to objects.

        Parameters
        ----------
        *queries : Tensors of shape (..., m)
            Squared dissimilarities to the support of each layer.
        positions : Tensor of int of shape (...,) or None
            Instead: positions of the objects in the support, which all layers share.
        """
        return self.head(self.activate(*queries, positions=positions))

    @classmethod
    def from_estimator(
        cls, model: Any, relation: Any = None, head: nn.Module | None = None, **options: Any
    ) -> Self:
        """Return a fitted ``RBFNetworkClassifier`` or ``RBFNetworkRegressor`` as a network.

        Parameters
        ----------
        model, relation, **options
            As of ``RelationalRBFLayer.from_estimator``.
        head : nn.Module or None, default=None
            None: the model's linear output layer, so that the responses are its own.
        """
        from relrbf.torch.conversion import linear_head

        layer = RelationalRBFLayer.from_estimator(model, relation, **options)
        return cls(layer, linear_head(model) if head is None else head)

    def to_estimator(self, model: Any) -> Any:
        """Return a copy of the estimator it was made from, with this network in its place.

        Parameters
        ----------
        model : estimator
            The fitted ``RBFNetworkClassifier`` or ``RBFNetworkRegressor`` given to
            ``from_estimator``. The head must be linear.
        """
        from relrbf.torch.conversion import with_network

        return with_network(self, model)


class ResidualMLP(nn.Module):
    """A linear map plus a multilayer perceptron, which starts at zero.

    So the network begins as the paper's, with a linear output layer, and depth adds to it what
    helps.

    Parameters
    ----------
    n_inputs, n_outputs : int
        Features in and out.
    hidden : sequence of int
        Widths of the hidden layers; none: the linear map alone.
    dropout : float, default=0.0
        Probability with which a hidden unit is left out of a training batch.
    """

    def __init__(
        self, n_inputs: int, hidden: Sequence[int], n_outputs: int, dropout: float = 0.0
    ) -> None:
        super().__init__()
        self.linear = nn.Linear(n_inputs, n_outputs)
        self.deep = make_mlp([n_inputs, *hidden, n_outputs], dropout) if len(hidden) else None
        if self.deep is not None:
            last = self.deep[-1]
            assert isinstance(last, nn.Linear)
            nn.init.zeros_(last.weight)
            nn.init.zeros_(last.bias)

    def forward(self, activations: Tensor) -> Tensor:
        """Return responses."""
        responses = self.linear(activations)
        return responses if self.deep is None else responses + self.deep(activations)


class NetworkEnsemble(nn.Module):
    """The mean of networks' class probabilities, such as of networks trained with other seeds.

    Where there are few objects to learn from, networks differ by chance, and their mean is better
    than one of them.

    Parameters
    ----------
    networks : sequence of nn.Module
        Each takes the same input and returns responses (n × g).
    """

    def __init__(self, networks: Sequence[nn.Module]) -> None:
        super().__init__()
        self.networks = nn.ModuleList(networks)

    def forward(self, *inputs: Any, **options: Any) -> Tensor:
        """Return the logarithms of the mean probabilities (n × g)."""
        each = [net(*inputs, **options).softmax(dim=-1) for net in self.networks]
        return torch.stack(each).mean(dim=0).log()


def make_mlp(sizes: Sequence[int], dropout: float = 0.0) -> nn.Sequential:
    """Return linear layers of these widths with ReLUs between them."""
    layers: list[nn.Module] = []
    for n_in, n_out in pairwise(sizes):
        if layers:
            layers += [nn.ReLU(), nn.Dropout(dropout)] if dropout else [nn.ReLU()]
        layers.append(nn.Linear(n_in, n_out))
    return nn.Sequential(*layers)


class CompactRBFLayer(nn.Module):
    """A relational layer that no longer learns: all that a prediction needs, and no S.

    Parameters
    ----------
    layer : RelationalRBFLayer
        The layer to copy.
    """

    coefficients: Tensor
    halves: Tensor
    precisions: Tensor

    def __init__(self, layer: RelationalRBFLayer) -> None:
        super().__init__()
        self.register_buffer("coefficients", layer.coefficients.detach().clone())
        self.register_buffer("halves", layer.halves())
        self.register_buffer("precisions", torch.exp(-2 * layer.log_bandwidths.detach()))
        self.activation, self.local_scaling = layer.activation, layer.local_scaling

    def forward(self, query_sq: Tensor) -> Tensor:
        """Return activations (..., c) from squared dissimilarities to the support (..., m)."""
        distances_sq = query_sq @ self.coefficients.T - self.halves
        if self.local_scaling:
            distances_sq = distances_sq / local_scales(query_sq).sqrt().unsqueeze(-1)
        return self.activation(distances_sq * self.precisions)


def compact(net: RelationalNet) -> nn.Sequential:
    """Return an equivalent network of one layer for prediction, without S."""
    if len(net.layers) != 1 or not isinstance(net.layers[0], RelationalRBFLayer):
        raise OptionError("net must have one relational input layer to be exported.", "net")
    return nn.Sequential(CompactRBFLayer(net.layers[0]), net.head).eval()


def export_network(net: RelationalNet, path: str | PathLike[str], format: str = "export") -> None:
    """Write a network for programs that have torch but not relrbf.

    The file's input is squared dissimilarities to the support, of any number of objects. S is not
    in it.

    Parameters
    ----------
    net : RelationalNet
        With one relational input layer, and a head that torch can export.
    path : path
        Where to write.
    format : {"export", "torchscript"}, default="export"
        "export" is read by ``torch.export.load(path).module()(query_sq)``. "torchscript" is read
        by ``torch.jit.load(path)(query_sq)`` and by LibTorch; torch calls it deprecated.
    """
    check_choice("format", format, ("torchscript", "export"))
    small = compact(net)
    layer = small[0]
    assert isinstance(layer, CompactRBFLayer)
    example = layer.coefficients.abs()[:1].expand(3, -1).contiguous()
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch's remarks about its own formats
        if format == "torchscript":
            torch.jit.trace(small, example, check_trace=False).save(fspath(path))
        else:
            batch = {0: torch.export.Dim("batch")}
            torch.export.save(
                torch.export.export(small, (example,), dynamic_shapes=(batch,)), fspath(path)
            )
