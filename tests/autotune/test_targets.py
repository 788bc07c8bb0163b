"""What there is to learn, and what counts as having learned it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import log_softmax

from relrbf.autotune.targets import Scale, Targets
from relrbf.network import Gaussian, InverseMultiquadric


def numbers(rng, n=50, g=2):
    w = rng.uniform(0.5, 2, n)
    return Targets(rng.standard_normal((n, g)), w / w.mean(), False)


def classes(rng, n=50, g=3, y=None):
    w = rng.uniform(0.5, 2, n)
    y = rng.integers(0, g, n) if y is None else y
    return Targets(np.eye(g)[y], w / w.mean(), True)


def test_the_loss_of_numbers_is_the_squared_error_with_a_mean_of_the_others(rng):
    targets = numbers(rng)
    left_out = rng.standard_normal((50, 2))
    squares = []
    for i in range(50):
        rest = np.arange(50) != i
        mean = np.average(targets.Y[rest], axis=0, weights=targets.w[rest])
        squares.append(np.square(targets.Y[i] - mean - left_out[i]).sum())
    assert_allclose(targets.losses(left_out), squares)
    assert_allclose(targets.loss(left_out), np.average(squares, weights=targets.w))


def test_the_loss_of_classes_is_the_log_loss_of_labels_with_noise(rng):
    targets = classes(rng)
    logits = rng.standard_normal((50, 3))
    noise = 1 / (50 / 3 + 2)  # one label of those that share a class
    Y = np.where(targets.Y == 1, 1 - noise, noise / 2)
    expected = -(Y * log_softmax(logits, axis=1)).sum(axis=1)
    assert_allclose(targets.losses(logits), expected)
    assert_allclose(targets.loss(logits), np.average(expected, weights=targets.w))


@pytest.mark.parametrize("made", [numbers, classes])
def test_losses_of_several_responses_are_found_at_once(rng, made):
    targets = made(rng)
    both = rng.standard_normal((2, *targets.Y.shape))
    assert_allclose(targets.loss(both), [targets.loss(each) for each in both], rtol=1e-14)


def test_the_constant_knows_the_shares_of_the_classes_as_responses_do(rng):
    """Logits have learned the shares from all labels: so has what they are compared with."""
    targets = classes(rng)
    shares = np.exp(targets.constant())
    assert_allclose(shares.sum(axis=1), 1)
    other = targets.constant() + rng.normal(0, 0.1, 3)
    assert targets.loss(targets.constant()) < targets.loss(other)
    assert not numbers(rng).constant().any()


def test_no_responses_have_a_smaller_loss_than_the_lowest(rng):
    targets = classes(rng)
    for certainty in (1.0, 3.0, 10.0):
        assert targets.lowest_loss < targets.loss(certainty * targets.Y)
    assert numbers(rng).lowest_loss == 0


@pytest.mark.parametrize("made", [numbers, classes])
def test_noise_is_no_signal_and_signal_is(rng, made):
    """At 2.5 standard errors, noise passes one time in 160."""
    n_passed = 0
    for _ in range(100):
        targets = made(rng)
        noise = targets.constant() + 0.3 * rng.standard_normal(targets.Y.shape)
        n_passed += targets.has_signal(noise)
    assert n_passed <= 4
    assert targets.has_signal(targets.constant() + targets.centred)


@pytest.mark.parametrize("made", [numbers, classes])
def test_a_constant_is_no_signal(rng, made):
    targets = made(rng)
    assert not targets.has_signal(targets.constant())
    assert not targets.has_signal(targets.constant() + 1e-13 * targets.centred)  # rounding


def test_few_objects_are_believed_where_the_responses_to_them_differ(rng):
    few = classes(rng).of(np.arange(5))
    assert few.has_signal(few.constant() - few.centred)
    assert not few.has_signal(few.constant())
    assert not few.of(np.arange(1)).has_signal(few.Y[:1])


def test_a_gain_at_few_objects_is_no_signal(rng):
    """A mean gain, but all of it from one object far out."""
    Y = np.zeros((50, 1))
    Y[0] = 100
    targets = Targets(Y, np.ones(50), False)
    left_out = 0.1 * rng.standard_normal((50, 1))
    left_out[0] = 90
    assert targets.loss(left_out) < targets.loss(targets.constant())
    assert not targets.has_signal(left_out)


def test_some_objects_have_weights_of_mean_one(rng):
    targets = numbers(rng)
    some = targets.of(np.array([3, 5, 20]))
    assert_array_equal(some.Y, targets.Y[[3, 5, 20]])
    assert_allclose(some.w.mean(), 1)
    assert_allclose(some.w / some.w[0], targets.w[[3, 5, 20]] / targets.w[3])
    assert_allclose(some.w @ some.centred, 0, atol=1e-13)


@pytest.mark.parametrize("power", [1.0, 0.5, 0.25])
def test_a_scale_is_a_width_in_units_of_distance(rng, power):
    """In units, exp of minus half the distance's power over the squared width."""
    S = rng.uniform(0, 10, (4, 6))
    scale = Scale(power, -2, 3.0)
    expected = np.exp(-((S / 3.0) ** power) / (2 * 2.0**-4))
    assert_allclose(scale.activate(S, Gaussian()), expected, rtol=1e-12)


def test_a_scale_of_power_one_has_the_kernel_given(rng):
    S = rng.uniform(0, 10, (4, 6))
    found = Scale(1.0, 1, 3.0).activate(S, InverseMultiquadric())
    assert_allclose(found, 1 / np.sqrt(1 + S / 12), rtol=1e-12)
