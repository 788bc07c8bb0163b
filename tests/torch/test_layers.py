"""The layer's shapes, dtypes, devices and errors, and Adam in the latent norm."""

import copy
import re

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from torch import nn

from benchmarks.deep.equivalents import squares
from relrbf import as_relation
from relrbf.exceptions import OptionError, RelationError
from relrbf.network import KERNELS, GeneralizedGaussian, Polynomial, RationalQuadratic
from relrbf.torch import LatentAdam, RelationalNet, RelationalRBFLayer, VectorRBFLayer
from relrbf.torch.activations import Activation

LINE = torch.tensor([[0.0, 1, 4], [1, 0, 1], [4, 1, 0]])  # points 0, 1, 2


@pytest.fixture
def S():
    torch.manual_seed(0)
    return squares(torch.randn(10, 3, dtype=torch.float64))


KINDS = [*KERNELS, RationalQuadratic(2.5), Polynomial(0.5), GeneralizedGaussian(0.5)]


@pytest.mark.parametrize("kernel", KINDS, ids=str)
def test_activations_and_their_derivatives_are_those_of_the_kernels(kernel):
    known = KERNELS[kernel]() if isinstance(kernel, str) else kernel
    u = torch.linspace(-30, 30, 200, dtype=torch.float64)[None].requires_grad_()
    found = Activation(kernel)(u)
    found.sum().backward()
    at = u.detach().numpy()
    value = known.activate(at.copy())
    assert_allclose(found.detach(), value, rtol=1e-13)
    assert_allclose(u.grad, known.differentiate(at.copy(), value), rtol=1e-12, atol=1e-300)


def test_a_kernel_without_an_equivalent_is_refused():
    with pytest.raises(OptionError, match="no equivalent"):
        Activation("cubic")


@pytest.mark.parametrize("shape", [(7,), (4, 7), (2, 3, 7)])
def test_leading_dimensions_are_kept(S, shape):
    layer = RelationalRBFLayer(S, 4)
    positions = torch.arange(torch.Size(shape).numel()).reshape(shape) % 10
    by_position = layer(positions=positions)
    assert by_position.shape == (*shape, 4)
    torch.testing.assert_close(by_position, layer(S[positions]))


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16, torch.float16])
def test_dtype_follows_the_input(S, dtype):
    layer = RelationalRBFLayer(S.to(dtype), 4)
    found = layer(positions=torch.arange(10))
    found.sum().backward()
    assert found.dtype == layer.coefficients.grad.dtype == dtype
    # the largest entry of S over the width: its rounding error is that of the activations
    exact = RelationalRBFLayer(S, layer.coefficients.double(), bandwidths=layer.bandwidths.double())
    off = (found.double() - exact(S)).abs().max()
    assert off <= 16 * torch.finfo(dtype).eps * S.max() / S.mean()


def test_a_layer_moves_to_another_dtype(S):
    layer = RelationalRBFLayer(S, 4)
    expected = layer(S)
    layer.float()
    assert layer(S.float()).dtype == torch.float32
    assert_allclose(layer(S.float()).detach(), expected.detach(), atol=1e-4)


def test_nothing_leaves_the_device():
    S = torch.empty(50, 50, device="meta")
    layer = RelationalRBFLayer(S, torch.empty(4, 50, device="meta"))
    net = RelationalNet(layer, nn.Linear(4, 3, device="meta"))
    optimizer = LatentAdam(net)
    for found in (
        net(torch.empty(8, 50, device="meta")),
        net(positions=torch.arange(8).to("meta")),
    ):
        assert found.device.type == "meta"
        assert found.shape == (8, 3)
    found.sum().backward()
    optimizer.step()
    assert layer.coefficients.grad.device.type == "meta"


def test_prototypes_are_left_out_of_training_batches_only(S):
    layer = RelationalRBFLayer(S, 8, dropout=0.5)
    whole = layer.eval()(S)
    torch.manual_seed(0)
    found = layer.train()(S)
    is_left_out = (found == 0).all(dim=0)
    assert 0 < is_left_out.sum() < 8
    torch.testing.assert_close(found[:, ~is_left_out], 2 * whole[:, ~is_left_out])


def test_decay_draws_prototypes_back_to_where_they_began(S):
    moved = []
    for decay in (0.0, 5.0):
        torch.manual_seed(0)
        layer = RelationalRBFLayer(S, torch.full((2, 10), 0.1, dtype=torch.float64))
        optimizer = LatentAdam(layer, lr=0.02, weight_decay=decay)
        for _ in range(100):
            optimizer.zero_grad()
            layer(positions=torch.tensor([0, 1]))[:, 0].sum().neg().backward()
            optimizer.step()
        moved.append(layer.norms_sq((layer.prototypes - layer.anchor).detach())[0])
    assert moved[1] < 0.5 * moved[0]
    assert_allclose(layer.coefficients.detach().sum(dim=1), 1, atol=1e-12)


@pytest.mark.parametrize("power", [-60, 60])
def test_the_unit_of_the_dissimilarities_changes_no_step(S, power):
    found = []
    for units in (1.0, 2.0**power):  # by which no number is rounded
        torch.manual_seed(0)
        layer = RelationalRBFLayer(units * S, torch.full((2, 10), 0.1, dtype=torch.float64))
        optimizer = LatentAdam(layer, lr=0.02)
        for _ in range(20):
            optimizer.zero_grad()
            layer(positions=torch.tensor([0, 1]))[:, 0].sum().neg().backward()
            optimizer.step()
        found.append(layer.coefficients.detach())
    assert_allclose(found[1], found[0], rtol=1e-9, atol=1e-12)


def test_other_parameters_take_adams_steps():
    torch.manual_seed(0)
    nets = [nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))]
    nets.append(copy.deepcopy(nets[0]))
    optimizers = LatentAdam(nets[0], lr=0.01), torch.optim.Adam(nets[1].parameters(), lr=0.01)
    X = torch.randn(20, 3)
    for _ in range(20):
        for net, optimizer in zip(nets, optimizers, strict=True):
            optimizer.zero_grad()
            net(X).square().sum().backward()
            optimizer.step()
    torch.testing.assert_close(nets[0](X), nets[1](X))


def test_positive_directions_have_positive_lengths():
    """On K(2,3), which has no vectors, the latent gradient has a part of negative length."""
    S = torch.tensor(
        [[0, 4, 1, 1, 1], [4, 0, 1, 1, 1], [1, 1, 0, 4, 4], [1, 1, 4, 0, 4], [1, 1, 4, 4, 0]],
        dtype=torch.float64,
    )
    squared_lengths = {}
    for directions in ("latent", "positive"):
        layer = RelationalRBFLayer(S, torch.full((1, 5), 0.2).double(), directions=directions)
        layer(positions=torch.tensor([0, 2])).sum().backward()
        b = layer.coefficients.grad
        squared_lengths[directions] = float((-(b @ S) * b).sum() / 2)
        layer.coefficients.grad = None
        layer(S[[0, 2]]).sum().backward()
        assert_allclose(layer.coefficients.grad, b, atol=1e-12)
    assert squared_lengths["positive"] > max(squared_lengths["latent"], 0)


def test_input_that_is_no_relation_is_refused(S):
    layer = RelationalRBFLayer(S, 3)
    for query_sq, message in [
        (S[:, :4], "one column for each of the 10"),
        (-S, "not negative"),
        (torch.full_like(S, torch.nan), "NaN or infinity"),
        (S + torch.inf, "NaN or infinity"),
        (S.long(), "floats"),
    ]:
        with pytest.raises(RelationError, match=message):
            layer(query_sq)
    with pytest.raises(OptionError, match="one of them"):
        layer()


@pytest.mark.parametrize(
    ("support_sq", "message"),
    [
        (np.zeros((3, 3)), "tensor of shape"),
        (LINE[:2], "square"),
        (LINE + torch.eye(3), "zeros"),
        (torch.triu(LINE), "symmetric"),
        (-LINE, "not negative"),
    ],
)
def test_a_support_that_is_no_relation_is_refused(support_sq, message):
    with pytest.raises(RelationError, match=message):
        RelationalRBFLayer(support_sq, 2)


@pytest.mark.parametrize(
    ("coefficients", "options", "message"),
    [
        (torch.ones(2, 3), {}, "row 0 of coefficients sums to 3"),
        (torch.full((2, 3), torch.nan), {}, "sums to nan"),
        (torch.ones(2, 2), {}, "one column for each of the 3"),
        (torch.eye(3), {"bandwidths": -1.0}, "positive"),
        (torch.eye(3), {"dropout": 1.0}, "dropout is 1.0"),
        (torch.eye(3), {"outside": "ignore"}, "outside='ignore' does not exist"),
        (torch.eye(3), {"directions": "up"}, "directions='up' does not exist"),
    ],
)
def test_options_that_do_not_fit_are_refused(coefficients, options, message):
    with pytest.raises(OptionError, match=message):
        RelationalRBFLayer(LINE, coefficients, **options)


@pytest.mark.parametrize("options", [{"lr": -1.0}, {"betas": (0.9, 1.0)}, {"weight_decay": -1.0}])
def test_options_of_the_optimizer_are_checked(options):
    layer = VectorRBFLayer(torch.eye(3))
    with pytest.raises(OptionError, match=next(iter(options))):
        LatentAdam(layer, **options)


def test_objects_off_the_hull_are_refused_when_asked():
    """Points 0, 1, 2 on a line, and one that is off the line by 1."""
    layer = RelationalRBFLayer(LINE.double(), 2, outside="refuse")
    on, off = torch.tensor([[9.0, 4, 1]]).double(), torch.tensor([[2.0, 1, 2]]).double()
    layer(on)
    layer.eval()(off)
    with pytest.raises(RelationError, match=r"squared distance of 1: .*outside='project'"):
        layer.train()(torch.cat([on, off]))


def test_the_advice_for_a_support_that_is_not_symmetric_can_be_followed():
    lopsided = LINE + torch.triu(torch.ones(3, 3), 1)
    with pytest.raises(RelationError, match="must be symmetric") as caught:
        RelationalRBFLayer(lopsided, 2)
    policy = re.search(r"symmetrize='(\w+)'", str(caught.value))[1]
    with pytest.warns(UserWarning, match="was not symmetric"):
        symmetric = as_relation(lopsided.numpy(), symmetrize=policy).block()
    RelationalRBFLayer(torch.from_numpy(symmetric), 2)
