"""Checks of one option at a time. Errors say what came, what is needed and what there is."""

from collections.abc import Iterable
from difflib import get_close_matches
from numbers import Integral, Real
from typing import Any

import numpy as np

from relrbf.exceptions import OptionError


def did_you_mean(name: Any, names: Iterable[str]) -> str:
    """Return a question about the name that is most like one that does not exist, or nothing."""
    known = {each.lower().replace("_", "-"): each for each in names}
    near = get_close_matches(str(name).lower().replace("_", "-"), known, n=1, cutoff=0.6)
    return f" Did you mean {known[near[0]]}?" if near else ""


def check_choice(name: str, value: Any, choices: Iterable[Any]) -> None:
    """Refuse a value that does not exist, and say which do."""
    if not isinstance(value, str) or value not in choices:
        raise OptionError(f"{name}={value!r} does not exist; it must be one of {[*choices]}.", name)


def check_number(name: str, value: Any, kind: Any, low: float, *, or_auto: bool = False) -> None:
    """Refuse what is not a finite number of the kind, at least as large as the lowest allowed."""
    if or_auto and is_auto(value):
        return
    if isinstance(value, kind) and not isinstance(value, bool) and low <= float(value) < np.inf:
        return
    needed = "an integer" if kind is Integral else "a finite number"
    auto = ", or auto" if or_auto else ""
    raise OptionError(f"{name} is {value!r}; it must be {needed}, at least {low}{auto}.", name)


def require(is_right: bool, name: str, value: Any, needed: str) -> None:
    """Refuse a value that is not what is needed."""
    if not is_right:
        raise OptionError(f"{name} is {value!r:.80}; it must be {needed}.", name)


def check_flag(name: str, value: Any) -> None:
    """Refuse what is neither True nor False."""
    require(isinstance(value, bool | np.bool_), name, value, "True or False")


def check_span(name: str, value: Any, low: float, *, instead: str) -> None:
    """Refuse what is not a pair of finite numbers, in order, above the lowest allowed."""
    if isinstance(value, tuple | list | np.ndarray) and len(value) == 2:
        start, stop = value
        if _is_finite(start) and _is_finite(stop) and low < start <= stop:
            return
    above = "" if low == -np.inf else f", both above {low:g}"
    raise OptionError(
        f"{name} is {value!r}; it must be two finite numbers (low, high) with low ≤ high{above}, "
        f"or {instead}.",
        name,
    )


def _is_finite(value: Any) -> bool:
    is_number = isinstance(value, Real) and not isinstance(value, bool | np.bool_)
    return is_number and abs(float(value)) < np.inf


def is_auto(value: Any) -> bool:
    """Tell whether the choice is left to the estimator."""
    return isinstance(value, str) and value == "auto"


def check_verbose(verbose: Any) -> None:
    """Refuse what says neither whether nor how much to print."""
    if not isinstance(verbose, bool):
        check_number("verbose", verbose, Integral, 0)
