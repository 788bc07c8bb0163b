"""The model: kernels, parameters, forward and backward from squared distances."""

from relrbf.network.curvature import CurvatureBounds, curvature_bounds
from relrbf.network.kernels import (
    KERNELS,
    Gaussian,
    InverseMultiquadric,
    Kernel,
    Multiquadric,
    Polynomial,
    RationalQuadratic,
)
from relrbf.network.model import Forward, Gradients, Network

__all__ = [
    "KERNELS",
    "CurvatureBounds",
    "Forward",
    "Gaussian",
    "Gradients",
    "InverseMultiquadric",
    "Kernel",
    "Multiquadric",
    "Network",
    "Polynomial",
    "RationalQuadratic",
    "curvature_bounds",
]
