"""
Time series by dynamic time warping: gun or finger?
===================================================

You have series whose events come sooner in one and later in another, so that comparing them
instant by instant says little. Dynamic time warping (DTW) shifts time until they fit.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from aeon.datasets import load_gunpoint
from aeon.distances import dtw_pairwise_distance
from sklearn.model_selection import GridSearchCV, StratifiedShuffleSplit, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from relrbf import RBFNetworkClassifier, inspect_relation
from relrbf.embeddings import ClassicalMDS
from relrbf.exceptions import NotEuclideanWarning
from relrbf.plotting import plot_embedding
from relrbf.plotting.style import COLOURS, INK

# %%
# GunPoint: the height of a hand in 200 short films. In half of them it draws a gun from a
# holster, in the others it only points a finger. aeon brings the series and measures them; its
# DTW is a sum of squares. Triangles do not hold and no vectors exist, but read as squared
# distances (exponent 1, which the network finds by itself) it is not far from them.
X, number = load_gunpoint()
y = np.where(number == "1", "gun", "finger")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # a remark of numba about aeon's integers
    D = dtw_pairwise_distance(X)
report = inspect_relation(D, y)
print(f"triangles violated: {report.triangle_violation_fraction:.1%}")
for exponent, part in report.negative_eigenfraction.items():
    print(f"exponent {exponent}: {part:.1%} of the spectrum is negative")
warnings.simplefilter("ignore", NotEuclideanWarning)  # the inspection has said so

# %%
# Ten random splits, the same for all; baselines are tuned by a grid search in each, the network is
# not. One nearest neighbour under DTW is what this field measures everything against.
positions = np.arange(len(D))[:, None]


def kernel(gamma):
    """Return exp(-gamma D) as a function of positions."""
    return lambda a, b: np.exp(-gamma * D[np.ix_(a.ravel().astype(int), b.ravel().astype(int))])


grid = {"C": [1, 10, 100], "kernel": [kernel(gamma / np.median(D)) for gamma in (0.3, 1, 3, 10)]}
votes = {"n_neighbors": [1, 3, 5, 9], "weights": ["uniform", "distance"]}
one = KNeighborsClassifier(1, metric="precomputed")
models = {
    "relrbf": (RBFNetworkClassifier(random_state=0), D),
    "1-NN": (one, D),
    "k-NN": (GridSearchCV(one, votes, cv=3), D),
    "SVC": (GridSearchCV(SVC(), grid, cv=3), positions),
}
splits = StratifiedShuffleSplit(10, test_size=0.3, random_state=0)
for name, (model, data) in models.items():
    scores = cross_val_score(model, data, y, cv=splits)
    print(f"{name:<7} accuracy {scores.mean():.3f} ± {scores.std():.3f}")

# %%
# Each prototype is a blend of series that nobody ever filmed. What it stands for shows in the
# series nearest to it, and which class it speaks for in its weights. Left, the plane nearest to
# the relation: what divides it most is not the class (the films show two actors). Right, the three
# prototypes that speak the loudest for each class: the difference is small, most of it in the
# wobble after the hand comes down, where a gun has to find its holster.
model = RBFNetworkClassifier(random_state=0).fit(D, y)
plane = ClassicalMDS(2, exponent=model.exponent_).fit_transform(D)
fig = plt.figure(figsize=(11, 5), layout="constrained")
left, right = fig.subfigures(1, 2, width_ratios=(4, 5))
plot_embedding(plane, y, model.prototypes_.coefficients, left.subplots())
panels = right.subplots(2, 3, sharex=True, sharey=True)
for k, name in enumerate(model.classes_):
    loudest = np.argsort(model.weights_[:, k])[:-4:-1]
    for ax, prototype in zip(panels[k], loudest, strict=True):
        nearest = model.prototypes_.nearest(5)[prototype]
        ax.plot(X[nearest, 0].T, color=COLOURS[k], alpha=0.6)
        ax.set_title(f"{name}, weight {model.weights_[prototype, k]:+.1f}", fontsize=9, color=INK)
right.supxlabel("time: the five series nearest to each prototype", fontsize=10)
right.supylabel("height of the hand", fontsize=10)
plt.show()
