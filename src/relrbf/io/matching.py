"""Objects of two files are matched by name, and by position only where one has no names.

Names that only count, as 0, 1, 2 or V1, V2, V3, are positions where the other side has none.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from relrbf.exceptions import FileFormatError
from relrbf.io import layout
from relrbf.io.labels import LoadedLabels
from relrbf.io.layout import as_names, check_different, counted_positions, show_names
from relrbf.io.matrices import LoadedMatrix
from relrbf.relations.base import CrossRelation, Relation
from relrbf.relations.on_disk import open_matrix
from relrbf.relations.validation import is_on_disk

SIMPLIFICATIONS: dict[str, Callable[[str], str]] = {
    "letters with accents were written in one Unicode form": partial(unicodedata.normalize, "NFKC"),
    "upper and lower case were the same": str.casefold,
    "spaces, points, hyphens and underscores did not count": partial(re.sub, r"[\s_.\-]+", ""),
}


def match_labels(
    labels: LoadedLabels, ids: Any, *, n_objects: int | None = None, allow_extra: bool = False
) -> LoadedLabels:
    """Return labels in the order of a matrix's objects.

    Parameters
    ----------
    labels : LoadedLabels
        From ``load_labels``.
    ids : sequence of str, or None
        The objects, in their order; None where the matrix has no names. Labels whose ids count
        from 0 or 1, in any order, are then put in the order of these numbers.
    n_objects : int or None, default=None
        How many there are, where they have no names.
    allow_extra : bool, default=False
        Whether labels of objects that are not among ids may be left out.

    Returns
    -------
    LoadedLabels
        One per object. Its notes say where objects were matched by position, or by number.

    Examples
    --------
    >>> import numpy as np
    >>> from relrbf.io import LoadedLabels, match_labels
    >>> values, ids = np.array(["fish", "bird"]), np.array(["eel", "owl"])
    >>> labels = LoadedLabels(values, ids, (), "y.csv", False)
    >>> match_labels(labels, ["owl", "eel"]).values.tolist()
    ['bird', 'fish']
    """
    names = as_names(ids)
    if names is None or labels.ids is None:
        return _match_by_position(labels, n_objects if names is None else len(names), names)
    check_different(labels.ids, labels.path)
    check_different(names, "the matrix")
    positions = {name: at for at, name in enumerate(labels.ids.tolist())}
    if missing := [name for name in names if name not in positions]:
        problem = f"no label for {_some_of(missing, len(names))} of the matrix"
        advice = f"Its own objects begin with {show_names(labels.ids[:3])}."
        raise FileFormatError(labels.path, problem, advice + would_match(missing, labels.ids))
    extra = sorted(positions.keys() - set(names))
    if extra and not allow_extra:
        problem = f"it labels {_some_of(extra, len(positions))}, which the matrix does not have"
        advice = "Take them out, or pass {allow_extra}."
        raise FileFormatError(labels.path, problem, advice, {"allow_extra": True})
    note = [f"{len(extra)} labels of other objects were left out"] if extra else []
    return _reordered(labels, [positions[name] for name in names], names, note)


def _match_by_position(
    labels: LoadedLabels, n: int | None, names: np.ndarray | None
) -> LoadedLabels:
    n_labels, ids = len(labels.values), labels.ids
    if n is not None and n_labels != n:
        first = f"If its first line, {str(labels.values[0])!r}, is a header, pass {{header}}."
        advice = first if n_labels == n + 1 else ""
        problem = f"it has {n_labels} labels for {n} objects"
        raise FileFormatError(labels.path, problem, advice, {"header": True})
    if names is None and ids is not None and not _is_in_order(ids):
        return _match_by_number(labels, ids)
    without = labels.path if ids is None else "the matrix"
    note = f"{without} has no ids, so labels were taken in the order of the rows"
    return _reordered(labels, np.arange(n_labels), ids if names is None else names, [note])


def _is_in_order(ids: np.ndarray) -> bool:
    """Tell whether ids say nothing against the order they are in: words, or ascending numbers."""
    if (positions := counted_positions(ids)) is not None:
        return layout.is_ascending(positions)
    numbers = [layout.parse_number(name) for name in ids]
    return None in numbers or layout.is_ascending(np.array(numbers))


def _match_by_number(labels: LoadedLabels, ids: np.ndarray) -> LoadedLabels:
    """Return labels in the order that their ids count, as of rows that were shuffled."""
    positions = counted_positions(ids)
    if positions is None:
        problem = f"it numbers its objects {show_names(ids[:3])}, ..., neither in ascending order "
        problem += "nor from 0 or 1 on, and the matrix has no ids to find them by"
        advice = "Name the matrix's objects; or, if the labels are in its order, write them without"
        raise FileFormatError(labels.path, problem, f"{advice} numbers.")
    order = np.argsort(positions)
    span = f"{ids[order[0]]} to {ids[order[-1]]}"
    note = f"the matrix has no ids, so labels were put in the order of their numbers, {span}"
    return _reordered(labels, order, ids[order], [note])


def _reordered(labels: LoadedLabels, order: Any, ids: Any, notes: list[str]) -> LoadedLabels:
    return replace(labels, values=labels.values[order], ids=ids, notes=(*labels.notes, *notes))


def match_columns(
    matrix: LoadedMatrix, ids: Any, support: Sequence[int] | np.ndarray | None = None
) -> LoadedMatrix:
    """Return new objects' dissimilarities with the columns in the order of training.

    Parameters
    ----------
    matrix : LoadedMatrix
        m × n: new objects in rows, training objects in columns.
    ids : sequence of str, or None
        The training objects, in their order; None where they had no names. Columns whose names
        only count, as 0, 1, 2 or R's V1, V2, V3 in any order, are taken by number where no
        training object is called so.
    support : sequence of int or None, default=None
        Positions among ids that a prediction needs. Another column may be absent: what stands in
        its place changes nothing. None means all.

    Returns
    -------
    LoadedMatrix
        Its notes say what was left out, and where columns were taken by position.

    Examples
    --------
    >>> import numpy as np
    >>> from relrbf.io import LoadedMatrix, match_columns
    >>> new = LoadedMatrix(np.array([[1.0, 2.0]]), None, np.array(["b", "a"]), (), "new.csv")
    >>> match_columns(new, ["a", "b"]).values.tolist()
    [[2.0, 1.0]]
    """
    names, called = as_names(ids), matrix.column_ids
    if called is not None and (positions := _counted_columns(called, names)) is not None:
        return _columns_by_number(matrix, names, positions)
    if names is None or called is None:
        return _columns_by_position(matrix, names)
    check_different(called, matrix.path)
    columns = {name: at for at, name in enumerate(called.tolist())}
    needed = names if support is None else names[np.asarray(support)]
    if missing := [name for name in needed if name not in columns]:
        is_transposed = matrix.row_ids is not None and set(names) <= set(matrix.row_ids)
        advice = f"Its columns begin with {show_names(called[:3])}."
        if is_transposed:
            advice = "Its rows are the training objects: transpose it, to have these in columns."
        problem = f"no column for {_some_of(missing, len(needed))} that predictions need"
        raise FileFormatError(matrix.path, problem, advice)
    # a column that no prediction needs may be any other one
    order = np.array([columns.get(name, 0) for name in names])
    n_extra, n_absent = len(columns.keys() - set(names)), len(set(names) - columns.keys())
    notes = [f"{n_extra} columns of other objects were left out"] if n_extra else []
    if n_absent:
        notes.append(f"{n_absent} training objects have no column; no prediction needs them")
    return replace(_take_columns(matrix, order), column_ids=names).with_notes(*notes)


def _counted_columns(called: np.ndarray, names: np.ndarray | None) -> np.ndarray | None:
    """Return where columns belong whose names only count, and are no training objects' names."""
    positions = counted_positions(called)
    if positions is None or names is None:
        return positions
    own, others = set(names), set(called)
    if own == others or len(names) != len(positions):
        return None
    counts = counted_positions(names)  # from 1, say, where columns are called 0, 1, 2, ...
    is_clear = own.isdisjoint(others) or (counts is not None and layout.is_ascending(counts))
    return positions if is_clear else None


def _columns_by_number(matrix: LoadedMatrix, names: Any, positions: np.ndarray) -> LoadedMatrix:
    order, counts = np.argsort(positions), [str(i) for i in range(len(positions))]
    called = [] if matrix.column_ids is None else matrix.column_ids[order].tolist()
    own = as_names(counts if names is None else names)
    matched = replace(_take_columns(matrix, order), column_ids=own)
    if names is None and called == counts:
        return matched
    note = f"the columns are called {called[0]} to {called[-1]}, which only counts them, so they"
    return matched.with_notes(f"{note} were taken by number, in the order of training")


def _columns_by_position(matrix: LoadedMatrix, names: np.ndarray | None) -> LoadedMatrix:
    n_columns = matrix.shape[1]
    if names is not None and n_columns != len(names):
        problem = f"it has {n_columns} columns without names, and the model was trained on"
        advice = "Put their names in the first line."
        raise FileFormatError(matrix.path, f"{problem} {len(names)} objects", advice)
    without = "the model has no ids"
    if matrix.column_ids is None:
        without = f"the columns of {matrix.path} have no names"
    return matrix.with_notes(f"{without}, so columns were taken in the order of training")


def _take_columns(matrix: LoadedMatrix, order: np.ndarray) -> LoadedMatrix:
    """Return some columns: a view where they are all there, read when needed from a file."""
    values = matrix.values
    if np.array_equal(order, np.arange(matrix.shape[1])):
        return matrix
    if is_on_disk(values):
        values = open_matrix(values)
    if isinstance(values, Relation):
        return replace(matrix, values=CrossRelation(values, np.arange(matrix.shape[0]), order))
    # laid out as it would be in order: otherwise products round differently
    return replace(matrix, values=np.ascontiguousarray(values[:, order]))


def would_match(missing: Iterable[str], others: Iterable[str]) -> str:
    """Say how many names would be found if small differences did not count, or nothing."""
    known, wanted = list(map(str, others)), list(map(str, missing))
    for text, simplify in SIMPLIFICATIONS.items():
        known, wanted = list(map(simplify, known)), list(map(simplify, wanted))
        n_found = len(set(wanted) & set(known))
        if n_found:
            return f" {n_found} would match if {text}; write them alike in both files."
    return ""


def _some_of(names: list[str], n_all: int) -> str:
    return f"{len(names)} of {n_all} objects ({show_names(names)})"
