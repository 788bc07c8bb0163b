"""``relrbf reproduce``: the paper's study, with a verdict on every claim."""

from argparse import Namespace
from collections.abc import Sequence
from concurrent.futures.process import BrokenProcessPool
from importlib import import_module
from typing import Any

from relrbf.cli.errors import CommandError
from relrbf.cli.screen import Screen
from relrbf.experiments import PAPER, Design, print_progress
from relrbf.experiments import run as run_design
from relrbf.experiments.paper.claim import Claim
from relrbf.experiments.results import save_summary
from relrbf.experiments.runner import has_failed
from relrbf.experiments.sets import DataSet
from relrbf.experiments.variants import loaded
from relrbf.report.study import HTML, tally, write_study

ALL = "all"
SUMMARY = "summary.csv"


def chosen(names: Sequence[str]) -> tuple[DataSet, ...]:
    """Return the data sets that names ask for; HG-194 comes with its split by genes."""
    if ALL in names:
        return PAPER
    return tuple(data for data in PAPER if data.name.removesuffix("-genes") in names)


def run(options: Namespace, screen: Screen) -> None:
    """Run what is missing, write the page, print the claims; say what failed."""
    for module in ("matplotlib", "jinja2"):
        import_module(module)  # an hour later would be late to miss them
    design = Design(chosen(options.sets), repetitions=options.repetitions, seed=options.seed)
    for data in design.data:
        screen.say(f"{data.name}: {len(loaded(data).D)} objects, {len(data.variants)} relation(s)")
    rows = _run_kept(design, options, screen)
    save_summary(rows, options.output / SUMMARY)
    screen.say("Drawing the figures")
    claims = write_study(options.output, rows, design, _command(options))
    _say(claims, screen)
    page = options.output / HTML
    screen.say(f"\n{tally(claims)}\nThe page: {page}")
    screen.tell(page=page, claims=claims, tally=tally(claims), has_failed=has_failed(rows))
    if has_failed(rows):
        raise CommandError(
            "some cells failed: see the end of the page; --retry-failed runs them again"
        )


def _run_kept(design: Design, options: Namespace, screen: Screen) -> Any:
    """Run the design; where it is stopped, say that nothing is lost."""
    silent = screen.as_json or screen.quiet
    try:
        return run_design(
            design,
            options.output,
            n_jobs=options.jobs,
            retry_failed=options.retry_failed,
            progress=None if silent else print_progress(),
        )
    except (KeyboardInterrupt, BrokenProcessPool) as stop:
        kept = f"What is done is kept in {options.output}; the same command goes on from there."
        screen.say(f"\n{kept}")
        if isinstance(stop, BrokenProcessPool):
            reason = "a process was ended from outside, perhaps for want of memory"
            raise CommandError(reason) from stop
        raise


def _command(options: Namespace) -> str:
    return (
        f"relrbf reproduce {' '.join(options.sets)} --repetitions {options.repetitions} "
        f"--seed {options.seed} -o {options.output}"
    )


def _say(claims: Sequence[Claim], screen: Screen) -> None:
    for claim in claims:
        screen.say(f"\n{claim.data}, {claim.topic}: {claim.verdict.value}")
        screen.say(f"  paper  {claim.paper}\n  ours   {claim.ours}")
        if claim.by_genes:
            screen.say(f"  genes  {claim.by_genes}")
        if claim.reason:
            screen.say(f"  why    {claim.reason}")
