"""``relrbf relate``: a file of objects becomes a file of dissimilarities."""

import time
from argparse import Namespace
from pathlib import Path

from relrbf.cli.screen import Screen
from relrbf.cli.ticker import Ticker
from relrbf.exceptions import OptionError
from relrbf.io.objects import load_objects
from relrbf.measures import Progress, named_measures, relate
from relrbf.measures.named import NAMED
from relrbf.relations.on_disk import ids_path


def run(options: Namespace, screen: Screen) -> None:
    """Compute what is missing and print what was done."""
    if options.measure not in NAMED:
        raise OptionError(
            f"--measure {options.measure} does not exist; relrbf relate --measures lists all."
        )
    kind = NAMED[options.measure].kind
    objects, ids = load_objects(options.objects, kind, options.delimiter, options.ids)
    screen.say(f"{options.objects}: {len(objects)} {kind}, {options.measure}")
    began = time.perf_counter()
    with screen.working("comparing") as ticker:
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
            progress=lambda so_far: _show(so_far, ticker),
        )
    n, dtype, seconds = relation.n_objects, relation.dtype, time.perf_counter() - began
    screen.say(f"{options.output}: {n} × {n}, {dtype}, in {seconds:.1f} s")
    screen.tell(matrix=options.output, n_objects=n, dtype=str(dtype), seconds=seconds)
    if ids is not None:
        screen.say(f"{ids_path(Path(options.output))}: their names")
        screen.tell(ids=ids_path(Path(options.output)))


def print_measures() -> None:
    """Print every name that --measure takes, and what it means."""
    for name, text in named_measures().items():
        print(f"{name:<24}{text}")


def _show(progress: Progress, ticker: Ticker) -> None:
    ticker.tell(f"comparing, {progress}")
