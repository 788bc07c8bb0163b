"""Regression from distances that are not Euclidean, with the choices the model made.

Run it with ``python examples/regression.py``.
"""

import warnings

from sklearn.datasets import load_diabetes
from sklearn.metrics import pairwise_distances
from sklearn.model_selection import cross_val_score

from relrbf import RBFNetworkRegressor
from relrbf.exceptions import NotEuclideanWarning

X, y = load_diabetes(return_X_y=True)
D = pairwise_distances(X, metric="cityblock")
model = RBFNetworkRegressor(random_state=0)

with warnings.catch_warnings():
    warnings.simplefilter("ignore", NotEuclideanWarning)  # the report below says it in full
    scores = cross_val_score(model, D, y, cv=5)
    model.fit(D, y)

print(f"R² in five folds: {scores.mean():.3f} ± {scores.std():.3f}\n")
print(model.relation_report_)
print(
    f"\nexponent {model.exponent_}, alpha {model.alpha_:.3g}, {len(model.prototypes_)} prototypes"
)
print(f"after {model.n_iter_} epochs: {model.status_.value}")
