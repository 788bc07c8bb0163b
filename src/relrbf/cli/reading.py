"""From the files that were named to a relation and labels, saying what was assumed."""

from argparse import Namespace
from pathlib import Path
from typing import Any

import numpy as np

from relrbf.cli.screen import Screen
from relrbf.files import LoadedLabels, LoadedMatrix, load_labels, load_matrix, match_labels
from relrbf.relations.base import Relation


def read_matrix(path: Path, options: Namespace, screen: Screen) -> LoadedMatrix:
    """Read a matrix, n × n or of new objects; what was assumed is in its notes."""
    with screen.working(f"reading {path}") as ticker:
        return load_matrix(
            path,
            graph=options.graph,
            key=options.key,
            delimiter=options.delimiter,
            decimal=options.decimal,
            header=_known(options.header),
            ids=_known(options.ids),
            triangle=options.triangle,
            encoding=options.encoding,
            progress=lambda done, total: ticker.tell(
                f"reading {path}", done / total if total else None
            ),
        )


def read_relation(path: Path, options: Namespace, screen: Screen) -> Relation:
    """Read and judge a matrix; return the relation it holds."""
    matrix = read_matrix(path, options, screen).square()
    note(matrix, screen)
    judging = {"similarities": options.similarities}
    if options.symmetrize is not None:
        judging["symmetrize"] = options.symmetrize
    with screen.working(f"judging {path}"):
        return matrix.relation(**judging)


def read_labels(
    path: Path, ids: Any, n_objects: int, screen: Screen, column: str | None = None
) -> np.ndarray:
    """Return one label for each object, by name where both files have names."""
    return in_order(load_labels(path, column=column), ids, n_objects, screen)


def in_order(labels: LoadedLabels, ids: Any, n_objects: int, screen: Screen) -> np.ndarray:
    """Return one label for each object, by name where there are names on both sides."""
    matched = match_labels(labels, ids, n_objects=n_objects, allow_extra=True)
    note(matched, screen)
    return matched.values


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


def _known(said: bool | None) -> bool | str:
    return "auto" if said is None else said
