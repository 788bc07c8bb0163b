"""
New objects: what a prediction costs, and a model in a file
===========================================================

You have trained a model, and measuring is dear: each new object must be compared with training
objects, one by one. How many comparisons does a prediction need, and what must you keep?
"""

import warnings
from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib.pyplot as plt
import numpy as np
from scipy.spatial.distance import cdist
from sklearn.datasets import load_digits
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from relrbf import RBFNetworkClassifier, inspect_relation, load, save
from relrbf.exceptions import NotEuclideanWarning

# %%
# A thousand handwritten digits. Two images are compared after one of them was moved by up to a
# pixel in any direction, whatever fits best. Such distances need not be those of vectors.
images, y = (array[:1000] for array in load_digits(return_X_y=True))
framed = np.pad(images.reshape(-1, 8, 8), ((0, 0), (1, 1), (1, 1)))
still = framed.reshape(len(y), -1)
moves = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1)]
moved = [np.roll(framed, move, axis=(1, 2)).reshape(len(y), -1) for move in moves]
D = np.min([cdist(still, other) for other in moved], axis=0)

report = inspect_relation(D, y)
print(f"vectors exist, by exponent: {report.has_vector_dual}")
print(f"the nearest other image is another digit for {report.neighbour_error:.1%}")
warnings.simplefilter("ignore", NotEuclideanWarning)  # the inspection has said so

# %%
# Accuracy in three splits, and how many comparisons a prediction needs: neighbours need all
# training objects, a machine its support vectors, a network its support, which you may choose.
splits = StratifiedShuffleSplit(3, test_size=0.5, random_state=0)


def evaluate(name, model, X, needed):
    """Print accuracy and comparisons; needed says which training objects a prediction needs."""
    scores, counts = [], []
    for train, test in splits.split(X, y):
        model.fit(X[np.ix_(train, train)], y[train])
        scores.append(model.score(X[np.ix_(test, train)], y[test]))
        counts.append(needed(model))
    accuracy = f"{np.mean(scores):.3f} ± {np.std(scores):.3f}"
    print(f"{name:<20} {accuracy}, {np.mean(counts):.0f} comparisons")


def support(model):
    """Return how many training objects a prediction needs."""
    return len(model.support_)


evaluate(
    "1-NN", KNeighborsClassifier(1, metric="precomputed"), D, lambda model: model.n_samples_fit_
)
evaluate("SVC, C=10", SVC(C=10, kernel="precomputed"), np.exp(-((D / np.median(D)) ** 2)), support)
for n_support in ("auto", 100, 50):
    network = RBFNetworkClassifier(n_support=n_support, random_state=0)
    evaluate(f"relrbf, {n_support}", network, D, support)

# %%
# The machine is the most accurate here, by about a point. What the network offers is the choice:
# with 50 comparisons instead of hundreds it loses another point.
#
# Train, keep what is needed, send the file to a colleague. There, only the columns of the support
# have to be measured, and the predictions are the same to the last bit.
train, test = next(splits.split(D, y))
model = RBFNetworkClassifier(n_support=100, random_state=0).fit(D[np.ix_(train, train)], y[train])
with TemporaryDirectory() as folder:
    path = Path(folder) / "digits.relrbf"
    save(model.compact(), path)
    print(f"{path.stat().st_size / 1000:.0f} kB in the file, {D.nbytes / 1000:.0f} kB in D")
    colleague = load(path)
columns = train[model.support_]
same = colleague.predict_proba(D[np.ix_(test, columns)])
print("the same bits:", np.array_equal(same, model.predict_proba(D[np.ix_(test, train)])))

# %%
# What the prototypes are: blends of images, with coefficients that may be negative. For each digit
# the one that adds most to its own objects' responses, drawn as that blend of pixels, above the
# training object nearest to it.
activations = model.transform(D[np.ix_(train, train)])
own = np.array([activations[y[train] == digit].mean(axis=0) for digit in range(10)])
loudest = (own * model.weights_.T).argmax(axis=1)
blends = model.prototypes_.coefficients[loudest] @ images[train]
nearest = images[train][model.prototypes_.nearest(1)[loudest, 0]]
fig, axes = plt.subplots(2, 10, figsize=(10, 2.4), layout="constrained")
for ax, pixels in zip(axes.flat, [*blends, *nearest], strict=True):
    ax.imshow(pixels.reshape(8, 8), cmap="gray_r")
    ax.set(xticks=[], yticks=[])
axes[0, 0].set_ylabel("prototype")
axes[1, 0].set_ylabel("nearest")
plt.show()
