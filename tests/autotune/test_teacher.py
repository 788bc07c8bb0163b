"""The teacher: what it finds, what it leaves alone, and what must not matter."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist, pdist, squareform
from sklearn.datasets import make_gaussian_quantiles

from relrbf.autotune import teacher as module
from relrbf.autotune.resolve import auto_n_prototypes, choose_support
from relrbf.autotune.targets import Targets, TeacherProblem
from relrbf.autotune.teacher import MAX_COMPARED_OBJECTS, MAX_LAYERS, fit_teacher
from relrbf.network import Gaussian, LocallyScaledNetwork, Multiquadric
from relrbf.prototypes import RelationalSpace
from relrbf.relations import DenseRelation
from relrbf.relations.properties import order_by_centrality, spread_along, support_size

# The systems solved have condition 1e6 at most (the smallest penalties of ``leave_one_out``), and
# logits are some ten times the responses: rounding of 1e-16 becomes 1e-9, relative to the largest.
BOUND = 1e-8


def make_problem(D, y, w=None, alpha=None, kernel=None):
    Y = np.eye(y.max() + 1)[y] if y.dtype.kind == "i" else y[:, None]
    w = np.ones(len(y)) if w is None else w
    relation = DenseRelation(D)
    order = order_by_centrality(relation.product, w, Y, relation.product(w[None] / w.sum())[0])
    targets = Targets(Y, w / w[w > 0].mean(), y.dtype.kind == "i")
    return TeacherProblem(relation, targets, kernel or Gaussian(), order[w[order] > 0], alpha)


def teacher(D, y, **options):
    problem = make_problem(D, y, **options)
    return fit_teacher(problem, problem.objects)


def responses(found, D):
    """Return what the teacher's network says of objects with these dissimilarities."""
    query = np.tile(np.square(D[:, found.objects]).T, (len(found.layers), 1))
    return found.network(Gaussian()).forward(query).responses


def assert_near(found, expected):
    assert_allclose(found, expected, atol=BOUND * np.abs(expected).max())


def blobs(rng, n=120, apart=1.5):
    y = np.arange(n) % 3
    return rng.standard_normal((n, 5)) + apart * np.eye(5)[y], y


def decades(rng, n=150):
    """Pairs of groups whose spreads differ by 10 ** 5; the two of a pair lie side by side."""
    y, decade = np.arange(n) % 2, np.arange(n) // 2 % 6
    X = rng.standard_normal((n, 4)) + np.where(y[:, None], 4.0, 0.0) * [1, 0, 0, 0]
    return 1e3 * rng.standard_normal((6, 4))[decade] + X * 10.0 ** decade[:, None], y


def test_shells_are_told_apart_better_than_at_one_scale(rng, monkeypatch):
    X, y = make_gaussian_quantiles(n_samples=300, n_features=3, n_classes=3, random_state=0)
    train, new = np.arange(200), np.arange(200, 300)
    D = cdist(X, X)

    def accuracy():
        found = teacher(D[np.ix_(train, train)], y[train])
        logits = responses(found, D[np.ix_(new, train)])
        return found.loss, np.mean(logits.argmax(axis=1) == y[new])

    loss, combined = accuracy()
    monkeypatch.setattr(module, "WIDTHS", (0,))
    monkeypatch.setattr(module, "POWERS", (1.0,))
    loss_of_one, single = accuracy()
    assert loss < loss_of_one
    assert combined >= max(single, 0.85)


def test_local_scaling_is_chosen_where_dissimilarities_span_decades(rng):
    X, y = decades(rng)
    D = cdist(X, X)
    found = teacher(D, y)
    assert found.local_scales is not None
    assert all(layer.is_local for layer in found.layers)
    assert isinstance(found.network(Gaussian()), LocallyScaledNetwork)
    assert np.mean(found.left_out.argmax(axis=1) == y) > 0.9
    plain = found.tried[found.tried[:, 2] == 0]
    assert found.loss < 0.75 * plain[:, 3].min()


def test_local_scaling_is_not_chosen_for_plain_groups(rng):
    X, y = blobs(rng)
    found = teacher(cdist(X, X), y)
    assert found.local_scales is None
    assert {0, 1} == set(found.tried[:, 2])  # though it was tried


@pytest.mark.parametrize("relation", ["points", "pairs"])
@pytest.mark.parametrize("kind", ["numbers", "classes"])
def test_noise_gives_a_constant(rng, kind, relation):
    n_learned = 0
    for _ in range(20):
        X = rng.standard_normal((100, 3))
        D = squareform(pdist(X) if relation == "points" else rng.uniform(0.01, 1, 4950))
        y = rng.standard_normal(100) if kind == "numbers" else rng.integers(0, 3, 100)
        found = teacher(D, y)
        n_learned += found.has_learned
        if not found.has_learned:
            assert not found.weights.any()
            assert found.loss == found.constant_loss
            said = responses(found, D[:5])
            assert_array_equal(said, np.broadcast_to(found.bias, said.shape))
            shares = np.exp(found.bias) / np.exp(found.bias).sum()
            expected = y.mean() if kind == "numbers" else np.bincount(y) / 100
            assert_allclose(found.bias if kind == "numbers" else shares, expected, atol=0.01)
    assert n_learned <= 2  # 2.5 standard errors, after the best of many was picked


def test_the_combination_is_at_least_as_good_as_the_best_of_those_compared(rng):
    X, y = blobs(rng)
    found = teacher(cdist(X, X), y)
    assert found.loss <= found.tried[:, 3].min() * (1 + 1e-6)
    assert 1 <= len(found.layers) <= MAX_LAYERS


def test_the_left_out_responses_are_not_those_to_objects_seen(rng):
    X, y = blobs(rng, apart=1.0)
    D = cdist(X, X)
    found = teacher(D, y)
    seen = responses(found, D)
    assert found.targets.loss(seen) < found.loss
    assert_allclose(found.loss, found.targets.loss(found.left_out))


def test_fast_structure_needs_narrow_scales(rng):
    X = rng.uniform(0, 1, (120, 1))
    slow, fast = (
        min(layer.bandwidth_sq for layer in teacher(cdist(X, X), np.sin(f * X[:, 0])).layers)
        for f in (3, 40)
    )
    assert fast < slow / 4


def test_another_kernel_has_no_powers(rng):
    X, y = blobs(rng)
    found = teacher(cdist(X, X), y, kernel=Multiquadric())
    assert {layer.power for layer in found.layers} == {1.0}
    assert isinstance(found.network(Multiquadric()).kernel, Multiquadric)


def test_objects_without_weight_take_no_part(rng):
    X, y = blobs(rng, 60)
    D = cdist(X, X)
    part = teacher(D[:30, :30], y[:30])
    whole = teacher(D, y, w=np.repeat([1.0, 0.0], 30))
    assert_array_equal(whole.objects, np.arange(30))
    assert_near(whole.left_out, part.left_out)
    assert_near(responses(whole, D), responses(part, D))


@pytest.mark.parametrize("n", [MAX_COMPARED_OBJECTS - 60, MAX_COMPARED_OBJECTS + 60])
def test_the_order_of_the_objects_does_not_matter(rng, n):
    X, y = blobs(rng, n)
    order = rng.permutation(n)
    D = cdist(X, X)
    first, second = teacher(D, y), teacher(D[np.ix_(order, order)], y[order])
    assert_near(second.left_out, first.left_out[order])
    assert_near(responses(second, D[:, order]), responses(first, D))


@pytest.mark.parametrize("made", [blobs, decades])
@pytest.mark.parametrize("factor", [1e-6, 1e6])
def test_the_unit_of_the_dissimilarities_does_not_matter(rng, made, factor):
    X, y = made(rng)
    D = cdist(X, X)
    first, second = teacher(D, y), teacher(factor * D, y)
    assert_near(responses(second, factor * D), responses(first, D))
    assert [layer.width for layer in first.layers] == [layer.width for layer in second.layers]


def test_a_given_penalty_is_used(rng):
    X = rng.standard_normal((40, 3))
    assert teacher(cdist(X, X), X[:, 0], alpha=0.37).alpha == 0.37


def test_objects_in_another_order_are_the_same_network(rng):
    X, y = blobs(rng)
    D = cdist(X, X)
    found = teacher(D, y)
    other = found.reordered(rng.permutation(120))
    assert_near(responses(other, D), responses(found, D))
    assert not np.array_equal(other.objects, found.objects)


def test_where_more_are_compared_than_all_need_the_best_scales_are_solved_for_all(rng):
    n = MAX_COMPARED_OBJECTS + 50
    X, y = blobs(rng, n)
    found = teacher(cdist(X, X), y)
    assert found.weights.shape[1] == n
    assert found.left_out.shape == (n, 3)
    scales = {(power, width) for power, width, _, _ in found.tried}
    assert {(layer.power, layer.width) for layer in found.layers} <= scales


def test_a_spread_sample_reaches_from_end_to_end(rng):
    key = rng.permutation(100).astype(float)
    picked = key[spread_along(key, 5)]
    assert_array_equal(np.sort(picked), [0, 24, 49, 74, 99])


def test_objects_equally_far_out_have_an_order_all_the_same(rng):
    """The corners of a square, and of a grid: what their labels are tells them apart."""
    X = np.array([[i, j] for i in range(6) for j in range(6)], dtype=float)
    y = rng.standard_normal((36, 1))
    shuffled = rng.permutation(36)
    w = np.full(36, 1 / 36)
    D = cdist(X, X)
    first = order_by_centrality(DenseRelation(D).product, w, y, w @ D**2)
    D = D[np.ix_(shuffled, shuffled)]
    second = order_by_centrality(DenseRelation(D).product, w, y[shuffled], w @ D**2)
    assert_array_equal(shuffled[second], first)


def test_a_support_fills_up_where_zeros_leave_nothing_to_draw(rng):
    X = rng.standard_normal((200, 3))
    gaps = np.maximum(0, cdist(X, X) - 1.5)
    space = RelationalSpace(DenseRelation(gaps))
    support = choose_support(space, np.full(200, 1 / 200), 90, np.arange(200), rng)
    assert len(np.unique(support)) == 90


@pytest.mark.parametrize(
    ("option", "n", "size"),
    [
        ("auto", 2500, 2500),
        ("auto", 5000, 2000),
        (None, 5000, 5000),
        (40, 800, 40),
        (0.05, 8000, 400),
    ],
)
def test_the_size_of_the_support(option, n, size):
    assert support_size(option, n) == size


def test_a_support_is_spread_and_holds_no_duplicates(rng):
    X = np.repeat(rng.standard_normal((30, 2)), 3, axis=0)
    X[:3] += 50  # one group far out
    space = RelationalSpace(DenseRelation(cdist(X, X)))
    support = choose_support(space, np.full(90, 1 / 90), 10, np.arange(90), rng)
    assert (np.diff(support) > 0).all()
    assert len(np.unique(X[support], axis=0)) == 10
    assert (support < 3).sum() == 1


@pytest.mark.parametrize(
    ("n", "groups", "expected"),
    [(20, 2, 20), (50, 2, 10), (300, 2, 30), (300, 40, 80), (9000, 2, 128)],
)
def test_the_number_of_prototypes(n, groups, expected):
    assert auto_n_prototypes(n, groups) == expected
