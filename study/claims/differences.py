"""Claims of the paper's section 3 on what costs how many points, and why ours differ."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from study.claims.accuracy import PARTS
from study.data import ORIGINAL, PART_SHARES
from study.evidence import (
    BY_GENES,
    HG,
    PC,
    SCALINGS,
    Claim,
    Evidence,
    Mean,
    Outcome,
    Which,
    compare_drop,
    facts_of,
)


def apart(evidence: Evidence, variant: str) -> str:
    """HG-194: the classes are apart in every variant, with duplicates and without."""
    facts = facts_of(HG)
    return (
        f"The classes stay apart: {_neighbour(evidence, variant)}. The {facts.n_objects} rows hold "
        f"{facts.n_distinct} distinct ones; {100 * facts.duplicates:.0f} % of the test objects "
        "have a duplicate with a known label, and by genes none."
    )


def more_errors_without_vectors(evidence: Evidence) -> str:
    """HG-194: on a relation without vectors the protocol errs more often."""
    which, scaled = (HG, ORIGINAL, "graph"), (HG, "classical", "graph")
    wrong = np.sum([evidence.wrong(which, part) for part in PART_SHARES], axis=0)
    amount = wrong[wrong > 0].mean() if wrong.any() else 0.0
    text = (
        f"In runs with errors {amount:.1f} objects are wrong on average. The relation has no "
        f"vectors ({100 * facts_of(HG).negative:.1f} % of its spectrum is negative)"
    )
    if evidence.has(scaled):
        n = len(evidence.rows(scaled))
        text += f"; after CMDS, which has, {n - evidence.without_error(scaled)} of {n} runs err"
    return text + "."


def same_order(evidence: Evidence, variant: str) -> str:
    """HG-194 after PMDS: a constant does not change what is near."""
    facts = facts_of(HG)
    before, after = facts.contrast
    return (
        f"PMDS adds {facts.constant:.1f} to the squared dissimilarity of any two objects, which "
        f"keeps their order ({_neighbour(evidence, variant)}); only the contrast falls (between "
        f"classes over within: from {before:.1f} to {after:.2f})."
    )


def nothing_to_gain(evidence: Evidence, variant: str) -> str:
    """HG-194: what the other is compared with is at the top already."""
    right = evidence.accuracy((HG, variant, "graph")).value
    return f"The other is right for {right:.1f} % already. {apart(evidence, variant)}"


def few_to_choose(evidence: Evidence, variant: str) -> str:
    """HG-194 with medoids: the classes are covered, or the smallest is not."""
    which = HG, variant, "medoid"
    facts, rows = facts_of(HG), evidence.rows(which)
    size = np.mean([row["n_prototypes"] for row in rows])
    counts = np.sum([row["confusion_test"] for row in rows], axis=0)
    right = 100 * np.diag(counts) / counts.sum(axis=1)
    share = 100 * counts[right.argmin()].sum() / counts.sum()
    return (
        f"{size:.0f} medoids among {facts.n_distinct} distinct objects: of the worst class "
        f"({share:.0f} % of the objects), {right.min():.0f} % are right."
    )


def other_relation(evidence: Evidence, variant: str = ORIGINAL) -> str:
    """PC-102, whatever the variant: the paper's relation is not published, and ours is harder."""
    best, reached = evidence.best_model(PC)
    return (
        "The paper's relation is not published, nor what would rebuild it; on ours no model is "
        f"right for more than {reached:.1f} % of the test objects ({best})."
    )


def unchanged(evidence: Evidence, variant: str) -> str:
    """PC-102, whatever the variant: the relation is Euclidean, and scaling leaves it."""
    facts = facts_of(PC)
    return (
        f"Our relation has vectors (negative part of its spectrum: {100 * facts.negative:.1f} %), "
        f"so that CMDS and PMDS leave it as it is, to {facts.changed:.0e}; the paper's is not "
        "published."
    )


def _neighbour(evidence: Evidence, variant: str) -> str:
    """Say how often the one nearest neighbour is of the same class, at random and by genes."""
    found = [
        f"{evidence.accuracy((data, variant, 'knn-1')).value:.1f} %{suffix}"
        for data, suffix in ((HG, ""), (HG + BY_GENES, " by genes"))
        if evidence.has((data, variant, "knn-1"))
    ]
    return "the one nearest neighbour is right for " + ", ".join(found) if found else "k-NN not run"


Kind: TypeAlias = tuple[str, str]  # variant, model
Reason: TypeAlias = Callable[[Evidence, str], str]
GRAPH = ORIGINAL, "graph"
CMDS, PMDS, LMDS = ("classical", "graph"), ("proximal", "graph"), ("landmark", "graph")
NEAREST, LEARNT = ("nearest-euclidean", "graph"), ("metric-learning", "graph")
MODEL_NAMES = {"graph": "", "medoid": "medoids", "knn": "k-NN, best k", "svc": "SVM"}
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
        Drop(GRAPH, CMDS, (10, 14), apart),
        Drop(GRAPH, PMDS, (44, 48), same_order),
        Drop(CMDS, LMDS, (5, 30), apart),
        Drop(NEAREST, CMDS, (3, 7), nothing_to_gain),
        Drop(NEAREST, PMDS, (27, 40), nothing_to_gain),
        Drop(LEARNT, CMDS, (6, 9), nothing_to_gain),
        Drop(LEARNT, PMDS, (30, 42), nothing_to_gain),
        Drop(GRAPH, (ORIGINAL, "medoid"), (2, 6), few_to_choose),
        Drop(GRAPH, ("classical", "medoid"), (18, 61), few_to_choose),
        Drop(GRAPH, ("proximal", "medoid"), (18, 61), few_to_choose),
        Drop(GRAPH, (ORIGINAL, "knn"), (4, 12), apart),
        Drop(GRAPH, ("classical", "knn"), 5, apart),
        Drop(GRAPH, ("proximal", "knn"), 15, same_order),
        Drop(GRAPH, ("classical", "svc"), 7, apart),
        Drop(GRAPH, ("proximal", "svc"), 13, same_order),
    ),
    PC: (
        Drop(GRAPH, CMDS, (6, 20), unchanged),
        Drop(GRAPH, PMDS, (36, 40), unchanged),
        Drop(CMDS, LMDS, (5, 30), unchanged),
        Drop(NEAREST, CMDS, (3, 7), unchanged),
        Drop(NEAREST, PMDS, (27, 40), unchanged),
        Drop(LEARNT, CMDS, (6, 9), unchanged),
        Drop(LEARNT, PMDS, (30, 42), unchanged),
        Drop(GRAPH, (ORIGINAL, "medoid"), (3, 10), other_relation),
        Drop(GRAPH, ("classical", "medoid"), (18, 61), unchanged),
        Drop(GRAPH, ("proximal", "medoid"), (18, 61), unchanged),
        Drop(GRAPH, (ORIGINAL, "knn"), (6, 14), other_relation),
        Drop(GRAPH, ("classical", "knn"), 24, unchanged),
        Drop(GRAPH, ("proximal", "knn"), 47, unchanged),
        Drop(GRAPH, ("classical", "svc"), 22, unchanged),
        Drop(GRAPH, ("proximal", "svc"), 42, unchanged),
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
    outcome = compare_drop(found["test"], *drop.range)
    if drop.is_of_scaling and drop.why is unchanged:
        outcome = Outcome.OPEN
    strict = _parts(evidence, data + BY_GENES, drop)
    return Claim(
        data,
        drop.name(),
        drop.printed,
        _in_points(found),
        outcome,
        "" if outcome is Outcome.REPRODUCED else drop.why(evidence, drop.worse[0]),
        _in_points(strict) if strict else "",
    )


def _parts(evidence: Evidence, data: str, drop: Drop) -> dict[str, Mean]:
    """Return the drop in every part that both kinds have not trained on alike."""
    better: Which = data, *drop.better
    worse: Which = data, *drop.worse
    if not evidence.has(better, worse):
        return {}
    parts = tuple(PART_SHARES) if drop.worse[1] in STOPS_EARLY else ("test",)
    return {part: evidence.drop(better, worse, part) for part in parts}


def _in_points(found: dict[str, Mean]) -> str:
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
    variant, model = SCALINGS.get(kind[0], ""), MODEL_NAMES[kind[1]]
    return " after ".join(filter(None, (model, variant))) or "the original"
