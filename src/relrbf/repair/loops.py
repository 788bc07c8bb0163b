"""Which of the two executions of the loops runs: numba's where it works."""

from functools import cache
from importlib import import_module
from typing import Any

from relrbf._utils import has_numba


@cache
def loops() -> Any:
    """Return the module that holds ``sweep``, ``shortest_detours`` and ``close_paths``."""
    name = "compiled" if has_numba() else "sweeps"
    return import_module(f"relrbf.repair.{name}")
