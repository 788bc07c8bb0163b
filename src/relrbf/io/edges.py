"""Graphs in files: edges ``i j weight``, one per line, or a matrix of weights."""

from collections.abc import Mapping
from typing import Any

from relrbf.exceptions import FileFormatError, OptionError
from relrbf.io.cells import DELIMITER_NAMES, is_number, parse_number, split_cells
from relrbf.io.layout import Layout, TextOptions, find_layout
from relrbf.io.source import TextSource
from relrbf.io.tables import Table, head_texts
from relrbf.relations import GraphRelation

Edge = tuple[str, str] | tuple[str, str, float]


def load_edges(source: TextSource, options: TextOptions, graph: Mapping[str, Any]) -> Table:
    """Return the graph whose edges a file lists; nodes are known by name."""
    texts = head_texts(source, options)
    fitting = (d for d in DELIMITER_NAMES if all(len(split_cells(t, d)) in (2, 3) for t in texts))
    delimiter = options.delimiter or next(fitting, None)
    asked = TextOptions(False, True, delimiter, options.decimal, "full")
    layout = find_layout(texts, asked, None, source.name)
    edges: list[Edge] = []
    header: list[str] = []
    for number, line in source.lines:
        if not line.strip() or line.startswith(("#", "%")):
            continue
        cells = layout.split(line, source.name, number)
        if not edges and not header and _is_header(cells, layout, options):
            header = cells
            continue
        edges.append(_edge(cells, layout, source.name, number))
    if not edges:
        raise FileFormatError(source.name, "it has no edges", "Each line is i j, or i j weight.")
    names = list(dict.fromkeys(end for edge in edges for end in edge[:2]))
    if all(map(str.isdecimal, names)):
        names.sort(key=int)
    notes = [f"the first line names the columns: {', '.join(header)}"] if header else []
    kind = "i j weight" if len(edges[0]) == 3 else "i j"
    notes.append(f"a graph of {len(names)} nodes, from {len(edges)} edges {kind}")
    return Table(make_graph(edges, names, graph), names, names, [*source.notes, *notes])


def make_graph(adjacency: Any, ids: list[str] | None, options: Mapping[str, Any]) -> GraphRelation:
    """Return the relation between the nodes of a graph."""
    try:
        return GraphRelation(adjacency, **{"ids": ids, **options})
    except TypeError as error:
        if "unexpected keyword" not in str(error):
            raise
        text = f"graph={dict(options)!r} is not understood: {error}."
        raise OptionError(text, "graph") from None


def _is_header(cells: list[str], layout: Layout, options: TextOptions) -> bool:
    """Tell whether a line names columns: it has something else in the place of a weight."""
    if options.header != "auto":
        return bool(options.header)
    return len(cells) == 3 and not is_number(cells[2], layout.decimal)


def _edge(cells: list[str], layout: Layout, name: str, number: int) -> Edge:
    if len(cells) not in (2, 3) or not all(cells):
        problem = f"the line has {len(cells)} cells, cut at {layout.delimiter!r}"
        raise FileFormatError(name, problem, "An edge is i j, or i j weight.", line=number)
    if len(cells) == 2:
        return cells[0], cells[1]
    weight = parse_number(cells[2], layout.decimal)
    if weight is None or weight != weight:
        problem = f"the weight {cells[2]!r:.60} is not a number"
        raise FileFormatError(name, problem, line=number)
    return cells[0], cells[1], weight
