"""Radial basis functions of a squared distance.

Every kernel is a function of ``u = d² / s²``, squared distance over squared bandwidth, so that its
derivatives by distance and by bandwidth follow from one derivative.

Squared distances of a relation without a vector dual can be negative. Far below zero a kernel
would overflow or have no value, so there, below ``tangent_below``, its tangent takes its place:
finite, differentiable, monotone. On a Euclidean relation that never happens.

To add a kernel: one frozen dataclass here, and one line in ``KERNELS``.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from relrbf._typing import Array
from relrbf.exceptions import OptionError


class Kernel(ABC):
    """A radial basis function; a subclass gives the three methods for ``u >= tangent_below``."""

    @property
    def tangent_below(self) -> float:
        """The u below which the kernel's tangent takes its place."""
        return 0.0

    @abstractmethod
    def value(self, u: Array) -> Array:
        """Return the activation at u = d / s²."""

    @abstractmethod
    def derivative(self, u: Array, value: Array) -> Array:
        """Return the derivative at u, given the value there."""

    @abstractmethod
    def curvature_ratio(self, u: Array) -> Array:
        """Return ``|k''(u) u / k'(u)|``, the relative change of the derivative."""

    def activate(self, u: Array) -> Array:
        """Return the activation at any u, also a negative one."""
        if u.min() >= self.tangent_below:
            return self.value(u)
        inside = np.maximum(u, self.tangent_below)
        value = self.value(inside)
        return value + self.derivative(inside, value) * (u - inside)

    def differentiate(self, u: Array, activation: Array) -> Array:
        """Return the derivative at any u, given the activation there."""
        if u.min() >= self.tangent_below:
            return self.derivative(u, activation)
        inside = np.maximum(u, self.tangent_below)
        return self.derivative(inside, self.value(inside))


@dataclass(frozen=True)
class Gaussian(Kernel):
    """``exp(-u / 2) = exp(-d / (2 s²))``."""

    tangent_below = -10.0  # where the activation is 148

    def value(self, u: Array) -> Array:
        """Return exp(-u / 2)."""
        out = -0.5 * u
        return np.exp(out, out=out)

    def derivative(self, u: Array, value: Array) -> Array:
        """Return -value / 2."""
        return -0.5 * value

    def curvature_ratio(self, u: Array) -> Array:
        """Return u / 2."""
        return 0.5 * u


@dataclass(frozen=True, eq=False)
class GeneralizedGaussian(Kernel):
    """``exp(-u ** power / 2)``; with power 1 the Gaussian, with 1/2 the exponential of a distance.

    Parameters
    ----------
    power : float or ndarray of shape (c,), default=0.5
        Positive; an array holds one for each prototype.
    """

    power: Any = 0.5

    def __post_init__(self) -> None:
        for power in np.unique(self.power):
            _check_positive("power", float(power))

    def __repr__(self) -> str:
        return f"{type(self).__name__}(power={', '.join(map(str, np.unique(self.power)))})"

    def value(self, u: Array) -> Array:
        """Return exp(-u ** power / 2), by prototypes of one power at a time."""
        out = u.copy()
        for rows, power in self._rows():
            if power == 0.5:
                np.sqrt(out[rows], out=out[rows])
            elif power != 1:
                out[rows] **= power
        out *= -0.5
        return np.exp(out, out=out)

    def derivative(self, u: Array, value: Array) -> Array:
        """Return -power / 2 * u ** (power - 1) * value; large, but finite, at zero."""
        power = np.broadcast_to(np.asarray(self.power, u.dtype), len(u))[:, None]
        return -0.5 * power * np.maximum(u, np.finfo(u.dtype).eps) ** (power - 1) * value

    def curvature_ratio(self, u: Array) -> Array:
        """Return ``|power - 1 - power u ** power / 2|``."""
        power = np.broadcast_to(np.asarray(self.power, u.dtype), len(u))[:, None]
        return np.abs(power - 1 - 0.5 * power * u**power)

    def activate(self, u: Array) -> Array:
        """Return the activation at any u; a negative one counts as zero."""
        return self.value(np.maximum(u, 0))

    def differentiate(self, u: Array, activation: Array) -> Array:
        """Return the derivative at any u, which is zero below zero."""
        return np.where(u < 0, 0, self.derivative(np.maximum(u, 0), activation))

    def _rows(self) -> list[tuple[slice, float]]:
        """Return runs of prototypes that have the same power."""
        if np.ndim(self.power) == 0:
            return [(slice(None), float(self.power))]
        ends = np.flatnonzero(np.diff(self.power, append=np.nan)) + 1
        starts = [0, *ends[:-1].tolist()]
        return [(slice(a, b), float(self.power[a])) for a, b in zip(starts, ends, strict=True)]


class PowerKernel(Kernel):
    """``(1 + u / scale) ** power``, the family of the four kernels that are not Gaussian."""

    @property
    @abstractmethod
    def shape(self) -> tuple[float, float]:
        """The power and the scale."""

    @property
    def tangent_below(self) -> float:
        """Halfway to where the base is zero."""
        return -self.shape[1] / 2

    def value(self, u: Array) -> Array:
        """Return (1 + u / scale) ** power; square roots are ten times faster than ``**``.

        In place, because fresh memory for a large array costs more than the roots do.
        """
        power, scale = self.shape
        base = u / scale
        base += 1
        if power in (0.5, -0.5):
            np.sqrt(base, out=base)
        elif power != -1:
            np.power(base, power, out=base)
        return np.divide(1, base, out=base) if power in (-0.5, -1) else base

    def derivative(self, u: Array, value: Array) -> Array:
        """Return power / scale * (1 + u / scale) ** (power - 1)."""
        power, scale = self.shape
        base = u / scale
        base += 1
        np.divide(value, base, out=base)
        base *= power / scale
        return base

    def curvature_ratio(self, u: Array) -> Array:
        """Return ``|power - 1| u / (scale + u)``."""
        power, scale = self.shape
        return abs(power - 1) * u / (scale + u)


@dataclass(frozen=True)
class Multiquadric(PowerKernel):
    """``sqrt(1 + d / s²)``, which grows with distance."""

    shape = (0.5, 1.0)


@dataclass(frozen=True)
class InverseMultiquadric(PowerKernel):
    """``1 / sqrt(1 + d / s²)``."""

    shape = (-0.5, 1.0)


@dataclass(frozen=True)
class RationalQuadratic(PowerKernel):
    """``(1 + d / (2 mixture s²)) ** -mixture``, Gaussians of many widths at once.

    Parameters
    ----------
    mixture : float, default=1.0
        Positive; the larger, the closer to one Gaussian.
    """

    mixture: float = 1.0

    def __post_init__(self) -> None:
        _check_positive("mixture", self.mixture)

    @property
    def shape(self) -> tuple[float, float]:
        """Minus the mixture, and twice the mixture."""
        return -self.mixture, 2 * self.mixture


@dataclass(frozen=True)
class Polynomial(PowerKernel):
    """``(1 + d / s²) ** degree``, for whole and fractional degrees.

    Parameters
    ----------
    degree : float, default=1.5
        Positive; 1.5 grows as the cube of the distance, the cubic spline's basis function.
    """

    degree: float = 1.5

    def __post_init__(self) -> None:
        _check_positive("degree", self.degree)

    @property
    def shape(self) -> tuple[float, float]:
        """The degree, and one."""
        return self.degree, 1.0


KERNELS: dict[str, type[Kernel]] = {
    "gaussian": Gaussian,
    "multiquadric": Multiquadric,
    "inverse-multiquadric": InverseMultiquadric,
    "rational-quadratic": RationalQuadratic,
    "polynomial": Polynomial,
}


def _check_positive(name: str, value: Any) -> None:
    if not isinstance(value, Real) or not 0 < float(value) < np.inf:
        raise OptionError(f"{name} is {value!r}; it must be a positive finite number.")
