"""Why a claim does not reproduce: sentences, each on numbers of this run."""

import numpy as np

from study.paper.evidence import Evidence
from study.paper.facts import facts_of
from study.paper.names import BY_GENES, HG, PC
from study.sets import ORIGINAL
from study.splits import SHARES


def apart(evidence: Evidence, variant: str) -> str:
    """HG-194: the classes are apart in every variant, with copies and without."""
    facts = facts_of(HG)
    return (
        f"The classes stay apart: {_neighbour(evidence, variant)}. The {facts.n_objects} rows hold "
        f"{facts.n_distinct} distinct ones; {100 * facts.copies:.0f} % of the test objects have a "
        "copy with a known label, and by genes none."
    )


def bent(evidence: Evidence) -> str:
    """HG-194: on a relation without vectors the protocol errs more often."""
    which, scaled = (HG, ORIGINAL, "graph"), (HG, "classical", "graph")
    wrong = np.sum([evidence.wrong(which, part) for part in SHARES], axis=0)
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
        f"{evidence.accuracy((data, variant, 'knn-1')).value:.1f} %{said}"
        for data, said in ((HG, ""), (HG + BY_GENES, " by genes"))
        if evidence.has((data, variant, "knn-1"))
    ]
    return "the one nearest neighbour is right for " + ", ".join(found) if found else "k-NN not run"
