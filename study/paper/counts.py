"""Claims on how often something went wrong: HG-194 and PC-102 as they are."""

from collections.abc import Iterator

import numpy as np

from study.paper.claim import Claim, Verdict, judge_all, judge_count
from study.paper.evidence import Evidence
from study.paper.names import BY_GENES, HG, PC
from study.paper.reasons import bent, other_relation
from study.sets import ORIGINAL

RUNS_WITH_ERRORS = 5  # of 100, HG-194
RUNS_WITHOUT = 33  # of 100, PC-102
ABOUT_ONE = (0.5, 1.5)  # objects


def counts(evidence: Evidence) -> Iterator[Claim]:
    """Yield the claims on runs with errors, of each set that was run."""
    if evidence.has((HG, ORIGINAL, "graph")):
        yield _gene_products(evidence)
    if evidence.has((PC, ORIGINAL, "graph")):
        yield _training_errors(evidence)
        yield _one_wrong(evidence)
        yield _runs_without(evidence)


def _gene_products(evidence: Evidence) -> Claim:
    found, n = _runs_with_errors(evidence, HG)
    verdict = judge_count(found, n, RUNS_WITH_ERRORS)
    genes = ""
    if evidence.has((HG + BY_GENES, ORIGINAL, "graph")):
        genes = "{} of {}".format(*_runs_with_errors(evidence, HG + BY_GENES))
    return Claim(
        HG,
        "runs with an error in any part",
        f"{RUNS_WITH_ERRORS} of 100",
        f"{found} of {n}",
        verdict,
        "" if verdict is Verdict.REPRODUCED else bent(evidence),
        genes,
    )


def _runs_with_errors(evidence: Evidence, data: str) -> tuple[int, int]:
    which = data, ORIGINAL, "graph"
    n = len(evidence.rows(which))
    return n - evidence.without_error(which), n


def _training_errors(evidence: Evidence) -> Claim:
    wrong = evidence.wrong((PC, ORIGINAL, "graph"), "train")
    held = bool(np.mean(wrong) < ABOUT_ONE[0])
    return Claim(
        PC,
        "objects wrong in training, on average",
        "0",
        f"{wrong.mean():.1f}",
        judge_all(held),
        "" if held else other_relation(evidence),
    )


def _one_wrong(evidence: Evidence) -> Claim:
    parts = "test", "validation"
    wrong = [evidence.wrong((PC, ORIGINAL, "graph"), part).mean() for part in parts]
    low, high = ABOUT_ONE
    held = [bool(low <= each <= high) for each in wrong]
    return Claim(
        PC,
        "objects wrong in test / validation, on average",
        "about 1 / 1",
        " / ".join(f"{each:.1f}" for each in wrong),
        judge_all(*held),
        "" if all(held) else other_relation(evidence),
    )


def _runs_without(evidence: Evidence) -> Claim:
    which = PC, ORIGINAL, "graph"
    found, n = evidence.without_error(which), len(evidence.rows(which))
    verdict = judge_count(found, n, RUNS_WITHOUT)
    return Claim(
        PC,
        "runs without any error",
        "a third",
        f"{found} of {n}",
        verdict,
        "" if verdict is Verdict.REPRODUCED else other_relation(evidence),
    )
