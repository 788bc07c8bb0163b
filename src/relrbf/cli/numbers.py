"""Numbers as they are typed."""

import argparse


def count(text: str) -> int:
    """Return a number from 1."""
    return _from(1, text)


def number(text: str) -> int:
    """Return a number from 0."""
    return _from(0, text)


def _from(least: int, text: str) -> int:
    if not text.isdecimal() or int(text) < least:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from {least}")
    return int(text)
