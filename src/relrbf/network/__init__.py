"""The model: kernels, parameters, forward and backward from squared distances, losses."""

from relrbf.network.curvature import Curvature, bound_curvature
from relrbf.network.kernels import (
    KERNELS,
    Gaussian,
    GeneralizedGaussian,
    InverseMultiquadric,
    Kernel,
    Multiquadric,
    Polynomial,
    RationalQuadratic,
)
from relrbf.network.model import (
    LOSSES,
    ChunkedForward,
    CrossEntropy,
    DistanceGradients,
    Forward,
    ForwardPass,
    HiddenGradients,
    LocallyScaledNetwork,
    Loss,
    Network,
    SquaredError,
)

__all__ = [
    "KERNELS",
    "LOSSES",
    "ChunkedForward",
    "CrossEntropy",
    "Curvature",
    "DistanceGradients",
    "Forward",
    "ForwardPass",
    "Gaussian",
    "GeneralizedGaussian",
    "HiddenGradients",
    "InverseMultiquadric",
    "Kernel",
    "LocallyScaledNetwork",
    "Loss",
    "Multiquadric",
    "Network",
    "Polynomial",
    "RationalQuadratic",
    "SquaredError",
    "bound_curvature",
]
