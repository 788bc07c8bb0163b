"""``relrbf relate``: a file of objects becomes a file of dissimilarities."""

import time
from pathlib import Path
from typing import Annotated, Literal

from typer import Argument, Exit, Option

from relrbf.cli.command import CommandError, command
from relrbf.cli.console import Console
from relrbf.cli.options import NamedValues, parse_named_value


def print_measures(is_wanted: bool) -> None:
    """Print every name that --measure takes, and what it means."""
    if not is_wanted:
        return
    from relrbf.measures import named_measures

    for name, text in named_measures().items():
        print(f"{name:<24}{text}")
    raise Exit


@command("relrbf relate words.csv --measure levenshtein -o D.npy")
def relate(
    console: Console,
    objects: Annotated[Path, Argument(metavar="OBJECTS", help="csv or tsv, with a header.")],
    measure: Annotated[str, Option(metavar="NAME", help="See --measures.")],
    output: Annotated[Path, Option("-o", "--output", metavar="D", help="D.npy or D.zarr.")],
    measures: Annotated[
        bool,
        Option("--measures", callback=print_measures, is_eager=True, help="List all and exit."),
    ] = False,
    jobs: Annotated[
        int | None, Option(min=1, metavar="N", help="Processes. Default: one for each core.")
    ] = None,
    param: Annotated[
        NamedValues,
        Option(
            parser=parse_named_value,
            metavar="NAME=VALUE",
            help="Passed to the measure, for example window=0.1; may be repeated.",
        ),
    ] = [],  # noqa: B006  # Typer makes a new list
    delimiter: Annotated[
        str | None, Option(metavar="C", help="Default: found from the header.")
    ] = None,
    ids: Annotated[
        str | None, Option(metavar="COLUMN", help="The column that names the objects.")
    ] = None,
    dtype: Annotated[Literal["float64", "float32"] | None, Option(help="Default: float64.")] = None,
    block: Annotated[
        int | None, Option(min=1, metavar="N", help="Objects on a side of a block.")
    ] = None,
    restart: Annotated[
        bool, Option("--restart", help="Begin anew, and replace the file that exists.")
    ] = False,
) -> None:
    """Compute the dissimilarities of all pairs of objects in a table.

    Numbers are vectors, or series (a row may end early); one column of text is strings. A column
    called id or name, or else the first one of text beside others, names the objects. If it is
    interrupted, the same command continues.
    """
    from relrbf import measures as library
    from relrbf.io.objects import load_objects
    from relrbf.measures.named import NAMED
    from relrbf.relations.opening import ids_path

    if measure not in NAMED:
        raise CommandError(
            f"--measure {measure} does not exist; relrbf relate --measures lists all."
        )
    kind = NAMED[measure].kind
    loaded, names = load_objects(objects, kind, delimiter, ids)
    console.print(f"{objects}: {len(loaded)} {kind}, {measure}")
    began = time.perf_counter()
    with console.progress("comparing") as show:
        relation = library.relate(
            loaded,
            measure,
            output,
            measure_params=dict(param),
            ids=names,
            dtype=dtype,
            block=block,
            n_jobs=-1 if jobs is None else jobs,
            resume=not restart,
            progress=lambda state: show(f"comparing, {state}", None),
        )
    n, seconds = relation.n_objects, time.perf_counter() - began
    console.print(f"{output}: {n} × {n}, {relation.dtype}, in {seconds:.1f} s")
    console.record(matrix=output, n_objects=n, dtype=str(relation.dtype), seconds=seconds)
    if names is not None:
        console.print(f"{ids_path(output)}: their names")
        console.record(ids=ids_path(output))
