"""``relrbf cluster``: clusters of objects."""

from pathlib import Path

from typer import Option

import relrbf
from relrbf.cli.command import check_output, command
from relrbf.cli.console import Console
from relrbf.cli.inputs import object_names, read_relation
from relrbf.cli.options import Exponent, Matrix, MatrixOptions, Seed, as_exponent


@command("relrbf cluster D.csv -o labels.csv -k 3")
def cluster(
    console: Console,
    options: MatrixOptions,
    matrix: Matrix,
    output: Path = Option(..., "-o", "--output", metavar="LABELS", help="csv or tsv: id,cluster."),
    clusters: int = Option(..., "-k", "--clusters", min=1, metavar="K", help="How many."),
    fuzzy: bool = Option(False, "--fuzzy", help="Fuzzy c-means: columns for the memberships."),
    exponent: Exponent = "auto",
    seed: Seed = 0,
) -> None:
    """Group the objects of a matrix by relational k-means or fuzzy c-means."""
    check_output(output, ".csv", ".tsv")
    relation = read_relation(matrix, options, console)
    methods = relrbf.clustering
    kind = methods.RelationalFuzzyCMeans if fuzzy else methods.RelationalKMeans
    model = kind(clusters, exponent=as_exponent(exponent), random_state=seed)
    with console.progress("clustering"):
        model.fit(relation)
    console.note_exponent(matrix, model.exponent_)
    header, columns = ["id", "cluster"], [model.labels_.tolist()]
    if fuzzy:
        header += [f"membership {k}" for k in range(clusters)]
        columns += model.memberships_.T.tolist()
    names = object_names(relation.ids, relation.n_objects)
    relrbf.io.save_rows(output, header, zip(names, *columns, strict=True))
    sizes = [columns[0].count(k) for k in range(clusters)]
    console.print(f"{output}: {relation.n_objects:,} objects in {clusters} clusters")
    for k, size in enumerate(sizes):
        console.print(f"  {k}: {size:,} objects")
    console.record(labels=output, n_objects=relation.n_objects, sizes=sizes)
    console.record(inertia=model.inertia_, exponent=model.exponent_, n_iter=model.n_iter_)
