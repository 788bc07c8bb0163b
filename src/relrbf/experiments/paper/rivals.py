"""Claims on the other models: how many neighbours are best, and forests beside machines."""

from collections.abc import Iterator

from relrbf.experiments.paper.claim import Claim, Verdict
from relrbf.experiments.paper.evidence import Evidence
from relrbf.experiments.sets import ORIGINAL

BEST_NEIGHBOURS = {"HG-194": (3, 5), "PC-102": (3, 6)}
WITHIN = 3  # points between forest and machine
NAMES = {"classical": "CMDS", "proximal": "PMDS"}


def rivals(evidence: Evidence) -> Iterator[Claim]:
    """Yield the claims on both relations, as far as they were run."""
    for data in BEST_NEIGHBOURS:
        if evidence.has((data, ORIGINAL, "knn")):
            yield _neighbours(evidence, data)
        if evidence.has(*((data, v, m) for v in NAMES for m in ("svc", "forest"))):
            yield _forest(evidence, data)


def _neighbours(evidence: Evidence, data: str) -> Claim:
    low, high = BEST_NEIGHBOURS[data]
    near = evidence.best_neighbours(data, ORIGINAL)
    inside = [k for k in near if low <= k <= high]
    verdict = Verdict.FAILED if not inside else Verdict.PARTLY
    if near[0] in inside:
        verdict = Verdict.REPRODUCED
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
        f"{best}; within half a point: {', '.join(map(str, sorted(near)))}",
        verdict,
        "" if verdict is Verdict.REPRODUCED else reason,
    )


def _forest(evidence: Evidence, data: str) -> Claim:
    apart = {v: evidence.drop((data, v, "svc"), (data, v, "forest")).value for v in NAMES}
    worst = max(apart, key=lambda v: abs(apart[v]))
    held = abs(apart[worst]) <= WITHIN
    pair = [evidence.accuracy((data, worst, model)).value for model in ("svc", "forest")]
    return Claim(
        data,
        "random forest against SVM, after CMDS / PMDS",
        f"within {WITHIN} points",
        " / ".join(f"{0 - points:+.1f}" for points in apart.values()),
        Verdict.REPRODUCED if held else Verdict.FAILED,
        "" if held else f"After {NAMES[worst]}, SVM {pair[0]:.1f} %, forest {pair[1]:.1f} %.",
    )
