"""Networks on sequences: windows, gates, unequal lengths; and the training loop."""

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from torch import nn

from benchmarks.deep.equivalents import squares
from relrbf.exceptions import OptionError, RelationError
from relrbf.torch import (
    LatentAdam,
    RelationalGRU,
    RelationalRBFLayer,
    RelationalTDNN,
    VectorRBFLayer,
    squared_distances_to_frames,
    train_network,
)

NETWORKS = [RelationalTDNN, RelationalGRU]


@pytest.fixture
def walks(rng):
    """Thirty walks in three dimensions, of 4 to 12 steps, that drift up or down; support; y."""
    y = np.arange(30) % 2
    steps = [rng.standard_normal((4 + k % 9, 3)) + (0.8 if y[k] else -0.8) for k in range(30)]
    sequences = [np.cumsum(each, axis=0) for each in steps]
    return sequences, np.vstack(sequences)[::9], y


def make(kind, support, seed=0, **options):
    torch.manual_seed(seed)
    frames = torch.from_numpy(support)
    layer = RelationalRBFLayer(squares(frames), 6)
    return kind(layer, 2, **options).double()


@pytest.mark.parametrize("kind", NETWORKS)
def test_padding_changes_nothing(walks, kind):
    sequences, support, _ = walks
    net = make(kind, support).eval()
    padded, lengths = squared_distances_to_frames(sequences, support, dtype=torch.float64)
    together = net(padded, lengths=lengths)
    longer = nn.functional.pad(padded, (0, 0, 0, 5), value=7.0)
    torch.testing.assert_close(net(longer, lengths=lengths), together)
    for k in (0, 5, 8):
        alone = net(padded[k : k + 1, : lengths[k]], lengths=lengths[k : k + 1])
        torch.testing.assert_close(alone[0], together[k])


def test_lengths_may_stay_on_another_device_than_frames():
    with torch.device("meta"):
        net = RelationalTDNN(RelationalRBFLayer(torch.empty(9, 9), torch.empty(4, 9)), 2)
        T = torch.empty(3, 7, 9)
    found = net(T, lengths=torch.tensor([7, 2, 5]))
    assert found.device.type == "meta"
    assert found.shape == (3, 2)


@pytest.mark.parametrize("kind", NETWORKS)
def test_order_in_time_matters(walks, kind):
    sequences, support, _ = walks
    net = make(kind, support).eval()
    forwards, lengths = squared_distances_to_frames(sequences[:4], support, dtype=torch.float64)
    backwards, _ = squared_distances_to_frames(
        [each[::-1] for each in sequences[:4]], support, dtype=torch.float64
    )
    assert (net(forwards, lengths=lengths) - net(backwards, lengths=lengths)).abs().max() > 1e-4


@pytest.mark.parametrize("kind", NETWORKS)
def test_a_network_on_sequences_is_its_vector_equivalent(walks, kind):
    """The support's frames span their space, so that every frame lies in its hull."""
    sequences, support, y = walks
    net = make(kind, support)
    relational = net.layers[0]
    points = relational.coefficients.detach() @ torch.from_numpy(support)
    vector_layer = VectorRBFLayer(
        points, relational.bandwidths.detach(), unit=float(relational.unit)
    )
    torch.manual_seed(0)
    other = kind(vector_layer, 2).double()
    other.load_state_dict(
        {k: v for k, v in net.state_dict().items() if "layers" not in k}, strict=False
    )
    T, lengths = squared_distances_to_frames(sequences, support, dtype=torch.float64)
    frames = [torch.from_numpy(each) for each in sequences]
    X = nn.utils.rnn.pad_sequence(frames, batch_first=True)
    targets = torch.from_numpy(y)
    optimizers = [LatentAdam(each, lr=0.005) for each in (net, other)]
    for _ in range(15):
        for each, query, optimizer in zip((net, other), (T, X), optimizers, strict=True):
            optimizer.zero_grad()
            nn.functional.cross_entropy(each(query, lengths=lengths), targets).backward()
            optimizer.step()
    # the pseudo-inverse of K divides rounding errors by its smallest eigenvalue
    torch.testing.assert_close(
        net(T, lengths=lengths), other(X, lengths=lengths), rtol=1e-7, atol=1e-7
    )


@pytest.mark.parametrize("kind", NETWORKS)
def test_sequences_are_learned(walks, kind):
    sequences, support, y = walks
    net = make(kind, support, dropout=0.1)
    T, lengths = squared_distances_to_frames(sequences, support, dtype=torch.float64)
    targets = torch.from_numpy(y)

    def loss(batch):
        return nn.functional.cross_entropy(net(T[batch], lengths=lengths[batch]), targets[batch])

    curve = train_network(
        net, loss, torch.arange(30), optimizer=LatentAdam(net, lr=0.01), max_epochs=40
    )
    assert curve.training[-1] < 0.5 * curve.training[0]
    assert curve.best_epoch == 40
    assert (net(T, lengths=lengths).argmax(dim=1) == targets).double().mean() > 0.9


def test_frames_of_any_kind_have_a_measure():
    words = [["ab", "abc"], ["b"]]
    found, lengths = squared_distances_to_frames(
        words, ["a", "abcd"], measure=lambda a, b: (len(a) - len(b)) ** 2
    )
    assert lengths.tolist() == [2, 1]
    assert_allclose(found, [[[1, 4], [4, 1]], [[0, 9], [0, 0]]])


def test_bad_sequences_are_refused(walks):
    sequences, support, _ = walks
    net = make(RelationalTDNN, support)
    T, lengths = squared_distances_to_frames(sequences, support, dtype=torch.float64)
    with pytest.raises(OptionError, match="from 1 to 12"):
        net(T, lengths=lengths + 1)
    with pytest.raises(OptionError, match="for each of the 30"):
        net(T, lengths=lengths[:3])
    with pytest.raises(RelationError, match="2 relations came"):
        net(T, T, lengths=lengths)
    with pytest.raises(OptionError, match="odd number"):
        make(RelationalTDNN, support, width=4)
    with pytest.raises(RelationError, match="without frames"):
        squared_distances_to_frames([np.zeros((0, 3))], support)
    with pytest.raises(RelationError, match="of 3 features"):
        squared_distances_to_frames([np.zeros((4, 2))], support)


def test_the_best_epoch_of_a_validation_set_is_kept():
    """A step too large: every epoch is worse than the start."""
    torch.manual_seed(0)
    net = nn.Linear(2, 1)
    X, y = torch.randn(20, 2), torch.zeros(20)
    with torch.no_grad():
        net.weight.zero_()
        net.bias.zero_()
    before = net.weight.detach().clone()

    def loss(batch):
        return (net(X[batch])[:, 0] - y[batch] - 1e-3).square().mean()

    optimizer = torch.optim.SGD(net.parameters(), lr=50.0)
    curve = train_network(
        net,
        loss,
        torch.arange(10),
        validation=torch.arange(10, 20),
        optimizer=optimizer,
        patience=3,
        max_epochs=50,
    )
    assert curve.best_epoch == 0
    assert len(curve.training) == 3
    torch.testing.assert_close(net.weight, before)


def test_training_stops_when_told_to():
    net = nn.Linear(2, 1)
    X = torch.ones(4, 2)
    curve = train_network(
        net, lambda batch: net(X[batch]).square().mean(), torch.arange(4), on_epoch=lambda _: True
    )
    assert len(curve.training) == 1
