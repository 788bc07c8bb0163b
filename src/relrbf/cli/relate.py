"""``relrbf relate``: a file of objects becomes a file of dissimilarities."""

import time
from pathlib import Path
from typing import Any, Literal

from typer import Argument, Exit, Option

import relrbf
from relrbf.cli.command import CommandError, command
from relrbf.cli.console import Console
from relrbf.cli.options import parse_named_value

MEASURE_PARAMETER = Option(
    [], parser=parse_named_value, metavar="NAME=VALUE", help="Of the measure; may be repeated."
)


def _print_measures(is_wanted: bool) -> None:
    if is_wanted:
        for name, text in relrbf.measures.named_measures().items():
            print(f"{name:<24}{text}")
        raise Exit


LIST_MEASURES = Option(
    False, "--measures", callback=_print_measures, is_eager=True, help="List them all."
)


@command("relrbf relate words.csv --measure levenshtein -o D.npy")
def relate(
    console: Console,
    objects: Path = Argument(metavar="OBJECTS", help="csv or tsv, with a header."),
    measure: str = Option(..., metavar="NAME", help="See --measures."),
    output: Path = Option(..., "-o", "--output", metavar="D", help="D.npy or D.zarr."),
    measures: bool = LIST_MEASURES,
    jobs: int | None = Option(None, min=1, metavar="N", help="Default: one for each core."),
    param: list[Any] = MEASURE_PARAMETER,
    delimiter: str | None = Option(None, metavar="C", help="Default: found from the header."),
    ids: str | None = Option(None, metavar="COLUMN", help="The column that names the objects."),
    dtype: Literal["float64", "float32"] | None = Option(None, help="Default: float64."),
    block: int | None = Option(None, min=1, metavar="N", help="Objects on a side of a block."),
    restart: bool = Option(False, "--restart", help="Begin anew; replace the file that exists."),
) -> None:
    """Compute the dissimilarities of all pairs of objects in a table.

    Numbers are vectors, or series (a row may end early); one column of text is strings. A column
    called id or name, or else the first one of text beside others, names the objects. If it is
    interrupted, the same command continues.
    """
    from relrbf.io.objects import load_objects
    from relrbf.measures.named import NAMED
    from relrbf.relations.on_disk import ids_path

    if measure not in NAMED:
        problem = f"--measure {measure} does not exist; relrbf relate --measures lists all."
        raise CommandError(problem)
    kind = NAMED[measure].library.kind
    loaded, names = load_objects(objects, kind, delimiter, ids)
    console.print(f"{objects}: {len(loaded)} {kind}, {measure}")
    began = time.perf_counter()
    given: Any = {"ids": names, "dtype": dtype, "block": block, "measure_params": dict(param)}
    with console.progress("comparing") as show:
        given["progress"] = lambda state: show(f"comparing, {state}")
        relation = relrbf.relate(
            loaded, measure, output, n_jobs=jobs or -1, resume=not restart, **given
        )
    n, seconds = relation.n_objects, time.perf_counter() - began
    console.print(f"{output}: {n} × {n}, {relation.dtype}, in {seconds:.1f} s")
    console.record(matrix=output, n_objects=n, dtype=str(relation.dtype), seconds=seconds)
    if names is not None:
        console.print(f"{ids_path(output)}: their names", ids=ids_path(output))
