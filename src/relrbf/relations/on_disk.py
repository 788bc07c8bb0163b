"""Relations in files: a memory-mapped .npy, or a zarr array. Blocks are read on demand."""

import asyncio
import os
import re
import threading
from collections.abc import Iterator
from copy import copy
from functools import cache
from importlib import import_module
from math import ceil, isqrt, lcm, prod
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.exceptions import OptionError, RelationError
from relrbf.relations.base import EVERY, Index, Relation, as_slice, tiled_product
from relrbf.relations.blocks import READ_BYTES, TILE_SIDE, row_blocks, spans
from relrbf.relations.dense import DenseRelation
from relrbf.relations.validation import is_zarr, memmap_of, refuse_shape, validated_ids
from relrbf.relations.views import PartRelation

MAX_COPY_BYTES = READ_BYTES // 2  # up to which a part of a relation is copied to memory
MAX_OVERSIZE = 8  # of blocks: a file is read fastest in long pieces
MAX_DECLARED = 2  # times as many chunks as there are files; one that is missing is named when read
IDS_SUFFIX = ".ids.txt"
COLUMNS_SUFFIX = ".columns.txt"  # beside D_new.npy: the names of its columns
ZARR_METADATA = ("zarr.json", ".zarray", ".zattrs", ".zgroup", ".zmetadata")
CHUNK_FILE = re.compile(r"(c/)?\d+[./]\d+|.*\.partial")  # a kill leaves the latter
CHUNK_POSITION = re.compile(r"(\d+)[./](\d+)$")  # its row and its column, in its name


class FileState(NamedTuple):
    """A file as it was when it was opened, and whether it may be written to."""

    path: Path
    opened: os.stat_result
    is_writable: bool

    def check(self, *, reopening: bool = False) -> None:
        """Refuse a file that was changed.

        One that was replaced or deleted is still open, unless it has to be opened again.
        """
        try:
            now = os.stat(self.path)
        except OSError:
            return
        is_changed = now.st_size != self.opened.st_size
        is_changed |= not self.is_writable and now.st_mtime_ns != self.opened.st_mtime_ns
        if is_changed and (reopening or now.st_ino == self.opened.st_ino):
            raise RelationError(
                f"{self.path} was changed after it was opened and validated. Make the relation "
                "again, with relrbf.as_relation, when the file is whole."
            )


class FileRelation(DenseRelation):
    """Base of the relations whose matrix lies in a file."""

    matrix: Any  # zarr's has no types here
    blas_exponent = None  # products are read block by block
    is_symmetric: bool = True  # an entry may be read in the place of its mirror image
    file_state: FileState | None = None

    def __init__(self, matrix: Any, exponent: float = 2, ids: np.ndarray | None = None) -> None:
        super().__init__(matrix, exponent, ids)
        # neither a foreign byte order nor integers: those are converted block by block
        self.dtype = np.dtype(np.float32 if matrix.dtype.str[1:] == "f4" else np.float64)

    @property
    def shape(self) -> tuple[int, int]:
        """That of the matrix, (n, n) for a relation."""
        return int(self.matrix.shape[0]), int(self.matrix.shape[1])

    def restrict(self, objects: Index) -> Relation:
        """Return the relation among some of the objects: of few in memory, else read on demand."""
        positions = np.arange(self.n_objects)[objects]
        if len(positions) ** 2 * self.dtype.itemsize > MAX_COPY_BYTES:
            return PartRelation(self, positions)
        ids = self.ids_of(positions)
        part = DenseRelation(self.block(positions, positions), self.exponent, ids)
        part.exponent_given, part.self_similarity = self.exponent_given, self.self_similarity
        return part

    def __repr__(self) -> str:
        where = f" in {self.file_state.path.name}" if self.file_state else ""
        return f"{super().__repr__()[:-1]}, {self.matrix.dtype}{where})"


class MappedRelation(FileRelation):
    """Dissimilarities in a ``numpy.memmap`` of shape (n, n), read in the order of the file.

    Numbers other than float32 and float64 of this machine's are converted block by block.
    """

    tile = 2048  # of such a square each row is whole pages of the file

    def _lines(self) -> Array:
        """Return the matrix or its transpose, whichever has its rows in one piece."""
        matrix = np.asarray(self.matrix)
        return matrix.T if matrix.flags.f_contiguous else matrix

    def block(self, rows: Index = EVERY, cols: Index = EVERY) -> Array:
        """Return a dense block of dissimilarities: a view where both indices are slices.

        Of the block and its mirror image, the one that touches fewer rows of the file is read:
        40,000 rows have an entry of any column, and each costs a page.
        """
        if self.file_state is not None:
            self.file_state.check()
        first, second = as_span(rows, self.shape[0]), as_span(cols, self.shape[1])
        lines = self._lines() if self.is_symmetric else np.asarray(self.matrix)
        if self.is_symmetric and _length(second) < _length(first):
            found = _cut(lines, second, first).T
        else:
            found = _cut(lines, first, second)
        return found.astype(self.dtype, copy=False)

    def row_blocks(self) -> Iterator[slice]:
        """Cut the rows into blocks that BLAS multiplies well, in the order of the file."""
        return row_blocks(self.n_objects, self.n_objects * self.dtype.itemsize, MAX_OVERSIZE)

    def restrict(self, objects: Index) -> Relation:
        """Return the relation among some of the objects: of neighbours, the same file's."""
        span = as_span(objects, self.n_objects)
        if not isinstance(span, slice):
            return super().restrict(objects)
        part = copy(self)
        part.matrix, part.ids = self.matrix[span, span], self.ids_of(span)
        part.n_objects = len(part.matrix)
        return part

    def __getstate__(self) -> dict[str, Any]:
        """Return what is pickled: where the matrix lies, not its entries."""
        matrix, whole = self.matrix, memmap_of(self.matrix)
        if whole is None or whole.mode == "c":  # changes that only this process sees
            return vars(self)
        while isinstance(whole.base, np.memmap):
            whole = whole.base
        start, first = (array.__array_interface__["data"][0] for array in (matrix, whole))
        layout = matrix.shape, matrix.dtype, whole.offset + start - first, matrix.strides
        return vars(self) | {"matrix": (Path(str(whole.filename)).absolute(), *layout)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        if isinstance(state["matrix"], tuple):
            path, shape, dtype, offset, strides = state["matrix"]
            if not path.exists():
                raise RelationError(
                    f"the file of a relation, {path}, is not there; put it back, or make the "
                    "relation from where it is now."
                )
            if state.get("file_state") is not None:
                state["file_state"].check(reopening=True)
            bytes_of_file = np.memmap(str(path), np.uint8, "r")  # of a Path, links are resolved
            state["matrix"] = np.ndarray(shape, dtype, bytes_of_file, offset, strides)
        vars(self).update(state)


class ZarrRelation(FileRelation):
    """Dissimilarities in a zarr array of shape (n, n); nothing but blocks is ever in memory."""

    is_costly = True  # for a row, every chunk that it crosses is decoded

    def __init__(self, matrix: Any, exponent: float = 2, ids: np.ndarray | None = None) -> None:
        super().__init__(matrix, exponent, ids)
        longest, largest = isqrt(READ_BYTES // (8 * self.dtype.itemsize)), max(matrix.chunks)
        side = lcm(*matrix.chunks)  # of a square in which chunks lie wholly
        if side <= longest:
            self.tile = side * max(TILE_SIDE // side, 1)
        else:
            self.tile = largest if largest**2 * self.dtype.itemsize <= READ_BYTES else longest

    def block(self, rows: Index = EVERY, cols: Index = EVERY) -> Array:
        """Return a dense block of dissimilarities, read from its chunks."""
        first, second = as_span(rows, self.shape[0]), as_span(cols, self.shape[1])
        are_slices = isinstance(first, slice) and isinstance(second, slice)
        try:
            found = (self.matrix if are_slices else self.matrix.oindex)[first, second]
        except Exception as error:  # a codec may raise anything
            _finish_reading()
            raise RelationError(
                f"{self.matrix.store_path} cannot be read ({error!s:.300}). Write the missing or "
                "damaged chunks again. (A chunk of nothing but zeros that is meant to be there has "
                "to be written, too: create the array with config={'write_empty_chunks': True}.)"
            ) from error
        return np.asarray(found).astype(self.dtype, copy=False)

    def product(self, A: Array) -> Array:
        """Return A S, chunk by chunk, whole rows of chunks first: each is decoded once."""
        height, width = (min(size, self.n_objects) for size in self.matrix.chunks)
        max_entries = READ_BYTES // 8 // self.dtype.itemsize
        height *= max(min(TILE_SIDE // height, max_entries // (height * width)), 1)
        return tiled_product(self, A, height, width * max(max_entries // (height * width), 1))

    def row_blocks(self) -> Iterator[slice]:
        """Cut the rows where the chunks are cut: each is decoded once, if a block is not too large.

        Chunks are cut in several where it would be.
        """
        n, row_bytes = self.n_objects, self.n_objects * self.dtype.itemsize
        height, highest = min(self.matrix.chunks[0], n), max(READ_BYTES // 2 // row_bytes, 1)
        if height > highest:
            return spans(n, ceil(height / ceil(height / highest)))
        usual = next(row_blocks(n, row_bytes)).stop
        return spans(n, height * max(usual // height, 1))


def open_matrix(X: Any, name: str = "X") -> FileRelation:
    """Return what a file holds, its entries not validated: n × n, or m × n of new objects."""
    relation: FileRelation
    if isinstance(X, str | os.PathLike):
        relation = _open_path(Path(X).absolute(), name)  # also when this process changes folders
    elif is_zarr(X):
        relation = ZarrRelation(_strict_array(X, name))
    else:
        relation = MappedRelation(_check_matrix(X, name))
        path = Path(str(getattr(memmap_of(X), "filename", "")))
        relation.file_state = FileState(path, os.stat(path), True) if path.is_file() else None
    relation.is_symmetric = False
    return relation


def open_relation(X: Any, ids: np.ndarray | None, name: str = "X") -> FileRelation:
    """Return the relation that a file holds, with its names; its entries are not validated."""
    relation = open_matrix(X, name)
    if relation.shape[0] != relation.shape[1]:
        refuse_shape(relation.shape, name)
    if len(relation) < 2:
        problem = f"{name} has {len(relation)} objects; at least a minimum of 2 is required."
        raise RelationError(problem)
    is_path = isinstance(X, str | os.PathLike)
    ids = load_ids(Path(X)) if ids is None and is_path else ids
    relation.ids = validated_ids(ids, len(relation))
    return relation


def ids_path(path: Path, suffix: str = IDS_SUFFIX) -> Path:
    """Return where the names of a matrix's objects are: D.ids.txt for D.npy, else D.zarr.ids.txt.

    Two matrices of one stem have their names apart.
    """
    return path.with_suffix(suffix) if path.suffix == ".npy" else path.with_name(path.name + suffix)


def load_ids(path: Path, suffix: str = IDS_SUFFIX) -> np.ndarray | None:
    """Return the names in the file beside a matrix, one per line, where there is one."""
    beside = ids_path(path, suffix)
    if not beside.exists():
        return None
    try:
        if not beside.is_file():  # as a pipe, which nobody may ever write to
            raise OSError("it is no file")
        return np.array(beside.read_text(encoding="utf-8-sig").splitlines(), dtype=object)
    except (OSError, UnicodeDecodeError) as error:
        raise RelationError(f"the names in {beside} cannot be read ({error!s:.300}).") from error


def check_names_beside(path: Path, row_ids: Any, column_ids: Any = None) -> dict[Path, str | None]:
    """Return the lists of names to be written beside a matrix, None for one that is to go.

    Refuse to replace a list, or to take it over, that is of no matrix at this path.
    """
    given = {ids_path(path): row_ids, ids_path(path, COLUMNS_SUFFIX): column_ids}
    lists = {
        beside: None if ids is None else "".join(f"{name}\n" for name in ids)
        for beside, ids in given.items()
    }
    for beside, text in lists.items():
        old = beside.read_bytes() if beside.is_file() else None
        if beside.exists() and old != (text or "").encode() and not path.exists():
            problem = f"{beside} names other objects, and would be taken for the names of "
            problem += f"{path.name}; nothing was overwritten."
            raise RelationError(problem, "Name another path, or move the list.")
    return lists


def check_replaceable(path: Path, place: Path) -> None:
    """Refuse what is in the place of a matrix or of its part, and is none to be replaced."""
    if place.is_dir():
        files = (file for file in place.rglob("*") if not file.is_dir())
        within = [file.relative_to(place).as_posix() for file in files]
        known = all(name in ZARR_METADATA or CHUNK_FILE.fullmatch(name) for name in within)
        is_matrix = path.suffix == ".zarr" and known and not place.is_symlink()
    else:  # a log begins as JSON does, an array that no log is about as numpy's do, or is empty
        log = place.with_suffix(".progress")
        begins = b"{" if place == log else b"" if log.exists() else b"\x93NUMPY"
        is_matrix = not place.exists()
        if place.is_file():
            with open(place, "rb") as file:
                is_matrix = file.read(len(begins)) in (b"", begins)
    if not is_matrix or (place != path and place.is_symlink()):
        problem = f"{place} is a link, or holds what is no matrix; nothing was overwritten."
        raise RelationError(problem, "Name another path, or move it.")


def _open_path(path: Path, name: str) -> FileRelation:
    if path.suffix == ".part" or not path.exists():
        _refuse_unfinished(path, name)
    if path.suffix == ".npy":
        if not path.is_file():
            raise RelationError(f"{name} is {path}, which is no file that can be mapped to memory.")
        relation = MappedRelation(_mapped(path, name))
        relation.file_state = FileState(path, os.stat(path), False)
        return relation
    if path.is_dir() or path.suffix == ".zarr":
        files = [os.path.join(folder, file) for folder, _, names in os.walk(path) for file in names]
        if odd := [file for file in files if not os.path.isfile(file)]:
            raise RelationError(f"{name} is {path}, in which {odd[0]} is a pipe or no file.")
        try:
            found = import_module("zarr").open(store=str(path), mode="r")
        except ImportError as error:
            raise OptionError(
                f"{name} is a zarr folder, and zarr cannot be imported ({error}). Install it with: "
                "pip install 'relrbf[dask]'"
            ) from error
        except Exception as error:
            raise RelationError(
                f"{name} is {path}, which is not a zarr array ({error or type(error).__name__})."
            ) from error
        found = _strict_array(found, name)
        pairs = zip(found.shape, found.shards or found.chunks, strict=True)
        n_chunks = prod(-(-size // chunk) for size, chunk in pairs)
        if n_chunks > MAX_DECLARED * len(files):
            raise RelationError(
                f"{name} is {path}, which declares {found.shape!s:.80} entries in {n_chunks!s:.40} "
                f"chunks, and has {len(files)} files. Most of it is missing: write it again."
            )
        return ZarrRelation(found)
    raise RelationError(
        f"{name} is the path {str(path)!r}; .npy and .zarr are read in place. For csv and "
        "other formats: relrbf.io.load_matrix(path).relation()."
    )


def _refuse_unfinished(path: Path, name: str) -> NoReturn:
    """Refuse a path where there is nothing, or what ``relate`` has not finished."""
    again = "call relate again, as you did."
    if path.exists():
        raise RelationError(f"{name} is {path}, which relate has not finished; {again}")
    unfinished = path.with_name(path.name + ".part")
    advice = f" {unfinished.name} beside it is unfinished: {again}" if unfinished.exists() else ""
    raise RelationError(f"{name} is the path {str(path)!r}, which does not exist.{advice}")


def _mapped(path: Path, name: str) -> np.ndarray:
    try:
        return _check_matrix(np.lib.format.open_memmap(path, mode="r"), name)
    except RelationError:
        raise
    except (ValueError, OSError, EOFError) as error:
        raise RelationError(
            f"{name} is {path}, which cannot be mapped to memory ({error}). It may have been cut "
            "off, or it holds Python objects or an archive of arrays: write the matrix again with "
            "numpy.save, from numbers."
        ) from error


def _strict_array(found: Any, name: str) -> Any:
    """Return a zarr array that refuses to take a missing chunk for zeros; zarr has no option."""
    if not hasattr(found, "chunks"):
        raise RelationError(
            f"{name} is a zarr group; pass one of its arrays: {sorted(found.array_keys())}."
        )
    _check_matrix(found, name)
    is_empty = 0 in (*found.chunks, *(found.shards or ()))
    if is_empty or prod(found.chunks) * found.dtype.itemsize > READ_BYTES:
        raise RelationError(
            f"{name} has chunks of shape {found.chunks!s:.80}, which can only be read whole. Write "
            f"it in chunks of at most {READ_BYTES >> 20} MB, best about (512, 512)."
        )
    store = strict_store(found.store, found.shape, found.chunks)
    return import_module("zarr").open_array(store=store, path=found.path, mode="r")


def _check_matrix(matrix: Any, name: str) -> Any:
    """Return a matrix of numbers that can be read block by block."""
    if matrix.ndim == 1:
        n = round((1 + np.sqrt(1 + 8 * matrix.shape[0])) / 2)
        raise RelationError(
            f"{name} is a vector of {matrix.shape[0]} entries in a file. If it is a condensed "
            f"vector, of {n} objects: as_relation(numpy.array({name})) unfolds it in memory, "
            f"{n} × {n}; or write the square matrix to a file, a few rows at a time."
        )
    if matrix.ndim != 2:
        refuse_shape(matrix.shape, name)
    if np.dtype(matrix.dtype).kind not in "biuf":
        problem = f"{name} holds {matrix.dtype} in a file; dissimilarities are real numbers."
        raise RelationError(problem)
    return matrix


def strict_store(store: Any, shape: tuple[int, ...], chunks: tuple[int, ...]) -> Any:
    """Return a store that reads an array from another, and raises where a chunk is missing.

    zarr takes a chunk that is not there for one that holds nothing but the fill value. In a matrix
    of dissimilarities that would be objects that do not differ.
    """
    strict = _store_class()(store)
    strict.layout = shape, chunks
    return strict


def inner_store(store: Any) -> Any:
    """Return the store that a strict one reads from."""
    return getattr(store, "_store", store)


_FINISHING = threading.Lock()


def _finish_reading() -> None:
    """Wait for the chunks that zarr still reads: at exit Python tells of each in ten lines."""
    from zarr.core.sync import sync

    async def finish() -> None:
        others = asyncio.all_tasks() - {asyncio.current_task()}
        await asyncio.gather(*others, return_exceptions=True)

    with _FINISHING:  # two would wait for each other
        sync(finish())


@cache
def _store_class() -> Any:
    """Make the class when zarr is there."""
    from zarr.storage import WrapperStore

    class StrictStore(WrapperStore[Any]):
        layout: tuple[tuple[int, ...], tuple[int, ...]] = (), ()

        async def get(self, key: str, *args: Any, **options: Any) -> Any:
            found = await super().get(key, *args, **options)
            may_lack = key.endswith(ZARR_METADATA) or _is_one_zero(key, *self.layout)
            if found is None and not may_lack:
                raise FileNotFoundError(f"chunk {key} is missing")
            return found

        def _with_store(self, store: Any) -> Any:
            return strict_store(store, *self.layout)

        def __reduce__(self) -> tuple[Any, ...]:
            return strict_store, (self._store, *self.layout)

    return StrictStore


def _is_one_zero(key: str, shape: tuple[int, ...], chunks: tuple[int, ...]) -> bool:
    """Tell whether a chunk holds only the zero of one object to itself, which is not written."""
    at = CHUNK_POSITION.search(key)
    if at is None or at[1] != at[2] or len({*shape}) > 1 or len({*chunks}) > 1:
        return False
    return min(chunks[0], shape[0] - int(at[1]) * chunks[0]) == 1


def as_span(index: Index, length: int) -> slice | Indices:
    """Return positions that follow each other as a slice, which reads without a look-up."""
    if isinstance(index, slice) and index.step in (None, 1):
        return slice(*index.indices(length)[:2])
    return as_slice(np.arange(length)[index])


def _cut(lines: Array, first: Any, second: Any) -> Array:
    if isinstance(first, slice) or isinstance(second, slice):
        return lines[first, second]
    return lines[np.ix_(first, second)]


def _length(index: Any) -> int:
    return index.stop - index.start if isinstance(index, slice) else len(index)
