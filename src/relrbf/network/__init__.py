"""The model: kernels, parameters, forward and backward from squared distances, losses."""

from relrbf.network.curvature import Curvature, curvature
from relrbf.network.kernels import (
    KERNELS,
    Gaussian,
    InverseMultiquadric,
    Kernel,
    Multiquadric,
    Polynomial,
    RationalQuadratic,
)
from relrbf.network.losses import LOSSES, CrossEntropy, Loss, SquaredError
from relrbf.network.model import Forward, HiddenGradients, Network, OutputGradients

__all__ = [
    "KERNELS",
    "LOSSES",
    "CrossEntropy",
    "Curvature",
    "Forward",
    "Gaussian",
    "HiddenGradients",
    "InverseMultiquadric",
    "Kernel",
    "Loss",
    "Multiquadric",
    "Network",
    "OutputGradients",
    "Polynomial",
    "RationalQuadratic",
    "SquaredError",
    "curvature",
]
