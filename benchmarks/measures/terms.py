"""HG-194: dissimilarities computed from its terms beside the published matrix."""

import csv
from collections.abc import Iterable
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.stats import spearmanr

from relrbf.measures import fuzzy_measure_dissimilarities, information_content

STORED = Path(__file__).with_name("hg194_densities.csv")
# Two objects whose published rows contradict their listed terms (contradictions below), and terms
# that agree with those rows: another FGFR1's, and some of another TEK's (fitting_part).
OTHER_FGFR1, OTHER_TEK = 21, 105  # counted from 0, as all objects here
AMENDED = {
    29: None,
    106: "GO:0004714 GO:0004872 GO:0005887 GO:0007165 GO:0007169 GO:0007267",
}
TermSets = list[frozenset[str]]


class Published(NamedTuple):
    """The published matrix, and the terms and the gene of each object."""

    R: np.ndarray
    sets: TermSets
    genes: list[str]


def load(folder: Path) -> Published:
    with (folder / "HG-194" / "objects.csv").open() as file:
        rows = list(csv.DictReader(file))
    with np.load(folder / "HG-194" / "HG-194.npz") as arrays:
        R = arrays["R"]
    return Published(
        R, [frozenset(r["go_terms"].split(";")) for r in rows], [r["gene"] for r in rows]
    )


def amended(sets: TermSets) -> TermSets:
    """Return the term sets with those of the two contradicting objects replaced."""
    changed = list(sets)
    for i, terms in AMENDED.items():
        changed[i] = frozenset(terms.split()) if terms else sets[OTHER_FGFR1]
    return changed


def contradictions(R: np.ndarray, sets: TermSets) -> np.ndarray:
    """Count, per object, the others at 1 that share a term, below 1 that share none, or at 0."""
    shares = np.array([[bool(a & b) for b in sets] for a in sets])
    equal = np.array([[a == b for b in sets] for a in sets])
    return (((R == 1) == shares) | ((R == 0) != equal)).sum(axis=1)


def single_terms(R: np.ndarray, sets: TermSets) -> dict[str, list[float]]:
    """Return 1 - R of all pairs that share one term only, by term.

    Whatever the densities are, the measure of a single term is its density, in every set.
    """
    seen: dict[str, list[float]] = {}
    for i, j in combinations(range(len(sets)), 2):
        if len(sets[i] & sets[j]) == 1 and min(len(sets[i]), len(sets[j])) > 1:
            seen.setdefault(*sets[i] & sets[j], []).append(1 - R[i, j])
    return seen


def distinct(sets: TermSets, leave_out: Iterable[int] = ()) -> list[int]:
    """Return one object for each different set."""
    first: dict[frozenset[str], int] = {}
    for i, terms in enumerate(sets):
        if i not in leave_out:
            first.setdefault(terms, i)
    return list(first.values())


def stored_densities() -> dict[str, float]:
    with STORED.open() as file:
        return {row["term"]: float(row["density"]) for row in csv.DictReader(file)}


def density_choices(data: Published, sets: TermSets) -> dict[str, dict[str, float]]:
    terms = set().union(*sets)
    by_gene: dict[str, frozenset[str]] = {}
    for gene, own in zip(data.genes, sets, strict=True):
        by_gene[gene] = by_gene.get(gene, frozenset()) | own
    return {
        "information among the 194 objects": information_content(sets),
        "the same, smoothing=0": information_content(sets, smoothing=0),
        f"information among the {len(by_gene)} genes": information_content(list(by_gene.values())),
        "0.5 for every term": dict.fromkeys(terms, 0.5),
        "0.1 for every term": dict.fromkeys(terms, 0.1),
    }


def compared(D: np.ndarray, R: np.ndarray) -> str:
    above = np.triu_indices(len(R), 1)
    d, r = D[above], R[above]
    part = (r > 0) & (r < 1)
    ends = np.mean(((d == 0) == (r == 0)) & ((d == 1) == (r == 1)))
    gaps = np.abs(d - r)
    return (
        f"{np.corrcoef(d, r)[0, 1]:.4f} | {spearmanr(d, r)[0]:.4f} | {gaps.mean():.2g} "
        f"| {gaps.max():.2g} | {np.corrcoef(d[part], r[part])[0, 1]:.3f} | {100 * ends:.2f} %"
    )


def show(folder: Path) -> None:
    data = load(folder)
    R, listed, _ = data
    odd = contradictions(R, listed)
    worst = np.argsort(-odd)[:3]
    print(
        "pairs that contradict the listed terms, by object:",
        {int(i) + 1: int(odd[i]) for i in worst},
    )
    print("after the amendment:", int(contradictions(R, amended(listed)).sum()))
    show_single_terms(R, amended(listed))
    print(
        "| densities | Pearson | Spearman | mean gap | largest | Pearson inside | 0 and 1 agree |"
    )
    print("|---|---|---|---|---|---|---|")
    for title, sets in (("as listed", listed), ("amended", amended(listed))):
        choices = density_choices(data, sets)
        if sets is not listed:
            choices["recovered from the matrix"] = stored_densities()
        for name, densities in choices.items():
            D = fuzzy_measure_dissimilarities(sets, densities)
            print(f"| {name}, terms {title} | {compared(D, R)} |")


def show_single_terms(R: np.ndarray, sets: TermSets) -> None:
    seen, ours = single_terms(R, sets), information_content(sets)
    spread = max(np.ptp(values) for values in seen.values())
    n_pairs = sum(map(len, seen.values()))
    print(
        f"{n_pairs} pairs share one term only; largest spread of 1 - R for a term: {spread:.2g}\n"
    )
    print("| term | pairs | density, published | among the 194 objects |\n|---|---|---|---|")
    for term in sorted(seen):
        print(f"| {term} | {len(seen[term])} | {seen[term][0]:.4f} | {ours[term]:.4f} |")
    print()
