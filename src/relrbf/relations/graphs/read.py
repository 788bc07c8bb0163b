"""What a user calls a graph becomes a list of edges between numbered nodes."""

from typing import Any, NoReturn

import numpy as np
from scipy import sparse

from relrbf._typing import Array
from relrbf.exceptions import RelationError
from relrbf.relations.conversion import frame_names, matched
from relrbf.relations.graphs.edges import (
    Edges,
    Names,
    named,
    names_among,
    names_of,
    numbers_of,
    weights_of,
)


def read_graph(adjacency: Any, ids: np.ndarray | None) -> Edges:
    """Return the edges of a matrix, a networkx graph or a list of edges."""
    if sparse.issparse(adjacency):
        return _from_sparse(adjacency, ids)
    if hasattr(adjacency, "is_directed") and hasattr(adjacency, "edges"):
        return _from_networkx(adjacency, ids)
    if isinstance(adjacency, list | tuple) and any(isinstance(row, tuple) for row in adjacency):
        return _from_rows(list(adjacency), ids)
    return _from_array(adjacency, ids)


def _from_sparse(adjacency: Any, ids: np.ndarray | None) -> Edges:
    if adjacency.ndim != 2 or adjacency.shape[0] != adjacency.shape[1]:
        _refuse_shape(adjacency.shape)
    entries = sparse.coo_array(adjacency, copy=True)
    entries.sum_duplicates()  # what entries in the same place mean to scipy
    weights = numbers_of(entries.data, "adjacency")
    first, second = (part.astype(np.intp) for part in entries.coords)
    return Edges(first, second, weights, Names(adjacency.shape[0], ids), is_directed=True)


def _from_networkx(graph: Any, ids: np.ndarray | None) -> Edges:
    nodes = list(graph.nodes)
    names = named(nodes if ids is None else ids)
    rows = list(graph.edges(data="weight"))
    lacking = [row for row in rows if row[2] is None]
    if 0 < len(lacking) < len(rows):
        raise RelationError(
            f"{len(lacking)} of the {len(rows)} edges of adjacency have no attribute 'weight', the "
            f"first of them {lacking[0][:2]}. Give every edge one, or none."
        )
    rows = [row[:2] for row in rows] if lacking else rows
    if missing := [node for node in nodes if node not in names.positions]:
        raise RelationError(f"ids lacks the node {missing[0]!r} of adjacency; name every node.")
    return _numbered(rows, names, bool(graph.is_directed()))


def _from_rows(rows: list[Any], ids: np.ndarray | None) -> Edges:
    """Read tuples (i, j) or (i, j, weight)."""
    widths = [len(row) if isinstance(row, tuple | list) else 0 for row in rows]
    if set(widths) not in ({2}, {3}):
        expected = 3 if 3 in widths else 2
        odd = next(row for row, width in zip(rows, widths, strict=True) if width != expected)
        raise RelationError(
            f"adjacency is a list of edges that holds {odd!r}; every edge must be (i, j), or every "
            "edge (i, j, weight)."
        )
    return _numbered(rows, names_of(rows) if ids is None else named(ids), is_directed=False)


def _numbered(rows: list[Any], names: Names, is_directed: bool) -> Edges:
    """Return edges between positions, for edges between names."""
    first, second = (names.find([row[side] for row in rows]) for side in (0, 1))
    return Edges(first, second, weights_of(rows), names, is_directed)


def _from_array(adjacency: Any, ids: np.ndarray | None) -> Edges:
    """Read a square matrix, or m × 2 or m × 3 edges."""
    if np.ma.isMaskedArray(adjacency) and np.ma.getmaskarray(adjacency).any():
        raise RelationError("adjacency is a masked array; 0 says that there is no edge.")
    rows, columns = frame_names(adjacency)
    if rows is not None and columns is not None and len(rows) == len(columns):
        adjacency, ids = matched(adjacency, "adjacency"), rows if ids is None else ids
    array = _as_array(adjacency)
    if array.ndim != 2 or 0 in array.shape:
        _refuse_shape(array.shape)
    if array.shape[0] == array.shape[1]:
        return _from_matrix(array, ids)
    if array.shape[1] not in (2, 3):
        _refuse_shape(array.shape)
    if array.dtype.kind in "iuf":
        return _from_numbers(array, ids)
    return _from_rows([tuple(row) for row in array.tolist()], ids)


def _from_numbers(array: np.ndarray, ids: np.ndarray | None) -> Edges:
    """Read m × 2 or m × 3 numbers, of which there may be millions."""
    nodes, places = np.unique(array[:, :2], return_inverse=True)
    used = names_among(nodes.tolist())
    found = np.arange(len(nodes)) if ids is None else named(ids).find(map(int, nodes))
    first, second = found[places.reshape(-1, 2)].T
    weights = np.ones(len(array)) if array.shape[1] == 2 else numbers_of(array[:, 2], "adjacency")
    return Edges(first, second, weights, used if ids is None else named(ids), is_directed=False)


def _as_array(adjacency: Any) -> np.ndarray:
    try:
        return np.asarray(adjacency)
    except ValueError as error:
        raise RelationError(
            f"adjacency is no array: its rows differ in length ({error})."
        ) from None


def _from_matrix(matrix: Array, ids: np.ndarray | None) -> Edges:
    weights = numbers_of(matrix, "adjacency")
    first, second = np.nonzero(weights)
    names = Names(len(matrix), ids)
    return Edges(first, second, weights[first, second], names, is_directed=True)


def _refuse_shape(shape: tuple[int, ...]) -> NoReturn:
    raise RelationError(
        f"adjacency has shape {shape}; it must be square, one row and one column per node, or a "
        "list of edges with two columns (i, j) or three (i, j, weight)."
    )
