"""``relrbf relate``: a file of objects becomes a file of dissimilarities."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from typer import Argument, Exit, Option

import relrbf
from relrbf.cli.command import CommandError, check_output, command
from relrbf.cli.console import Console
from relrbf.cli.options import OptionGroup, parse_named_value

if TYPE_CHECKING:
    from relrbf.io import LoadedObjects

MEASURE_PARAMETER = Option(
    [], parser=parse_named_value, metavar="NAME=VALUE", help="Of the measure; may be repeated."
)
TO_HELP = "Other objects, such as those of training: a column for each of them."
OBJECTS_HELP = "csv, tsv or xlsx: a line for each object."


def _print_measures(is_wanted: bool) -> None:
    if is_wanted:
        for name, text in relrbf.measures.named_measures().items():
            print(f"{name:<24}{text}")
        raise Exit


LIST_MEASURES = Option(
    False, "--measures", callback=_print_measures, is_eager=True, help="List them all."
)


@dataclass(frozen=True)
class TableOptions(OptionGroup):
    """Which columns of the table are used."""

    columns: str | None = Option(None, metavar="A,B,...", help="Take these, and no others.")
    drop: str | None = Option(None, metavar="A,B,...", help="Leave these out.")
    ids: str | None = Option(None, metavar="COLUMN", help="The column that names the objects.")
    header: bool | None = Option(None, help="Whether the first line names the columns.")
    delimiter: str | None = Option(None, metavar="C", help="Default: found from the first line.")
    standardize: bool = Option(False, "--standardize", help="Let all columns vary alike.")

    def load_keywords(self) -> dict[str, Any]:
        """Return the keywords of ``load_objects`` that were given."""
        keywords = self.given()
        for name in ("columns", "drop"):
            if name in keywords:
                keywords[name] = [each.strip() for each in keywords[name].split(",")]
        return keywords


@command(
    "relrbf relate words.csv --measure levenshtein -o D.npy",
    "relrbf relate new.csv --to words.csv --measure levenshtein -o D_new.csv",
)
def relate(
    console: Console,
    options: TableOptions,
    objects: Path = Argument(metavar="OBJECTS", help=OBJECTS_HELP),
    measure: str = Option(..., metavar="NAME", help="See --measures."),
    output: Path = Option(..., "-o", "--output", metavar="D", help="D.npy or D.zarr."),
    to: Path | None = Option(None, metavar="OBJECTS", help=TO_HELP),
    measures: bool = LIST_MEASURES,
    jobs: int | None = Option(None, min=1, metavar="N", help="Default: one for each core."),
    param: list[Any] = MEASURE_PARAMETER,
    dtype: Literal["float64", "float32"] | None = Option(None, help="Default: float64."),
    block: int | None = Option(None, min=1, metavar="N", help="Objects on a side of a block."),
    restart: bool = Option(False, "--restart", help="Begin anew; replace the file that exists."),
) -> None:
    """Compute the dissimilarities of all pairs of objects in a table, or of new ones to others.

    Numbers are vectors, or series (a row may end early); one column of text is strings. A column
    called id or name, or else the first one of text beside others, names the objects; columns that
    look like labels are left out. If it is interrupted, the same command continues.
    """
    from relrbf.relations.on_disk import ids_path

    check_measure(measure)
    params = dict(param)
    if to is not None:
        _relate_to(console, objects, to, measure, output, options, params, jobs)
        return
    loaded = read_objects(objects, measure, options, console)
    names = loaded.ids
    began = time.perf_counter()
    given: Any = {"ids": names, "dtype": dtype, "block": block, "measure_params": params}
    with console.progress("comparing") as show:
        given["progress"] = lambda state: show(f"comparing, {state}")
        relation = relrbf.relate(
            loaded.objects, measure, output, n_jobs=jobs or -1, resume=not restart, **given
        )
    n, seconds = relation.n_objects, time.perf_counter() - began
    console.print(f"{output}: {n} × {n}, {relation.dtype}, in {seconds:.1f} s")
    console.record(matrix=output, n_objects=n, dtype=str(relation.dtype), seconds=seconds)
    if names is not None:
        console.print(f"{ids_path(output)}: their names", ids=ids_path(output))


def check_measure(measure: str) -> None:
    """Refuse a measure that does not exist, and name one that is called nearly so."""
    from relrbf._options import did_you_mean
    from relrbf.relations.named import NAMED

    if measure not in NAMED:
        near = did_you_mean(measure, NAMED)
        problem = f"--measure {measure} does not exist.{near} relrbf relate --measures lists all."
        raise CommandError(problem)


def read_objects(
    path: Path, measure: str, options: TableOptions, console: Console, **more: Any
) -> "LoadedObjects":
    """Read what a measure compares, and say what was taken from which columns."""
    from relrbf.relations.named import NAMED

    keywords = options.load_keywords() | more
    loaded = relrbf.io.load_objects(path, NAMED[measure].library.kind, **keywords)
    console.note(f"{path}: {'; '.join(loaded.notes)}")
    console.print(f"{path}: {len(loaded.objects)} {loaded.kind}, {measure}")
    console.record(columns=loaded.columns)
    return loaded


def _relate_to(
    console: Console,
    new: Path,
    training: Path,
    measure: str,
    output: Path,
    options: TableOptions,
    params: dict[str, Any],
    jobs: int | None,
) -> None:
    """Write the dissimilarities of new objects (rows) to others (columns), named on both sides."""
    check_output(output, ".csv", ".tsv", ".npy")
    known = read_objects(training, measure, options, console)
    more: dict[str, Any] = {} if known.scale is None else {"standardize": known.scale}
    if known.kind == "vectors":
        more["columns"] = known.columns
    rows = read_objects(new, measure, options, console, **more)
    with console.progress("comparing"):
        D_new = relrbf.relate(
            rows.objects, measure, to=known.objects, measure_params=params, n_jobs=jobs or 1
        )
    relrbf.io.save_matrix(output, D_new, rows.ids, known.ids)
    m, n = D_new.shape
    console.print(f"{output}: {m} × {n}, new objects to those of {training}")
    console.record(matrix=output, n_new=m, n_objects=n)
