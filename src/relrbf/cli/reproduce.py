"""``relrbf reproduce``: the paper's study, with a verdict on every claim."""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from relrbf.experiments import PAPER, Design, print_progress, run
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


def run_reproduce(
    names: Sequence[str],
    repetitions: int,
    jobs: int,
    seed: int,
    folder: Path,
    retry_failed: bool = False,
) -> bool:
    """Run what is missing, write the page, print the claims; tell whether every cell ran."""
    for module in ("matplotlib", "jinja2"):
        import_module(module)  # an hour later would be late to miss them
    design = Design(chosen(names), repetitions=repetitions, seed=seed)
    for data in design.data:
        print(f"{data.name}: {len(loaded(data).D)} objects, {len(data.variants)} relation(s)")
    rows = run(design, folder, n_jobs=jobs, retry_failed=retry_failed, progress=print_progress())
    save_summary(rows, folder / SUMMARY)
    print("Drawing the figures")
    command = f"relrbf reproduce {' '.join(names)} --repetitions {repetitions} --seed {seed}"
    command += f" -o {folder}"
    claims = write_study(folder, rows, design, command)
    _print(claims)
    print(f"\n{tally(claims)}\nThe page: {folder / HTML}")
    if has_failed(rows):
        print("Some cells failed: see the end of the page; --retry-failed runs them again")
    return not has_failed(rows)


def _print(claims: Sequence[Claim]) -> None:
    for claim in claims:
        print(f"\n{claim.data}, {claim.topic}: {claim.verdict.value}")
        print(f"  paper  {claim.paper}\n  ours   {claim.ours}")
        if claim.by_genes:
            print(f"  genes  {claim.by_genes}")
        if claim.reason:
            print(f"  why    {claim.reason}")
