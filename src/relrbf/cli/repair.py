"""``relrbf repair``: the nearest matrix that is a metric, or that vectors have."""

from pathlib import Path
from typing import Annotated, Literal

from typer import Option

from relrbf.cli.command import check_output, command
from relrbf.cli.console import Console
from relrbf.cli.options import Matrix, MatrixOptions, NewObjectOptions

MATRIX_SUFFIXES = (".csv", ".tsv", ".npy")


@command(
    "relrbf repair D.csv -o fixed.csv --norm l2",
    "relrbf repair D.csv -o fixed.csv --to euclidean",
)
def repair(
    console: Console,
    matrix: Matrix,
    output: Annotated[Path, Option("-o", "--output", metavar="FIXED", help="csv, tsv or npy.")],
    options: MatrixOptions,
    new: NewObjectOptions,
    norm: Annotated[
        Literal["l2", "l1"], Option(help="What is minimised: squared, or absolute changes.")
    ] = "l2",
    to: Annotated[
        Literal["metric", "euclidean", "clip", "flip", "shift"],
        Option(help="A metric, Euclidean distances, or what is done to the negative spectrum."),
    ] = "metric",
    exponent: Annotated[
        Literal["1", "2"],
        Option(help="2: D holds distances; 1: squared distances. A metric does not depend on it."),
    ] = "2",
) -> None:
    """Change a matrix as little as possible into a metric or into distances between vectors."""
    from relrbf import repair as methods
    from relrbf.cli.inputs import check_new_objects, read_new_objects, read_relation
    from relrbf.io import save_matrix

    check_output(output, *MATRIX_SUFFIXES)
    check_new_objects(new, *MATRIX_SUFFIXES)
    relation = read_relation(matrix, options, console)
    with console.progress("repairing") as show:

        def count(step: int, gap: float) -> None:
            show(f"repairing, step {step}, {gap:.1e} to go", None)

        if to == "metric":
            result = methods.nearest_metric(relation, norm, progress=count)
        elif to == "euclidean":
            result = methods.nearest_euclidean(
                relation, norm, exponent=int(exponent), progress=count
            )
        else:
            result = getattr(methods, f"spectrum_{to}")(relation, exponent=int(exponent))
    with console.progress(f"writing {output}"):
        save_matrix(output, result.matrix, relation.ids, relation.ids)
    n = relation.n_objects
    console.print(f"{output}: {result.n_changed:,} of {n * (n - 1) // 2:,} pairs changed")
    console.print(f"  in all by {result.distance:.6g}\n  {result.status.value}")
    console.record(matrix=output, n_objects=n, n_changed=result.n_changed)
    console.record(distance=result.distance, status=result.status, gap=result.gap)
    if new.new_output is not None:
        rows = read_new_objects(relation, new, options, console)
        save_matrix(new.new_output, result.extend(rows.values), rows.row_ids, relation.ids)
        console.print(f"{new.new_output}: {rows.shape[0]:,} new objects")
