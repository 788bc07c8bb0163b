"""The options of ``GradientDescent`` and its validation set, validated."""

from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from relrbf._options import check_choice, check_number, check_span
from relrbf._typing import Array
from relrbf.exceptions import OptionError

if TYPE_CHECKING:
    from relrbf.training.gradient_descent import GradientDescent

UPDATES = ("exact", "published")
ACCELERATIONS = ("momentum", "conjugate-gradients")
VALIDATION_ADVICE = (
    "Choose another part, give more objects, or train without validation: validation_fraction=None "
    "in a GradientDescent, max_prototypes=None with solver='auto'."
)


def check_gradient_descent(solver: "GradientDescent") -> None:
    """Validate the options of a ``GradientDescent`` that do not depend on the data."""
    check_choice("update", solver.update, UPDATES)
    if not isinstance(solver.learning_rate, str) or solver.learning_rate != "curvature":
        check_span("learning_rate", solver.learning_rate, 0, instead="'curvature'")
    _check_adapt(solver.adapt)
    if not isinstance(solver.stable, bool | np.bool_):
        raise OptionError(f"stable is {solver.stable!r}; it must be True or False.")
    for name, low in (("initial_weights", -np.inf), ("initial_bandwidths", 0)):
        if getattr(solver, name) is not None:
            check_span(name, getattr(solver, name), low, instead="None")
    for name in ("patience", "grow_after", "checkpoint_every"):
        check_number(name, getattr(solver, name), Integral, 1)
    check_number("min_bandwidth", solver.min_bandwidth, Real, 0)
    if solver.min_bandwidth == 0:
        raise OptionError("min_bandwidth is 0; it must be positive, however small.")
    if solver.unit != "auto" and not _is_between(solver.unit, 0, np.inf):
        raise OptionError(f"unit is {solver.unit!r}; it must be a positive length, or 'auto'.")
    fraction = solver.validation_fraction
    if fraction is not None and not _is_between(fraction, 0, 1):
        raise OptionError(
            f"validation_fraction is {fraction!r}; it must be a number between 0 and 1, or None to "
            "train without validation."
        )
    _check_acceleration(solver)
    if solver.checkpoint is not None:
        _check_checkpoint(solver.checkpoint)


def _is_between(value: Any, low: float, high: float) -> bool:
    return isinstance(value, Real) and low < float(value) < high


def _check_adapt(adapt: Any) -> None:
    wrong = not isinstance(adapt, tuple | list) or len(adapt) != 3
    if not wrong:
        numbers = all(isinstance(x, Real) and np.isfinite(float(x)) for x in adapt)
        wrong = not numbers or not (0 < adapt[0] < 1 and adapt[1] >= 1 and adapt[2] >= 0)
    if wrong:
        raise OptionError(
            f"adapt is {adapt!r}; it must be (shrink, grow, tolerance): the factor of the rates "
            "after a rejected step (above 0, below 1), after a fall of the error (at least 1), and "
            "the relative rise of the error that is still accepted (at least 0)."
        )


def _check_acceleration(solver: "GradientDescent") -> None:
    check_number("momentum", solver.momentum, Real, 0)
    if solver.momentum >= 1:
        raise OptionError(f"momentum is {solver.momentum!r}; it must be below 1.")
    if solver.acceleration is None:
        return
    if solver.acceleration not in ACCELERATIONS:
        raise OptionError(
            f"acceleration={solver.acceleration!r} does not exist; it must be None or one of "
            f"{[*ACCELERATIONS]}."
        )
    if solver.update == "published":
        raise OptionError(
            f"acceleration={solver.acceleration!r} needs steps that add up, which the printed "
            "update does not have. Use update='exact', or acceleration=None."
        )


def _check_checkpoint(checkpoint: Any) -> None:
    if not isinstance(checkpoint, str | PathLike):
        raise OptionError(f"checkpoint is {checkpoint!r}; it must be the path of a file, or None.")
    path = Path(checkpoint)
    if path.is_dir() or not path.parent.is_dir():
        problem = "is a folder" if path.is_dir() else "lies in a folder that does not exist"
        raise OptionError(f"checkpoint={str(checkpoint)!r} {problem}; give the path of a file.")


def draw_validation_mask(
    fraction: float,
    weights: Array,
    classes: np.ndarray | None,
    rng: np.random.Generator,
    eligible: np.ndarray | None = None,
) -> np.ndarray:
    """Draw a fraction of the objects of positive weight, from every class alike (n, bool).

    A class whose share is not a whole number is rounded at random; its last object is not drawn,
    nor are objects that are not eligible.
    """
    free = np.ones(len(weights), dtype=bool) if eligible is None else eligible
    groups = np.zeros(len(weights), dtype=int) if classes is None else classes
    members = [np.flatnonzero((groups == g) & (weights > 0)) for g in np.unique(groups)]
    counts = [min(int(fraction * len(m) + rng.random()), len(m) - 1) for m in members]
    for largest in np.argsort([-len(m) for m in members], kind="stable"):
        if np.count_nonzero(counts) >= min(2, len(members)):
            break
        counts[largest] = max(counts[largest], min(1, len(members[largest]) - 1))
    mask = np.zeros(len(weights), dtype=bool)
    for objects, count in zip(members, counts, strict=True):
        mask[rng.permutation(objects[free[objects]])[: max(count, 0)]] = True
    check_validation_mask(mask, weights, classes, f"validation_fraction={fraction:.3g}")
    return mask


def as_mask(validation: Any, n_objects: int) -> np.ndarray:
    """Return positions, or a mask, of objects as a mask (n, bool)."""
    given = np.asarray(validation)
    if given.ndim != 1 or given.dtype.kind not in "bui" or given.size == 0:
        raise OptionError(
            "validation must be a flat array, not empty: positions of objects, or one boolean per "
            f"object. It has shape {given.shape} and dtype {given.dtype}."
        )
    if given.dtype == bool:
        if len(given) != n_objects:
            raise OptionError(
                f"validation has {len(given)} booleans for {n_objects} objects; give one for each."
            )
        return given
    outside = given[(given < 0) | (given >= n_objects)]
    if len(outside):
        raise OptionError(
            f"validation holds the position {outside[0]}; positions go from 0 to {n_objects - 1}."
        )
    mask = np.zeros(n_objects, dtype=bool)
    mask[given] = True
    return mask


def check_validation_mask(
    mask: np.ndarray, weights: Array, classes: np.ndarray | None, name: str
) -> None:
    """Refuse a validation part that cannot validate, or leaves nothing to train on."""
    used = weights > 0
    for part, objects in (("validation", mask & used), ("training", ~mask & used)):
        if not objects.any():
            raise OptionError(f"{name} leaves no object for {part}. {VALIDATION_ADVICE}")
        if classes is not None and len(np.unique(classes[objects])) < 2:
            raise OptionError(
                f"{name} leaves objects of one class only for {part}; a classifier needs at least "
                f"two. {VALIDATION_ADVICE}"
            )
    if classes is None:
        return
    untaught = np.setdiff1d(classes[mask & used], classes[~mask & used])
    if len(untaught):
        raise OptionError(
            f"{name} leaves no object of class number {untaught[0]} for training. "
            f"{VALIDATION_ADVICE}"
        )
