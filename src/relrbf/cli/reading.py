"""From the files that were named to a relation and labels, saying what was assumed."""

import re
from argparse import Namespace
from pathlib import Path
from typing import Any

import numpy as np

from relrbf.cli.errors import CommandError
from relrbf.cli.screen import Screen
from relrbf.cli.targets import as_classes, is_regression
from relrbf.exceptions import RelationError
from relrbf.io import LoadedLabels, LoadedMatrix, load_labels, load_matrix, match_labels
from relrbf.relations.base import Relation


def read_matrix(
    path: Path, options: Namespace, screen: Screen, columns: Any = None
) -> LoadedMatrix:
    """Read a matrix, n × n or of new objects to columns; what was assumed is in its notes."""
    with screen.working(f"reading {path}") as ticker:
        return load_matrix(
            path,
            graph=_graph(options),
            key=options.key,
            delimiter=options.delimiter,
            decimal=options.decimal,
            header=_known(options.header),
            ids=_known(options.ids),
            triangle=options.triangle,
            encoding=options.encoding,
            columns=columns,
            progress=lambda done, total: ticker.tell(
                f"reading {path}", done / total if total else None
            ),
        )


def read_square(path: Path, options: Namespace, screen: Screen) -> LoadedMatrix:
    """Read an n × n matrix, its columns in the order of its rows; say what was assumed."""
    matrix = read_matrix(path, options, screen).square()
    note(matrix, screen)
    if matrix.shape[0] < 2:
        raise CommandError(f"{path} holds {matrix.shape[0]} objects; two are the least.")
    return matrix


def read_relation(path: Path, options: Namespace, screen: Screen) -> Relation:
    """Read and judge a matrix; return the relation it holds."""
    matrix = read_square(path, options, screen)
    judging = {"similarities": options.similarities}
    if options.symmetrize is not None:
        judging["symmetrize"] = options.symmetrize
    with screen.working(f"judging {path}"):
        return matrix.relation(**judging)


def read_labels(path: Path, options: Namespace) -> LoadedLabels:
    """Read labels, with the names of their objects if the file has any."""
    try:
        return load_labels(
            path,
            column=options.column,
            delimiter=options.labels_delimiter,
            encoding=options.labels_encoding,
            header=_known(options.labels_header),
        )
    except RelationError as error:
        flags = re.sub(r"\b(?=(header|encoding|delimiter)=)", "labels_", str(error))
        raise RelationError(flags) from error


def in_order(labels: LoadedLabels, ids: Any, n_objects: int, screen: Screen) -> LoadedLabels:
    """Return one label for each object, by name where there are names on both sides."""
    matched = match_labels(labels, ids, n_objects=n_objects, allow_extra=True)
    note(matched, screen)
    return matched


def read_classes(options: Namespace, ids: Any, n_objects: int, screen: Screen) -> np.ndarray | None:
    """Return the class of each object where a file of them is named."""
    if options.labels is None:
        return None
    labels = in_order(read_labels(options.labels, options), ids, n_objects, screen)
    if is_regression(labels):
        raise CommandError(f"{options.labels} holds numbers to predict; classes are needed here.")
    return as_classes(labels)


def note(loaded: LoadedMatrix | LoadedLabels, screen: Screen) -> None:
    """Say what was assumed about a file, in a line."""
    if loaded.notes:
        screen.note(f"{loaded.path}: {'; '.join(loaded.notes)}")


def names_of(ids: Any, n_objects: int) -> list[str]:
    """Return a name for each object: its own, or its row's number from 0."""
    return [str(name) for name in (range(n_objects) if ids is None else ids)]


def exponent_of(options: Namespace) -> int | str:
    """Return the exponent as the library takes it."""
    return options.exponent if options.exponent == "auto" else int(options.exponent)


def _graph(options: Namespace) -> bool | dict[str, Any]:
    if options.graph_option and not options.graph:
        raise CommandError("--graph-option is about a graph; add --graph.")
    return dict(options.graph_option) or options.graph


def _known(said: bool | None) -> bool | str:
    return "auto" if said is None else said
