"""``relrbf embed``: vectors for the objects of a matrix."""

from pathlib import Path
from typing import Any, Literal

from typer import BadParameter, Option

import relrbf
from relrbf.cli.command import check_output, command
from relrbf.cli.console import Console
from relrbf.cli.inputs import check_new_objects, read_relation, read_rows
from relrbf.cli.options import (
    Exponent,
    Matrix,
    MatrixOptions,
    NewObjects,
    NewOutput,
    Seed,
    as_exponent,
)

EMBEDDINGS = {
    "classical": "ClassicalMDS",
    "proximal": "ProximalMDS",
    "landmark": "LandmarkMDS",
    "euclidean": "NearestEuclideanMDS",
    "metric-learning": "MetricLearningMDS",
}
EmbeddingName = Literal["classical", "proximal", "landmark", "euclidean", "metric-learning"]


def parse_components(text: str) -> int | None:
    """Return a number from 1, or None for all."""
    if text == "all":
        return None
    if not text.isdecimal() or int(text) < 1:
        raise BadParameter(f"{text!r} is neither a whole number from 1 nor 'all'")
    return int(text)


@command(
    "relrbf embed D.csv -o Z.csv --method classical",
    "relrbf embed D.csv -o Z.csv --method landmark --new D_new.csv --new-output Z_new.csv",
)
def embed(
    console: Console,
    options: MatrixOptions,
    matrix: Matrix,
    output: Path = Option(..., "-o", "--output", metavar="Z", help="csv, tsv or npy."),
    method: EmbeddingName = Option("classical", help="Kind of multidimensional scaling."),
    components: Any = Option("2", parser=parse_components, metavar="N", help="How many, or all."),
    new: NewObjects = None,
    new_output: NewOutput = None,
    exponent: Exponent = "auto",
    seed: Seed = 0,
) -> None:
    """Find vectors whose distances are near the dissimilarities.

    With --new, also for objects that are not in D.
    """
    check_output(output, ".csv", ".tsv", ".npy")
    check_new_objects(new, new_output, ".csv", ".tsv", ".npy")
    relation = read_relation(matrix, options, console)
    kind = getattr(relrbf.embeddings, EMBEDDINGS[method])
    mds = kind(components, exponent=as_exponent(exponent))
    if method == "landmark":
        mds.set_params(random_state=seed)
    with console.progress("embedding"):
        Z = mds.fit_transform(relation)
    console.note_exponent(matrix, mds.exponent_)
    names = [f"z{k}" for k in range(1, Z.shape[1] + 1)]
    relrbf.io.save_matrix(output, Z, relation.ids, names)
    console.print(f"{output}: {len(Z)} objects, {Z.shape[1]} coordinates")
    console.record(coordinates=output, n_objects=len(Z), n_components=Z.shape[1])
    console.record(exponent=mds.exponent_, eigenvalues=mds.eigenvalues_)
    if new is not None:
        rows = read_rows(new, relation.ids, relation.n_objects, None, options, console)
        relrbf.io.save_matrix(new_output, mds.transform(rows.values), rows.row_ids, names)
        console.print(f"{new_output}: {rows.shape[0]:,} new objects")
