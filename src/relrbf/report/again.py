"""Python lines that make an object again: its call, and what has to be imported for it."""

from collections.abc import Iterator
from dataclasses import dataclass, field, fields, is_dataclass
from inspect import signature
from math import isfinite
from os import PathLike, fspath
from typing import Any

import numpy as np


class UnwritableError(Exception):
    """Raised for what no line of Python stands for, such as a generator of random numbers."""


@dataclass
class Script:
    """Collects the imports, and the names of what has to be given, while calls are written."""

    imports: set[str] = field(default_factory=set)
    given: list[str] = field(default_factory=list)

    def estimator(self, model: Any) -> str:
        """Return the call that makes an estimator with the same parameters, not fitted."""
        defaults = {name: p.default for name, p in signature(type(model)).parameters.items()}
        values = model.get_params(deep=False)
        changed = {n: values[n] for n in defaults if not _is_same(values[n], defaults[n])}
        arguments = (f"{name}={self._argument(name, value)}" for name, value in changed.items())
        return f"{self._named(type(model))}({', '.join(arguments)})"

    def _argument(self, name: str, value: Any) -> str:
        """Return a value in Python; one that cannot be written is given under its own name."""
        before = set(self.imports)
        try:
            return self.value(value)
        except UnwritableError:
            self.imports = before
            self.given.append(name)
            return name

    def value(self, value: Any) -> str:
        """Return what Python makes the same value of."""
        if isinstance(value, np.generic):
            return self.value(value.item())
        if isinstance(value, np.ndarray):
            self.imports.add("import numpy as np")
            return f"np.array({self.value(value.tolist())}, dtype={value.dtype.str!r})"
        if isinstance(value, PathLike):
            return repr(fspath(value))
        if isinstance(value, float) and not isfinite(value):
            return f'float("{value}")'
        if value is None or isinstance(value, (bool, int, float, str)):
            return repr(value)
        if isinstance(value, (list, tuple, dict)):
            return self._several(value)
        if is_dataclass(value) and type(value).__module__.startswith("relrbf."):
            return f"{self._named(type(value))}({', '.join(self._fields(value))})"
        raise UnwritableError

    def _several(self, values: Any) -> str:
        if isinstance(values, dict):
            pairs = (f"{self.value(key)}: {self.value(part)}" for key, part in values.items())
            return f"{{{', '.join(pairs)}}}"
        parts = ", ".join(map(self.value, values))
        if isinstance(values, list):
            return f"[{parts}]"
        return f"({parts},)" if len(values) == 1 else f"({parts})"

    def _fields(self, made: Any) -> Iterator[str]:
        for part in fields(made):
            value = getattr(made, part.name)
            if part.init and not _is_same(value, part.default):
                yield f"{part.name}={self.value(value)}"

    def _named(self, kind: type) -> str:
        """Return the name of a class, imported from where it is public."""
        top, *rooms = kind.__module__.split(".")
        door = kind.__module__
        if top == "relrbf":
            door = "relrbf" if rooms[0] == "estimators" else f"relrbf.{rooms[0]}"
        self.imports.add(f"from {door} import {kind.__name__}")
        return kind.__name__


def _is_same(value: Any, default: Any) -> bool:
    return value is default or (type(value) is type(default) and repr(value) == repr(default))
