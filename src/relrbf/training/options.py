"""The options of ``GradientDescent``, validated."""

from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from relrbf._options import check_choice, check_number, check_span
from relrbf.exceptions import OptionError

if TYPE_CHECKING:
    from relrbf.training.gradient_descent import GradientDescent

UPDATES = ("exact", "published")


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


def _check_checkpoint(checkpoint: Any) -> None:
    if not isinstance(checkpoint, str | PathLike):
        raise OptionError(f"checkpoint is {checkpoint!r}; it must be the path of a file, or None.")
    path = Path(checkpoint)
    if path.is_dir() or not path.parent.is_dir():
        problem = "is a folder" if path.is_dir() else "lies in a folder that does not exist"
        raise OptionError(f"checkpoint={str(checkpoint)!r} {problem}; give the path of a file.")
