"""
The same network twice: on distances, and on the vectors behind them
====================================================================

You have vectors, and ask whether a network trained on their distances alone is the same.
Where there are vectors behind the distances, it is: to rounding, after hundreds of epochs.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.spatial.distance import cdist
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

from relrbf import RBFNetworkClassifier
from relrbf.network import KERNELS
from relrbf.plotting import plot_embedding, plot_equivalence

X, y = load_breast_cancer(return_X_y=True)
X = StandardScaler().fit_transform(X)
D = cdist(X, X)
train, test = np.arange(0, 569, 2), np.arange(1, 569, 2)

# %%
# One network sees D, the other X. Both start and train in the same way, with every kernel.
D_new = D[np.ix_(test, train)]
print("kernel                 accuracy   largest difference to the vector network")
for kernel in KERNELS:
    options = {"kernel": kernel, "max_iter": 300, "tol": 0, "random_state": 0}
    graph = RBFNetworkClassifier(**options).fit(D[np.ix_(train, train)], y[train])
    vector = RBFNetworkClassifier(space="vector", **options).fit(X[train], y[train])
    gap = np.abs(graph.decision_function(D_new) - vector.decision_function(X[test])).max()
    print(f"{kernel:<22} {graph.score(D_new, y[test]):.4f}     {gap:.1e}")

# %%
# The last pair. Left, the prototypes among the objects, in the plane of the two largest principal
# components: they are points of their own, not objects. Right, the responses to held-out objects.
components = np.linalg.svd(X[train], full_matrices=False)[2][:2]
fig, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
names = np.array(["malignant", "benign"])[y[train]]
plot_embedding(X[train] @ components.T, names, graph.prototypes_.coefficients, left)
plot_equivalence(graph.decision_function(D_new), vector.decision_function(X[test]), right)
plt.show()
