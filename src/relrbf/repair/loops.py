"""Which of the two executions of the loops runs: numba's where it is installed."""

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any


@cache
def loops() -> Any:
    """Return the module that holds ``sweep``, ``shortest_detours`` and ``close_paths``."""
    name = "sweeps" if find_spec("numba") is None else "compiled"
    return import_module(f"relrbf.repair.{name}")
