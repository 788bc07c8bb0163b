"""What there is to learn from objects, and how wrong responses to objects left out are."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.autotune.calibration import cross_entropies
from relrbf.autotune.leave_one_out import actual_targets
from relrbf.network import GeneralizedGaussian, Kernel
from relrbf.network.model import local_scales
from relrbf.relations.base import Index, Relation, as_slice
from relrbf.relations.blocks import for_each_block, row_blocks

MIN_TESTED_OBJECTS = 20
SIGNAL_TIE = 1e-9  # relatively: a smaller difference is rounding
SIGNAL_STANDARD_ERRORS = 3.5  # by which responses must be better than a constant


@dataclass(frozen=True, eq=False)
class Targets:
    """Targets Y (n × g) of objects of weights w (n, mean one).

    Of classes, the rows of Y are shares, which sum to one, and responses are logits; else Y are
    numbers, and responses what to add to their mean.
    """

    Y: Array
    w: Array
    has_classes: bool

    def of(self, objects: Indices) -> "Targets":
        """Return those of some objects."""
        is_all = np.array_equal(objects, np.arange(len(self.Y)))  # shared, not copied
        Y = self.Y if is_all else self.Y[objects]
        return replace(self, Y=Y, w=self.w[objects] / self.w[objects].mean())

    @property
    def mean(self) -> Array:
        """The weighted mean (g)."""
        return self.w @ self.Y / self.w.sum()

    @property
    def centred(self) -> Array:
        """Y less its mean."""
        return self.Y - self.mean

    @property
    def shares(self) -> Array | None:
        """Shares of the objects in mean activations, as in the mean of Y; None: all alike.

        Weights may tell the classes, and left-out responses must not; logits have a bias anyway.
        """
        is_alike = self.has_classes or np.ptp(self.w) == 0
        return None if is_alike else self.w / self.w.sum()

    def smoothed(self, n_groups: int, shares: Array | None = None) -> Array:
        """Return shares of classes, by default the targets, with label noise.

        Objects that are all on the right side would ask for certainty, which n of them do not
        prove. As Platt (1999) does, one label in n + 2 is taken as wrong; n is the number of
        objects, or of those in one of so many groups.
        """
        Y, noise = self.Y if shares is None else shares, 1 / (len(self.Y) / n_groups + 2)
        return (1 - noise) * Y + noise * (1 - Y) / max(Y.shape[-1] - 1, 1)

    @cached_property
    def _compared(self) -> Array:
        """What responses to objects left out are compared with."""
        if self.has_classes:
            return self.smoothed(self.Y.shape[1])
        return actual_targets(self.centred, self.w)

    def losses(self, left_out: Array) -> Array:
        """Return the loss of each response to an object left out (... × n × g)."""
        if self.has_classes:
            return cross_entropies(left_out, self._compared)
        return np.square(self.residuals(left_out)).sum(axis=-1)

    def residuals(self, left_out: Array) -> Array:
        """Return numbers less the responses to their objects left out (... × n × g)."""
        return self._compared - left_out

    def loss(self, left_out: Array) -> Any:
        """Return the weighted mean loss: negative log-likelihood, or squared error."""
        losses = self.losses(left_out) @ self.w / self.w.sum()
        return losses if losses.ndim else float(losses)

    @property
    def lowest_loss(self) -> float:
        """The loss of the best responses there could be: what label noise leaves."""
        return self.loss(np.log(self._compared)) if self.has_classes else 0.0

    def constant(self) -> Array:
        """Return the responses of a constant; shares of classes are known as members know them."""
        if not self.has_classes:
            return np.zeros_like(self.Y)
        return np.tile(np.log(self.w @ self._compared / self.w.sum()), (len(self.Y), 1))

    def constant_bias(self) -> Array:
        """Return the bias of a network that responds with a constant (g)."""
        if not self.has_classes:
            return self.mean
        return np.log(self.smoothed(1, self.mean) * self.w.sum())  # which the order does not round

    def has_signal(self, left_out: Array) -> bool:
        """Tell whether responses are better than a constant by more than chance.

        Very few objects cannot tell; they are believed where the responses to them differ.
        """
        if len(self.Y) < MIN_TESTED_OBJECTS:
            spread = np.ptp(left_out, axis=0).max()
            return bool(spread > SIGNAL_TIE * np.abs(left_out).max())
        losses, shares = self.losses(self.constant()), self.w / self.w.sum()
        gains = losses - self.losses(left_out)
        mean = float(shares @ gains)
        standard_error = float(np.linalg.norm(shares * (gains - mean)))
        return mean > max(SIGNAL_STANDARD_ERRORS * standard_error, SIGNAL_TIE * (shares @ losses))


@dataclass(frozen=True)
class Scale:
    """Activations ``kernel((S / bandwidth_sq) ** power)``, of S or of locally scaled S.

    With ``unit_sq`` the median of what S holds, the square of 2 ** width divides ``(S / unit_sq) **
    power``.
    """

    power: float
    width: float
    unit_sq: float
    is_local: bool = False

    @property
    def bandwidth_sq(self) -> float:
        """The squared bandwidth."""
        return self.unit_sq * 4.0 ** (self.width / self.power)

    def activate(self, S: Array, kernel: Kernel) -> Array:
        """Return the activations of prototypes on objects."""
        if self.power != 1:
            kernel = GeneralizedGaussian(self.power)
        return kernel.activate(S / self.bandwidth_sq)


@dataclass(frozen=True, eq=False)
class TeacherProblem:
    """A relation, targets of the objects that take part, the kernel and, where given, alpha.

    ``order`` holds these objects in an order that does not depend on how they are numbered,
    ``local_scales`` (n), where distances are locally scaled, how far each object's nearest are.
    """

    relation: Relation
    targets: Targets
    kernel: Kernel
    order: Indices
    alpha: float | None = None
    local_scales: Array | None = None

    @property
    def objects(self) -> Indices:
        """The objects that take part, in ascending order."""
        return np.sort(self.order)

    def S(self, rows: Index, cols: Index) -> Array:
        """Return a block of S in double precision; not to be written to."""
        S = self.relation.block_sq(as_slice(rows), as_slice(cols))
        S = S.astype(np.float64, copy=False)
        if self.local_scales is None:
            return S
        roots = np.sqrt(self.local_scales)
        return S / roots[rows][:, None] / roots[cols]

    def activations(self, rows: Indices, cols: Indices, scale: Scale) -> Array:
        """Return the activations of prototypes on some objects (cols), a few rows at a time."""
        K = np.empty((len(rows), len(cols)))

        def fill(block: slice) -> None:
            K[block] = scale.activate(self.S(rows[block], cols), self.kernel)

        for_each_block(fill, row_blocks(len(rows), K.itemsize * len(cols)))
        return K

    def with_classes_of(self, objects: Indices) -> "TeacherProblem":
        """Return the problem for some objects, without the classes that none of them is in."""
        Y = self.targets.Y
        if self.targets.has_classes:
            Y = Y[:, Y[objects].any(axis=0)]
        return replace(self, targets=replace(self.targets, Y=Y))

    def locally_scaled(self) -> tuple["TeacherProblem", Array]:
        """Return the problem with distances in units of what is near each object, and the units."""
        objects, scales = self.objects, np.ones(len(self.targets.Y))

        def fill(block: slice) -> None:
            scales[objects[block]] = local_scales(self.S(objects, objects[block]))

        for_each_block(fill, row_blocks(len(objects), scales.itemsize * len(objects)))
        return replace(self, local_scales=scales), scales[objects]
