"""A network of any depth on dissimilarities takes the steps of its vector equivalent."""

import pytest
import torch
from numpy.testing import assert_allclose
from torch import nn

from benchmarks.deep.equivalents import (
    OPTIMIZERS,
    differences,
    equivalent_networks,
    squares,
    train_both,
)
from relrbf.torch import LatentAdam, RelationalRBFLayer

# rounding errors of one step add up, and these steps are too small to multiply them by much
TOLERANCES = {torch.float64: 1e-11, torch.float32: 1e-3}
STEPS = {"sgd": 0.1, "nesterov": 0.02, "latent-adam": 0.01}


def blobs(dtype=torch.float64, n=60):
    torch.manual_seed(1)
    y = torch.arange(n) % 3
    return (torch.randn(n, 4, dtype=torch.float64) + 2 * torch.eye(4)[y]).to(dtype), y


@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize("depth", [1, 2, 3, 4])
@pytest.mark.parametrize("batch_size", [None, 32])
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_both_networks_stay_the_same(dtype, depth, batch_size, optimizer):
    X, y = blobs(dtype)
    nets = equivalent_networks(X, 6, depth, 3)
    start = nets[0].layers[0].coefficients.detach().clone()
    for _ in train_both(nets, X, y, optimizer, STEPS[optimizer], 60, batch_size):
        pass
    assert max(differences(nets, X)) <= TOLERANCES[dtype]
    assert (nets[0].layers[0].coefficients - start).abs().max() > 1e-5


@pytest.mark.parametrize(
    "kernel",
    ["gaussian", "multiquadric", "inverse-multiquadric", "rational-quadratic", "polynomial"],
)
def test_with_every_kernel(kernel):
    X, y = blobs()
    nets = equivalent_networks(X, 6, 2, 3, kernel=kernel)
    for _ in train_both(nets, X, y, "nesterov", 0.005, 60, 32):
        pass
    assert max(differences(nets, X)) <= TOLERANCES[torch.float64]


def test_dissimilarities_of_objects_in_the_support_move_prototypes_as_their_positions_do():
    X, y = blobs()
    nets = equivalent_networks(X, 6, 3, 3)
    for _ in train_both(nets, X, y, "latent-adam", 0.01, 60, 32, query=True):
        pass
    # the pseudo-inverse of K divides rounding errors by its smallest eigenvalue
    assert max(differences(nets, X)) <= 1e3 * TOLERANCES[torch.float64]


def test_objects_within_the_hull_of_a_small_support_move_prototypes_as_vectors_do():
    X, y = blobs()
    support = X[:20]  # of 4 dimensions: all others lie within the hull
    T = (X[:, None] - support[None]).square().sum(dim=-1)
    torch.manual_seed(0)
    relational, vector = equivalent_networks(support, 5, 2, 3)
    optimizers = [LatentAdam(net, lr=0.01) for net in (relational, vector)]
    for _ in range(60):
        for net, batch, each in zip((relational, vector), (T, X), optimizers, strict=True):
            each.zero_grad()
            nn.functional.cross_entropy(net(batch), y).backward()
            each.step()
    assert_allclose(relational(T).detach(), vector(X).detach(), atol=1e-8)


def test_the_latent_gradient_times_the_gram_matrix_is_the_plain_one():
    X, _ = blobs(n=12)
    S, g = squares(X), torch.randn(12, 5, dtype=torch.float64)
    A = torch.rand(5, 12, dtype=torch.float64)
    A /= A.sum(dim=1, keepdim=True)
    layer = RelationalRBFLayer(S, A)
    (g * layer.distances_sq(positions=torch.arange(12))).sum().backward()
    plain = A.clone().requires_grad_()
    (g * (S @ plain.T - ((plain @ S) * plain).sum(dim=1) / 2)).sum().backward()
    J = torch.eye(12, dtype=torch.float64) - 1 / 12
    expected, K = plain.grad @ J, -0.5 * J @ S @ J
    assert_allclose(layer.coefficients.grad @ K, expected, atol=1e-10 * expected.abs().max())
    assert_allclose(layer.coefficients.grad.sum(dim=1), 0, atol=1e-12)
    assert (plain.grad - layer.coefficients.grad).abs().max() > 1  # which is another vector


def test_a_printed_step_is_another_one():
    """Equation 2.9 takes a sixteenth of the first-order term (theory 5.6)."""
    X, y = blobs()
    nets = equivalent_networks(X, 6, 1, 3)
    layer = nets[0].layers[0]
    nn.functional.cross_entropy(nets[0](positions=torch.arange(60)), y).backward()
    before = layer.distances_sq(layer.support_sq).detach()
    step = -1e-4 * layer.coefficients.grad
    first_order = (step @ layer.support_sq).T  # of the printed change, but for its prefactor
    with torch.no_grad():
        layer.coefficients.add_(step)
    exact = layer.distances_sq(layer.support_sq).detach() - before
    printed = first_order / 16
    assert (printed - exact).norm() > 0.5 * exact.norm()


def test_plain_gradients_take_other_steps():
    X, y = blobs()
    relational, vector = equivalent_networks(X, 6, 2, 3)
    S, A = squares(X), relational.layers[0].coefficients.detach().clone().requires_grad_()
    gaps = []
    for _ in range(5):
        distances_sq = S @ A.T - ((A @ S) * A).sum(dim=1) / 2
        loss = nn.functional.cross_entropy(
            relational.head(relational.layers[0]._activate(distances_sq)), y
        )
        (gradient,) = torch.autograd.grad(loss, [A])
        nn.functional.cross_entropy(vector(X), y).backward()
        with torch.no_grad():
            A -= 0.1 * gradient
            vector.layers[0].prototypes -= 0.1 * vector.layers[0].prototypes.grad
            vector.zero_grad()
        gaps.append((A.detach() @ X - vector.layers[0].prototypes.detach()).abs().max())
    assert gaps[-1] > 0.1


def test_the_distances_have_the_derivatives_of_finite_differences():
    X, _ = blobs(n=8)
    layer = RelationalRBFLayer(squares(X), 3)
    T = (squares(X)[:4] + 0.1).requires_grad_()
    assert torch.autograd.gradcheck(layer.distances_sq, (T,))
    assert torch.autograd.gradcheck(layer.forward, (T,))
    nets = equivalent_networks(X, 3, 1, 2)
    vector = nets[1].layers[0]

    def at(points):
        return torch.func.functional_call(vector, {"prototypes": points}, (X,))

    assert torch.autograd.gradcheck(at, (vector.prototypes.detach().requires_grad_(),))


def test_an_optimizer_that_scales_coordinates_breaks_the_sum():
    X, y = blobs()
    net = equivalent_networks(X, 6, 2, 3)[0]
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    nn.functional.cross_entropy(net(positions=torch.arange(60)), y).backward()
    optimizer.step()
    with pytest.warns(UserWarning, match="LatentAdam"):
        net(positions=torch.arange(60))
