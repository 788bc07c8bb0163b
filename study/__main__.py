"""``python -m study``: run the paper's experiments and compare every claim with what comes out."""

import argparse
import signal
import sys
from collections.abc import Sequence
from concurrent.futures.process import BrokenProcessPool
from importlib import import_module
from pathlib import Path

from study.data import PAPER, DataSet, loaded
from study.design import Design
from study.evidence import Claim
from study.page import HTML, tally, write_study
from study.results import Row, save_summary
from study.runner import has_failed, print_progress, run

SETS = ("BC-569", "USC-435", "HD-303", "HG-194", "PC-102", "all")
SUMMARY = "summary.csv"
INTERRUPTED = 130  # the exit code of what a user interrupts


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return 0, 1 where something failed, or 130 where it was interrupted."""
    options = make_parser().parse_args(arguments)
    try:
        return run_study(options)
    except KeyboardInterrupt:
        print(f"\ninterrupted. {_resumes(options.output)}", file=sys.stderr)
        return INTERRUPTED
    except BrokenProcessPool:
        print(
            "study: a worker process was killed, perhaps for lack of memory. "
            f"{_resumes(options.output)}",
            file=sys.stderr,
        )
    except (ImportError, OSError, ValueError) as error:
        print(f"study: {error}", file=sys.stderr)
    return 1


def run_study(options: argparse.Namespace) -> int:
    """Run what is missing, write the page and print the claims."""
    for module in ("matplotlib", "jinja2"):
        import_module(module)  # missing ones are reported now, not after an hour
    design = Design(chosen(options.sets), repetitions=options.repetitions, seed=options.seed)
    for data in design.data:
        print(f"{data.name}: {len(loaded(data).D)} objects, {len(data.variants)} relation(s)")
    rows = run(
        design,
        options.output,
        n_jobs=options.jobs,
        retry_failed=options.retry_failed,
        progress=print_progress(),
    )
    _write(rows, design, options)
    if has_failed(rows):
        print(
            "study: some cells failed, see the end of the page; --retry-failed runs them again",
            file=sys.stderr,
        )
        return 1
    return 0


def chosen(names: Sequence[str]) -> tuple[DataSet, ...]:
    """Return the named data sets; HG-194 comes with its split by genes."""
    if "all" in names:
        return PAPER
    return tuple(data for data in PAPER if data.name.removesuffix("-genes") in names)


def make_parser() -> argparse.ArgumentParser:
    """Describe the command."""
    parser = argparse.ArgumentParser(
        prog="python -m study",
        description="Run the paper's experiments, draw its figures, and write a page with the "
        "paper's numbers beside ours. Interrupted, the same command resumes.",
    )
    parser.add_argument(
        "sets", nargs="*", type=_set_name, default=["all"], metavar="SET", help=", ".join(SETS)
    )
    parser.add_argument("--repetitions", type=_count, default=100, help="random splits of each set")
    parser.add_argument("--jobs", type=_count, default=-1, help="processes (default: all cores)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        default=Path("relrbf-study"),
        metavar="FOLDER",
        help="where results, figures and study.html are written (default: %(default)s)",
    )
    parser.add_argument("--retry-failed", action="store_true", help="run failed cells again")
    return parser


def _set_name(text: str) -> str:
    for name in SETS:
        if text.lower() == name.lower():
            return name
    raise argparse.ArgumentTypeError(f"{text!r} is none of {', '.join(SETS)}")


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive whole number")
    return int(text)


def _resumes(folder: Path) -> str:
    return f"Finished cells are kept in {folder}; the same command resumes from there."


def _write(rows: Sequence[Row], design: Design, options: argparse.Namespace) -> None:
    save_summary(rows, options.output / SUMMARY)
    print("Drawing the figures")
    command = (
        f"python -m study {' '.join(options.sets)} --repetitions {options.repetitions} "
        f"--seed {options.seed} -o {options.output}"
    )
    claims = write_study(options.output, rows, design, command)
    for claim in claims:
        _print_claim(claim)
    print(f"\n{tally(claims)}\nThe page: {options.output / HTML}")


def _print_claim(claim: Claim) -> None:
    print(f"\n{claim.data}, {claim.topic}: {claim.outcome.value}")
    print(f"  paper  {claim.paper}\n  ours   {claim.ours}")
    if claim.by_genes:
        print(f"  genes  {claim.by_genes}")
    if claim.reason:
        print(f"  why    {claim.reason}")


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends as by Ctrl-C
    sys.exit(main())
