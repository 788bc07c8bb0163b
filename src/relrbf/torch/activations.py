"""The radial basis functions of ``relrbf.network`` on tensors."""

import numpy as np
import torch
from torch import Tensor, nn

from relrbf.exceptions import OptionError
from relrbf.network import KERNELS, Gaussian, GeneralizedGaussian, Kernel
from relrbf.network.kernels import PowerKernel


class Activation(nn.Module):
    """A radial basis function of ``u = d / s²``, tangent below its floor as in ``relrbf.network``.

    Parameters
    ----------
    kernel : str or Kernel
        A name in ``relrbf.network.KERNELS``, or a kernel of these kinds.
    """

    power: Tensor

    def __init__(self, kernel: str | Kernel) -> None:
        super().__init__()
        self.kernel = kernel = as_kernel(kernel)
        self.is_gaussian = isinstance(kernel, Gaussian)
        self.is_generalized = isinstance(kernel, GeneralizedGaussian)
        self.floor = float(kernel.tangent_below)
        self.scale = 1.0
        power: object = 1.0
        if isinstance(kernel, PowerKernel):
            power, self.scale = kernel.shape
        elif isinstance(kernel, GeneralizedGaussian):
            power, self.floor = kernel.power, 0.0
        # of the one kernel whose powers differ between prototypes, a tensor that follows the layer
        self.exponent = float(power) if np.ndim(power) == 0 else 0.0  # type: ignore[arg-type]
        self.register_buffer("power", torch.as_tensor(power, dtype=torch.get_default_dtype()))

    def forward(self, u: Tensor) -> Tensor:
        """Return the activations at squared distances over squared bandwidths."""
        if self.is_generalized:
            return self._generalized(u)
        inside = u.clamp(min=self.floor)
        if self.is_gaussian:
            value = torch.exp(-0.5 * inside)
            derivative = -0.5 * value
        else:
            base = 1 + inside / self.scale
            value = base**self.exponent
            derivative = (self.exponent / self.scale) * value / base
        return value + derivative * (u - inside)

    def _generalized(self, u: Tensor) -> Tensor:
        """Return ``exp(-u ** power / 2)``; next to zero it is flat, where its derivative is not."""
        is_apart = u > torch.finfo(u.dtype).eps
        apart = torch.where(is_apart, u, torch.ones_like(u)) ** self.power.to(u.dtype)
        return torch.exp(-0.5 * torch.where(is_apart, apart, torch.zeros_like(u)))


def as_kernel(kernel: str | Kernel) -> Kernel:
    """Return a kernel that has an equivalent on tensors, or say which have."""
    if isinstance(kernel, str) and kernel in KERNELS:
        return KERNELS[kernel]()
    if isinstance(kernel, Gaussian | GeneralizedGaussian | PowerKernel):
        return kernel
    raise OptionError(
        f"kernel={kernel!r} has no equivalent in relrbf.torch; it must be one of {[*KERNELS]} or "
        "one of relrbf.network's own kernels.",
        "kernel",
    )
