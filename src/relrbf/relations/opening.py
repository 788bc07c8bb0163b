"""Finding a matrix in a file: a memory-mapped array, a .npy, a zarr array or its folder."""

import os
from copy import copy
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from relrbf.exceptions import OptionError, RelationError
from relrbf.relations.blocks import MEMORY
from relrbf.relations.complete import complete
from relrbf.relations.filed import FiledRelation, Mark
from relrbf.relations.mapped import MappedRelation, is_mapped, mark_of
from relrbf.relations.stored import StoredRelation
from relrbf.relations.symmetrized import SymmetrizedRelation
from relrbf.relations.validation import judge, refuse_shape

IDS = ".ids.txt"


def is_filed(X: Any) -> bool:
    """Tell whether X is a path, an array on a memory-mapped file, or of zarr."""
    return isinstance(X, str | os.PathLike) or is_zarr(X) or is_mapped(X)


def is_zarr(X: Any) -> bool:
    """Tell whether X is zarr's, without importing that."""
    return type(X).__module__.split(".")[0] == "zarr"


def opened(X: Any, name: str = "X") -> FiledRelation:
    """Return what a file holds, its entries not judged: n × n, or m × n of new objects."""
    if isinstance(X, str | os.PathLike):
        relation = _opened_path(Path(X).absolute(), name)  # wherever this process goes
    elif is_zarr(X):
        relation = StoredRelation(_completed(X, name))
    else:
        relation = MappedRelation(X)
        relation.mark = mark_of(X)
    relation.is_symmetric = False
    _check_matrix(relation.matrix, name)
    return relation


def opened_relation(X: Any, ids: np.ndarray | None, name: str = "X") -> FiledRelation:
    """Return the relation that a file holds, with its names; its entries are not judged."""
    relation = opened(X, name)
    if relation.shape[0] != relation.shape[1]:
        refuse_shape(relation.shape, name)
    if len(relation) < 2:
        raise RelationError(
            f"{name} has {len(relation)} objects; at least a minimum of 2 is required."
        )
    is_path = isinstance(X, str | os.PathLike)
    relation.ids = load_ids(Path(X)) if ids is None and is_path else ids
    return relation


def judged_relation(
    given: FiledRelation, symmetrize: str | None, similarities: str, name: str = "X"
) -> Any:
    """Return the relation in a file, itself or mended block by block."""
    verdict = judge(given, symmetrize, similarities, name)
    source = copy(given)
    source.is_symmetric = verdict.symmetrize is None
    if verdict.symmetrize is None and verdict.own is None:
        return source
    return SymmetrizedRelation(source, verdict.symmetrize, verdict.own)


def ids_path(path: Path) -> Path:
    """Return where the names of a matrix's objects are: D.ids.txt for D.npy and D.zarr."""
    return path.with_suffix(IDS)


def load_ids(path: Path) -> np.ndarray | None:
    """Return the names in the file beside a matrix, one per line, where there is one."""
    beside = ids_path(path)
    if not beside.exists():
        return None
    return np.array(beside.read_text(encoding="utf-8-sig").splitlines(), dtype=object)


def _opened_path(path: Path, name: str) -> FiledRelation:
    if not path.exists():
        unfinished = path.with_name(path.name + ".part")
        advice = (
            f" {unfinished.name} beside it is unfinished: call relate again, as you did."
            if unfinished.exists()
            else ""
        )
        raise RelationError(f"{name} is the path {str(path)!r}, which does not exist.{advice}")
    if path.suffix == ".part":
        raise RelationError(
            f"{name} is {path}, which relate has not finished; call relate again, as you did."
        )
    if path.suffix == ".npy":
        relation: FiledRelation = MappedRelation(_mapped(path, name))
        relation.mark = Mark.of(path, writable=False)
        return relation
    if path.is_dir() or path.suffix == ".zarr":
        zarr = _zarr(name)
        try:
            found = zarr.open(store=str(path), mode="r")
        except Exception as error:
            raise RelationError(
                f"{name} is {path}, which is not a zarr array ({error or type(error).__name__})."
            ) from error
        return StoredRelation(_completed(found, name))
    raise RelationError(
        f"{name} is the path {str(path)!r}; .npy and .zarr are read in place. For csv and "
        "other formats: relrbf.io.load_matrix(path).relation()."
    )


def _mapped(path: Path, name: str) -> np.ndarray:
    try:
        with open(path, "rb") as file:
            is_archive = file.read(2) == b"PK"
        found = None if is_archive else np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, OSError, EOFError) as error:
        raise RelationError(
            f"{name} is {path}, which cannot be mapped to memory ({error}). It may have been cut "
            "off, or it holds Python objects: write it again with numpy.save, from numbers."
        ) from error
    if found is None:
        raise RelationError(f"{name} is {path}, an archive of arrays; save the matrix alone.")
    return found


def _zarr(name: str) -> Any:
    try:
        return import_module("zarr")
    except ImportError as error:
        raise OptionError(
            f"{name} is a zarr folder, and zarr cannot be imported ({error}). Install it with: "
            "pip install 'relrbf[dask]'"
        ) from error


def _completed(found: Any, name: str) -> Any:
    """Return a zarr array that refuses to take a missing chunk for zeros."""
    if not hasattr(found, "chunks"):
        raise RelationError(
            f"{name} is a zarr group; pass one of its arrays: {sorted(found.array_keys())}."
        )
    store = complete(found.store, _alone(found.shape, found.chunks))
    return _zarr(name).open_array(store=store, path=found.path, mode="r")


def _alone(shape: tuple[int, ...], chunks: tuple[int, ...]) -> tuple[int, int] | None:
    """Return which chunks of the diagonal hold an object's dissimilarity to itself, no other."""
    if len(shape) != 2 or shape[0] != shape[1] or chunks[0] != chunks[1]:
        return None
    last = (shape[0] - 1) // chunks[0]
    if chunks[0] == 1:
        return 0, last
    return (last, last) if shape[0] % chunks[0] == 1 else None


def _check_matrix(matrix: Any, name: str) -> None:
    """Refuse what cannot be read block by block."""
    if matrix.ndim == 1:
        n = round((1 + np.sqrt(1 + 8 * len(matrix))) / 2)
        raise RelationError(
            f"{name} is a vector of {len(matrix)} entries in a file. If it is a condensed vector, "
            f"of {n} objects: as_relation(numpy.array({name})) unfolds it in memory, {n} × {n}; "
            "or write the square matrix to a file, a few rows at a time."
        )
    if matrix.ndim != 2:
        refuse_shape(matrix.shape, name)
    if np.dtype(matrix.dtype).kind not in "biuf":
        raise RelationError(
            f"{name} holds {matrix.dtype} in a file; dissimilarities are real numbers."
        )
    chunk = int(np.prod(getattr(matrix, "chunks", (0,)))) * matrix.dtype.itemsize
    if chunk > MEMORY:
        raise RelationError(
            f"{name} has chunks of shape {matrix.chunks}, {chunk / 1e9:.2g} GB each, which can "
            f"only be read whole. Write it in chunks of at most {MEMORY >> 20} MB, best about "
            "(512, 512)."
        )
