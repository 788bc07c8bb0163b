"""JSON, strictly: no name twice, no number that is none."""

import json
from math import isfinite
from typing import Any

from relrbf.exceptions import ModelFileError


def to_json(value: Any, indent: int | None = None) -> bytes:
    """Return a value as text that is the same for the same value."""
    return json.dumps(value, sort_keys=True, indent=indent, allow_nan=False).encode("ascii")


def from_json(content: bytes) -> Any:
    """Return the value of a text."""
    return json.loads(
        content.decode("ascii"),
        parse_float=_number,
        parse_constant=_refuse,
        object_pairs_hook=_named_once,
    )


def _number(text: str) -> float:
    return float(text) if isfinite(float(text)) else _refuse(text)


def _refuse(text: str) -> Any:
    raise ModelFileError(f"{text:.20} is no number of JSON")


def _named_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ModelFileError("a JSON object names a value twice")
    return found
