"""Claims on the other models: how many neighbours are best, and forests beside machines."""

from collections.abc import Iterator

from study.paper.claim import Claim, Verdict
from study.paper.evidence import Evidence
from study.paper.names import BY_GENES, HG, PC, SCALINGS
from study.sets import ORIGINAL

BEST_NEIGHBOURS = {HG: (3, 5), PC: (3, 6)}
MOST = 15
WITHIN = 3  # points between forest and machine
SCALED = "classical", "proximal"


def rivals(evidence: Evidence) -> Iterator[Claim]:
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
        _best(near),
        verdict,
        "" if verdict is Verdict.REPRODUCED else reason,
        _best(evidence.best_neighbours(data + BY_GENES, ORIGINAL)),
    )


def _best(near: list[int]) -> str:
    if not near:
        return ""
    if len(near) == MOST:
        return f"all {MOST} within half a point"
    return f"{near[0]}; within half a point: {', '.join(map(str, sorted(near)))}"


def _forest(evidence: Evidence, data: str) -> Claim:
    apart = _apart(evidence, data)
    worst = max(apart, key=lambda v: abs(apart[v]))
    held = abs(apart[worst]) <= WITHIN
    pair = [evidence.accuracy((data, worst, model)).value for model in ("svc", "forest")]
    return Claim(
        data,
        "random forest against SVM, after CMDS / PMDS",
        f"within {WITHIN} points",
        _said(apart),
        Verdict.REPRODUCED if held else Verdict.FAILED,
        "" if held else f"After {SCALINGS[worst]}, SVM {pair[0]:.1f} %, forest {pair[1]:.1f} %.",
        _said(_apart(evidence, data + BY_GENES)),
    )


def _apart(evidence: Evidence, data: str) -> dict[str, float]:
    pairs = {v: ((data, v, "svc"), (data, v, "forest")) for v in SCALED}
    return {v: evidence.drop(*pair).value for v, pair in pairs.items() if evidence.has(*pair)}


def _said(apart: dict[str, float]) -> str:
    return " / ".join(f"{0 - points:+.1f}" for points in apart.values())
