"""Logits from responses: the optimum, leaving objects out, and a class between two others."""

import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize

from relrbf.autotune.calibration import (
    BIAS_RIDGE,
    MAX_CORRECTED_CLASSES,
    RIDGES,
    cross_entropies,
    fit_logits,
    log_loss,
)


def make(rng, n=60, g=3, spread=1.0):
    """Return responses with noise, shares and weights."""
    y = rng.integers(0, g, n)
    Y = np.eye(g)[y]
    w = rng.uniform(0.5, 1.5, n)
    return Y + spread * rng.standard_normal((n, g)), Y, w / w.mean()


class Corrections:
    """The penalised loss of corrections to a fixed scale and bias, written out."""

    def __init__(self, F, Y, w, ridge):
        self.start = fit_logits(F, Y, w, np.inf)  # one scale, and biases
        self.unit = np.sqrt(np.mean(np.square(F - np.average(F, axis=0, weights=w))))
        self.offset = F @ self.start.matrix + self.start.bias
        self.X = np.column_stack([F / self.unit, np.ones(len(F))])
        self.Y, self.w = Y, w
        g = F.shape[1]
        self.penalty = np.vstack([np.full((g, g), ridge), np.full(g, BIAS_RIDGE)])

    def logits(self, D):
        return self.offset + self.X @ D

    def objective(self, flat, kept=slice(None)):
        D = flat.reshape(self.penalty.shape)
        losses = cross_entropies(self.logits(D)[kept], self.Y[kept])
        return self.w[kept] @ losses + (self.penalty * D**2).sum() / 2

    def best(self, kept=slice(None)):
        found = minimize(
            self.objective, np.zeros(self.penalty.size), args=(kept,), method="BFGS", tol=1e-7
        )
        return found.x.reshape(self.penalty.shape)

    def of(self, logits):
        """Return the corrections that a fit holds."""
        matrix = (logits.matrix - self.start.matrix) * self.unit
        return np.vstack([matrix, logits.bias - self.start.bias])


@pytest.mark.parametrize("ridge", RIDGES)
def test_the_corrections_have_the_smallest_penalised_loss(rng, ridge):
    F, Y, w = make(rng)
    corrections = Corrections(F, Y, w, ridge)
    found = corrections.of(fit_logits(F, Y, w, ridge)).ravel()
    # Newton's method ends when a step would lower the objective by less than 1e-8 of it
    assert corrections.objective(found) <= corrections.objective(corrections.best().ravel()) * (
        1 + 1e-8
    )


def test_the_scale_has_the_smallest_loss(rng):
    """Only the bias has a penalty, one object's worth towards the shares of the classes."""
    F, Y, w = make(rng)
    found = fit_logits(F, Y, w, np.inf)
    scale = found.matrix[0, 0]
    assert_array_equal(found.matrix, scale * np.eye(3))
    losses = [log_loss(s * F + found.bias, Y, w) for s in scale * np.array([0.99, 1, 1.01])]
    assert losses[1] == min(losses)


@pytest.mark.parametrize("ridge", [10.0, 1.0])
def test_logits_of_objects_left_out_are_nearly_those_of_a_fit_without_them(rng, ridge):
    """One Newton step for each: what is left is of second order in what the object moved."""
    F, Y, w = make(rng)
    corrections = Corrections(F, Y, w, ridge)
    fit = fit_logits(F, Y, w, ridge)
    inside = F @ fit.matrix + fit.bias
    expected = np.array(
        [
            corrections.logits(corrections.best(np.delete(np.arange(len(F)), i)))[i]
            for i in range(len(F))
        ]
    )
    centre = np.eye(3) - 1 / 3  # a constant added to all logits changes nothing
    moved, missed = (expected - inside) @ centre, (fit.left_out - expected) @ centre
    assert np.linalg.norm(missed) < 0.1 * np.linalg.norm(moved)


def test_a_class_between_two_others_is_found(rng):
    """Linear responses to classes on a line never prefer the middle one; the logits do."""
    x = rng.uniform(-1.5, 1.5, 300)
    y = np.digitize(x, [-0.5, 0.5])
    Y, A = np.eye(3)[y], np.column_stack([x, np.ones(300)])
    F = A @ np.linalg.lstsq(A, Y)[0]
    assert np.mean(F.argmax(axis=1) == y) < 0.75
    fit = fit_logits(F, Y, np.ones(300))
    assert np.mean(fit.left_out.argmax(axis=1) == y) > 0.95


def test_responses_on_different_scales_are_corrected(rng):
    F, Y, w = make(rng, n=300, spread=0.5)
    F = F @ np.diag([1.0, 0.2, 0.05])
    fit, shared = fit_logits(F, Y, w), fit_logits(F, Y, w, np.inf)
    assert np.isfinite(fit.ridge)
    assert log_loss(fit.left_out, Y, w) < 0.9 * log_loss(shared.left_out, Y, w)
    assert_allclose(fit.left_out, F @ fit.matrix + fit.bias, atol=1)


def test_responses_of_noise_count_for_nothing(rng):
    F, Y, w = make(rng, n=200)
    fit = fit_logits(-F, Y, w)  # worse than nothing
    assert not fit.matrix.any()
    assert_allclose(np.exp(fit.bias).sum(), 1)
    assert_allclose(np.exp(fit.bias), np.average(Y, axis=0, weights=w), atol=1 / 200)


def test_equal_responses_have_logits(rng):
    _, Y, w = make(rng)
    fit = fit_logits(np.zeros((60, 3)), Y, w)
    assert np.isfinite(fit.left_out).all()
    assert not fit.matrix.any()


def test_many_classes_share_one_scale_in_little_memory(rng):
    """A Jacobian of all classes alone would be forty times the responses."""
    g = 40
    assert g > MAX_CORRECTED_CLASSES
    F, Y, w = make(rng, n=2000, g=g, spread=0.3)
    tracemalloc.start()
    fit = fit_logits(F, Y, w)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert_array_equal(fit.matrix, fit.matrix[0, 0] * np.eye(g))
    assert fit.matrix[0, 0] > 0
    assert peak < 8 * F.nbytes


@pytest.mark.parametrize("ridge", [None, 1.0])
def test_the_unit_of_the_responses_does_not_matter(rng, ridge):
    F, Y, w = make(rng)
    one, other = fit_logits(F, Y, w, ridge), fit_logits(1e6 * F, Y, w, ridge)
    assert_allclose(other.left_out, one.left_out, atol=1e-9)
    assert_allclose(1e6 * other.matrix, one.matrix, atol=1e-9)


def test_certain_logits_have_a_finite_loss():
    Z = np.array([[1e4, 0.0], [0.0, 1e4]])
    assert_allclose(cross_entropies(Z, np.eye(2)), 0)
    assert_allclose(cross_entropies(Z, np.eye(2)[::-1]), 1e4)
