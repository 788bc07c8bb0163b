"""``relrbf embed``: vectors for the objects of a matrix."""

from pathlib import Path
from typing import Annotated, Any, Literal

from typer import BadParameter, Option

from relrbf.cli.command import check_output, command
from relrbf.cli.console import Console
from relrbf.cli.options import (
    Exponent,
    Matrix,
    MatrixOptions,
    NewObjectOptions,
    Seed,
    as_exponent,
)

COORDINATE_SUFFIXES = (".csv", ".tsv", ".npy")
EMBEDDINGS = {
    "classical": "ClassicalMDS",
    "proximal": "ProximalMDS",
    "landmark": "LandmarkMDS",
    "euclidean": "NearestEuclideanMDS",
    "metric-learning": "MetricLearningMDS",
}


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
    matrix: Matrix,
    output: Annotated[
        Path, Option("-o", "--output", metavar="Z", help="Coordinates: csv, tsv or npy.")
    ],
    options: MatrixOptions,
    new: NewObjectOptions,
    method: Annotated[
        Literal["classical", "proximal", "landmark", "euclidean", "metric-learning"],
        Option(help="Kind of multidimensional scaling."),
    ] = "classical",
    components: Annotated[
        Any, Option(parser=parse_components, metavar="N", help="Dimensions, or all.")
    ] = "2",
    exponent: Exponent = "auto",
    seed: Seed = 0,
) -> None:
    """Find vectors whose distances are near the dissimilarities.

    With --new, also for objects that are not in D.
    """
    from relrbf import embeddings
    from relrbf.cli.inputs import check_new_objects, read_new_objects, read_relation
    from relrbf.io import save_matrix

    def save(path: Path, Z: Any, ids: Any) -> None:
        save_matrix(path, Z, ids, [f"z{k}" for k in range(1, Z.shape[1] + 1)])

    check_output(output, *COORDINATE_SUFFIXES)
    check_new_objects(new, *COORDINATE_SUFFIXES)
    relation = read_relation(matrix, options, console)
    mds = getattr(embeddings, EMBEDDINGS[method])(components, exponent=as_exponent(exponent))
    if method == "landmark":
        mds.set_params(random_state=seed)
    with console.progress("embedding"):
        Z = mds.fit_transform(relation)
    console.note_exponent(matrix, mds.exponent_)
    save(output, Z, relation.ids)
    console.print(f"{output}: {len(Z)} objects, {Z.shape[1]} coordinates")
    console.record(coordinates=output, n_objects=len(Z), n_components=Z.shape[1])
    console.record(exponent=mds.exponent_, eigenvalues=mds.eigenvalues_)
    if new.new_output is not None:
        rows = read_new_objects(relation, new, options, console)
        save(new.new_output, mds.transform(rows.values), rows.row_ids)
        console.print(f"{new.new_output}: {rows.shape[0]:,} new objects")
