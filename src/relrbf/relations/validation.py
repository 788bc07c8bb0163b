"""What makes a matrix a relation, validated once. Nothing is changed silently.

A matrix is refused with a message that says what came and what to do, or changed by a named
policy with a warning that says by how much.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf
from numbers import Real
from threading import Lock
from typing import Any, NoReturn

import numpy as np
from scipy import sparse
from sklearn.utils import check_array

from relrbf._typing import Array
from relrbf.exceptions import OptionError, RelationError, RelationWarning, warn
from relrbf.relations.base import Relation
from relrbf.relations.blocks import EntrySummary, row_blocks, summarize_tiles
from relrbf.relations.dense import DenseRelation

SYMMETRIZERS: dict[str, Callable[[Array, Array], Array]] = {
    "mean": lambda a, b: a / 2 + b / 2,
    "min": np.minimum,
    "max": np.maximum,
}
CONVERSION_ERRORS = ("could not convert", "array element", "float() argument", "at least one array")


@contextmanager
def within_range() -> Iterator[None]:
    """Refuse what makes numbers leave the range of floating point: nothing goes on with inf."""
    try:
        with np.errstate(over="raise", divide="raise", invalid="raise"):
            yield
    except (FloatingPointError, OverflowError, np.linalg.LinAlgError) as error:
        raise RelationError(
            f"numbers computed from X leave the range of floating point ({error}): its "
            "entries, or the weights or targets that came with it, are too large, too small or too "
            "many orders of magnitude apart. Rescale them, for example by the largest; float64 "
            "has a wider range than float32."
        ) from error


def is_precomputed(metric: Any) -> bool:
    """Tell whether dissimilarities are given, not computed."""
    return isinstance(metric, str) and metric == "precomputed"


def is_on_disk(X: Any) -> bool:
    """Tell whether X is a path, an array on a memory-mapped file, or of zarr."""
    if type(X) is np.ndarray and X.base is None:  # which owns its memory
        return False
    return isinstance(X, str | os.PathLike) or is_zarr(X) or memmap_of(X) is not None


def is_zarr(X: Any) -> bool:
    """Tell whether X is zarr's, without importing that."""
    return type(X).__module__.split(".")[0] == "zarr"


def memmap_of(X: Any) -> np.memmap | None:
    """Return the memory-mapped file that an array, or the array it is a view of, lies in."""
    while isinstance(X, np.ndarray):
        if isinstance(X, np.memmap) and X.filename is not None:
            return X
        X = X.base
    return None


def is_flat(X: Any) -> bool:
    """Return whether X is one-dimensional, as a condensed vector is; what has ndim is not read."""
    return (X.ndim if hasattr(X, "ndim") else np.asarray(X).ndim) == 1


def as_matrix(X: Any, name: str = "X", *, min_rows: int = 1, finite: bool = True) -> Array:
    """Return X as a float32 or float64 array, without a copy where it already is one."""
    if sparse.issparse(X):
        raise TypeError(f"{name} is sparse; dense data is required. Pass {name}.toarray().")
    if hasattr(X, "columns"):
        refuse_repeated_columns(X, name)
    if np.ma.isMaskedArray(X) and np.ma.getmaskarray(X).any():
        raise RelationError(
            f"{name} is a masked array with {int(np.ma.getmaskarray(X).sum())} masked entries; "
            f"every entry must be known. Fill them in, for example with {name}.filled(value)."
        )
    options = {"ensure_all_finite": False, "input_name": name, "ensure_min_samples": min_rows}
    try:
        matrix = check_array(X, dtype=[np.float64, np.float32], **options)
    except (ValueError, TypeError) as error:
        if not any(problem in str(error) for problem in CONVERSION_ERRORS):
            raise
        kind = RelationError if isinstance(error, ValueError) else TypeError
        raise kind(
            f"{name} holds something that is not a number ({error!s:.200}). Objects other than "
            "numbers need their dissimilarities computed first."
        ) from error
    if finite and matrix.size:
        check_range(matrix, float(matrix.min()), float(matrix.max()), name)
    return matrix


def refuse_repeated_columns(X: Any, name: str = "X") -> None:
    """Refuse a frame in which one name could mean either of two columns."""
    if not getattr(getattr(X, "columns", None), "is_unique", True):
        repeated = X.columns[X.columns.duplicated()][0]
        raise RelationError(f"{name} has several columns named {repeated!r}; each needs its own.")


def check_range(matrix: Any, lowest: float, largest: float, name: str = "X") -> None:
    """Refuse entries that are not finite, or whose squares would not be."""
    # lowest and largest meet every NaN and every infinity, and cost no memory
    if not (np.isfinite(lowest) and np.isfinite(largest)):
        refuse_nonfinite(matrix, name)
    size, limit = max(-lowest, largest), square_limit(matrix.dtype)
    if size > limit or 0 < size < 1 / limit:
        raise RelationError(
            f"the largest entry of {name} is {size:.3g}, whose square is out of the range of "
            f"{matrix.dtype}. Rescale {name}, for example by its largest entry."
        )


def square_limit(dtype: np.dtype[Any]) -> float:
    """Return what can be squared and summed over many objects with a margin."""
    return float(np.sqrt(np.finfo(dtype).max)) / 1e6


def refuse_nonfinite(matrix: Any, name: str = "X") -> NoReturn:
    """Say how many entries are NaN or infinite and where the first one is."""
    n_nan, n_inf = _count(matrix, np.isnan), _count(matrix, np.isinf)
    first = next(
        (rows.start + int(i), *map(int, rest))
        for rows, block in _bands(matrix)
        for i, *rest in np.argwhere(~np.isfinite(block))[:1]
    )
    raise nonfinite_error(n_nan, n_inf, first, name)


def nonfinite_error(n_nan: int, n_inf: int, first: tuple[int, ...], name: str) -> RelationError:
    """Return the error that counts entries which are not finite."""
    return RelationError(
        f"{name} contains {n_nan} NaN and {n_inf} inf entries, the first at {first}. Every entry "
        "must be a finite number: compute what is missing, or leave those objects out."
    )


def check_enough_objects(relation: Any) -> Any:
    """Return a relation of two objects at least."""
    if relation.n_objects < 2:
        raise RelationError(
            f"the relation has {relation.n_objects} objects; at least two are needed to tell "
            "anything apart."
        )
    return relation


def check_largest(largest: Array) -> None:
    """Refuse a relation that was never validated and whose largest entries are not finite."""
    if not np.isfinite(largest).all():  # a NaN among the entries is their largest
        raise RelationError(
            "D holds entries that are NaN or infinite. Pass the matrix itself, or make the "
            "relation with relrbf.as_relation: both say where the first one is."
        )


def validate_entries(
    given: DenseRelation, symmetrize: str | None, similarities: str, name: str = "X"
) -> tuple[str | None, float | None]:
    """Refuse a square matrix that no policy allows; otherwise say what has to be done to it.

    Returns how the two halves are made equal, where they are not, and the similarity of an object
    to itself, where these are similarities. Warnings say so.
    """
    found = given.summarize_entries()
    if found.n_missing:
        refuse_nonfinite(given, name)
    check_range(given, found.lowest, found.largest, name)
    rounding = float(np.sqrt(np.finfo(given.dtype).eps)) * found.largest
    own = self_similarity(found, rounding) if similarities == "refuse" else None
    if own is not None:
        raise RelationError(
            f"{_looks_similar(own, name)}.",
            f"Turn them round, for example {own:.6g} - s for each entry s; or pass "
            f"similarities='convert', which takes the distances sqrt(2 ({own:.6g} - s)).",
            options={"similarities": "convert"},
        )
    may_be_similarities = found.largest_diagonal > rounding and similarities == "convert"
    if found.lowest < 0 and not may_be_similarities:
        refuse_negative(given, found.lowest, found.largest, name)
    policy = None
    if found.asymmetry > rounding:
        policy, found = symmetrize, _after_symmetrizing(given, found, symmetrize, name)
    if found.largest_diagonal <= rounding:
        return policy, None
    own = self_similarity(found, rounding) if may_be_similarities else None
    if own is None:
        refuse_negative(given, found.lowest, found.largest, name)
        diagonal = [np.diagonal(block[:, rows]) for rows, block in _bands(given)]
        where = int(np.argmax(np.abs(np.concatenate(diagonal))))
        raise diagonal_error(where, found.largest_diagonal, name)
    warn(
        f"{_looks_similar(own, name)}. All entries s were turned into distances "
        f"sqrt(2 ({own:.6g} - s)), and those of new objects will be. Convert {name} yourself to "
        f"silence this, or use as_relation({name}, similarities='refuse').",
        RelationWarning,
    )
    return policy, own


def self_similarity(found: EntrySummary, rounding: float) -> float | None:
    """Return the similarity of an object to itself if this is a matrix of similarities.

    It is one when the diagonal is constant and no other entry is larger, and not all are equal.
    """
    lowest, own = found.diagonal
    if own <= 0 or lowest < own - rounding or found.largest > own + rounding:
        return None
    return own if found.lowest < own - rounding else None


def distances_from(similarities: Array, own: float, name: str = "X") -> Array:
    """Return ``sqrt(2 (own - s))``, the distance that a kernel of constant diagonal measures."""
    rounding = float(np.sqrt(np.finfo(similarities.dtype).eps)) * own
    if similarities.size and similarities.max() > own + rounding:
        raise RelationError(
            f"{name} holds similarities up to {similarities.max():.6g}, but an object's similarity "
            f"to itself was {own:.6g} in training; nothing can be more similar."
        )
    return np.sqrt(np.maximum(2 * (similarities.dtype.type(own) - similarities), 0))


def _looks_similar(own: float, name: str) -> str:
    return (
        f"{name} looks like similarities, not dissimilarities: its diagonal is {own:.6g} "
        "throughout, and no other entry is larger"
    )


def _after_symmetrizing(
    given: DenseRelation, found: EntrySummary, policy: str | None, name: str
) -> EntrySummary:
    """Warn how much a policy changes, and summarize what the matrix becomes."""
    if policy is None:
        i, j = (np.array([k]) for k in found.worst_pair)
        there, back = float(given.block(i, j)[0, 0]), float(given.block(j, i)[0, 0])
        has_diagonal = found.largest_diagonal > 0  # as rows have that were drawn with replacement
        others = " " + ROWS_ONLY if name == "X" and has_diagonal else ""
        raise asymmetry_error(found, there, back, name, "as_relation", others)
    n, n_changed, largest, lock = given.n_objects, 0, 0.0, Lock()

    def read(rows: slice, cols: slice) -> Array:
        nonlocal n_changed, largest
        block = given.block(rows, cols)
        symmetric = SYMMETRIZERS[policy](block, given.block(cols, rows).T)
        changes = np.abs(symmetric - block)
        with lock:
            n_changed += int(np.count_nonzero(changes))
            largest = max(largest, float(changes.max()))
        return symmetric

    after = summarize_tiles(read, n, side=given.tile)
    warn_changed(policy, n_changed, n * n, largest, name)
    return after


def warn_changed(policy: str, n_changed: int, n_entries: int, change: float, name: str) -> None:
    """Say how much a policy changed to make a matrix symmetric."""
    warn(
        f"{name} was not symmetric: symmetrize={policy!r} changed {n_changed} of {n_entries} "
        f"entries, by at most {change:.4g}.",
        RelationWarning,
    )


def check_symmetrize(policy: Any) -> None:
    """Refuse a policy that does not exist."""
    if policy is not None and not (isinstance(policy, str) and policy in SYMMETRIZERS):
        message = f"symmetrize is {policy!r}; it must be None or one of {[*SYMMETRIZERS]}."
        raise OptionError(message, "symmetrize")


def with_vectors(name: str) -> str:
    """Say what to do with feature vectors: estimators and as_relation call them X."""
    call = f"pass as_relation({name}, metric='euclidean')"
    return "use metric='euclidean'" if name == "X" else call


ROWS_ONLY = (
    "If a tool of scikit-learn has cut a matrix D by its rows alone, use metric=as_relation(D), "
    "and in the place of D a column of positions, np.arange(len(D))[:, None]."
)


def refuse_shape(shape: tuple[int, ...], name: str = "X") -> NoReturn:
    """Say that a matrix is not square."""
    needs = "metric='precomputed' needs" if name == "X" else "dissimilarities have"
    others = f"To pass feature vectors, {with_vectors(name)}."
    if name == "X" and shape[1] == 1:
        others = "To pass positions of objects in a relation, use metric=relation. " + others
    elif name == "X" and shape[0] < shape[1]:
        others = f"{ROWS_ONLY} {others}"
    raise RelationError(
        f"{name} has shape {shape}; {needs} one row and one column per object. {others}"
    )


def refuse_negative(matrix: Any, lowest: float, largest: float, name: str = "X") -> None:
    """Refuse entries below zero by more than a rounding error, which is left as it is."""
    rounding = 100 * float(np.finfo(matrix.dtype).eps) * largest
    if lowest < -rounding:
        raise negative_error(_count(matrix, lambda r: r < -rounding), lowest, name)


def negative_error(n_negative: int, lowest: float, name: str) -> RelationError:
    """Return the error that counts entries below zero."""
    return RelationError(
        f"Negative values in data: {name} has {n_negative} of them, the lowest {lowest:.4g}; "
        "dissimilarities cannot be negative. If these are similarities, turn them round, for "
        f"example 1 - s; if they are feature vectors, {with_vectors(name)}."
    )


def _bands(matrix: Any) -> Iterator[tuple[slice, Array]]:
    """Yield the rows of an array or of a relation in blocks."""
    if isinstance(matrix, Relation):
        return ((rows, matrix.block(rows)) for rows in matrix.row_blocks())
    row_bytes = int(np.prod(matrix.shape[1:])) * matrix.dtype.itemsize
    return ((rows, matrix[rows]) for rows in row_blocks(len(matrix), row_bytes))


def _count(matrix: Any, test: Callable[[Array], np.ndarray]) -> int:
    return sum(int(np.count_nonzero(test(block))) for _, block in _bands(matrix))


def diagonal_error(where: int, value: float, name: str) -> RelationError:
    """Return the error that names the object furthest from itself."""
    return RelationError(
        f"{name}[{where}, {where}] is {value:.4g}; an object's dissimilarity to "
        f"itself must be 0. If {name} holds similarities, turn them round, for example 1 - s; if "
        f"it holds feature vectors, {with_vectors(name)}."
    )


def asymmetry_error(
    found: EntrySummary, there: float, back: float, name: str, function: str, others: str = ""
) -> RelationError:
    """Return the error that names the worst pair; the function is the one that takes symmetrize."""
    i, j = found.worst_pair
    return RelationError(
        f"{name} is not symmetric: {name}[{i}, {j}] is {there:.6g} and {name}[{j}, {i}] is "
        f"{back:.6g}, a difference of {found.asymmetry / found.largest:.2g} of the largest entry.",
        f"Use {function}({name}, symmetrize='mean'), 'min' or 'max' to say what is meant; "
        f"if {name} holds feature vectors, {with_vectors(name)}.{others}",
        options={"symmetrize": "mean"},
    )


def check_exponent(exponent: Any) -> None:
    """Refuse what is no positive number."""
    is_number = isinstance(exponent, Real) and not isinstance(exponent, bool)
    if not (is_number and 0 < float(exponent) < inf):
        raise OptionError(
            f"exponent is {exponent!r}; it must be 2 (the dissimilarities are distances), "
            "1 (they are already squared distances) or another positive number.",
            "exponent",
        )


def validated_ids(ids: np.ndarray | None, n: int) -> np.ndarray | None:
    """Return names, one for each object and no two the same, or None."""
    if ids is None:
        return None
    if ids.shape != (n,):
        raise RelationError(
            f"ids has shape {ids.shape} for {n} objects; give a flat list of one name per object."
        )
    names, counts = np.unique([str(name) for name in ids], return_counts=True)
    if len(names) < n:
        raise RelationError(f"ids must differ; {str(names[counts.argmax()])!r} appears twice.")
    return ids
