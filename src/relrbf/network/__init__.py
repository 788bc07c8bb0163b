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
from relrbf.network.model import Forces, HiddenGradients, Network, OutputGradients
from relrbf.network.passage import LONG, Forward, LongForward, Passage

__all__ = [
    "KERNELS",
    "LONG",
    "LOSSES",
    "CrossEntropy",
    "Curvature",
    "Forces",
    "Forward",
    "Gaussian",
    "HiddenGradients",
    "InverseMultiquadric",
    "Kernel",
    "LongForward",
    "Loss",
    "Multiquadric",
    "Network",
    "OutputGradients",
    "Passage",
    "Polynomial",
    "RationalQuadratic",
    "SquaredError",
    "curvature",
]
