"""The files of ``relate``: the matrix, and what lets it resume.

A matrix has its name only when it is complete; until then it is ``NAME.part``, and a log of
finished tiles, with fingerprints of what they are of, is ``NAME.progress``.
"""

import io
import json
import os
import re
import shutil
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

from relrbf._typing import Array
from relrbf._utils import import_library
from relrbf.exceptions import OptionError, RelationError
from relrbf.relations.measure_evaluation import Tile
from relrbf.relations.on_disk import check_replaceable

WRITTEN_BYTES = 2**24  # at a time


class MatrixStore:
    """A square matrix that takes tiles of the upper half, and mirrors them.

    With resume, it is what an earlier run wrote. Without a path it is in memory.
    """

    def __init__(
        self, path: Path | None, n_objects: int, dtype: np.dtype[Any], side: int, resume: bool
    ) -> None:
        self.path = path
        self.matrix: Any
        if path is None:
            self.matrix = np.empty((n_objects, n_objects), dtype=dtype)
        elif path.suffix == ".zarr":
            self.matrix = _open_zarr(path, n_objects, dtype, side, resume)
        else:
            self.matrix = _open_npy(path, n_objects, dtype, resume)

    def put(self, tile: Tile, values: Array) -> int:
        """Write a tile and its mirror image; return its checksum."""
        self.matrix[tile.rows, tile.cols] = values
        if not tile.is_diagonal:
            self.matrix[tile.cols, tile.rows] = values.T
        return checksum(values)

    def has(self, tile: Tile, expected: int) -> bool:
        """Tell whether a tile and its mirror image are what was written."""
        try:
            both = (self.matrix[tile.rows, tile.cols], self.matrix[tile.cols, tile.rows])
            return all(checksum(np.asarray(block)) == expected for block in both)
        except Exception:  # a chunk that cannot be decoded raises whatever its codec does
            return False

    def remove_older(self) -> None:
        """Write all to the disk, then remove an older matrix of that name; keep who may read it."""
        assert self.path is not None
        if isinstance(self.matrix, np.memmap):
            self.matrix.flush()
        del self.matrix
        if self.path.exists():
            shutil.copymode(self.path, part_path(self.path))
        if self.path.is_dir():
            shutil.rmtree(self.path)
        self.path.unlink(missing_ok=True)

    def finish(self) -> None:
        """Give the matrix its name."""
        assert self.path is not None
        os.replace(part_path(self.path), self.path)


def check_path(path: Any) -> Path:
    """Return a path that can be written to."""
    target = Path(path)
    if target.suffix not in (".npy", ".zarr"):
        raise OptionError(f"path={str(path)!r} must end in .npy or .zarr.")
    if not target.parent.is_dir():
        problem = f"path={str(path)!r} lies in a folder that does not exist; make it, or name"
        raise OptionError(f"{problem} another.")
    for place in (target, part_path(target), log_path(target)):
        check_replaceable(target, place)
    return target


def part_path(path: Path) -> Path:
    """Return the name that a matrix has until it is complete."""
    return path.with_name(path.name + ".part")


def log_path(path: Path) -> Path:
    """Return where finished tiles are noted."""
    return path.with_name(path.name + ".progress")


def checksum(values: Array) -> int:
    """Return the sum of the bits of all entries, which is the same for the mirror image.

    A tile that was never written, or cut off, has another sum, or it was all zeros anyway.
    """
    words = np.ascontiguousarray(values).view(f"u{values.dtype.itemsize}")
    return int(words.sum(dtype=np.uint64))


def _open_npy(path: Path, n: int, dtype: np.dtype[Any], resume: bool) -> np.memmap:
    part, header = part_path(path), io.BytesIO()
    described = {"descr": dtype.str, "fortran_order": False, "shape": (n, n)}
    np.lib.format.write_array_header_1_0(header, described)
    offset = header.tell()
    size = offset + n * n * dtype.itemsize
    with open(part, "r+b" if resume else "w+b") as file:
        file.write(header.getvalue())
        file.flush()
        # the space is taken at once: a disk that is full says so now, not in mid-write
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file.fileno(), 0, size)
            os.truncate(file.fileno(), size)
        else:
            missing = size - file.seek(0, os.SEEK_END)
            while missing > 0:
                missing -= file.write(bytes(min(missing, WRITTEN_BYTES)))
    return np.memmap(part, dtype, "r+", offset, (n, n))


def _open_zarr(path: Path, n: int, dtype: np.dtype[Any], side: int, resume: bool) -> Any:
    """Return an array whose chunks are the tiles, so that no two writes meet in one."""
    zarr, part = import_library("zarr", "zarr", f"path={str(path)!r}"), part_path(path)
    if not resume:
        shutil.rmtree(part, ignore_errors=True)
        chunks = (min(side, n),) * 2
        # NaN, so that a chunk of zeros is written, and a missing one noticed
        return zarr.create_array(
            store=str(part), shape=(n, n), chunks=chunks, dtype=dtype, fill_value=np.nan
        )
    for left in part.rglob("*.partial"):  # by a kill in the middle of a write
        left.unlink()
    try:
        return zarr.open_array(store=str(part), mode="r+")
    except Exception as error:
        advice = "Pass resume=False to begin anew, or name another path."
        raise RelationError(f"{part} is damaged ({error!s:.300}).", advice) from error


class ResumeLog:
    """The file ``NAME.progress``, locked against other runs while it is entered.

    The first line says what the matrix is of; each other line is a tile's number and checksum.
    """

    def __init__(self, target: Path, identity: dict[str, Any], resume: bool) -> None:
        self.target = target
        self.path = log_path(target)
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
            problem = f"{self.path} is damaged, so what was computed cannot be told."
            raise RelationError(problem, "Pass resume=False to begin anew, or name another path.")
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
