"""Claims of the paper's section 3 on what costs how many points: scaling, medoids, other models."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from study.paper import reasons
from study.paper.accuracies import PARTS
from study.paper.claim import Claim, Verdict, judge_drop
from study.paper.evidence import Evidence, Mean, Which
from study.paper.names import BY_GENES, HG, PC, SCALINGS
from study.sets import ORIGINAL
from study.splits import SHARES

Kind: TypeAlias = tuple[str, str]  # variant, model
Reason: TypeAlias = Callable[[Evidence, str], str]
GRAPH = ORIGINAL, "graph"
CMDS, PMDS, LMDS = ("classical", "graph"), ("proximal", "graph"), ("landmark", "graph")
NEAREST, LEARNT = ("nearest-euclidean", "graph"), ("metric-learning", "graph")
MODELS = {"graph": "", "medoid": "medoids", "knn": "k-NN, best k", "svc": "SVM"}
EXACT = {ORIGINAL, "classical", "proximal", "nearest-euclidean"}  # leave vectors as they are
STOPS_EARLY = "graph", "medoid"


@dataclass(frozen=True)
class Drop:
    """A claim that one kind is lower than another, by some points of test accuracy."""

    better: Kind
    worse: Kind
    points: float | tuple[float, float]
    why: Reason

    @property
    def range(self) -> tuple[float, float]:
        """The paper's range; a single number stands for one point either way."""
        if isinstance(self.points, tuple):
            return self.points
        return self.points - 1, self.points + 1

    @property
    def printed(self) -> str:
        """The paper's points, as differences."""
        points = self.points if isinstance(self.points, tuple) else (self.points,)
        return " to ".join(f"-{each:g}" for each in points)

    @property
    def is_of_scaling(self) -> bool:
        """Whether only relations are compared that a Euclidean one equals, not all as given."""
        variants = {self.better[0], self.worse[0]}
        return variants <= EXACT and variants != {ORIGINAL}

    def name(self) -> str:
        """Say what is compared."""
        return f"{_named(self.worse)} against {_named(self.better)}"


DROPS: dict[str, tuple[Drop, ...]] = {
    HG: (
        Drop(GRAPH, CMDS, (10, 14), reasons.apart),
        Drop(GRAPH, PMDS, (44, 48), reasons.same_order),
        Drop(CMDS, LMDS, (5, 30), reasons.apart),
        Drop(NEAREST, CMDS, (3, 7), reasons.nothing_to_gain),
        Drop(NEAREST, PMDS, (27, 40), reasons.nothing_to_gain),
        Drop(LEARNT, CMDS, (6, 9), reasons.nothing_to_gain),
        Drop(LEARNT, PMDS, (30, 42), reasons.nothing_to_gain),
        Drop(GRAPH, (ORIGINAL, "medoid"), (2, 6), reasons.few_to_choose),
        Drop(GRAPH, ("classical", "medoid"), (18, 61), reasons.few_to_choose),
        Drop(GRAPH, ("proximal", "medoid"), (18, 61), reasons.few_to_choose),
        Drop(GRAPH, (ORIGINAL, "knn"), (4, 12), reasons.apart),
        Drop(GRAPH, ("classical", "knn"), 5, reasons.apart),
        Drop(GRAPH, ("proximal", "knn"), 15, reasons.same_order),
        Drop(GRAPH, ("classical", "svc"), 7, reasons.apart),
        Drop(GRAPH, ("proximal", "svc"), 13, reasons.same_order),
    ),
    PC: (
        Drop(GRAPH, CMDS, (6, 20), reasons.unchanged),
        Drop(GRAPH, PMDS, (36, 40), reasons.unchanged),
        Drop(CMDS, LMDS, (5, 30), reasons.unchanged),
        Drop(NEAREST, CMDS, (3, 7), reasons.unchanged),
        Drop(NEAREST, PMDS, (27, 40), reasons.unchanged),
        Drop(LEARNT, CMDS, (6, 9), reasons.unchanged),
        Drop(LEARNT, PMDS, (30, 42), reasons.unchanged),
        Drop(GRAPH, (ORIGINAL, "medoid"), (3, 10), reasons.other_relation),
        Drop(GRAPH, ("classical", "medoid"), (18, 61), reasons.unchanged),
        Drop(GRAPH, ("proximal", "medoid"), (18, 61), reasons.unchanged),
        Drop(GRAPH, (ORIGINAL, "knn"), (6, 14), reasons.other_relation),
        Drop(GRAPH, ("classical", "knn"), 24, reasons.unchanged),
        Drop(GRAPH, ("proximal", "knn"), 47, reasons.unchanged),
        Drop(GRAPH, ("classical", "svc"), 22, reasons.unchanged),
        Drop(GRAPH, ("proximal", "svc"), 42, reasons.unchanged),
    ),
}


def drops(evidence: Evidence) -> Iterator[Claim]:
    """Yield the claims on both relations, as far as they were run."""
    for data, claimed in DROPS.items():
        for drop in claimed:
            if evidence.has((data, *drop.better), (data, *drop.worse)):
                yield _claim(evidence, data, drop)


def _claim(evidence: Evidence, data: str, drop: Drop) -> Claim:
    found = _parts(evidence, data, drop)
    verdict = judge_drop(found["test"], *drop.range)
    if drop.is_of_scaling and drop.why is reasons.unchanged:
        verdict = Verdict.OPEN
    strict = _parts(evidence, data + BY_GENES, drop)
    return Claim(
        data,
        drop.name(),
        drop.printed,
        _said(found),
        verdict,
        "" if verdict is Verdict.REPRODUCED else drop.why(evidence, drop.worse[0]),
        _said(strict) if strict else "",
    )


def _parts(evidence: Evidence, data: str, drop: Drop) -> dict[str, Mean]:
    """Return the drop in every part that both kinds have not trained on alike."""
    better: Which = data, *drop.better
    worse: Which = data, *drop.worse
    if not evidence.has(better, worse):
        return {}
    parts = tuple(SHARES) if drop.worse[1] in STOPS_EARLY else ("test",)
    return {part: evidence.drop(better, worse, part) for part in parts}


def _said(found: dict[str, Mean]) -> str:
    test = found["test"]
    others = [
        f"{PARTS[part]} {_signed(mean.value)}" for part, mean in found.items() if part != "test"
    ]
    around = "" if math.isnan(test.error) else f" ± {test.error:.1f}"
    text = _signed(test.value) + around
    return f"{text} ({', '.join(others)})" if others else text


def _signed(points: float) -> str:
    """Return a drop as a difference of accuracies, without a negative zero."""
    return f"{-points + 0.0:+.1f}" if abs(points) >= 0.05 else "0.0"


def _named(kind: Kind) -> str:
    variant, model = SCALINGS.get(kind[0], ""), MODELS[kind[1]]
    return " after ".join(filter(None, (model, variant))) or "the original"
