"""A network trained on distances, and the same network trained on the vectors behind them.

Run it with ``python examples/twins.py``.
"""

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

from relrbf import RBFNetworkClassifier
from relrbf.network import KERNELS

X, y = load_breast_cancer(return_X_y=True)
X = StandardScaler().fit_transform(X)
D = cdist(X, X)
train, test = np.arange(0, 569, 2), np.arange(1, 569, 2)

print("kernel                 accuracy   largest difference to the vector network")
for kernel in KERNELS:
    options = {"kernel": kernel, "max_iter": 300, "tol": 0, "random_state": 0}
    graph = RBFNetworkClassifier(**options).fit(D[np.ix_(train, train)], y[train])
    vector = RBFNetworkClassifier(space="vector", **options).fit(X[train], y[train])
    D_new = D[np.ix_(test, train)]
    gap = np.abs(graph.decision_function(D_new) - vector.decision_function(X[test])).max()
    print(f"{kernel:<22} {graph.score(D_new, y[test]):.4f}     {gap:.1e}")
