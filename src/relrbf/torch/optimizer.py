"""Adam for latent vectors: one second moment per prototype, in the latent norm."""

from collections.abc import Callable
from numbers import Real
from typing import Any

import torch
from torch import Tensor, nn

from relrbf._options import check_number
from relrbf.exceptions import OptionError
from relrbf.torch.layers import RBFLayer, RelationalRBFLayer

N_STEPS_WITH_PRODUCTS = 50  # taken without a product with S beside that of the gradient


class LatentAdam(torch.optim.Optimizer):
    """Adam whose steps exist in the latent space; ordinary Adam for all other parameters.

    Adam scales a gradient coordinate by coordinate, which no relational equivalent can know and
    which breaks the sum of coefficients. Here every prototype has *one* second moment, of the
    squared latent length of its gradient, ``-b S b' / 2`` (theory 3 and 9). On a
    ``VectorRBFLayer`` the same lines are Adam with one second moment per row: both take the same
    steps.

    Parameters
    ----------
    model : nn.Module
        All its parameters are optimized.
    lr : float, default=0.001
        Step size; of a prototype in units of the layer, ``layer.unit``: the root mean squared
        distance of the support from its centre.
    prototype_lr : float or None, default=None
        That of the prototypes; None: as of the others.
    betas : tuple of two floats, default=(0.9, 0.999)
        Decay of the first and the second moments.
    eps : float, default=1e-08
        Added to the root of a second moment; of a prototype in units of 1 / ``layer.unit``.
    weight_decay : float, default=0.0
        Decoupled: prototypes towards where they began, in the latent norm; matrices of weights
        towards zero.

    Examples
    --------
    >>> import torch
    >>> from relrbf.torch import LatentAdam, RelationalRBFLayer
    >>> S = torch.tensor([[0.0, 1, 4], [1, 0, 1], [4, 1, 0]], dtype=torch.float64)
    >>> layer = RelationalRBFLayer(S, torch.eye(3, dtype=torch.float64)[:2])
    >>> optimizer = LatentAdam(layer, lr=0.1)
    >>> layer(S).sum().backward()
    >>> optimizer.step()
    >>> torch.allclose(layer.coefficients.sum(dim=1), torch.ones(2, dtype=torch.float64))
    True
    """

    def __init__(
        self,
        model: nn.Module,
        lr: float = 1e-3,
        *,
        prototype_lr: float | None = None,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
    ) -> None:
        prototype_lr = lr if prototype_lr is None else prototype_lr
        options = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        for name, value in {**options, "prototype_lr": prototype_lr}.items():
            if name != "betas":
                check_number(name, value, Real, 0)
        if not all(0 <= beta < 1 for beta in betas):
            raise OptionError(f"betas is {betas!r}; both must be at least 0 and below 1.", "betas")
        layers = [module for module in model.modules() if isinstance(module, RBFLayer)]
        self._layers = {layer.prototypes: layer for layer in layers}
        others = [each for each in model.parameters() if each not in self._layers]
        groups: list[dict[str, Any]] = [
            {"params": list(self._layers), "lr": prototype_lr},
            {"params": others},
        ]
        super().__init__([group for group in groups if group["params"]], options)

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Take one step, after ``closure`` if there is one."""
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None:
                    self._move(parameter, group)
        return loss

    def _move(self, parameter: Tensor, group: dict[str, Any]) -> None:
        gradient, layer = parameter.grad, self._layers.get(parameter)  # type: ignore[call-overload]
        assert gradient is not None
        unit = 1.0 if layer is None else layer.unit
        is_relational = isinstance(layer, RelationalRBFLayer)
        products = gradient @ layer.support_sq if is_relational else None
        squares = (
            gradient.square() if layer is None else layer.norms_sq(gradient, products)[:, None]
        )
        state, (beta1, beta2) = self.state[parameter], group["betas"]
        if not state:
            state.update(step=0, mean=torch.zeros_like(gradient), square=torch.zeros_like(squares))
            if is_relational:
                state["mean_products"] = torch.zeros_like(gradient)
        state["step"] += 1
        state["mean"].lerp_(gradient, 1 - beta1)
        state["square"].lerp_(squares, 1 - beta2)
        root = (state["square"] / (1 - beta2 ** state["step"])).sqrt_().add_(group["eps"] / unit)
        factors = -group["lr"] * unit / (1 - beta1 ** state["step"]) / root
        decay = group["lr"] * group["weight_decay"]
        if layer is None:
            if decay and parameter.ndim > 1:
                parameter.mul_(1 - decay)
            parameter.addcmul_(factors, state["mean"])
            return
        if is_relational:
            known = layer.products()
            state["mean_products"].lerp_(products, 1 - beta1)
        if decay:
            parameter.lerp_(layer.anchor, decay)
        parameter.addcmul_(factors, state["mean"])
        # moments add and scale as rows do, and so do their products with S: none is needed for the
        # next forward pass, but now and then, so that rounding errors do not add up
        if is_relational and not decay and state["step"] % N_STEPS_WITH_PRODUCTS:
            layer.note_products(torch.addcmul(known, factors, state["mean_products"]))
