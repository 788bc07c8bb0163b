"""Matrix Market files: an array by columns, or coordinates with values; whole, or one half.

The reader of scipy crashes on a zero byte, allocates what a file declares, and takes 1.5abc for
1.5.
"""

from collections.abc import Iterator
from itertools import chain, islice
from typing import Any

import numpy as np
from scipy import sparse

from relrbf._typing import Array
from relrbf.exceptions import FileFormatError
from relrbf.io.arrays import Table
from relrbf.io.layout import is_whole
from relrbf.io.source import TextSource, limit, raise_limit

N_SIZES = {"array": 2, "coordinate": 3}  # in the line below the header and comments
KINDS = ("real", "double", "integer", "unsigned-integer", "pattern")
MIRROR_SIGNS = {"general": 0, "symmetric": 1, "skew-symmetric": -1}  # of the other half's entries


def load_mtx(source: TextSource) -> Table:
    """Return the array of a file, or the sparse matrix of its coordinates."""
    words = next(source.lines, (0, ""))[1].lower().split()
    layout, kind, symmetry = words[2:] if len(words) == 5 else ("", "", "")
    if words[:2] != ["%%matrixmarket", "matrix"] or layout not in N_SIZES:
        raise _refused(source, "its first line does not say what it holds")
    if kind not in KINDS or symmetry not in MIRROR_SIGNS:
        raise _refused(source, f"it holds {kind!r} numbers, {symmetry!r}, where real ones must be")
    entries = (text for _, text in source.lines if not text.startswith("%"))
    sizes = next(entries, "").split()
    if len(sizes) != N_SIZES[layout] or not all(map(is_whole, sizes)):
        raise _refused(source, "its sizes are not stated")
    n, m, *n_stated = map(int, sizes)
    if symmetry != "general" and n != m:
        raise _refused(source, f"{n} × {m} entries have no symmetry")
    sign, no_diagonal = MIRROR_SIGNS[symmetry], int(symmetry == "skew-symmetric")
    if layout == "array":
        n_entries = n * (n + 1) // 2 - no_diagonal * n if sign else n * m
        values = _numbers(source, entries, n_entries, 1)[:, 0]
        found = _from_half(values, n, sign, no_diagonal) if sign else values.reshape(m, n).T.copy()
        return Table(found, notes=["a Matrix Market array"])
    stated = _numbers(source, entries, n_stated[0], 2 if kind == "pattern" else 3)
    found = _from_coordinates(source, stated, (n, m), sign)
    return Table(found, notes=["Matrix Market coordinates"])


def _refused(source: TextSource, problem: str) -> FileFormatError:
    return FileFormatError(source.name, f"it cannot be read as Matrix Market: {problem}")


def _numbers(source: TextSource, lines: Iterator[str], n_lines: int, width: int) -> Array:
    """Return so many lines of so many numbers; none is allocated for a line that is not there."""
    found = np.empty((0, width))
    try:
        if first := [*islice(lines, 1)]:
            found = np.loadtxt(chain(first, lines), ndmin=2, comments=None)
    except ValueError as error:
        is_uneven = "number of columns" in str(error)
        problem = f"an entry is a line of {width} number(s), and one line has more or fewer"
        raise _refused(source, problem if is_uneven else str(error)) from None
    if found.shape != (n_lines, width):
        problem = f"it declares {n_lines} entries of {width} numbers, and has {len(found)} of"
        raise _refused(source, f"{problem} {found.shape[1]}")
    return found


def _from_half(values: Array, n: int, sign: int, no_diagonal: int) -> Array:
    """Return the whole of a lower half that is stated column by column."""
    columns, rows = np.triu_indices(n, k=no_diagonal)
    matrix = np.zeros((n, n))
    matrix[columns, rows] = sign * values
    matrix[rows, columns] = values
    return matrix


def _from_coordinates(source: TextSource, found: Array, shape: tuple[int, int], sign: int) -> Any:
    positions, values = found[:, :2], found[:, 2] if found.shape[1] == 3 else np.ones(len(found))
    is_inside = (positions >= 1) & (positions <= shape) & (positions == np.floor(positions))
    if not is_inside.all():
        raise _refused(source, f"it states entries outside of {shape[0]} × {shape[1]}")
    if max(shape) > limit("OBJECTS") + len(found):
        problem = f"it declares {shape[0]} × {shape[1]} entries, and states {len(found)}"
        raise FileFormatError(source.name, problem, raise_limit("OBJECTS"))
    rows, columns = positions.T.astype(np.int64) - 1
    if sign:
        off = rows != columns
        values = np.append(values, sign * values[off])
        rows, columns = np.append(rows, columns[off]), np.append(columns, rows[off])
    return sparse.coo_array((values, (rows, columns)), shape=shape)
