"""The input layer: squared dissimilarities to a support in, activations out.

Symbols (theory 1 to 4, 7 and 9)
--------------------------------
A   c × m   coefficients a_j of the prototypes on the support, rows sum to one
S   m × m   squared dissimilarities among the support
T   b × m   those of a batch of objects to the support
d   b × c   squared distances of the objects from the prototypes, ``T a_j - a_j' S a_j / 2``
g   b × c   derivatives of any loss by d
K   m × m   ``-J S J / 2`` (J centres), whose pseudo-inverse is K^+

Plain automatic differentiation gives ``df/dA``, which is K times the gradient of the prototypes as
points. The layer gives the points' own gradient instead, in coefficients: rows that sum to zero,
``2 (sum_i g_ij) a_j - 2 sum_i g_ij e_i`` (theory 9). An optimizer that only adds and scales such
rows takes the vector network's steps.
"""

from abc import ABC, abstractmethod
from typing import Any, Self

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from relrbf._options import check_choice
from relrbf.exceptions import OptionError, RelationError, RelationWarning, warn
from relrbf.network import Kernel
from relrbf.network.model import N_SCALE_NEIGHBOURS, SAME_OBJECT
from relrbf.torch.activations import Activation

OUTSIDE = ("project", "refuse")
DIRECTIONS = ("latent", "positive")
FLAT_AXIS = 1e-10  # of the largest eigenvalue of K: smaller ones are no dimension
HULL_TOLERANCE = 1e-6  # of the mean of S, by which an object may lie off the support's hull


class RBFLayer(nn.Module, ABC):
    """What relational and vector layer share: bandwidths, kernel, dropout.

    Parameters
    ----------
    prototypes : Tensor of shape (c, k)
        One row for each prototype.
    bandwidths : Tensor of shape (c,) or float
        Positive; the layer learns their logarithms.
    kernel : str or Kernel
        Of ``relrbf.network.KERNELS``.
    dropout : float
        Probability with which a prototype is left out of a training batch.
    unit : float
        Length of a step of one in ``LatentAdam``.
    """

    unit: Tensor
    anchor: Tensor

    def __init__(
        self,
        prototypes: Tensor,
        bandwidths: Tensor | float,
        kernel: str | Kernel,
        dropout: float,
        unit: float,
    ) -> None:
        super().__init__()
        if not 0 <= dropout < 1:
            raise OptionError(f"dropout is {dropout!r}; it must be at least 0 and below 1.")
        own = torch.as_tensor(bandwidths, dtype=prototypes.dtype, device=prototypes.device)
        if own.device.type != "meta" and not bool((own > 0).all() and own.isfinite().all()):
            raise OptionError("bandwidths must be positive finite numbers.", "bandwidths")
        self.prototypes = nn.Parameter(prototypes.clone())
        self.log_bandwidths = nn.Parameter(own.log().expand(len(prototypes)).clone())
        self.activation = Activation(kernel)
        self.dropout = dropout
        self.register_buffer("anchor", prototypes.clone())
        self.register_buffer("unit", torch.tensor(unit, dtype=prototypes.dtype))

    @abstractmethod
    def norms_sq(self, directions: Tensor, products: Tensor | None = None) -> Tensor:
        """Return the squared latent lengths (c) of directions, one per prototype."""

    @property
    def n_prototypes(self) -> int:
        """Number of outputs."""
        return len(self.prototypes)

    @property
    def bandwidths(self) -> Tensor:
        """The bandwidths (c)."""
        return self.log_bandwidths.exp()

    def _activate(self, distances_sq: Tensor) -> Tensor:
        activations = self.activation(distances_sq * torch.exp(-2 * self.log_bandwidths))
        if self.training and self.dropout:
            kept = torch.rand(self.n_prototypes, device=activations.device) >= self.dropout
            activations = activations * (kept.to(activations.dtype) / (1 - self.dropout))
        return activations


class RelationalRBFLayer(RBFLayer):
    """Radial basis functions whose prototypes are affine combinations of a support.

    Parameters
    ----------
    support_sq : Tensor of shape (m, m)
        Squared dissimilarities among the support.
    coefficients : int or Tensor of shape (c, m)
        The first prototypes; rows sum to one. A number: so many objects, drawn at random.
    bandwidths : Tensor of shape (c,), float or None, default=None
        None: the root mean squared dissimilarity.
    kernel : str or Kernel, default="gaussian"
        One of the five of ``relrbf.network``.
    dropout : float, default=0.0
        Probability with which a prototype is left out of a training batch.
    outside : {"project", "refuse"}, default="project"
        In training, an object outside the affine hull of the support draws prototypes towards its
        projection on that hull; or it is refused.
    directions : {"latent", "positive"}, default="latent"
        "positive": of a relation without vectors, prototypes move only where lengths are real.
    local_scaling : bool, default=False
        Measure in units of what is near each object, as the default estimators may.

    Examples
    --------
    >>> import torch
    >>> from relrbf.torch import RelationalRBFLayer
    >>> S = torch.tensor([[0.0, 1, 4], [1, 0, 1], [4, 1, 0]])  # points 0, 1, 2 on a line
    >>> A = torch.tensor([[0.5, 0.0, 0.5]])  # their middle, which is the second point
    >>> layer = RelationalRBFLayer(S, A, bandwidths=1.0)
    >>> layer.distances_sq(S).detach().ravel()
    tensor([1., 0., 1.])
    """

    support_sq: Tensor

    def __init__(
        self,
        support_sq: Tensor,
        coefficients: int | Tensor,
        *,
        bandwidths: Tensor | float | None = None,
        kernel: str | Kernel = "gaussian",
        dropout: float = 0.0,
        outside: str = "project",
        directions: str = "latent",
        local_scaling: bool = False,
    ) -> None:
        check_choice("outside", outside, OUTSIDE)
        check_choice("directions", directions, DIRECTIONS)
        support_sq = _check_support(support_sq)
        if isinstance(coefficients, int):
            drawn = torch.randperm(len(support_sq))[:coefficients]
            coefficients = torch.eye(len(support_sq), dtype=support_sq.dtype)[drawn]
        is_meta = support_sq.device.type == "meta"
        mean_sq = 1.0 if is_meta else float(support_sq.mean()) or 1.0
        coefficients = _check_coefficients(coefficients, support_sq)
        width = mean_sq**0.5 if bandwidths is None else bandwidths
        super().__init__(coefficients, width, kernel, dropout, (mean_sq / 2) ** 0.5)
        self.outside, self.directions, self.local_scaling = outside, directions, local_scaling
        self.register_buffer("support_sq", support_sq)
        self._axes: tuple[Tensor, Tensor] | None = None
        self._noted: tuple[Tensor, Tensor] | None = None

    @property
    def coefficients(self) -> nn.Parameter:
        """The prototypes (c × m)."""
        return self.prototypes

    def forward(self, query_sq: Tensor | None = None, positions: Tensor | None = None) -> Tensor:
        """Return activations.

        Parameters
        ----------
        query_sq : Tensor of shape (..., m)
            Squared dissimilarities of objects to the support.
        positions : Tensor of int of shape (...,)
            Instead: positions of objects in the support, for one product with S in all.

        Returns
        -------
        Tensor of shape (..., c)
        """
        distances_sq = self.distances_sq(query_sq, positions)
        if self.local_scaling:
            rows = self.support_sq[positions] if query_sq is None else query_sq
            distances_sq = distances_sq / local_scales(rows).sqrt().unsqueeze(-1)
        return self._activate(distances_sq)

    def distances_sq(
        self, query_sq: Tensor | None = None, positions: Tensor | None = None
    ) -> Tensor:
        """Return squared distances (..., c) from the prototypes (equation 2.5)."""
        if (query_sq is None) == (positions is None):
            raise OptionError("pass query_sq or positions, one of them.", "query_sq")
        if self.training and self._noted is None:  # LatentAdam, which notes products, keeps sums
            self._check_sums()
        if positions is not None:
            return _Distances.apply(self.coefficients, None, positions, self)
        assert query_sq is not None
        self._check_query(query_sq)
        return _Distances.apply(self.coefficients, query_sq, None, self)

    def norms_sq(self, directions: Tensor, products: Tensor | None = None) -> Tensor:
        """Return ``-b S b' / 2`` (c) of directions b (c × m); without vectors, their size.

        ``products`` are ``b S``, where they are known.
        """
        products = directions @ self.support_sq if products is None else products
        return torch.linalg.vecdot(products, directions).abs() / 2

    @torch.no_grad()
    def products(self) -> Tensor:
        """Return ``A S`` (c × m); as it was noted, where the coefficients are still the same."""
        A = self.coefficients
        if self._noted is not None and A.device.type != "meta" and A.dtype == self._noted[0].dtype:
            if torch.equal(A, self._noted[0]):
                return self._noted[1]
            self._noted = None
        return A @ self.support_sq

    def halves(self) -> Tensor:
        """Return ``a_j' S a_j / 2`` (c)."""
        return torch.linalg.vecdot(self.products(), self.coefficients.detach()) / 2

    def note_products(self, products: Tensor) -> None:
        """Note ``A S`` of the present coefficients, as an optimizer knows it without a product."""
        self._noted = self.coefficients.detach().clone(), products

    def latent_gradient(self, by_distances: Tensor, query_sq: Tensor) -> Tensor:
        """Return ``K^+ J df/dA`` (c × m): projected on the hull, in coefficients (theory 7)."""
        products = self.products()
        sums = by_distances.sum(dim=0)[:, None]
        by_coefficients = by_distances.T @ query_sq - sums * products
        axes, values = self._hull()
        b = ((by_coefficients @ axes) / values) @ axes.T
        return b - b.mean(dim=1, keepdim=True)  # flat axes multiply what rounding leaves of sums

    def _hull(self) -> tuple[Tensor, Tensor]:
        """Return the axes of K that count (m × r) and their eigenvalues (r), computed once."""
        if self._axes is None or self._axes[0].device != self.support_sq.device:
            S = self.support_sq.detach().to("cpu", torch.float64)
            centred = S - S.mean(dim=0) - S.mean(dim=1, keepdim=True) + S.mean()
            values, axes = torch.linalg.eigh(-0.5 * centred)
            flat = max(FLAT_AXIS, 1e3 * torch.finfo(self.support_sq.dtype).eps) * values[-1]
            used = values > flat if self.directions == "positive" else values.abs() > flat
            self._axes = axes[:, used].to(self.support_sq), values[used].to(self.support_sq)
        return self._axes

    def _check_query(self, query_sq: Tensor) -> None:
        m = len(self.support_sq)
        if query_sq.ndim < 1 or query_sq.shape[-1] != m:
            raise RelationError(
                f"query_sq has shape {tuple(query_sq.shape)}; it needs one column for each of the "
                f"{m} objects of the support."
            )
        _check_squares(query_sq, "query_sq")
        if self.training and self.outside == "refuse" and query_sq.device.type != "meta":
            self._refuse_outside(query_sq.reshape(-1, m))

    def _refuse_outside(self, query_sq: Tensor) -> None:
        """Refuse objects off the hull: t - S a + a' S a / 2 is zero where they lie on it."""
        S, m = self.support_sq, len(self.support_sq)
        axes, values = self._hull()
        mean_sq = S.mean(dim=0)
        own = (((-0.5 * (query_sq - mean_sq)) @ axes) / values) @ axes.T + 1 / m
        products = own @ S
        off_sq = (query_sq - products).mean(dim=1) + (own * products).sum(dim=1) / 2
        worst = int(off_sq.argmax())
        if off_sq[worst] > HULL_TOLERANCE * S.mean():
            raise RelationError(
                f"object {worst} of the batch lies off the affine hull of the support, at a "
                f"squared distance of {float(off_sq[worst]):.3g}: its pull on prototypes has no "
                "coefficients there. Put it in the support, or set outside='project'."
            )

    def _check_sums(self) -> None:
        A = self.coefficients.detach()
        if A.device.type == "meta" or torch.compiler.is_compiling():
            return
        off, tolerance = (A.sum(dim=1) - 1).abs().max(), torch.finfo(A.dtype).eps ** 0.5
        if not off <= tolerance and not off <= tolerance * A.abs().sum(dim=1).max():
            warn(
                "the coefficients of a prototype no longer sum to one: the optimizer scales them "
                "one by one, or decays them towards zero. Use relrbf.torch.LatentAdam, or "
                "torch.optim.SGD without weight_decay.",
                RelationWarning,
            )

    @classmethod
    def from_estimator(cls, model: Any, relation: Any = None, **options: Any) -> Self:
        """Return the hidden layer of a fitted ``RBFNetworkClassifier`` or ``RBFNetworkRegressor``.

        Parameters
        ----------
        model : estimator
            Fitted, with prototypes in a relation.
        relation : array or Relation of shape (n, n), or None
            The dissimilarities that it was fitted to. None: as far as the model holds them.
        **options
            As of the constructor: ``dropout``, ``outside``, ``directions``.

        Returns
        -------
        RelationalRBFLayer
            Its input is squared dissimilarities to ``model.support_``.
        """
        from relrbf.torch.conversion import layer_arguments

        support_sq, coefficients, given = layer_arguments(model, relation)
        return cls(support_sq, coefficients, **{**given, **options})


class VectorRBFLayer(RBFLayer):
    """The vector equivalent: prototypes are points, input is feature vectors.

    Parameters
    ----------
    points : Tensor of shape (c, k)
        The first prototypes.
    bandwidths, kernel, dropout
        As of ``RelationalRBFLayer``.
    unit : float, default=1.0
        Length of a step of one in ``LatentAdam``; ``layer.unit`` of a relational equivalent.
    """

    def __init__(
        self,
        points: Tensor,
        bandwidths: Tensor | float = 1.0,
        *,
        kernel: str | Kernel = "gaussian",
        dropout: float = 0.0,
        unit: float = 1.0,
    ) -> None:
        super().__init__(points, bandwidths, kernel, dropout, unit)

    def forward(self, X: Tensor) -> Tensor:
        """Return activations (..., c) of feature vectors (..., k)."""
        return self._activate(self.distances_sq(X))

    def distances_sq(self, X: Tensor) -> Tensor:
        """Return squared distances (..., c) from the prototypes."""
        own = self.prototypes.square().sum(dim=1)
        return X.square().sum(dim=-1, keepdim=True) + own - 2 * X @ self.prototypes.T

    def norms_sq(self, directions: Tensor, products: Tensor | None = None) -> Tensor:
        """Return the squared lengths (c) of the rows."""
        return torch.linalg.vecdot(directions, directions)


class _Distances(torch.autograd.Function):
    """Equation 2.5, whose gradient by the coefficients is that of the prototypes as points."""

    @staticmethod
    def forward(
        ctx: Any, A: Tensor, T: Tensor | None, positions: Tensor | None, layer: RelationalRBFLayer
    ) -> Tensor:
        products = layer.products()
        halves = torch.linalg.vecdot(products, A) / 2
        ctx.layer = layer
        ctx.save_for_backward(A, T, positions)
        if T is not None:
            return T @ A.T - halves
        assert positions is not None
        found = products.index_select(1, positions.reshape(-1)).T - halves
        return found.reshape(*positions.shape, len(A))

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, by_distances: Tensor) -> Any:
        A, T, positions = ctx.saved_tensors
        by_query = None
        g = by_distances.reshape(-1, len(A))
        if T is not None:
            if ctx.needs_input_grad[1]:
                by_query = by_distances @ A
            if not ctx.needs_input_grad[0]:
                return None, by_query, None, None
            b = ctx.layer.latent_gradient(g, T.reshape(-1, T.shape[-1]))
        else:
            # divided by the sum of coefficients, so that rows sum to zero and no error grows
            sums = 2 * g.sum(dim=0) / A.sum(dim=1)
            b = (A.T * sums).index_add_(0, positions.reshape(-1), g, alpha=-2).T
            if ctx.layer.directions == "positive":
                axes, _ = ctx.layer._hull()
                b = (b @ axes) @ axes.T
        return b, by_query, None, None


def local_scales(query_sq: Tensor) -> Tensor:
    """Return the mean squared dissimilarity (...,) to the nearest others of the support."""
    largest = query_sq.amax(dim=-1, keepdim=True)
    is_same = query_sq <= SAME_OBJECT * torch.finfo(query_sq.dtype).eps * largest
    others = torch.where(is_same, torch.inf, query_sq)
    nearest = others.topk(min(N_SCALE_NEIGHBOURS, query_sq.shape[-1]), largest=False).values
    is_found = nearest.isfinite()
    sums = torch.where(is_found, nearest, 0).sum(dim=-1)
    n_found = is_found.sum(dim=-1)
    return torch.where(n_found > 0, sums / n_found.clamp(min=1), 1).to(query_sq.dtype)


def _check_squares(values: Tensor, name: str) -> None:
    """Refuse squared dissimilarities that are no floats, not finite or negative."""
    if not values.is_floating_point():
        raise RelationError(
            f"{name} has dtype {values.dtype}; squared dissimilarities are floats. Convert them, "
            "or pass positions=."
        )
    if values.device.type == "meta" or torch.compiler.is_compiling() or not values.numel():
        return
    lowest, largest = torch.aminmax(values.detach())
    if not largest < torch.inf or not lowest >= 0:
        is_finite = bool(values.isfinite().all())
        problem = f"holds {float(lowest):.3g}" if is_finite else "holds NaN or infinity"
        raise RelationError(
            f"{name} {problem}; squared dissimilarities are finite and not negative. Square "
            "distances, and repair the relation first: relrbf.inspect_relation finds what is wrong."
        )


def _check_support(support_sq: Tensor) -> Tensor:
    is_tensor = isinstance(support_sq, Tensor) and support_sq.ndim == 2
    if not is_tensor or support_sq.shape[0] != support_sq.shape[1]:
        raise RelationError(
            f"support_sq is a {type(support_sq).__name__} of shape "
            f"{tuple(getattr(support_sq, 'shape', ()))}; it must be a square tensor of shape "
            "(m, m), dissimilarities among the support."
        )
    _check_squares(support_sq, "support_sq")
    if support_sq.device.type == "meta":
        return support_sq
    off = (support_sq - support_sq.T).abs().max() + support_sq.diagonal().abs().max()
    if off > torch.finfo(support_sq.dtype).eps ** 0.5 * support_sq.max():  # more than rounding
        raise RelationError(
            "support_sq must be symmetric with a diagonal of zeros. relrbf.as_relation(D, "
            "symmetrize='mean') is one way to make it so."
        )
    return support_sq


def _check_coefficients(coefficients: Tensor, support_sq: Tensor) -> Tensor:
    if coefficients.ndim != 2 or coefficients.shape[1] != len(support_sq):
        raise OptionError(
            f"coefficients have shape {tuple(coefficients.shape)}; they need one column for each "
            f"of the {len(support_sq)} objects of the support.",
            "coefficients",
        )
    coefficients = coefficients.to(support_sq)
    if coefficients.device.type == "meta":
        return coefficients
    off = (coefficients.sum(dim=1) - 1).abs()
    if not bool((off <= torch.finfo(off.dtype).eps ** 0.5 * (1 + coefficients.abs().sum(1))).all()):
        worst = int(off.nan_to_num(torch.inf).argmax())
        raise OptionError(
            f"row {worst} of coefficients sums to {float(coefficients[worst].sum()):.6g}; affine "
            "coefficients sum to 1. Divide each row by its sum.",
            "coefficients",
        )
    return coefficients
