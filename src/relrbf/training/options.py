"""The options of ``GradientDescent``, judged."""

from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from relrbf._options import check_choice, check_number, check_span
from relrbf.exceptions import OptionError

UPDATES = ("exact", "published")
ACCELERATIONS = ("momentum", "conjugate-gradients")


def check_descent(descent: Any) -> None:
    """Validate the options of a ``GradientDescent`` that do not depend on the data."""
    check_choice("update", descent.update, UPDATES)
    if not isinstance(descent.learning_rate, str) or descent.learning_rate != "curvature":
        check_span("learning_rate", descent.learning_rate, 0, instead="'curvature'")
    _check_adapt(descent.adapt)
    _check_flag("stable", descent.stable)
    if descent.initial_weights is not None:
        check_span("initial_weights", descent.initial_weights, -np.inf, instead="None")
    if descent.initial_bandwidths is not None:
        check_span("initial_bandwidths", descent.initial_bandwidths, 0, instead="None")
    check_number("patience", descent.patience, Integral, 1)
    check_number("grow_after", descent.grow_after, Integral, 1)
    check_number("min_bandwidth", descent.min_bandwidth, Real, 0)
    if descent.min_bandwidth == 0:
        raise OptionError("min_bandwidth is 0; it must be positive, however small.")
    _check_unit(descent.unit)
    _check_fraction(descent.validation_fraction)
    _check_acceleration(descent)
    check_number("checkpoint_every", descent.checkpoint_every, Integral, 1)
    _check_checkpoint(descent.checkpoint)


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


def _check_flag(name: str, value: Any) -> None:
    if not isinstance(value, bool | np.bool_):
        raise OptionError(f"{name} is {value!r}; it must be True or False.")


def _check_unit(unit: Any) -> None:
    positive = isinstance(unit, Real) and 0 < float(unit) < np.inf
    if not positive and unit != "auto":
        raise OptionError(f"unit is {unit!r}; it must be a positive length, or 'auto'.")


def _check_fraction(fraction: Any) -> None:
    if fraction is None:
        return
    if not isinstance(fraction, Real) or not 0 < float(fraction) < 1:
        raise OptionError(
            f"validation_fraction is {fraction!r}; it must be a number between 0 and 1, or None to "
            "train without validation."
        )


def _check_acceleration(descent: Any) -> None:
    check_number("momentum", descent.momentum, Real, 0)
    if descent.momentum >= 1:
        raise OptionError(f"momentum is {descent.momentum!r}; it must be below 1.")
    if descent.acceleration is None:
        return
    if descent.acceleration not in ACCELERATIONS:
        raise OptionError(
            f"acceleration={descent.acceleration!r} does not exist; it must be None or one of "
            f"{[*ACCELERATIONS]}."
        )
    if descent.update == "published":
        raise OptionError(
            f"acceleration={descent.acceleration!r} needs motions that add up, which the printed "
            "update does not have. Use update='exact', or acceleration=None."
        )


def _check_checkpoint(checkpoint: Any) -> None:
    if checkpoint is None:
        return
    if not isinstance(checkpoint, str | PathLike):
        raise OptionError(f"checkpoint is {checkpoint!r}; it must be the path of a file, or None.")
    path = Path(checkpoint)
    if path.is_dir() or not path.parent.is_dir():
        problem = "is a folder" if path.is_dir() else "lies in a folder that does not exist"
        raise OptionError(f"checkpoint={str(checkpoint)!r} {problem}; give the path of a file.")
