"""Numbers and named values as they are typed."""

import argparse
import math
from contextlib import suppress
from typing import Any


def count(text: str) -> int:
    """Return a number from 1."""
    return _from(1, text)


def number(text: str) -> int:
    """Return a number from 0."""
    return _from(0, text)


def folds(text: str) -> int:
    """Return a number of parts: none, or from 2."""
    value = _from(0, text)
    if value == 1:
        raise argparse.ArgumentTypeError("'1' part leaves nothing to train with; 0 is none")
    return value


def amount(text: str) -> int | float:
    """Return a number that is not negative; a whole one if it is typed as one."""
    if text.isdecimal():
        return int(text)
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0")
    return value


def named_value(text: str) -> tuple[str, Any]:
    """Return the name and the value of NAME=VALUE; what looks like a number is one."""
    name, equals, value = text.partition("=")
    if not equals or not name.isidentifier():
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE")
    for kind in (int, float):
        with suppress(ValueError):
            return name, kind(value)
    return name, value


def _from(least: int, text: str) -> int:
    if not text.isdecimal() or int(text) < least:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from {least}")
    return int(text)
