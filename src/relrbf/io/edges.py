"""Graphs in files: edges ``i j weight``, one per line, or a sparse matrix of them."""

from collections.abc import Mapping
from itertools import chain
from typing import Any

from relrbf.exceptions import OptionError, RelationError
from relrbf.io.layout import Asked, Layout, find_layout
from relrbf.io.source import Source
from relrbf.io.table import Numbered, Table, texts_of
from relrbf.io.text import DELIMITERS, cells_of, is_number, number_of
from relrbf.relations import GraphRelation

Edge = tuple[str, str] | tuple[str, str, float]


def load_edges(
    source: Source, asked: Asked, head: list[Numbered], options: Mapping[str, Any]
) -> Table:
    """Return the graph whose edges a file lists; nodes are known by name."""
    texts, _ = texts_of(source, head, asked)
    cut = Asked(False, True, asked.delimiter or _delimiter(texts), asked.decimal, "full")
    layout = find_layout(texts, cut, None, source.name)
    edges: list[Edge] = []
    notes, header = [], None
    for number, line in chain(head, source.numbered):
        if not line.strip() or line.startswith((b"#", b"%")):
            continue
        cells = layout.cells(line)
        if not edges and header is None and _is_header(cells, layout, asked):
            header = cells
            notes.append(f"the first line names the columns: {', '.join(cells)}")
            continue
        edges.append(_edge(cells, layout, source.name, number))
    if not edges:
        raise RelationError(f"{source.name} has no edges; each line is i j, or i j weight.")
    names = _ordered(edges)
    graph = made_graph(edges, names, options)
    kind = "i j weight" if len(edges[0]) == 3 else "i j"
    notes.append(f"a graph of {len(names)} nodes, from {len(edges)} edges {kind}")
    return Table(graph, names, names, [*source.notes, *notes])


def made_graph(adjacency: Any, ids: list[str] | None, options: Mapping[str, Any]) -> GraphRelation:
    """Return the relation between the nodes of a graph."""
    try:
        return GraphRelation(adjacency, **{"ids": ids, **options})
    except TypeError as error:
        if "unexpected keyword" not in str(error):
            raise
        raise OptionError(f"graph={dict(options)!r} is not understood: {error}.") from None


def _delimiter(texts: list[str]) -> str | None:
    """Return the first one that cuts every line in two or three."""
    cut = (each for each in DELIMITERS if all(len(cells_of(t, each)) in (2, 3) for t in texts))
    return next(cut, None)


def _is_header(cells: list[str], layout: Layout, asked: Asked) -> bool:
    """Tell whether a line names columns: it has something else in the place of a weight."""
    if asked.header != "auto":
        return bool(asked.header)
    return len(cells) == 3 and not is_number(cells[2], layout.decimal)


def _edge(cells: list[str], layout: Layout, name: str, number: int) -> Edge:
    if len(cells) not in (2, 3) or not all(cells):
        raise RelationError(
            f"{name}, line {number} has {len(cells)} cells, cut at {layout.delimiter!r}; an edge "
            "is i j, or i j weight."
        )
    if len(cells) == 2:
        return cells[0], cells[1]
    weight = number_of(cells[2], layout.decimal)
    if weight is None or weight != weight:
        raise RelationError(f"{name}, line {number}: the weight {cells[2]!r:.60} is not a number.")
    return cells[0], cells[1], weight


def _ordered(edges: list[Edge]) -> list[str]:
    """Return the nodes: numbers in ascending order, others as they first appear."""
    nodes = list(dict.fromkeys(end for edge in edges for end in edge[:2]))
    return sorted(nodes, key=int) if all(map(str.isdigit, nodes)) else nodes
