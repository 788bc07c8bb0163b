"""The page of a study of the paper: its claims, its figures, and what each model did."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from relrbf import __version__
from relrbf.report.markdown import write_markdown
from relrbf.report.page import Picture, Section, write_page
from study import Design
from study.measure import OK
from study.paper.claim import RULES, Claim, Verdict
from study.paper.claims import check_claims
from study.paper.evidence import Evidence
from study.paper.figures import draw_figures
from study.splits import SHARES
from study.table import Row
from study.tables import claim_table, models_table, relations_table, targets_table

TITLE = "The paper's study, run again"
HTML, MARKDOWN = "study.html", "study.md"


def write_study(folder: Path, rows: Sequence[Row], design: Design, command: str) -> list[Claim]:
    """Write the page, its Markdown and all figures to a folder; return the claims."""
    claims = check_claims(rows)
    sections = [
        _claims(claims),
        _choices(),
        *_numbers(rows),
        *_figures(folder, rows, design),
        *wild_runs(rows),
        *_failures(rows),
        _again(design, command),
    ]
    lead = _lead(design, rows)
    write_page(folder / HTML, TITLE, lead, sections)
    write_markdown(folder / MARKDOWN, TITLE, lead, sections)
    return claims


def tally(claims: Sequence[Claim]) -> str:
    """Return how many claims fared how, in words."""
    counts = Counter(claim.verdict for claim in claims)
    return ", ".join(f"{counts[verdict]} {verdict.value}" for verdict in Verdict)


def _lead(design: Design, rows: Sequence[Row]) -> str:
    names = ", ".join(data.name for data in design.data)
    seconds = sum(row["seconds"] for row in rows)
    return (
        f"Sledge and Príncipe's experiments, and some of ours, with relrbf {__version__}: {names}; "
        f"{design.repetitions} repetitions, seed {design.seed}, {seconds / 60:.0f} minutes of "
        "computing, shared by all cores."
    )


def _claims(claims: Sequence[Claim]) -> Section:
    names = dict.fromkeys(claim.data for claim in claims)
    tables = [claim_table(name, [c for c in claims if c.data == name]) for name in names]
    return Section(
        "Claim by claim", f"Of {len(claims)} claims: {tally(claims)}. {RULES}", tables=tables
    )


def _numbers(rows: Sequence[Row]) -> list[Section]:
    evidence = Evidence(rows)
    tables = {
        "Accuracy, defaults and duality": targets_table(evidence),
        "Every model, test accuracy": models_table(rows, evidence),
        "The relations": relations_table(evidence),
    }
    return [
        Section(title, text, tables=[table])
        for title, (text, table) in tables.items()
        if table.rows
    ]


def _figures(folder: Path, rows: Sequence[Row], design: Design) -> list[Section]:
    sections = []
    for stale in folder.glob("figure-*.p*"):  # of a study of other sets
        stale.unlink()
    for drawn in draw_figures(rows, design):
        folder.mkdir(parents=True, exist_ok=True)
        drawn.figure.savefig(folder / f"{drawn.name}.pdf", metadata={"CreationDate": None})
        picture = Picture(drawn.figure, drawn.caption, drawn.name)
        sections.append(Section(drawn.title, pictures=[picture]))
    return sections


def wild_runs(rows: Sequence[Row]) -> list[Section]:
    """Tell of networks that trained well and answer other objects with nonsense."""
    found = Evidence(rows).wild()
    if not found:
        return []
    facts = [
        ("/".join(which), f"{len(wild)} runs, {_worst(wild):.3g} at worst")
        for which, wild in found.items()
    ]
    text = (
        "Runs in which deviations spread by more than 1 in some part, where 0 and 1 are desired. "
        "They count in all accuracies and differences, and are left out of means and spreads of "
        "deviations. On a relation without vectors a squared distance to a prototype may be "
        "negative, and a kernel then grows without bound."
    )
    return [Section("Wild runs", text, facts=facts)]


def _worst(rows: Sequence[Row]) -> float:
    return float(max(row[f"deviation_std_{part}"] or 0 for row in rows for part in SHARES))


def _choices() -> Section:
    text = (
        "Section 3.1 of the paper leaves open or prints otherwise: lengths (first bandwidths, "
        "steps) are in units of the root mean squared dissimilarity; rates stay below what the "
        "curvature allows; descent ends after 2,000 epochs on vectors and 1,000 on HG-194 and "
        "PC-102, if the paper's rule has not ended it before. HG-194 and PC-102 hold 1 - a "
        "similarity and are read as squared distances. As in the paper, all objects are embedded "
        "before they are split. PC-102 is the common-source relation of its profiles. "
        "HG-194-genes is our addition: HG-194 with whole genes held out."
    )
    return Section("How it was run", text)


def _failures(rows: Sequence[Row]) -> list[Section]:
    failed = Counter(
        (row["data"], row["variant"], row["model"], row["error"])
        for row in rows
        if row["status"] != OK
    )
    if not failed:
        return []
    facts = [("/".join(key[:3]), f"{n} times: {key[3]}") for key, n in failed.items()]
    return [Section("What failed", "Left out of all tables and figures.", facts=facts)]


def _again(design: Design, command: str) -> Section:
    key = next(design.cells()).key
    code = (
        f"{command}\n\n"
        "# one cell alone, in Python\n"
        "from study import Design, measure\n"
        f'measure(Design(seed={design.seed}).cell("{key}"))'
    )
    text = "Every model of a repetition has its own seed; stopped, the same command goes on."
    return Section("Again", text, code=code)
