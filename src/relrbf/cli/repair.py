"""``relrbf repair``: the nearest matrix that is a metric, or that vectors have."""

from pathlib import Path
from typing import Literal

from typer import Option

import relrbf
from relrbf.cli.command import check_output, command
from relrbf.cli.console import Console
from relrbf.cli.inputs import check_new_objects, read_relation, read_rows
from relrbf.cli.options import Matrix, MatrixOptions, NewObjects, NewOutput

RepairName = Literal["metric", "euclidean", "clip", "flip", "shift"]


@command(
    "relrbf repair D.csv -o fixed.csv --norm l2",
    "relrbf repair D.csv -o fixed.csv --to euclidean",
)
def repair(
    console: Console,
    options: MatrixOptions,
    matrix: Matrix,
    output: Path = Option(..., "-o", "--output", metavar="FIXED", help="csv, tsv or npy."),
    norm: Literal["l2", "l1"] = Option("l2", help="Minimise squared, or absolute changes."),
    to: RepairName = Option("metric", help="The last three change the negative spectrum only."),
    exponent: Literal["1", "2"] = Option("2", help="2: D holds distances; 1: squared distances."),
    new: NewObjects = None,
    new_output: NewOutput = None,
) -> None:
    """Change a matrix as little as possible into a metric or into distances between vectors."""
    check_output(output, ".csv", ".tsv", ".npy")
    check_new_objects(new, new_output, ".csv", ".tsv", ".npy")
    relation = read_relation(matrix, options, console)
    methods, power = relrbf.repair, {"exponent": int(exponent)}
    with console.progress("repairing") as show:

        def count(step: int, gap: float) -> None:
            show(f"repairing, step {step}, {gap:.1e} to go")

        if to == "metric":
            result = methods.nearest_metric(relation, norm, progress=count)
        elif to == "euclidean":
            result = methods.nearest_euclidean(relation, norm, progress=count, **power)
        else:
            result = getattr(methods, f"spectrum_{to}")(relation, **power)
    with console.progress(f"writing {output}"):
        relrbf.io.save_matrix(output, result.matrix, relation.ids, relation.ids)
    n = relation.n_objects
    console.print(f"{output}: {result.n_changed:,} of {n * (n - 1) // 2:,} pairs changed")
    console.print(f"  in all by {result.distance:.6g}\n  {result.status.value}")
    console.record(matrix=output, n_objects=n, n_changed=result.n_changed)
    console.record(distance=result.distance, status=result.status, gap=result.gap)
    if new is not None:
        rows = read_rows(new, relation.ids, relation.n_objects, None, options, console)
        relrbf.io.save_matrix(new_output, result.extend(rows.values), rows.row_ids, relation.ids)
        console.print(f"{new_output}: {rows.shape[0]:,} new objects")
