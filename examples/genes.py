"""
Gene products by their terms: how good is a model really?
=========================================================

You have objects that are described by sets of terms, as genes are by those of the Gene Ontology,
and many of the objects are copies. A random split then asks only whether a model remembers.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn import config_context
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedGroupKFold,
    StratifiedKFold,
    cross_val_score,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.utils import Bunch

from relrbf import RBFNetworkClassifier, as_relation, inspect_relation
from relrbf.datasets import load_hg194
from relrbf.exceptions import DatasetError, NotEuclideanWarning
from relrbf.measures import fuzzy_measure_dissimilarities
from relrbf.plotting import plot_tendency
from relrbf.plotting.style import COLOURS, MARKERS
from relrbf.tendency import ivat

# %%
# A few products of three families, with numbers of Gene Ontology terms. The fuzzy measure makes a
# dissimilarity of two sets: the rarer a term they share, the nearer they are.
EXCERPT = """
myotubularin MTMR1 3 4722 4725 6470 8372 16787
myotubularin MTMR3 5 4727 5737 6470 8138 16020 16787
myotubularin MTMR7 1 4725 6118 6470 16787
myotubularin MTMR8 2 4721 6470 16787
receptor FGFR2 38 4713 4872 5007 5524 6468 16021 16740
receptor FGFR4 5 4713 4872 5007 5524 5887 6468 8543 16740
receptor TEK 1 4714 4872 5198 5524 5887 6468 7165 7169 7267 16740
receptor TIE1 1 4714 4872 5198 5524 5887 6468 7165 7498 16740
collagen COL3A1 7 5201 5581 5586 7397 8015
collagen COL4A1 5 5201 5587
collagen COL4A2 6 5201 5587 30198
collagen COL9A2 3 1501 5201 5578 5594
"""
lines = [line.split() for line in EXCERPT.strip().splitlines()]
products = [line for line in lines for _ in range(int(line[2]))]
terms = [{f"GO:{int(number):07}" for number in line[3:]} for line in products]
few = Bunch(
    relation=as_relation(fuzzy_measure_dissimilarities(terms), exponent=1),
    target=np.array([line[0] for line in products]),
    groups=np.unique([line[1] for line in products], return_inverse=True)[1],
)

# %%
# The whole set, HG-194, has 194 products and is not part of this library: ``load_hg194`` looks for
# it in the folder that RELRBF_DATA names. Where it is not, the products above stand for it.
try:
    genes = load_hg194(download_if_missing=False)
except DatasetError as error:
    genes = few
    print(f"{str(error).partition('.')[0]}. What follows is about the products above.")
D, y, groups = genes.relation.block(), genes.target, genes.groups
report = inspect_relation(genes.relation, y)
print(f"{len(y)} products, {len(np.unique(D, axis=0))} distinct rows, {groups.max() + 1} groups")
print(f"triangles violated: {report.triangle_violation_fraction:.1%}")
print(f"vectors exist, by exponent: {report.has_vector_dual}")
warnings.simplefilter("ignore", NotEuclideanWarning)  # the inspection has said so

# %%
# Folds at random, or folds that hold out whole genes with their duplicates? To see the difference,
# give every gene a class by lot as well: there is nothing to learn, and a third is all that an
# honest test can find. Baselines are tuned by a grid search on folds of the same kind.
lot = np.random.default_rng(0).permutation(np.arange(groups.max() + 1) % 3)[groups]
positions = np.arange(len(D))[:, None]


def kernel(gamma):
    """Return exp(-gamma D) as a function of positions."""
    return lambda a, b: np.exp(-gamma * D[np.ix_(a.ravel().astype(int), b.ravel().astype(int))])


def compare(labels, kind, params):
    """Return accuracies by model, in three folds of that kind, twice."""
    grid = {"C": [1, 10, 100], "kernel": [kernel(gamma) for gamma in (0.3, 3)]}
    votes = {"n_neighbors": [1, 3, 5], "weights": ["uniform", "distance"]}
    scores = {"relrbf": [], "k-NN": [], "SVC": []}
    for seed in range(2):
        folds = kind(3, shuffle=True, random_state=seed)
        neighbours = GridSearchCV(KNeighborsClassifier(metric="precomputed"), votes, cv=folds)
        machine = GridSearchCV(SVC(), grid, cv=folds)
        network = RBFNetworkClassifier(random_state=0)
        pairs = [(network, genes.relation), (neighbours, D), (machine, positions)]
        with config_context(enable_metadata_routing=True):  # groups reach the inner folds, too
            for found, (model, X) in zip(scores.values(), pairs, strict=True):
                found.extend(cross_val_score(model, X, labels, cv=folds, params=params))
    return scores


results = {
    "families,\nat random": compare(y, StratifiedKFold, {}),
    "families,\nby gene": compare(y, StratifiedGroupKFold, {"groups": groups}),
    "by lot,\nat random": compare(lot, StratifiedKFold, {}),
    "by lot,\nby gene": compare(lot, StratifiedGroupKFold, {"groups": groups}),
}
for title, scores in results.items():
    means = [f"{name} {np.mean(found):.2f} ± {np.std(found):.2f}" for name, found in scores.items()]
    print(f"{title:<20}".replace("\n", " "), "  ".join(means))

# %%
# The families are easy even for genes that were never seen. But the third group shows what folds
# at random are worth here: neighbours look nearly perfect, and everybody far better than chance,
# where there is nothing to know.
fig, (left, right) = plt.subplots(1, 2, figsize=(11, 4.5), layout="constrained")
plot_tendency(ivat(D), y, left)
for k, name in enumerate(["relrbf", "k-NN", "SVC"]):
    found = [scores[name] for scores in results.values()]
    x = np.arange(4) + (k - 1) / 8
    bars = {"fmt": MARKERS[k], "color": COLOURS[k], "capsize": 3, "label": name}
    right.errorbar(x, np.mean(found, axis=1), np.std(found, axis=1), **bars)
right.axhline(1 / 3, color="0.6", lw=1, ls="--")
right.set_xticks(range(4), list(results))
right.set(ylabel="accuracy, mean and spread", ylim=(0, 1.05), title="What a test finds")
right.legend(frameon=False, loc="lower left")
plt.show()
