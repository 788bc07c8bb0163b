"""Why a claim does not reproduce: sentences, each on numbers of this run."""

import numpy as np

from relrbf.experiments.paper.evidence import Evidence
from relrbf.experiments.paper.facts import facts_of
from relrbf.experiments.sets import ORIGINAL
from relrbf.experiments.splits import SHARES

HG, PC = "HG-194", "PC-102"


def copies(evidence: Evidence, variant: str) -> str:
    """HG-194: most test objects have a copy whose class is known."""
    facts = facts_of(HG)
    return (
        f"{facts.n_objects} rows hold {facts.n_distinct} distinct ones, and "
        f"{100 * facts.copies:.0f} % of the test objects have a copy with a known label"
        f"{_neighbour(evidence, variant)}."
    )


def unfinished(evidence: Evidence) -> str:
    """HG-194: descent was stopped by the limit of epochs."""
    which = HG, ORIGINAL, "graph"
    rows = evidence.rows(which)
    wrong = np.sum([evidence.wrong(which, part) for part in SHARES], axis=0)
    longest = max(row["n_iter"] for row in rows)
    ended = sum(row["n_iter"] == longest for row in rows)
    text = (
        f"{ended} of {len(rows)} runs were ended by our limit of {longest:,} epochs; in those "
        f"with an error {np.mean(wrong[wrong > 0]):.1f} of {facts_of(HG).n_objects} objects are "
        "wrong."
    )
    other = HG, ORIGINAL, "default"
    if evidence.has(other):
        failed = np.count_nonzero(evidence.wrong(other, "train") + evidence.wrong(other, "test"))
        text += f" The default network errs in {failed} of {len(evidence.rows(other))}."
    return text


def same_order(evidence: Evidence, variant: str) -> str:
    """HG-194 after PMDS: a constant does not change what is near."""
    facts = facts_of(HG)
    before, after = facts.contrast
    return (
        f"PMDS adds {facts.constant:.1f} to the squared dissimilarity of any two objects, which "
        f"keeps their order{_neighbour(evidence, variant)}; only the contrast falls (between "
        f"classes over within: from {before:.1f} to {after:.2f})."
    )


def nothing_to_gain(evidence: Evidence, variant: str) -> str:
    """HG-194: what the other is compared with is at the top already."""
    right = evidence.accuracy((HG, variant, "graph")).value
    return f"The other is right for {right:.1f} % already. {copies(evidence, variant)}"


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
    """PC-102: the paper's relation is not published, and ours is harder."""
    best, reached = evidence.best_model(PC)
    return (
        "The paper's relation is not published, nor what would rebuild it; on ours no model is "
        f"right for more than {reached:.1f} % of the test objects ({best})."
    )


def unchanged(evidence: Evidence, variant: str) -> str:
    """PC-102: the relation is Euclidean, so that scaling has nothing to lose."""
    facts = facts_of(PC)
    return (
        f"Our relation has vectors (negative part of its spectrum: {100 * facts.negative:.1f} %), "
        f"so that CMDS and PMDS leave it as it is, to {facts.changed:.0e}; the paper's is not "
        "published."
    )


def _neighbour(evidence: Evidence, variant: str) -> str:
    which = HG, variant, "knn-1"
    if not evidence.has(which):
        return ""
    return f" (the one nearest neighbour: {evidence.accuracy(which).value:.1f} % right)"
