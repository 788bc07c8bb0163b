"""Results as JSON knows them."""

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from numbers import Integral, Real
from pathlib import Path
from typing import Any


def as_plain(value: Any) -> Any:
    """Return a value made of dicts, lists, strings, finite numbers, booleans and None."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, Enum):
        return value.name
    if hasattr(value, "tolist"):  # arrays and scalars of numpy
        return as_plain(value.tolist()) if not isinstance(value, str) else str(value)
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value) if math.isfinite(value) else None
    if is_dataclass(value):
        return {field.name: as_plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(as_plain(key)): as_plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set):
        return [as_plain(item) for item in value]
    if isinstance(value, Path):
        return str(value)
    return str(value)
