"""Classical multidimensional scaling with a place for new objects."""

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin

NOTHING = 1e-9  # eigenvalues below this share of the largest are rounding


class ClassicalMDS(TransformerMixin, BaseEstimator):
    """Embed on all positive eigenvalues; place new objects by Gower's formula.

    Dissimilarities count as distances (exponent 2) on every set. The negative part of the
    spectrum is left out, as everybody does who embeds.
    """

    def fit(self, D: np.ndarray, y: object = None) -> "ClassicalMDS":
        D_sq = np.square(D)
        self.row_means_, self.mean_ = D_sq.mean(axis=0), D_sq.mean()
        values, vectors = np.linalg.eigh(self._centred(D_sq))
        positive = values > NOTHING * values.max()
        self.axes_ = vectors[:, positive] / np.sqrt(values[positive])
        return self

    def transform(self, D: np.ndarray) -> np.ndarray:
        return self._centred(np.square(D)) @ self.axes_

    def _centred(self, D_sq: np.ndarray) -> np.ndarray:
        own = D_sq.mean(axis=1, keepdims=True)
        return -(D_sq - own - self.row_means_ + self.mean_) / 2

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = True
        return tags
