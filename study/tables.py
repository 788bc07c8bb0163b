"""The tables of the study's page: from evidence to text."""

from collections.abc import Sequence

from relrbf.report.page import Table
from study.paper.accuracies import ACCURACIES, LARGEST_GAP, meant
from study.paper.claim import ERRORS, NEAR, Claim
from study.paper.evidence import Evidence
from study.paper.facts import facts_of
from study.sets import ORIGINAL
from study.table import Row

MODELS = {
    "graph": "protocol",
    "medoid": "medoids",
    "default": "default",
    "knn": "k-NN, best k",
    "svc": "SVM",
    "forest": "forest",
}


def claim_table(name: str, claims: Sequence[Claim]) -> Table:
    """Return the claims on one data set; ours by genes where there is such a column."""
    by_genes = any(claim.by_genes for claim in claims)
    header = ["claim", "paper", "ours", *["ours, by genes"] * by_genes, "verdict", "why"]
    rows = [
        [c.topic, c.paper, c.ours, *[c.by_genes] * by_genes, c.verdict.value, c.reason]
        for c in claims
    ]
    return Table(header, rows, name)


def targets_table(evidence: Evidence) -> tuple[str, Table]:
    """Return what the three sets of vectors must show, and whether they do."""
    text = (
        f"Test accuracy by the paper's protocol at least the paper's minus {NEAR} points; the "
        "network that chooses everything by itself at least as good; responses of graph and "
        f"vector network no further apart than {LARGEST_GAP:.0e} in any repetition."
    )
    rows = []
    for data in ACCURACIES:
        graph, default = (data, ORIGINAL, "graph"), (data, ORIGINAL, "default")
        if evidence.has(graph, default):
            found, own = evidence.accuracy(graph), evidence.accuracy(default)
            gap = max(row["duality_gap"] for row in evidence.rows(graph))
            wanted = meant(data, "test") - NEAR
            ahead = evidence.drop(default, graph)
            rows.append(
                [
                    data,
                    f"{wanted:.2f}",
                    f"{found.with_error(2)}: {_held(found.value - wanted, found.error)}",
                    f"{own.with_error(2)}: {_held(ahead.value, ahead.error)}",
                    f"{gap:.1e}: {'yes' if gap <= LARGEST_GAP else 'no'}",
                ]
            )
    header = ["", "wanted", "protocol ± standard error", "default", "largest gap"]
    return text, Table(header, rows)


def _held(ahead: float, error: float) -> str:
    """Say whether something is ahead, or behind by no more than chance explains."""
    if ahead >= 0:
        return "yes"
    return "no, but within chance" if -ahead <= ERRORS * error else "no"


def models_table(rows: Sequence[Row], evidence: Evidence) -> tuple[str, Table]:
    """Return the test accuracy of every model on every relation."""
    text = (
        "Percent, mean ± spread over the repetitions. All models have seen the labels of the same "
        "85 % of the objects. The best k is the best on these test parts, in favour of k-NN."
    )
    pairs = dict.fromkeys((row["data"], row["variant"]) for row in rows)
    lines = [
        [f"{data}, {variant}", *(_accuracy(evidence, data, variant, model) for model in MODELS)]
        for data, variant in pairs
    ]
    return text, Table(["", *MODELS.values()], lines)


def relations_table(evidence: Evidence) -> tuple[str, Table]:
    """Return what explains most of what failed: copies, and what is not Euclidean."""
    names = [name for name in ("HG-194", "PC-102") if evidence.has((name, ORIGINAL, "graph"))]
    header = ["", "objects", "distinct", "test objects with a known copy", "triangles violated"]
    rows = []
    for name in names:
        facts = facts_of(name)
        shares = facts.copies, facts.violated, facts.negative
        counts = facts.n_objects, facts.n_distinct
        rows.append([name, *map(str, counts), *(f"{100 * share:.1f} %" for share in shares)])
    text = (
        "Triangles are those of the dissimilarities, the spectrum is that of S, which here is the "
        "same matrix read as squared distances: these may violate triangles and have vectors."
    )
    return text, Table([*header, "negative part of the spectrum"], rows)


def _accuracy(evidence: Evidence, data: str, variant: str, model: str) -> str:
    if not evidence.has((data, variant, model)):
        return ""
    text = evidence.accuracy((data, variant, model)).with_spread()
    if model == "knn":
        text += f" ({evidence.best_neighbours(data, variant)[0]})"
    return text
