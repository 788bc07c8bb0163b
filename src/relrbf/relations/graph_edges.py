"""What a user calls a graph becomes validated edges. Nothing is changed silently."""

from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, NoReturn

import numpy as np
from scipy import sparse

from relrbf._typing import Array, Indices
from relrbf.exceptions import RelationError, RelationWarning, warn
from relrbf.relations.conversion import align_columns, frame_names
from relrbf.relations.validation import SYMMETRIZERS, check_range, square_limit, validated_ids

MERGERS = {"min": np.minimum, "max": np.maximum, "mean": np.add, "sum": np.add}


@dataclass(frozen=True, eq=False)
class Edges:
    """Edges first → second; where they are not directed, each may be given once or both ways."""

    first: Indices
    second: Indices
    weights: Array
    n_nodes: int
    ids: np.ndarray | None
    is_directed: bool

    def name(self, at: int) -> str:
        """Return an edge in the user's words."""
        ends = (int(self.first[at]), int(self.second[at]))
        return f"({', '.join(repr(end if self.ids is None else self.ids[end]) for end in ends)})"

    def describe(self, mask: np.ndarray) -> str:
        """Return the first edge of a mask and its weight, for a message."""
        at = int(np.argmax(mask))
        return f"{self.name(at)}, of {self.weights[at]:g}"

    def only(self, chosen: np.ndarray) -> "Edges":
        """Return some of the edges."""
        ends = {"first": self.first[chosen], "second": self.second[chosen]}
        return replace(self, **ends, weights=self.weights[chosen])


def read_graph(adjacency: Any, ids: Any) -> Edges:
    """Return the edges of a matrix, a networkx graph or a list of edges."""
    ids = None if ids is None else _as_ids(ids)
    if sparse.issparse(adjacency):
        return _from_matrix(adjacency, ids)
    if hasattr(adjacency, "is_directed") and hasattr(adjacency, "edges"):
        return _from_networkx(adjacency, ids)
    if isinstance(adjacency, list | tuple) and any(isinstance(row, tuple) for row in adjacency):
        return _from_rows(list(adjacency), ids)
    return _from_array(adjacency, ids)


def _as_ids(names: Any) -> np.ndarray:
    """Return names as an array of objects; a tuple may be one, and is no row."""
    if isinstance(names, np.ndarray) or not hasattr(names, "__iter__"):
        return np.array(names, dtype=object, ndmin=1)
    return np.fromiter(names, dtype=object)


def _from_matrix(adjacency: Any, ids: np.ndarray | None) -> Edges:
    """Read a sparse matrix, or a dense one in which 0 is no edge."""
    if adjacency.ndim != 2 or adjacency.shape[0] != adjacency.shape[1]:
        _refuse_shape(adjacency.shape)
    entries = sparse.coo_array(adjacency, copy=True)
    entries.sum_duplicates()  # what entries in the same place mean to scipy
    first, second = (axis.astype(np.intp) for axis in entries.coords)
    n = adjacency.shape[0]
    return Edges(first, second, _as_weights(entries.data), n, validated_ids(ids, n), True)


def _from_networkx(graph: Any, ids: np.ndarray | None) -> Edges:
    names, rows = list(graph.nodes), list(graph.edges(data="weight"))
    lacking = [row for row in rows if row[2] is None]
    if 0 < len(lacking) < len(rows):
        raise RelationError(
            f"{len(lacking)} of the {len(rows)} edges of adjacency have no attribute 'weight', the "
            f"first of them {lacking[0][:2]}. Give every edge one, or none."
        )
    if ids is not None and (missing := [name for name in names if name not in set(ids)]):
        raise RelationError(f"ids lacks the node {missing[0]!r} of adjacency; name every node.")
    rows = [row[:2] for row in rows] if lacking else rows
    edges = _from_rows(rows, _as_ids(names) if ids is None else ids)
    return replace(edges, is_directed=bool(graph.is_directed()))


def _from_rows(rows: list[Any], ids: np.ndarray | None) -> Edges:
    """Read tuples (i, j) or (i, j, weight); without weights they are ones."""
    widths = [len(row) if isinstance(row, tuple | list) else 0 for row in rows]
    if rows and set(widths) not in ({2}, {3}):
        expected = 3 if 3 in widths else 2
        odd = next(row for row, width in zip(rows, widths, strict=True) if width != expected)
        raise RelationError(
            f"adjacency is a list of edges that holds {odd!r}; every edge must be (i, j), or every "
            "edge (i, j, weight)."
        )
    weights = np.ones(len(rows))
    if rows and len(rows[0]) == 3:
        try:
            weights = np.array([float(row[2]) for row in rows])
        except (TypeError, ValueError):
            odd = next(row for row in rows if not isinstance(row[2], Real))
            raise RelationError(
                f"adjacency has the edge {odd!r}; its third entry, the weight, must be a number."
            ) from None
    ends, n, names = _number([end for row in rows for end in row[:2]], ids)
    return Edges(ends[::2], ends[1::2], weights, n, names, is_directed=False)


def _from_array(adjacency: Any, ids: np.ndarray | None) -> Edges:
    """Read a square matrix, or m × 2 or m × 3 edges."""
    if np.ma.isMaskedArray(adjacency) and np.ma.getmaskarray(adjacency).any():
        raise RelationError("adjacency is a masked array; 0 says that there is no edge.")
    rows, columns = frame_names(adjacency)
    if rows is not None and columns is not None and len(rows) == len(columns):
        adjacency, ids = align_columns(adjacency, "adjacency"), rows if ids is None else ids
    try:
        array = np.asarray(adjacency)
    except ValueError as error:
        problem = f"adjacency is no array: its rows differ in length ({error})."
        raise RelationError(problem) from None
    if array.ndim != 2 or 0 in array.shape:
        _refuse_shape(array.shape)
    n_rows, n_columns = array.shape
    if n_rows == n_columns:
        return _from_matrix(_as_weights(array), ids)
    if n_columns not in (2, 3):
        _refuse_shape(array.shape)
    if array.dtype.kind not in "iuf":
        return _from_rows([tuple(row) for row in array.tolist()], ids)
    used, at = np.unique(array[:, :2], return_inverse=True)  # there may be millions of edges
    is_whole = np.isfinite(used).all() and np.array_equal(used, np.round(used))
    positions, n, names = _number((used.astype(np.intp) if is_whole else used).tolist(), ids)
    first, second = positions[at.reshape(-1, 2)].T
    weights = np.ones(n_rows) if n_columns == 2 else _as_weights(array[:, 2])
    return Edges(first, second, weights, n, names, is_directed=False)


def _number(ends: list[Any], ids: np.ndarray | None) -> tuple[Indices, int, np.ndarray | None]:
    """Return the number of each end of an edge, how many nodes there are, and their names.

    Without ids, the nodes are the ends of edges: numbers in ascending order, names as they appear.
    Numbers 0..n-1 in order are no names.
    """
    try:
        names = _distinct(ends) if ids is None else ids.tolist()
        numbers = {name: number for number, name in enumerate(names)}
        positions = np.array([numbers[end] for end in ends], dtype=np.intp)
    except (KeyError, TypeError) as error:
        if ids is None:
            raise RelationError("adjacency has edges between nodes that are lists.") from None
        missing = error.args[0] if isinstance(error, KeyError) else "a list"
        raise RelationError(
            f"adjacency has an edge at {missing!r}, which is none of the {len(names)} nodes "
            "that ids names. Name every node in ids, or leave ids out."
        ) from None
    is_numbered = all(_is_whole(name) and name == i for i, name in enumerate(names))
    named = None if is_numbered else validated_ids(_as_ids(names), len(names))
    return positions, len(names), named


def _distinct(ends: list[Any]) -> list[Any]:
    if not all(isinstance(end, Real) for end in ends):
        return list(dict.fromkeys(ends))
    if odd := [end for end in ends if not _is_whole(end)]:
        raise RelationError(
            f"adjacency has an edge at node {odd[0]!r}; nodes are whole numbers, or names."
        )
    return sorted({int(end) for end in ends})


def _is_whole(name: Any) -> bool:
    if isinstance(name, bool) or not isinstance(name, Real):
        return False
    return isinstance(name, Integral) or float(name).is_integer()


def _as_weights(entries: Any) -> Array:
    """Return real numbers as float32, where they are that, or float64."""
    array = np.asarray(entries)
    if array.dtype.kind not in "biuf":
        raise RelationError(
            f"adjacency holds entries of type {array.dtype}; weights must be real numbers. Edges "
            "between named nodes go in a list of tuples (i, j) or (i, j, weight)."
        )
    return array if array.dtype == np.float32 else array.astype(np.float64)


def _refuse_shape(shape: tuple[int, ...]) -> NoReturn:
    raise RelationError(
        f"adjacency has shape {shape}; it must be square, one row and one column per node, or a "
        "list of edges with two columns (i, j) or three (i, j, weight)."
    )


def _apply(option: str, policy: str, found: str, advice: str, suggested: str, done: str) -> None:
    """Refuse what was found, or say what the policy does about it."""
    if policy == "refuse":
        raise RelationError(f"{found}.", advice, {option: suggested})
    warn(f"{found}; {option}={policy!r} {done}.", RelationWarning)


def validate_edges(edges: Edges, weights: str, duplicates: str, directed: str, zeros: str) -> Edges:
    """Return every edge once, with its length, under the named policies."""
    edges = _check_weights(edges, zeros)
    if weights == "ignore":
        edges = replace(edges, weights=np.ones_like(edges.weights))
    edges = _undirected(_without_repeats(edges, duplicates), directed)
    with np.errstate(over="ignore"):
        lengths = 1 / edges.weights if weights == "strengths" else edges.weights
    check_range(lengths, float(lengths.min()), float(lengths.max()), "adjacency")
    too_short = (lengths > 0) & (lengths < 1 / square_limit(lengths.dtype))
    if too_short.any():
        raise RelationError(
            f"adjacency has edges so short that they vanish beside others, the first "
            f"{edges.describe(too_short)}. Rescale the weights, or join such nodes."
        )
    return replace(edges, weights=lengths)


def _check_weights(edges: Edges, zeros: str) -> Edges:
    """Return edges between two nodes, whose weights are positive, or zero where that is allowed."""
    loops = edges.first == edges.second
    if loops.any():
        warn(
            f"adjacency has {int(loops.sum())} edges from a node to itself, the first "
            f"{edges.describe(loops)}; they change no distance and were left out.",
            RelationWarning,
        )
        edges = edges.only(~loops)
    w = edges.weights
    if not len(w):
        raise RelationError(
            f"adjacency has {edges.n_nodes} nodes and no edge between two of them; "
            "distances in a graph need edges."
        )
    for problem, mask in (("is not finite", ~np.isfinite(w)), ("is negative", w < 0)):
        if mask.any():
            raise RelationError(
                f"adjacency has {int(mask.sum())} edges whose weight {problem}, the first "
                f"{edges.describe(mask)}. Weights must be finite and positive; where there is no "
                "edge, leave it out, or put 0 in a dense matrix."
            )
    mask = w == 0
    if not mask.any() or zeros == "keep":
        return edges
    found = f"adjacency has {int(mask.sum())} edges of weight 0, the first {edges.describe(mask)}"
    advice = "Say whether they are edges of no length (zeros='keep') or no edges ({zeros})."
    _apply("zeros", zeros, found, advice, "drop", "left them out")
    return _check_weights(edges.only(~mask), zeros)


def _without_repeats(edges: Edges, duplicates: str) -> Edges:
    """Return edges of which each is given once in each direction."""
    order, starts, counts = _group(edges.first * edges.n_nodes + edges.second)
    if len(starts) == len(order):
        return edges
    n_repeated, at = int((counts > 1).sum()), order[starts[np.argmax(counts > 1)]]
    found = f"adjacency has {n_repeated} edges more than once, the first of them {edges.name(at)}"
    advice = "Say what their weight is with {duplicates} (or max, mean, sum)."
    _apply("duplicates", duplicates, found, advice, "min", "made one of each")
    weights = MERGERS[duplicates].reduceat(edges.weights[order], starts)
    if duplicates == "mean":
        weights = (weights / counts).astype(edges.weights.dtype, copy=False)
    return replace(edges.only(order[starts]), weights=weights)


def _group(keys: np.ndarray) -> tuple[Indices, Indices, Indices]:
    """Return an order of keys, where in it each run of equal ones starts, and how long it is."""
    order = np.argsort(keys, kind="stable")
    starts = np.flatnonzero(np.append(True, np.diff(keys[order]) != 0))
    return order, starts, np.diff(np.append(starts, len(keys)))


def _undirected(edges: Edges, directed: str) -> Edges:
    """Return every edge once, from the smaller to the larger number, under the named policy.

    A weight that differs by no more than rounding is the smaller of the two.
    """
    low, high = np.minimum(edges.first, edges.second), np.maximum(edges.first, edges.second)
    order, starts, counts = _group(low * edges.n_nodes + high)
    there, back = (edges.weights[order[at]] for at in (starts, starts + counts - 1))
    rounding = np.sqrt(np.finfo(there.dtype).eps) * np.maximum(there, back)
    differs = np.abs(there - back) > rounding
    one_way = (counts == 1) & edges.is_directed
    kept = order[starts]
    if (one_way | differs).any():
        _apply(
            "directed",
            directed,
            f"adjacency is directed: of {len(kept)} joined pairs of nodes, {int(one_way.sum())} "
            f"are joined one way only and {int(differs.sum())} by different weights there and "
            f"back, for example {edges.name(kept[np.argmax(one_way | differs)])}",
            "Dissimilarities are symmetric: say what is meant with {directed} (or max, mean) of "
            "the two weights; an edge one way only then goes both ways.",
            "min",
            f"took the {directed} of two weights, and edges one way only in both directions",
        )
    chosen = SYMMETRIZERS.get(directed, np.minimum)(there, back)
    weights = np.where(differs, chosen, np.minimum(there, back))
    return Edges(low[kept], high[kept], weights, edges.n_nodes, edges.ids, False)


def as_symmetric(edges: Edges) -> Any:
    """Return edges that were given once as a symmetric sparse matrix."""
    ends = np.concatenate([edges.first, edges.second]), np.concatenate([edges.second, edges.first])
    weights = np.tile(edges.weights.astype(np.float64), 2)
    return sparse.coo_array((weights, ends), shape=(edges.n_nodes,) * 2).tocsr()
