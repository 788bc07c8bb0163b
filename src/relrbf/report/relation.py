"""Sections about the relation itself: what was found in it, and whether it has clusters."""

from dataclasses import dataclass
from operator import itemgetter

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform
from sklearn.metrics import adjusted_rand_score, silhouette_score

from relrbf.inspection import RelationInspection
from relrbf.inspection.text import percent
from relrbf.plotting import plot_spectrum, plot_tendency
from relrbf.report.data import FittedData, RelationData
from relrbf.report.page import Picture, Section, new_figure, prose
from relrbf.tendency import ivat, vat

MAX_TENDENCY_OBJECTS = 1000  # of more, a sample is shown
MAX_CLASS_LANES = 40
TENDENCY_CAPTIONS = {
    "VAT": "the dissimilarities, similar objects beside each other. Dark blocks are clusters.",
    "iVAT": "the same order, minimax path distances: elongated clusters are blocks too.",
}
MAX_CLUSTERS = 15
MIN_CLUSTER, MAX_LEFT_OVER = 0.02, 0.2  # shares of the objects; smaller clusters are outliers
CLEAR, WEAK = 0.5, 0.25  # mean silhouettes, as Kaufman & Rousseeuw (1990) read them
MATCH, PARTLY = 0.8, 0.3  # adjusted Rand indices


def relation_section(data: RelationData | None, found: RelationInspection) -> Section:
    """Return the facts and conclusions of an inspection, with the spectrum if there is one."""
    first, *others = found.facts
    lines = [line.partition(": ") for line in others]
    facts = [("objects", first), *((name, text) for name, _, text in lines)]
    pictures = [] if data is None else _spectrum(data, found)
    text, is_detail = "\n\n".join(found.conclusions), isinstance(data, FittedData)
    return Section("The relation", text, facts=facts, pictures=pictures, is_detail=is_detail)


def _spectrum(data: RelationData, found: RelationInspection) -> list[Picture]:
    is_fitted = isinstance(data, FittedData)
    exponent = data.model.exponent_ if isinstance(data, FittedData) else found.suggested_exponent
    if exponent not in (1, 2):
        return []
    figure = new_figure(5.2, 3.1)
    plot_spectrum(data.relation, figure.subplots(), exponent=exponent)
    negative = found.negative_eigenfraction[exponent]
    options = {"is_fitted": is_fitted, "negative": percent(negative) if negative else ""}
    return [Picture(figure, prose("spectrum", exponent=exponent, **options), "spectrum")]


def vectors_text(found: RelationInspection, data: FittedData) -> str:
    """Return whether the network has a vector equivalent."""
    e = data.model.exponent_
    known = found if e in found.has_vector_dual else data.model.relation_report_
    negative = known.negative_eigenfraction[e]
    options = {"exponent": e, "has_vectors": known.has_vector_dual[e]}
    return prose("vector_equivalent", negative=percent(negative) if negative else "", **options)


@dataclass(frozen=True)
class ClusterFinding:
    """How many clusters stand out, how clearly, and how well they match the classes, if any."""

    n_clusters: int
    silhouette: float
    agreement: float | None

    @property
    def strength(self) -> str:
        """How clearly the clusters are separated: "clear", "weak" or not at all."""
        return "clear" if self.silhouette >= CLEAR else "weak" if self.silhouette >= WEAK else ""

    @property
    def sentence(self) -> str:
        """Whether there are clusters."""
        return prose("clusters", found=self, MATCH=MATCH, PARTLY=PARTLY)


def find_clusters(data: RelationData) -> ClusterFinding:
    """Cut the tree of average linkage where the mean silhouette of its clusters is largest.

    Clusters of less than 2 % of the objects are outliers and are left out.
    """
    some = np.random.default_rng(0).permutation(data.n_objects)[:MAX_TENDENCY_OBJECTS]
    D = np.maximum(data.relation.block(some, some), 0.0, dtype=float)  # by rounding below
    np.fill_diagonal(D, 0)
    tree, n = linkage(squareform(D, checks=False), "average"), len(some)
    least_size, cuts = max(3, MIN_CLUSTER * n), []
    for k in range(2, min(MAX_CLUSTERS, n - 1) + 1):
        labels = fcluster(tree, k, "maxclust")
        sizes = np.bincount(labels)
        within = np.flatnonzero(sizes[labels] >= least_size)
        n_clusters = int(np.count_nonzero(sizes >= least_size))
        if n_clusters >= 2 and len(within) >= (1 - MAX_LEFT_OVER) * n:
            parts = D[np.ix_(within, within)], labels[within]
            silhouette = float(silhouette_score(*parts, metric="precomputed"))
            cuts.append((silhouette, n_clusters, some[within], labels[within]))
    if not cuts:
        return ClusterFinding(1, 0.0, None)
    silhouette, n_clusters, kept, best = max(cuts, key=itemgetter(0))
    agreement = float(adjusted_rand_score(data.y[kept], best)) if data.has_classes else None
    return ClusterFinding(n_clusters, max(silhouette, 0.0), agreement)


def tendency_section(data: RelationData, finding: ClusterFinding | None = None) -> Section:
    """Return VAT and iVAT, with classes or quintiles of the targets beside them."""
    n_sample = None if data.n_objects <= MAX_TENDENCY_OBJECTS else MAX_TENDENCY_OBJECTS
    groups, names, colours = data.groups
    has_lanes = 0 < len(names) <= MAX_CLASS_LANES and not data.is_constant
    pictures = []
    for name, order in (("VAT", vat), ("iVAT", ivat)):
        figure = new_figure(4.2, 3.8, "compressed")
        result = order(data.relation, n_sample=n_sample, random_state=0)
        labels = groups if has_lanes else None
        ax = plot_tendency(result, labels, figure.subplots(), colours=colours)
        if drawn := ax.get_legend():
            drawn.remove()  # the page has its own
        ax.set_title(name, loc="left", fontsize=10)
        pictures.append(Picture(figure, f"{name}: {TENDENCY_CAPTIONS[name]}", name.lower()))
    n_shown = n_sample or data.n_objects
    text = prose("tendency", data=data, has_lanes=has_lanes, n_shown=n_shown)
    if finding is not None:
        text = f"{finding.sentence}\n\n{text}"
    named = names if has_lanes else []
    legend = [(colours[k % len(colours)], name) for k, name in enumerate(named)]
    is_detail = isinstance(data, FittedData)
    return Section("Cluster tendency", text, pictures=pictures, legend=legend, is_detail=is_detail)
