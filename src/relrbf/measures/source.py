"""A Gaussian model of where profiles come from, after Hunter, Taylor, Leach and Simon (2001).

Two profiles x, y of one source z differ by noise; two of different sources share nothing but
the distribution of sources. Genes are taken as independent. For one gene, with
``z ~ N(μ, τ²)`` and ``x | z ~ N(z, σ²)``, the integral over z is known: x and y are jointly normal.

Symbols
-------
μ, v    mean of a gene, and its variance in all, v = τ² + σ²
ρ       noise's share of the variance, σ² / v
r       correlation of two profiles of one source, 1 - ρ
t       standardised profiles, (x - μ) / sqrt(v)
w       weight of a gene, r / (1 - r²); its log-odds are
        -log(1 - r²) / 2 + w t_x t_y - w r (t_x² + t_y²) / 2
"""

from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist

from relrbf._typing import Array


@dataclass(frozen=True)
class CommonSource:
    """How profiles vary, as estimated from training profiles; new ones are measured with it.

    Made by ``estimate_common_source``.

    Attributes
    ----------
    means, variances, noise_shares : ndarray of shape (k,)
        μ, v and ρ of each gene in use.
    used : ndarray of bool, shape (p,)
        Which genes of a profile are in use: those that vary among the training profiles.
    """

    means: Array
    variances: Array
    noise_shares: Array
    used: np.ndarray

    @property
    def correlations(self) -> Array:
        """r, of each gene in use."""
        return 1 - self.noise_shares

    @property
    def weights(self) -> Array:
        """w, of each gene in use."""
        r = self.correlations
        return r / (1 - r * r)

    def standardised(self, X: Array) -> Array:
        """Return t, in double precision: thousands of genes are summed."""
        return (X[:, self.used] - self.means) / np.sqrt(self.variances)

    def log_odds(self, X: Array, Y: Array) -> Array:
        """Return log ∫ p(x|z) p(y|z) p(z) dz - log p(x) p(y), for x in rows and y in columns."""
        t, u = self.standardised(X), self.standardised(Y)
        r, w = self.correlations, self.weights
        constant = -np.log1p(-r * r).sum() / 2
        return constant + (t * w) @ u.T - _half(t, w * r)[:, None] - _half(u, w * r)

    def own_log_odds(self, X: Array) -> Array:
        """Return the log-odds of each profile and itself: always above 0."""
        r = self.correlations
        return -np.log1p(-r * r).sum() / 2 + 2 * _half(self.standardised(X), r / (1 + r))

    def distances_sq(self, X: Array, Y: Array) -> Array:
        """Return s_xx + s_yy - 2 s_xy of the log-odds s, which is the sum of w (t_x - t_y)²."""
        root = np.sqrt(self.weights)
        return cdist(self.standardised(X) * root, self.standardised(Y) * root, "sqeuclidean")

    def missing_share(self, X: Array, Y: Array) -> Array:
        """Return 1 - 2 s_xy / (s_xx + s_yy), as a quotient that cannot turn negative."""
        own = self.own_log_odds(X)[:, None] + self.own_log_odds(Y)
        return self.distances_sq(X, Y) / own


def _half(t: Array, weights: Array) -> Array:
    """Return half the weighted sum of squares of each row."""
    return (t * t) @ weights / 2
