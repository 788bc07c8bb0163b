"""Objects of two files are matched by name, and by position only where one has no names.

Names that only count, as 0, 1, 2 or V1, V2, V3, are positions where the other side has none.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from relrbf.exceptions import RelationError
from relrbf.io.counted import counted_places, is_ascending
from relrbf.io.layout import repeated
from relrbf.io.loaded import LoadedLabels, LoadedMatrix, as_names
from relrbf.io.target import square_room
from relrbf.io.text import number_of
from relrbf.relations.base import CrossRelation, Relation
from relrbf.relations.on_disk import is_on_disk, open_matrix

SHOWN = 5
AT_ONCE = 256  # rows


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
        n = n_objects if names is None else len(names)
        return _by_position(labels, n, names)
    _check_different(labels.ids, labels.path)
    _check_different(names, "the matrix")
    places = {name: at for at, name in enumerate(labels.ids.tolist())}
    if missing := [name for name in names if name not in places]:
        raise RelationError(
            f"{labels.path} has no label for {_shown(missing, len(names))} of the matrix. Its own "
            f"objects begin with {_first(labels.ids)}."
        )
    extra = sorted(places.keys() - set(names))
    if extra and not allow_extra:
        raise RelationError(
            f"{labels.path} labels {_shown(extra, len(places))}, which the matrix does not have. "
            "Take them out, or pass allow_extra=True."
        )
    order = [places[name] for name in names]
    note = (f"{len(extra)} labels of other objects were left out",) if extra else ()
    return replace(labels, values=labels.values[order], ids=names, notes=(*labels.notes, *note))


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
    names = as_names(ids)
    places = _counted_columns(matrix, names)
    if places is not None:
        return _columns_by_number(matrix, names, places)
    if names is None or matrix.column_ids is None:
        return _columns_by_position(matrix, names)
    _check_different(matrix.column_ids, matrix.path)
    columns = {name: at for at, name in enumerate(matrix.column_ids.tolist())}
    needed = names if support is None else names[np.asarray(support)]
    if missing := [name for name in needed if name not in columns]:
        _refuse_missing(matrix, missing, len(needed), names)
    # a column that no prediction needs may be any other one
    order = np.array([columns.get(name, 0) for name in names])
    n_extra = len(columns.keys() - set(names))
    n_absent = sum(name not in columns for name in names)
    notes = [f"{n_extra} columns of other objects were left out"] if n_extra else []
    if n_absent:
        notes.append(f"{n_absent} training objects have no column; no prediction needs them")
    return replace(_taken(matrix, order), column_ids=names).noted(*notes)


def in_order_of_rows(matrix: LoadedMatrix) -> LoadedMatrix:
    """Return a square matrix with its columns in the order of its rows, by name."""
    rows, columns = matrix.row_ids, matrix.column_ids
    if rows is None or columns is None or np.array_equal(rows, columns):
        return matrix
    _check_different(rows, matrix.path)
    if set(rows) != set(columns):
        raise RelationError(
            f"{matrix.path} names its rows and its columns differently (rows begin "
            f"{_first(rows)}, columns {_first(columns)}); both must name the same objects."
        )
    places = {name: at for at, name in enumerate(columns.tolist())}
    order = np.array([places[name] for name in rows])
    values, _ = square_room(len(rows))
    for start in range(0, len(rows), AT_ONCE):
        values[start : start + AT_ONCE] = matrix.values[start : start + AT_ONCE][:, order]
    return replace(matrix, values=values, column_ids=rows).noted(
        "columns were put in the order of the rows"
    )


def _taken(matrix: LoadedMatrix, order: np.ndarray) -> LoadedMatrix:
    """Return some columns: a view where they are all there, read when asked from a file."""
    values = matrix.values
    if np.array_equal(order, np.arange(matrix.shape[1])):
        return matrix
    if is_on_disk(values):
        rows = np.arange(matrix.shape[0])
        return replace(matrix, values=CrossRelation(open_matrix(values), rows, order))
    if isinstance(values, Relation):
        return replace(matrix, values=CrossRelation(values, np.arange(len(values)), order))
    # laid out as it would be in order: otherwise products round differently
    return replace(matrix, values=np.ascontiguousarray(values[:, order]))


def _by_position(labels: LoadedLabels, n: int | None, names: np.ndarray | None) -> LoadedLabels:
    n_labels = len(labels.values)
    if n is not None and n_labels != n:
        advice = ""
        if n_labels == n + 1:
            advice = (
                f" If its first line, {str(labels.values[0])!r}, is a header, pass header=True."
            )
        raise RelationError(f"{labels.path} has {n_labels} labels for {n} objects.{advice}")
    if names is None and labels.ids is not None and not _is_listed(labels.ids):
        return _by_number(labels)
    without = labels.path if labels.ids is None else "the matrix"
    note = f"{without} has no ids, so labels were taken in the order of the rows"
    ids = labels.ids if names is None else names
    return replace(labels, ids=ids, notes=(*labels.notes, note))


def _is_listed(ids: np.ndarray) -> bool:
    """Tell whether ids say nothing against the order they are in: words, or ascending numbers."""
    if (places := counted_places(ids)) is not None:
        return is_ascending(places)
    numbers = [number_of(name) for name in ids]
    return None in numbers or is_ascending(np.array(numbers))


def _by_number(labels: LoadedLabels) -> LoadedLabels:
    """Return labels in the order that their ids count, as of rows that were shuffled."""
    assert labels.ids is not None
    places = counted_places(labels.ids)
    if places is None:
        raise RelationError(
            f"{labels.path} numbers its objects {_first(labels.ids)}, ..., neither in ascending "
            "order nor from 0 or 1 on, and the matrix has no ids to find them by. Name the "
            "matrix's objects; or, if the labels are in its order, write them without numbers."
        )
    order = np.argsort(places)
    ids = labels.ids[order]
    note = (
        f"the matrix has no ids, so labels were put in the order of their numbers, {ids[0]} to "
        f"{ids[-1]}"
    )
    return replace(labels, values=labels.values[order], ids=ids, notes=(*labels.notes, note))


def _counted_columns(matrix: LoadedMatrix, names: np.ndarray | None) -> np.ndarray | None:
    """Return where columns belong whose names only count, and are no training objects' names."""
    places = counted_places(matrix.column_ids)
    if places is None or names is None or matrix.column_ids is None:
        return places
    own, others = set(names), set(matrix.column_ids)
    if own == others or len(names) != len(places):
        return None
    counts = counted_places(names)  # from 1, say, where columns are called 0, 1, 2, ...
    is_clear = own.isdisjoint(others) or (counts is not None and is_ascending(counts))
    return places if is_clear else None


def _columns_by_number(
    matrix: LoadedMatrix, names: np.ndarray | None, places: np.ndarray
) -> LoadedMatrix:
    assert matrix.column_ids is not None
    order = np.argsort(places)
    called = matrix.column_ids[order]
    own = as_names(range(len(places)) if names is None else names)
    matched = replace(_taken(matrix, order), column_ids=own)
    if called.tolist() == [str(i) for i in range(len(called))] and names is None:
        return matched
    return matched.noted(
        f"the columns are called {called[0]} to {called[-1]}, which only counts them, so they were "
        "taken by number, in the order of training"
    )


def _columns_by_position(matrix: LoadedMatrix, names: np.ndarray | None) -> LoadedMatrix:
    n_columns = matrix.shape[1]
    if names is not None and n_columns != len(names):
        raise RelationError(
            f"{matrix.path} has {n_columns} columns without names, and the model was trained on "
            f"{len(names)} objects. Put their names in the first line."
        )
    without = "the model has no ids"
    if matrix.column_ids is None:
        without = f"the columns of {matrix.path} have no names"
    return matrix.noted(f"{without}, so columns were taken in the order of training")


def _refuse_missing(
    matrix: LoadedMatrix, missing: list[str], n_needed: int, names: np.ndarray
) -> None:
    advice = f"Its columns begin with {_first(matrix.column_ids)}."
    if matrix.row_ids is not None and set(names) <= set(matrix.row_ids):
        advice = "Its rows are the training objects: turn it, so that new objects are in rows."
    raise RelationError(
        f"{matrix.path} has no column for {_shown(missing, n_needed)} that predictions need. "
        + advice
    )


def _check_different(ids: np.ndarray, name: str) -> None:
    if twice := repeated(ids.tolist()):
        raise RelationError(f"{name} has objects of the same name: {_first(np.array(twice))}.")


def _shown(names: list[str], n_all: int) -> str:
    more = ", ..." if len(names) > SHOWN else ""
    return f"{len(names)} of {n_all} objects ({', '.join(map(repr, names[:SHOWN]))}{more})"


def _first(names: Any) -> str:
    return ", ".join(repr(str(name)) for name in names[:3])
