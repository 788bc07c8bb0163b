"""Kernels: their formulas, their derivatives, and what they do below zero."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from relrbf.network import (
    KERNELS,
    Gaussian,
    InverseMultiquadric,
    Multiquadric,
    Polynomial,
    RationalQuadratic,
)

ALL = [
    *(kernel() for kernel in KERNELS.values()),
    RationalQuadratic(2.5),
    RationalQuadratic(0.1),
    Polynomial(0.3),
]
U = np.linspace(0, 20, 50)[None]


def ids(kernel):
    return repr(kernel)


@pytest.mark.parametrize(
    ("kernel", "formula"),
    [
        (Gaussian(), np.exp(-U / 2)),
        (Multiquadric(), np.sqrt(1 + U)),
        (InverseMultiquadric(), 1 / np.sqrt(1 + U)),
        (RationalQuadratic(), 1 / (1 + U / 2)),
        (RationalQuadratic(2.5), (1 + U / 5) ** -2.5),
        (Polynomial(), (1 + U) ** 1.5),
        (Polynomial(0.3), (1 + U) ** 0.3),
    ],
)
def test_each_kernel_is_its_formula(kernel, formula):
    assert_allclose(kernel.activate(U), formula)


@pytest.mark.parametrize("kernel", ALL, ids=ids)
@pytest.mark.parametrize("u", [np.linspace(0, 20, 50)[None], np.linspace(-30, 20, 101)[None]])
def test_derivatives_agree_with_finite_differences_also_below_zero(kernel, u):
    h = 1e-6
    numeric = (kernel.activate(u + h) - kernel.activate(u - h)) / (2 * h)
    assert_allclose(kernel.differentiate(u, kernel.activate(u)), numeric, rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("kernel", ALL, ids=ids)
def test_far_below_zero_every_kernel_is_finite_and_monotone(kernel):
    values = kernel.activate(np.linspace(-1e6, 10, 1000)[None])[0]
    assert np.isfinite(values).all()
    assert (np.diff(values) > 0).all() or (np.diff(values) < 0).all()


@pytest.mark.parametrize("kernel", ALL, ids=ids)
def test_the_curvature_ratio_is_the_relative_change_of_the_derivative(kernel):
    u, h = np.linspace(0.1, 20, 50)[None], 1e-4
    derivative = kernel.differentiate(u, kernel.activate(u))
    second = (kernel.activate(u + h) - 2 * kernel.activate(u) + kernel.activate(u - h)) / h**2
    assert_allclose(
        kernel.curvature_ratio(u), np.abs(second * u / derivative), rtol=1e-2, atol=1e-3
    )


@pytest.mark.parametrize("kernel", ALL, ids=ids)
def test_float32_stays_float32(kernel):
    u = np.linspace(-20, 20, 9, dtype=np.float32)[None]
    value = kernel.activate(u)
    assert value.dtype == kernel.differentiate(u, value).dtype == np.float32
    assert kernel.curvature_ratio(np.abs(u)).dtype == np.float32


def test_a_gaussian_is_replaced_by_its_tangent_where_it_would_explode():
    u = np.array([[-20.0, -10.0]])
    assert_allclose(Gaussian().activate(u), [[6 * np.exp(5), np.exp(5)]])
