"""
Words by edit distance: which language is it?
=============================================

You have strings (words, names, product codes), a class for each, and no features. What you can
say is how many letters must change to turn one string into another.
"""

import gzip
import json
import warnings
from importlib import resources

import matplotlib.pyplot as plt
import numpy as np
from rapidfuzz.distance import Levenshtein
from sklearn.model_selection import GridSearchCV, StratifiedShuffleSplit, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from relrbf import RBFNetworkClassifier, inspect_relation
from relrbf.exceptions import NotEuclideanWarning
from relrbf.plotting.style import COLOURS, MARKERS
from relrbf.relations import ObjectRelation

# %%
# 150 common words each of German, English and Spanish, from the lists that come with
# pyspellchecker. A word that is common in two of the languages has no one class: it is left out.
LANGUAGES = ("German", "English", "Spanish")


def common_words(code):
    """Return the 5000 most frequent words of five letters or more."""
    packed = resources.files("spellchecker") / "resources" / f"{code}.json.gz"
    counts = json.loads(gzip.decompress(packed.read_bytes()))
    long = [word for word in counts if len(word) >= 5 and word.isalpha()]
    return set(sorted(long, key=lambda word: (-counts[word], word))[:5000])


de, en, es = (common_words(code) for code in ("de", "en", "es"))
rng = np.random.default_rng(0)
own = [sorted(de - en - es), sorted(en - de - es), sorted(es - de - en)]
words = np.concatenate([rng.choice(some, 150, replace=False) for some in own]).tolist()
y = np.repeat(LANGUAGES, 150)

# %%
# Words and a measure make a relation. Edit distance is a metric, and yet no vectors have these
# distances: an embedding would have to bend them. The network takes them as they are.
relation = ObjectRelation(words, Levenshtein.distance, exponent=1, ids=words)
report = inspect_relation(relation, y)
print(f"metric: {report.is_metric}; vectors exist, by exponent: {report.has_vector_dual}")
print(f"the nearest other word is of another language for {report.neighbour_error:.0%}")
warnings.simplefilter("ignore", NotEuclideanWarning)  # the inspection has said so

# %%
# Ten random splits, the same for all. Baselines are tuned by a grid search in each, the network is
# not. Each model is given what it can take: the relation, the matrix, or positions and a kernel.
D = relation.block()
positions = np.arange(len(words))[:, None]


def kernel(gamma):
    """Return exp(-gamma D) as a function of positions."""
    return lambda a, b: np.exp(-gamma * D[np.ix_(a.ravel().astype(int), b.ravel().astype(int))])


grid = {"C": [1, 10, 100], "kernel": [kernel(gamma) for gamma in (0.05, 0.15, 0.5)]}
votes = {"n_neighbors": [1, 3, 5, 9], "weights": ["uniform", "distance"]}
models = {
    "relrbf": (RBFNetworkClassifier(random_state=0), relation),
    "k-NN": (GridSearchCV(KNeighborsClassifier(metric="precomputed"), votes, cv=3), D),
    "SVC": (GridSearchCV(SVC(), grid, cv=3), positions),
}
splits = StratifiedShuffleSplit(10, test_size=0.3, random_state=0)
for name, (model, X) in models.items():
    scores = cross_val_score(model, X, y, cv=splits)
    print(f"{name:<7} accuracy {scores.mean():.3f} ± {scores.std():.3f}")

# %%
# The network beats the neighbours and needs no tuning; the tuned machine is two points
# better, which is less than the spread of either. Where the held-out words of one split lie between
# the languages: a corner is certainty. Letters say only so much, and "brillant" could be either.
train, test = next(splits.split(D, y))
model = RBFNetworkClassifier(random_state=0).fit(relation.restrict(train), y[train])
chances = model.predict_proba(relation[np.ix_(test, train)])
corners = np.array([[0, 0], [1, 0], [0.5, 0.87]])
places = chances @ corners
fig, ax = plt.subplots(figsize=(8, 6.5), layout="constrained")
ax.fill(*corners.T, facecolor="none", edgecolor="0.7")
for k, language in enumerate(model.classes_):
    x, height = places[y[test] == language].T
    ax.plot(x, height, MARKERS[k], color=COLOURS[k], alpha=0.7, mew=0, label=f"is {language}")
    ax.text(*(1.1 * corners[k] - 0.1 * corners.mean(axis=0)), language, ha="center", va="center")
for i in np.flatnonzero(chances.min(axis=1) > 0.06):
    ax.annotate(words[test[i]], places[i], (4, 3), textcoords="offset points", fontsize=8)
ax.set(ylim=(-0.08, 1), aspect="equal")
ax.set_axis_off()
ax.legend(frameon=False, loc="upper left")
plt.show()
