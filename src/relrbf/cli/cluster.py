"""``relrbf cluster``: clusters of objects."""

from pathlib import Path
from typing import Annotated, Any

from typer import Option

from relrbf.cli.command import check_output, command
from relrbf.cli.console import Console
from relrbf.cli.options import Exponent, Matrix, MatrixOptions, Seed, as_exponent


@command("relrbf cluster D.csv -o labels.csv -k 3")
def cluster(
    console: Console,
    matrix: Matrix,
    output: Annotated[
        Path, Option("-o", "--output", metavar="LABELS", help="csv or tsv: id,cluster.")
    ],
    clusters: Annotated[
        int, Option("-k", "--clusters", min=1, metavar="K", help="Number of clusters.")
    ],
    options: MatrixOptions,
    fuzzy: Annotated[
        bool, Option("--fuzzy", help="Fuzzy c-means: a column for the membership of each cluster.")
    ] = False,
    exponent: Exponent = "auto",
    seed: Seed = 0,
) -> None:
    """Group the objects of a matrix by relational k-means or fuzzy c-means."""
    import numpy as np

    from relrbf.cli.inputs import object_names, read_relation
    from relrbf.clustering import RelationalFuzzyCMeans, RelationalKMeans
    from relrbf.io import save_rows

    check_output(output, ".csv", ".tsv")
    relation = read_relation(matrix, options, console)
    kind: Any = RelationalFuzzyCMeans if fuzzy else RelationalKMeans
    model = kind(clusters, exponent=as_exponent(exponent), random_state=seed)
    with console.progress("clustering"):
        model.fit(relation)
    console.note_exponent(matrix, model.exponent_)
    header, columns = ["id", "cluster"], [model.labels_.tolist()]
    if fuzzy:
        header += [f"membership {k}" for k in range(clusters)]
        columns += model.memberships_.T.tolist()
    names = object_names(relation.ids, relation.n_objects)
    save_rows(output, header, zip(names, *columns, strict=True))
    sizes = np.bincount(model.labels_, minlength=clusters)
    console.print(f"{output}: {relation.n_objects:,} objects in {clusters} clusters")
    for k, size in enumerate(sizes):
        console.print(f"  {k}: {size:,} objects")
    console.record(labels=output, n_objects=relation.n_objects, sizes=sizes)
    console.record(inertia=model.inertia_, exponent=model.exponent_, n_iter=model.n_iter_)
