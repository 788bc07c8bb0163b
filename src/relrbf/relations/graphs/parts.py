"""The connected parts of a graph, and what is said of pairs that no path joins."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from relrbf._typing import Indices
from relrbf.exceptions import RelationError, RelationWarning, warn

MANY = 5  # sizes in a message


@dataclass(frozen=True, eq=False)
class Parts:
    """The part of each node, counted from the largest part on, and the sizes of the parts."""

    labels: Indices
    sizes: Indices

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def n_apart(self) -> int:
        """Number of pairs of nodes that no path joins."""
        n = len(self.labels)
        return (n * n - int(np.square(self.sizes).sum())) // 2

    def describe(self) -> str:
        """Say how many parts there are, and of how many nodes."""
        sizes = ", ".join(map(str, self.sizes[:MANY]))
        more = ", ..." if len(self) > MANY else ""
        return f"adjacency has {len(self)} parts that no path joins, of {sizes}{more} nodes"


def find_parts(graph: Any) -> Parts:
    """Return the connected parts of a symmetric sparse matrix."""
    from scipy.sparse.csgraph import connected_components

    n_parts, labels = connected_components(graph, directed=False)
    sizes = np.bincount(labels, minlength=n_parts)
    order = np.argsort(-sizes, kind="stable")
    rank = np.empty(n_parts, dtype=np.intp)
    rank[order] = np.arange(n_parts)
    return Parts(rank[labels], sizes[order])


def check_parts(parts: Parts, disconnected: str) -> None:
    """Refuse a graph of several parts, unless a policy says what their distance is."""
    if len(parts) > 1 and disconnected == "refuse":
        raise RelationError(
            f"{parts.describe()}. Join them, leave the small ones out, or put them at one distance "
            "from each other with disconnected='far'."
        )


def warn_apart(parts: Parts, far: float) -> None:
    """Say how many pairs were put at a distance of our making."""
    if len(parts) > 1:
        warn(
            f"{parts.describe()}; disconnected='far' put {parts.n_apart} pairs at the "
            f"dissimilarity {far:.6g}.",
            RelationWarning,
        )
