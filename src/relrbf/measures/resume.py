"""What lets ``relate`` resume: a log of finished tiles, and fingerprints of what they are of."""

import json
import os
import re
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from inspect import ismethod
from pathlib import Path
from types import CodeType
from typing import Any, BinaryIO, Self

import joblib
import numpy as np

from relrbf.exceptions import RelationError


class ResumeLog:
    """The file ``NAME.progress``, locked against other runs while it is entered.

    The first line says what the matrix is of; each other line is a tile's number and checksum.
    """

    def __init__(self, target: Path, identity: dict[str, Any], resume: bool) -> None:
        self.target = target
        self.path = target.with_name(target.name + ".progress")
        self.identity = identity
        self.resume = resume
        self.found: dict[int, int] = {}

    def __enter__(self) -> Self:
        self._file = open(self.path, "a+b")
        try:
            _lock(self._file, self.target)
            self._begin()
        except BaseException:
            self._file.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def add(self, index: int, checksum: int) -> None:
        """Note a tile; a kill from now on does not lose it."""
        self._write(f"{index} {checksum:016x}\n")

    def _begin(self) -> None:
        self._file.seek(0)
        log = self._file.read()
        log = log[: log.rfind(b"\n") + 1]  # a line that a kill cut off does not count
        identity, _, tiles = log.partition(b"\n")
        if tiles and self.resume:  # else there is nothing to lose
            self._refuse_other(identity)
            logged = re.findall(rb"^(\d+) ([0-9a-f]+)$", tiles, re.MULTILINE)
            self.found = {int(index): int(checksum, 16) for index, checksum in logged}
            self._file.truncate(len(log))
        else:
            self._file.truncate(0)
            self._write(json.dumps(self.identity) + "\n")

    def _write(self, line: str) -> None:
        self._file.write(line.encode())
        self._file.flush()

    def _refuse_other(self, line: bytes) -> None:
        try:
            logged = json.loads(line)
        except ValueError:
            logged = None
        if not isinstance(logged, dict):
            raise RelationError(
                f"{self.path} is damaged, so what was computed cannot be told. Pass resume=False "
                "to begin anew, or name another path."
            )
        other = [name for name, value in self.identity.items() if logged.get(name) != value]
        if other:
            raise RelationError(
                f"path={str(self.target)!r} was begun with another {' and another '.join(other)}; "
                "nothing was overwritten. Call relate as before to go on, name another path, or "
                "pass resume=False to begin anew."
            )


def _lock(file: BinaryIO, target: Path) -> None:
    """Lock the file until it is closed, which a kill does, too."""
    if os.name != "posix":  # no such lock there; two runs at once are the user's to avoid
        return
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise RelationError(
            f"path={str(target)!r} is being computed by another run; wait for it, or name another."
        ) from None


def installed_version(package: str) -> str:
    """Return the version of a package, as far as it has one."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "of unknown version"


def fingerprint_objects(objects: Any) -> str:
    """Return what tells these objects from others, in any run of Python."""
    if isinstance(objects, np.ndarray):
        return fingerprint(objects)
    whole = sha256()
    for i, each in enumerate(objects):
        text = each if isinstance(each, str) else fingerprint(each, f"objects[{i}]")
        whole.update(f"{type(each).__name__} {len(text)} {text}".encode("utf-8", "surrogatepass"))
    return whole.hexdigest()


def fingerprint_function(function: Callable[..., Any]) -> str:
    """Return what tells a function from others: its name, its code, what it carries along."""
    if isinstance(function, partial):
        arguments = fingerprint((function.args, function.keywords), "measure")
        return f"partial {fingerprint_function(function.func)} {arguments}"
    if not hasattr(function, "__qualname__"):  # an object that can be called
        return f"{_name_and_code(type(function).__call__)} {_state(function)}"
    cells = [cell.cell_contents for cell in getattr(function, "__closure__", None) or ()]
    closure = [_name_and_code(each) if callable(each) else each for each in cells]
    defaults = [getattr(function, name, None) for name in ("__defaults__", "__kwdefaults__")]
    owner = _state(function.__self__) if ismethod(function) else ""
    return f"{_name_and_code(function)} {fingerprint([closure, defaults], 'measure')} {owner}"


def fingerprint(value: Any, name: str = "measure_params") -> str:
    """Return a hash of a value that is the same in another run of Python."""
    value = set(value) if isinstance(value, frozenset) else value  # joblib sorts sets
    try:
        return str(joblib.hash(value, hash_name="sha1", coerce_mmap=True))
    except Exception as error:
        raise RelationError(
            f"{name} cannot be recognised after a kill, for it cannot be pickled ({error}). "
            "Compute in memory with path=None, or pass something that can."
        ) from error


def _state(owner: Any) -> str:
    return fingerprint(getattr(owner, "__dict__", None), "measure")


def _name_and_code(function: Any) -> str:
    name = f"{function.__module__}.{getattr(function, '__qualname__', type(function).__name__)}"
    code = getattr(function, "__code__", None)
    return name if code is None else f"{name} {_fingerprint_code(code)}"


def _fingerprint_code(code: CodeType) -> str:
    parts = (code.co_code.hex(), code.co_names, [_constant(each) for each in code.co_consts])
    return sha256(repr(parts).encode()).hexdigest()[:16]


def _constant(value: Any) -> str:
    if isinstance(value, CodeType):
        return _fingerprint_code(value)
    # the order in a set of strings differs from run to run
    return repr(sorted(map(repr, value)) if isinstance(value, frozenset) else value)
