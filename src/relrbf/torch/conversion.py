"""From fitted estimators to layers, and back."""

from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from sklearn.utils.validation import check_is_fitted
from torch import Tensor, nn

from relrbf.estimators import RBFNetworkClassifier, RBFNetworkRegressor
from relrbf.exceptions import OptionError
from relrbf.network import LocallyScaledNetwork
from relrbf.prototypes import FixedPrototypes, ObjectPrototypes, VectorPrototypes
from relrbf.prototypes.relational import N_NEAR
from relrbf.relations import as_relation
from relrbf.torch.layers import RelationalRBFLayer


def layer_arguments(model: Any, relation: Any) -> tuple[Tensor, Tensor, dict[str, Any]]:
    """Return support_sq, coefficients and options of the layer that a fitted model has."""
    if not isinstance(model, RBFNetworkClassifier | RBFNetworkRegressor):
        raise OptionError(
            f"model is a {type(model).__name__}; it must be a fitted RBFNetworkClassifier or "
            "RBFNetworkRegressor.",
            "model",
        )
    check_is_fitted(model)
    placed, network = model.prototypes_, model._network
    if isinstance(placed, VectorPrototypes):
        raise OptionError(
            "model has space='vector': its prototypes are points, for a VectorRBFLayer.", "model"
        )
    own = placed.coefficients[:, model.support_]
    coefficients = torch.from_numpy(own.astype(model.bandwidths_.dtype))
    options = {
        "bandwidths": torch.from_numpy(network.bandwidths.copy()),
        "kernel": network.kernel,
        "local_scaling": isinstance(network, LocallyScaledNetwork),
    }
    return torch.from_numpy(_support_sq(model, relation)), coefficients, options


def _support_sq(model: Any, relation: Any) -> np.ndarray:
    """Return squared dissimilarities among the support, as far as they are known."""
    placed, support = model.prototypes_, model.support_
    if relation is not None:
        known = as_relation(relation).with_exponent(model.exponent_)
        if known.n_objects <= support.max():
            raise OptionError(
                f"relation has {known.n_objects} objects and the model's support reaches object "
                f"{support.max()}; pass the dissimilarities that it was fitted to.",
                "relation",
            )
        return known.block_sq(support, support).astype(model.bandwidths_.dtype)
    if isinstance(placed, ObjectPrototypes) and placed.relation is not None:
        return placed.relation.block_sq(support, support).astype(model.bandwidths_.dtype)
    raise OptionError(
        "the model keeps no dissimilarities among its support. Pass those it was fitted to: "
        "from_estimator(model, D).",
        "relation",
    )


def linear_head(model: Any) -> nn.Linear:
    """Return the output layer of a fitted model."""
    weights = torch.from_numpy(model._network.weights)
    head = nn.Linear(len(weights), weights.shape[1], dtype=weights.dtype)
    with torch.no_grad():
        head.weight.copy_(weights.T)
        head.bias.copy_(torch.from_numpy(model._network.bias))
    return head


def with_network(net: Any, model: Any) -> Any:
    """Return a copy of a fitted model that has the prototypes and weights of a network."""
    layer = net.layers[0]
    if len(net.layers) != 1 or not isinstance(layer, RelationalRBFLayer):
        raise OptionError("to_estimator needs a network of one relational input layer.", "net")
    if not isinstance(net.head, nn.Linear):
        raise OptionError(
            f"the head is a {type(net.head).__name__}; only a linear one has an estimator. Use the "
            "network itself, or DeepRBFClassifier and DeepRBFRegressor.",
            "head",
        )
    if layer.local_scaling:
        raise OptionError(
            "the layer has local scaling, which an estimator has only around prototypes that lie "
            "on objects. Use the network itself.",
            "net",
        )
    check_is_fitted(model)
    support = model.support_
    if len(layer.support_sq) != len(support):
        raise OptionError(
            f"model has a support of {len(support)} objects and the network one of "
            f"{len(layer.support_sq)}; pass the model that the network was made from.",
            "model",
        )
    other = copy(model)
    other.__dict__.pop("_last_fit", None)
    other.prototypes_ = _fixed_prototypes(layer, model)
    network = replace(
        model._network,
        kernel=layer.activation.kernel,
        bandwidths=_numbers(layer.bandwidths),
        weights=_numbers(net.head.weight.T),
        bias=_numbers(net.head.bias),
    )
    other._network = network
    other.bandwidths_, other.weights_ = network.bandwidths, network.weights
    other.bias_ = network.bias
    return other


def _fixed_prototypes(layer: RelationalRBFLayer, model: Any) -> FixedPrototypes:
    support, halves = model.support_, layer.halves()
    known_sq = _numbers(layer.products() - halves[:, None])
    near = support[np.argsort(known_sq, axis=1, kind="stable")[:, :N_NEAR]]
    n_objects, ids = model.prototypes_.coefficients.shape[1], model.prototypes_.ids
    own = _numbers(layer.coefficients)
    return FixedPrototypes(own, _numbers(halves), support, n_objects, known_sq, near, ids)


def _numbers(values: Tensor) -> np.ndarray:
    return values.detach().cpu().numpy().copy()
