"""The model: kernels, parameters, forward and backward from squared distances, losses."""

from relrbf.network.curvature import Curvature, curvature
from relrbf.network.forward_pass import LONG, ChunkedForward, Forward, ForwardPass
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
from relrbf.network.model import Forces, HiddenGradients, Network, OutputGradients

__all__ = [
    "KERNELS",
    "LONG",
    "LOSSES",
    "ChunkedForward",
    "CrossEntropy",
    "Curvature",
    "Forces",
    "Forward",
    "ForwardPass",
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
