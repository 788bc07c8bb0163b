"""``relrbf cluster``: groups of objects."""

from argparse import Namespace
from typing import Any

import numpy as np

from relrbf.cli.places import check_output
from relrbf.cli.reading import exponent_of, names_of, read_relation
from relrbf.cli.screen import Screen
from relrbf.clustering import RelationalFuzzyCMeans, RelationalKMeans
from relrbf.io import save_rows


def run(options: Namespace, screen: Screen) -> None:
    """Group the objects, write a cluster for each."""
    check_output(options.output, ".csv", ".tsv")
    relation = read_relation(options.matrix, options, screen)
    kind: Any = RelationalFuzzyCMeans if options.fuzzy else RelationalKMeans
    model = kind(options.clusters, exponent=exponent_of(options), random_state=options.seed)
    with screen.working("grouping"):
        model.fit(relation)
    screen.note_exponent(options.matrix, model.exponent_)
    save_rows(options.output, *_table(model, names_of(relation.ids, relation.n_objects)))
    sizes = np.bincount(model.labels_, minlength=options.clusters)
    screen.say(f"{options.output}: {relation.n_objects:,} objects in {options.clusters} clusters")
    for k, size in enumerate(sizes):
        screen.say(f"  {k}: {size:,} objects")
    screen.tell(labels=options.output, n_objects=relation.n_objects, sizes=sizes)
    screen.tell(inertia=model.inertia_, exponent=model.exponent_, n_iter=model.n_iter_)


def _table(model: Any, names: list[str]) -> tuple[list[str], list[list[Any]]]:
    """Return the header and a row for each object."""
    header = ["id", "cluster"]
    rows = [[name, label] for name, label in zip(names, model.labels_.tolist(), strict=True)]
    if not hasattr(model, "memberships_"):
        return header, rows
    shares = model.memberships_.tolist()
    header += [f"membership {k}" for k in range(len(shares[0]))]
    return header, [row + more for row, more in zip(rows, shares, strict=True)]
