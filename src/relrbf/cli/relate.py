"""``relrbf relate``: a file of objects becomes a file of dissimilarities."""

import sys
import time
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path

from relrbf.exceptions import OptionError, RelationError
from relrbf.files.objects import load_objects
from relrbf.measures import Progress, named_measures, relate
from relrbf.measures.named import NAMED
from relrbf.relations.opening import ids_path

SHOWN_EVERY = 5.0  # seconds between two lines of progress


def run_relate(options: Namespace) -> bool:
    """Compute what is missing and print what was done; tell whether all went well."""
    try:
        _relate(options)
    except (OptionError, RelationError, TypeError) as error:
        text = " ".join(str(error).split())  # in one line, and in the command's own words
        print(f"relrbf: {text.replace('resume=False', '--restart')}", file=sys.stderr)
        return False
    return True


def print_measures() -> None:
    """Print every name that --measure takes, and what it means."""
    for name, text in named_measures().items():
        print(f"{name:<24}{text}")


def _relate(options: Namespace) -> None:
    if options.measure not in NAMED:
        raise OptionError(
            f"--measure {options.measure} does not exist; relrbf relate --measures lists all."
        )
    kind = NAMED[options.measure].kind
    objects, ids = load_objects(options.objects, kind, options.delimiter, options.ids)
    print(f"{options.objects}: {len(objects)} {kind}, {options.measure}", flush=True)
    began = time.perf_counter()
    relation = relate(
        objects,
        options.measure,
        options.output,
        measure_params=dict(options.param),
        ids=ids,
        dtype=options.dtype,
        block=options.block,
        n_jobs=options.jobs,
        resume=not options.restart,
        progress=_print_progress(),
    )
    n, dtype = relation.n_objects, relation.dtype
    print(f"{options.output}: {n} × {n}, {dtype}, in {time.perf_counter() - began:.1f} s")
    if ids is not None:
        print(f"{ids_path(Path(options.output))}: their names")


def _print_progress() -> Callable[[Progress], None]:
    """Return a callback that prints a line now and then."""
    shown = 0.0

    def show(progress: Progress) -> None:
        nonlocal shown
        if progress.seconds - shown >= SHOWN_EVERY:
            shown = progress.seconds
            print(progress, flush=True)

    return show
