"""What makes edges a graph with dissimilarities. Nothing is mended silently."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from relrbf._typing import Array, Indices
from relrbf.exceptions import RelationError, RelationWarning, warn
from relrbf.relations.graphs.edges import Edges
from relrbf.relations.validation import SYMMETRIZERS, check_range, square_limit

MERGERS: dict[str, Callable[[Array, Indices, Indices], Array]] = {
    "min": lambda weights, starts, counts: np.minimum.reduceat(weights, starts),
    "max": lambda weights, starts, counts: np.maximum.reduceat(weights, starts),
    "mean": lambda weights, starts, counts: np.add.reduceat(weights, starts) / counts,
    "sum": lambda weights, starts, counts: np.add.reduceat(weights, starts),
}


def judge_edges(edges: Edges, weights: str, duplicates: str, directed: str, zeros: str) -> Edges:
    """Return every edge once, with its length, under the named policies."""
    edges = check_weights(without_loops(edges), zeros)
    if weights == "ignore":
        edges = replace(edges, weights=np.ones_like(edges.weights))
    edges = both_ways(without_repeats(edges, duplicates), directed)
    return _measured(edges, weights)


def without_loops(edges: Edges) -> Edges:
    """Leave out edges from a node to itself, which change no distance, and say how many."""
    loops = edges.first == edges.second
    if loops.any():
        warn(
            f"adjacency has {int(loops.sum())} edges from a node to itself, the first "
            f"{edges.where(loops)}; they change no distance and were left out.",
            RelationWarning,
        )
    return edges.only(~loops) if loops.any() else edges


def check_weights(edges: Edges, zeros: str) -> Edges:
    """Return edges whose weights are positive numbers, or zero where that is allowed."""
    if not len(edges):
        raise RelationError(
            f"adjacency has {edges.names.n_nodes} nodes and no edge between two of them; "
            "distances in a graph need edges."
        )
    w = edges.weights
    for what, mask in (("is not finite", ~np.isfinite(w)), ("is negative", w < 0)):
        if mask.any():
            raise RelationError(
                f"adjacency has {int(mask.sum())} edges whose weight {what}, the first "
                f"{edges.where(mask)}. Weights must be finite and positive; where there is no "
                "edge, say nothing, or 0 in a dense matrix."
            )
    return _judged_zeros(edges, w == 0, zeros)


def _judged_zeros(edges: Edges, mask: np.ndarray, zeros: str) -> Edges:
    if not mask.any() or zeros == "keep":
        return edges
    what = f"adjacency has {int(mask.sum())} edges of weight 0, the first {edges.where(mask)}"
    if zeros == "refuse":
        raise RelationError(
            f"{what}. Say whether they are edges of no length (zeros='keep') or no edges "
            "(zeros='drop')."
        )
    warn(f"{what}; zeros='drop' left them out.", RelationWarning)
    return check_weights(edges.only(~mask), zeros)


def without_repeats(edges: Edges, duplicates: str) -> Edges:
    """Return edges of which each is said once in each direction."""
    keys = edges.first * edges.names.n_nodes + edges.second
    order = np.argsort(keys, kind="stable")
    starts, counts = _groups(keys[order])
    if len(starts) == len(edges):
        return edges
    n_repeated, at = int((counts > 1).sum()), order[starts[np.argmax(counts > 1)]]
    what = (
        f"adjacency has {n_repeated} edges more than once, the first of them "
        f"{edges.names.edge(edges.first[at], edges.second[at])}"
    )
    if duplicates == "refuse":
        raise RelationError(
            f"{what}. Say what their weight is with duplicates='min', 'max', 'mean' or 'sum'."
        )
    warn(f"{what}; duplicates={duplicates!r} made one of each.", RelationWarning)
    weights = MERGERS[duplicates](edges.weights[order], starts, counts)
    weights = weights.astype(edges.weights.dtype, copy=False)
    return replace(edges.only(order[starts]), weights=weights)


def _groups(keys: np.ndarray) -> tuple[Indices, Indices]:
    """Return where each run of equal keys starts, and how long it is."""
    starts = np.flatnonzero(np.append(True, np.diff(keys) != 0))
    return starts, np.diff(np.append(starts, len(keys)))


def both_ways(edges: Edges, directed: str) -> Edges:
    """Return every edge once, from the smaller to the larger number, under the named policy.

    A weight that differs by no more than rounding is the smaller of the two.
    """
    low, high = np.minimum(edges.first, edges.second), np.maximum(edges.first, edges.second)
    keys = low * edges.names.n_nodes + high
    order = np.argsort(keys, kind="stable")
    starts, counts = _groups(keys[order])
    there, back = (edges.weights[order[at]] for at in (starts, starts + counts - 1))
    rounding = np.sqrt(np.finfo(there.dtype).eps) * np.maximum(there, back)
    differs = np.abs(there - back) > rounding
    one_way = (counts == 1) & edges.is_directed
    if (one_way | differs).any():
        _judge_direction(edges, order[starts], one_way, differs, directed)
    chosen = SYMMETRIZERS.get(directed, np.minimum)(there, back)
    weights = np.where(differs, chosen, np.minimum(there, back))
    kept = order[starts]
    return Edges(low[kept], high[kept], weights, edges.names, is_directed=False)


def _judge_direction(
    edges: Edges, kept: Indices, one_way: np.ndarray, differs: np.ndarray, directed: str
) -> None:
    """Refuse a graph whose edges have directions, or say what became of them."""
    at = kept[np.argmax(one_way | differs)]
    what = (
        f"adjacency is directed: of {len(kept)} joined pairs of nodes, {int(one_way.sum())} are "
        f"joined one way only and {int(differs.sum())} by different weights there and back, for "
        f"example {edges.names.edge(edges.first[at], edges.second[at])}"
    )
    if directed == "refuse":
        raise RelationError(
            f"{what}. Dissimilarities are symmetric: say what is meant with directed='min', 'max' "
            "or 'mean' of the two weights; an edge one way only then goes both ways."
        )
    warn(
        f"{what}; directed={directed!r} took the {directed} of two weights, and edges one way "
        "only in both directions.",
        RelationWarning,
    )


def _measured(edges: Edges, meaning: str) -> Edges:
    """Return edges with their lengths, which are their weights, or one over their strengths."""
    with np.errstate(over="ignore"):
        lengths = 1 / edges.weights if meaning == "strengths" else edges.weights
    check_range(lengths, float(lengths.min()), float(lengths.max()), "adjacency")
    too_short = (lengths > 0) & (lengths < 1 / square_limit(lengths.dtype))
    if too_short.any():
        raise RelationError(
            f"adjacency has edges so short that they vanish beside others, the first "
            f"{edges.where(too_short)}. Rescale the weights, or join such nodes."
        )
    return replace(edges, weights=lengths)


def as_symmetric(edges: Edges) -> Any:
    """Return edges that were said once as a symmetric sparse matrix."""
    ends = np.concatenate([edges.first, edges.second]), np.concatenate([edges.second, edges.first])
    weights = np.tile(edges.weights.astype(np.float64), 2)
    return sparse.coo_array((weights, ends), shape=(edges.names.n_nodes,) * 2).tocsr()
