"""Edges between numbered nodes, and the nodes' names."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral, Real
from typing import Any

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.exceptions import RelationError
from relrbf.relations.conversion import validated_ids


class Names:
    """The nodes, by number and by name."""

    def __init__(self, n_nodes: int, ids: np.ndarray | None) -> None:
        self.n_nodes = n_nodes
        self.ids = validated_ids(ids, n_nodes)

    @cached_property
    def positions(self) -> dict[Any, int]:
        """The number of each name."""
        names = range(self.n_nodes) if self.ids is None else self.ids.tolist()
        return {name: position for position, name in enumerate(names)}

    def find(self, nodes: Iterable[Any]) -> Indices:
        """Return the numbers of nodes that are called by name."""
        try:
            return np.array([self.positions[node] for node in nodes], dtype=np.intp)
        except (KeyError, TypeError) as error:
            missing = error.args[0] if isinstance(error, KeyError) else "a list"
            raise RelationError(
                f"adjacency has an edge at {missing!r}, which is none of the {self.n_nodes} nodes "
                "that ids names. Name every node in ids, or leave ids out."
            ) from None

    def edge(self, first: int, second: int) -> str:
        """Return an edge in the user's words."""
        ends = (int(first), int(second))
        return f"({', '.join(repr(end if self.ids is None else self.ids[end]) for end in ends)})"


@dataclass(frozen=True, eq=False)
class Edges:
    """Edges first → second; where they are not directed, each may be said one way or both."""

    first: Indices
    second: Indices
    weights: Array
    names: Names
    is_directed: bool

    def __len__(self) -> int:
        return len(self.weights)

    def where(self, mask: np.ndarray) -> str:
        """Return the first edge of a mask and its weight, for a message."""
        at = int(np.argmax(mask))
        return f"{self.names.edge(self.first[at], self.second[at])}, of {self.weights[at]:g}"

    def only(self, mask: np.ndarray) -> "Edges":
        """Return some of the edges."""
        ends = {"first": self.first[mask], "second": self.second[mask]}
        return replace(self, **ends, weights=self.weights[mask])


def as_ids(names: Any) -> np.ndarray:
    """Return names as an array of objects; a tuple may be one, and is no row."""
    if isinstance(names, np.ndarray):
        return names.astype(object)
    names = list(names)
    ids = np.empty(len(names), dtype=object)
    for position, name in enumerate(names):
        ids[position] = name
    return ids


def named(nodes: Sequence[Any] | np.ndarray) -> Names:
    """Return nodes under these names; numbers 0..n-1 in order are none."""
    ids = as_ids(nodes)
    is_numbered = all(_is_whole(node) and node == i for i, node in enumerate(nodes))
    return Names(len(nodes), None if is_numbered else ids)


def names_of(rows: list[Any]) -> Names:
    """Return the nodes that edges name: numbers in ascending order, others as they first appear."""
    return names_among([end for row in rows for end in row[:2]])


def names_among(ends: list[Any]) -> Names:
    """Return the nodes in a list of the ends of edges."""
    if not all(isinstance(end, Real) for end in ends):
        try:
            return named(list(dict.fromkeys(ends)))
        except TypeError:
            raise RelationError("adjacency has edges between nodes that are lists.") from None
    if odd := [end for end in ends if not _is_whole(end)]:
        raise RelationError(
            f"adjacency has an edge at node {odd[0]!r}; nodes are whole numbers, or names."
        )
    return named(sorted({int(end) for end in ends}))


def _is_whole(node: Any) -> bool:
    if type(node) is int:  # of which there may be many
        return True
    if isinstance(node, bool) or not isinstance(node, Real):
        return False
    return isinstance(node, Integral) or float(node).is_integer()


def weights_of(rows: list[Any]) -> Array:
    """Return the third entry of each edge, or ones where there is none."""
    if not rows or len(rows[0]) == 2:
        return np.ones(len(rows))
    try:
        return np.array([float(row[2]) for row in rows])
    except (TypeError, ValueError):
        odd = next(row for row in rows if not isinstance(row[2], Real))
        raise RelationError(
            f"adjacency has the edge {odd!r}; its third entry, the weight, must be a number."
        ) from None


def numbers_of(entries: Any, name: str) -> Array:
    """Return real numbers as float32, where they are that, or float64."""
    array = np.asarray(entries)
    if array.dtype.kind not in "biuf":
        raise RelationError(
            f"{name} holds entries of type {array.dtype}; weights must be real numbers. Edges "
            "between named nodes go in a list of tuples (i, j) or (i, j, weight)."
        )
    return array if array.dtype == np.float32 else array.astype(np.float64)
