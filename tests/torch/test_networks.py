"""Networks of layers, and from and to fitted estimators."""

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist
from sklearn.datasets import load_diabetes
from torch import nn

from benchmarks.deep.equivalents import squares
from relrbf import RBFNetworkClassifier, RBFNetworkRegressor, load, save
from relrbf.exceptions import OptionError, RelationError
from relrbf.network import LocallyScaledNetwork
from relrbf.torch import (
    LatentAdam,
    NetworkEnsemble,
    RelationalNet,
    RelationalRBFLayer,
    ResidualMLP,
    export_network,
)


def query(model, D):
    return torch.from_numpy(D[:, model.support_] ** model.exponent_)


def fitted(D, y, **options):
    return RBFNetworkClassifier(random_state=0, **options).fit(D, y)


OPTIONS = [
    {},
    {"kernel": "multiquadric"},
    {"solver": "lbfgs", "n_prototypes": 5},
    {"n_support": 20},
    {"space": "medoid"},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_a_network_answers_as_the_estimator_it_came_from(blobs, options):
    _, D, y = blobs
    model = fitted(D, y, **options)
    net = RelationalNet.from_estimator(model, D)
    expected = model._respond(D)
    # responses are sums of activations times weights that largely cancel
    atol = 1e-13 * np.abs(model.weights_).sum(axis=0).max()
    assert_allclose(net(query(model, D)).detach(), expected, atol=atol)
    assert_allclose(
        RelationalRBFLayer.from_estimator(model, D)(query(model, D)).detach(),
        model.transform(D),
        atol=1e-12,
    )


def test_a_locally_scaled_network_answers_alike(rng):
    """Groups whose sizes span decades, where neighbours set the unit."""
    y = np.arange(90) % 2
    X = rng.standard_normal((90, 2)) * 10.0 ** (np.arange(90) % 3)[:, None] + 3 * y[:, None]
    D = cdist(X, X)
    model = fitted(D, y)
    net = RelationalNet.from_estimator(model)
    net.layers[0].local_scaling = True
    network = LocallyScaledNetwork(
        *(getattr(model._network, name) for name in ("kernel", "bandwidths", "weights", "bias")),
        n_sites=len(model.support_),
    )
    expected = network.forward(model.prototypes_.distances_sq_to(query(model, D).numpy()))
    assert_allclose(net(query(model, D)).detach(), expected.responses, rtol=1e-9, atol=1e-9)


def test_a_trained_network_goes_back_to_an_estimator(blobs, tmp_path):
    _, D, y = blobs
    model = fitted(D, y, solver="lbfgs", n_prototypes=5)
    net = RelationalNet.from_estimator(model, D)
    optimizer = LatentAdam(net, lr=0.01)
    for _ in range(5):
        optimizer.zero_grad()
        nn.functional.cross_entropy(net(query(model, D)), torch.from_numpy(y)).backward()
        optimizer.step()
    back = net.to_estimator(model)
    expected = net(query(model, D)).detach().numpy()
    assert_allclose(back._respond(D), expected, atol=1e-12)
    assert np.abs(expected - model._respond(D)).max() > 1e-3
    assert_array_equal(back.prototypes_.nearest(1)[:, 0] >= 0, True)
    save(back, tmp_path / "model.relrbf")
    assert_array_equal(load(tmp_path / "model.relrbf").predict(D), back.predict(D))


def test_a_regressor_is_converted_as_well():
    X, y = load_diabetes(return_X_y=True)
    D = cdist(X[:100], X[:100])
    model = RBFNetworkRegressor(random_state=0, n_prototypes=6).fit(D, y[:100])
    net = RelationalNet.from_estimator(model, D)
    assert_allclose(net(query(model, D)).detach(), model._respond(D), rtol=1e-9)


def test_what_cannot_be_converted_is_refused(blobs):
    X, D, y = blobs
    small = fitted(D, y, solver="lbfgs", n_prototypes=5)
    for model, options, message in [
        (nn.Linear(1, 1), {}, "model is a Linear"),
        (small, {}, "Pass those it was fitted to"),
        (small, {"relation": D[:10, :10]}, "relation has 10 objects"),
        (fitted(X, y, space="vector", metric="euclidean"), {}, "VectorRBFLayer"),
    ]:
        with pytest.raises(OptionError, match=message):
            RelationalRBFLayer.from_estimator(model, **options)
    deep = RelationalNet.from_estimator(small, D, head=ResidualMLP(5, [4], 3))
    with pytest.raises(OptionError, match="only a linear one"):
        deep.to_estimator(small)
    with pytest.raises(OptionError, match="the model that the network was made from"):
        RelationalNet.from_estimator(small, D).to_estimator(fitted(D[:40, :40], y[:40]))


@pytest.mark.parametrize("format", ["export", "torchscript"])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_an_exported_network_needs_dissimilarities_to_the_support_alone(blobs, tmp_path, format):
    _, D, y = blobs
    model = fitted(D, y)
    net = RelationalNet.from_estimator(model, D)
    path = tmp_path / "net.pt2"
    export_network(net, path, format)
    other = torch.jit.load(path) if format == "torchscript" else torch.export.load(path).module()
    T = query(model, D)
    torch.testing.assert_close(other(T[:7]), net(T[:7]).detach(), rtol=1e-9, atol=1e-9)
    names = {name.split(".")[-1] for name, _ in other.named_buffers()}
    assert "support_sq" not in names


def test_relations_go_through_layers_side_by_side():
    torch.manual_seed(0)
    S, other = squares(torch.randn(12, 3)), squares(torch.randn(9, 2))
    layers = [RelationalRBFLayer(S, 4), RelationalRBFLayer(other, 3)]
    net = RelationalNet(layers, ResidualMLP(7, [5], 2))
    assert net(S[:6], other[:6]).shape == (6, 2)
    net(S[:6], other[:6]).sum().backward()
    assert all(layer.coefficients.grad is not None for layer in layers)
    with pytest.raises(RelationError, match="1 relations came; the network has 2"):
        net(S)
    with pytest.raises(OptionError, match="layers is empty"):
        RelationalNet([], nn.Linear(1, 1))
    with pytest.raises(OptionError, match="one relational input layer"):
        export_network(net, "never-written")


def test_depth_begins_at_nothing():
    torch.manual_seed(0)
    head = ResidualMLP(5, [8, 8], 2, dropout=0.2)
    phi = torch.rand(3, 5)
    torch.testing.assert_close(head(phi), head.linear(phi))


def test_an_ensemble_has_the_mean_of_probabilities():
    torch.manual_seed(0)
    networks, X = [nn.Linear(4, 3), nn.Linear(4, 3)], torch.randn(5, 4)
    expected = (networks[0](X).softmax(dim=1) + networks[1](X).softmax(dim=1)) / 2
    torch.testing.assert_close(NetworkEnsemble(networks)(X).exp(), expected)
