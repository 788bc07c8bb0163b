"""Claims on numbers of runs, spreads of deviations, and the other models."""

from collections.abc import Iterator

import numpy as np

from study.claims.differences import more_errors_without_vectors, other_relation
from study.data import ORIGINAL
from study.evidence import (
    BY_GENES,
    COMPARED,
    HG,
    PC,
    SCALINGS,
    Claim,
    Evidence,
    Outcome,
    all_or_some,
    compare_count,
)
from study.models import MAX_NEIGHBOURS

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
    outcome = compare_count(found, n, RUNS_WITH_ERRORS)
    genes = ""
    if evidence.has((HG + BY_GENES, ORIGINAL, "graph")):
        genes = "{} of {}".format(*_runs_with_errors(evidence, HG + BY_GENES))
    return Claim(
        HG,
        "runs with an error in any part",
        f"{RUNS_WITH_ERRORS} of 100",
        f"{found} of {n}",
        outcome,
        "" if outcome is Outcome.REPRODUCED else more_errors_without_vectors(evidence),
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
        all_or_some(held),
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
        all_or_some(*held),
        "" if all(held) else other_relation(evidence),
    )


def _runs_without(evidence: Evidence) -> Claim:
    which = PC, ORIGINAL, "graph"
    found, n = evidence.without_error(which), len(evidence.rows(which))
    outcome = compare_count(found, n, RUNS_WITHOUT)
    return Claim(
        PC,
        "runs without any error",
        "a third",
        f"{found} of {n}",
        outcome,
        "" if outcome is Outcome.REPRODUCED else other_relation(evidence),
    )


def divergence(evidence: Evidence) -> Iterator[Claim]:
    """Yield the claim for both relations, where all that it compares was run."""
    for data in (HG, PC):
        kinds = [(data, variant, model) for variant in COMPARED for model in ("medoid", "graph")]
        if evidence.has(*kinds):
            yield _divergence_claim(evidence, data)


def _divergence_claim(evidence: Evidence, data: str) -> Claim:
    pairs = _spreads(evidence, data)
    outcome = all_or_some(*(medoids > prototypes for medoids, prototypes in pairs))
    return Claim(
        data,
        "spread of deviations, medoids against prototypes: original / CMDS / PMDS",
        "wider with medoids",
        _in_pairs(pairs),
        outcome,
        "" if outcome is Outcome.REPRODUCED else f"Here they are {_in_pairs(pairs)}.",
        _in_pairs(_spreads(evidence, data + BY_GENES)),
    )


def _spreads(evidence: Evidence, data: str) -> list[tuple[float, float]]:
    """Return the spread with medoids and with prototypes, variant by variant."""
    pairs = [((data, v, "medoid"), (data, v, "graph")) for v in COMPARED]
    return [
        (evidence.deviation(medoids)[1], evidence.deviation(prototypes)[1])
        for medoids, prototypes in pairs
        if evidence.has(medoids, prototypes)
    ]


def _in_pairs(pairs: list[tuple[float, float]]) -> str:
    return " / ".join(f"{medoids:.2f} against {prototypes:.2f}" for medoids, prototypes in pairs)


BEST_NEIGHBOURS = {HG: (3, 5), PC: (3, 6)}
MAX_FOREST_DIFFERENCE = 3  # points between forest and machine
SCALED = "classical", "proximal"


def baselines(evidence: Evidence) -> Iterator[Claim]:
    """Yield the claims on both relations, as far as they were run."""
    for data in BEST_NEIGHBOURS:
        if evidence.has((data, ORIGINAL, "knn")):
            yield _neighbours(evidence, data)
        if evidence.has(*((data, v, m) for v in SCALED for m in ("svc", "forest"))):
            yield _forest(evidence, data)


def _neighbours(evidence: Evidence, data: str) -> Claim:
    low, high = BEST_NEIGHBOURS[data]
    near = evidence.best_neighbours(data, ORIGINAL)
    inside = [k for k in near if low <= k <= high]
    outcome = Outcome.FAILED if not inside else Outcome.PARTLY
    if near[0] in inside:
        outcome = Outcome.REPRODUCED
    best, there = near[0], low
    at = {k: evidence.accuracy((data, ORIGINAL, f"knn-{k}")) for k in (best, there)}
    reason = (
        f"Of the test objects, k = {best} is right for {at[best].with_error()} %, k = {there} for "
        f"{at[there].with_error()} %."
    )
    return Claim(
        data,
        "best number of neighbours",
        f"{low} to {high}",
        _best_text(near),
        outcome,
        "" if outcome is Outcome.REPRODUCED else reason,
        _best_text(evidence.best_neighbours(data + BY_GENES, ORIGINAL)),
    )


def _best_text(near: list[int]) -> str:
    if not near:
        return ""
    if len(near) == MAX_NEIGHBOURS:
        return f"all {MAX_NEIGHBOURS} within half a point"
    return f"{near[0]}; within half a point: {', '.join(map(str, sorted(near)))}"


def _forest(evidence: Evidence, data: str) -> Claim:
    apart = _forest_drops(evidence, data)
    worst = max(apart, key=lambda v: abs(apart[v]))
    held = abs(apart[worst]) <= MAX_FOREST_DIFFERENCE
    pair = [evidence.accuracy((data, worst, model)).value for model in ("svc", "forest")]
    return Claim(
        data,
        "random forest against SVM, after CMDS / PMDS",
        f"within {MAX_FOREST_DIFFERENCE} points",
        _in_points(apart),
        Outcome.REPRODUCED if held else Outcome.FAILED,
        "" if held else f"After {SCALINGS[worst]}, SVM {pair[0]:.1f} %, forest {pair[1]:.1f} %.",
        _in_points(_forest_drops(evidence, data + BY_GENES)),
    )


def _forest_drops(evidence: Evidence, data: str) -> dict[str, float]:
    pairs = {v: ((data, v, "svc"), (data, v, "forest")) for v in SCALED}
    return {v: evidence.drop(*pair).value for v, pair in pairs.items() if evidence.has(*pair)}


def _in_points(apart: dict[str, float]) -> str:
    return " / ".join(f"{0 - points:+.1f}" for points in apart.values())
