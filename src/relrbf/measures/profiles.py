"""Dissimilarities of expression profiles, one row per object and one column per gene.

Pearson's correlation, and Bayesian common source, after Hunter, Taylor, Leach and Simon (2001).
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
from typing import Any, Literal

import numpy as np
from scipy.spatial.distance import cdist

from relrbf._options import check_choice
from relrbf._typing import Array
from relrbf.exceptions import OptionError, RelationError, RelationWarning, warn
from relrbf.relations.validation import as_matrix

NOISE_SHARES = (0.05, 0.95)  # without noise, or with nothing else, a gene would decide everything


def pearson_dissimilarities(X: Any, Y: Any = None) -> Array:
    """Return 1 - r, with r Pearson's correlation between two profiles.

    It is half the squared distance between the profiles, each centred and scaled to length 1:
    never negative, 0 for a profile and itself, and to be used with ``exponent=1``.

    Parameters
    ----------
    X : array of shape (n, p)
        One profile per row.
    Y : array of shape (m, p) or None, default=None
        Training profiles, where X are new ones. None compares X with itself.

    Returns
    -------
    ndarray of shape (n, n) or (n, m)
        In [0, 2]; float32 for float32 profiles.

    Examples
    --------
    >>> from relrbf.measures import pearson_dissimilarities
    >>> D = pearson_dissimilarities([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [3.0, 2.0, 1.0]])
    >>> (D.round(3) + 0.0).tolist()
    [[0.0, 0.0, 2.0], [0.0, 0.0, 2.0], [2.0, 2.0, 0.0]]
    """
    profiles = as_profiles(X)
    training = profiles if Y is None else as_profiles(Y, "Y")
    check_genes(profiles, training.shape[1])
    rows = _unit(profiles, "X")
    columns = rows if Y is None else _unit(training, "Y")
    return (cdist(rows, columns, "sqeuclidean") / 2).astype(profiles.dtype, copy=False)


def _unit(profiles: Array, name: str) -> Array:
    centred = profiles - profiles.mean(axis=1, keepdims=True, dtype=float)
    lengths = np.linalg.norm(centred, axis=1, keepdims=True)
    # what is left of equal entries after centring is rounding, and has no direction
    rounding = np.finfo(profiles.dtype).eps * np.abs(profiles).max(axis=1, keepdims=True)
    flat = (lengths <= 4 * rounding * np.sqrt(profiles.shape[1])).ravel()
    if flat.any():
        raise RelationError(
            f"{name}[{int(np.argmax(flat))}] is constant over all genes ({int(flat.sum())} such "
            "profile(s)); it has no correlation with any other. Leave it out."
        )
    return centred / lengths


def as_profiles(X: Any, name: str = "X", *, min_objects: int = 1) -> Array:
    """Return profiles as a float32 or float64 array of finite numbers."""
    if isinstance(X, list | tuple):
        lengths = {len(row) for row in X if isinstance(row, list | tuple | np.ndarray)}
        if len(lengths) > 1:
            raise RelationError(
                f"{name} holds profiles of different lengths, from {min(lengths)} to "
                f"{max(lengths)}; every profile must list the same genes, in the same order."
            )
    profiles = as_matrix(X, name)
    if len(profiles) < min_objects:
        raise RelationError(
            f"{name} holds {len(profiles)} profile(s); at least {min_objects} are needed, one per "
            "row, to estimate how each gene varies."
        )
    return profiles


def check_genes(profiles: Array, n_genes: int) -> None:
    """Refuse profiles over another number of genes than the training profiles'."""
    if profiles.shape[1] != n_genes:
        raise RelationError(
            f"X has {profiles.shape[1]} genes per profile and the training profiles have "
            f"{n_genes}; both must list the same genes, in the same order."
        )


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


FORMS = {"relative": CommonSource.missing_share, "kernel": CommonSource.distances_sq}


def common_source_log_odds(
    X: Any, Y: Any = None, *, noise_share: Any = "neighbors", model: CommonSource | None = None
) -> Array:
    """Return the log-odds that two profiles have a common source.

    ``log ∫ p(x|z) p(y|z) p(z) dz - log p(x) p(y)``, summed over the genes as if they were
    independent, with normal densities. Above 0 speaks for one source; agreement on a rare level
    says more than on a usual one. Genes that go together overstate the evidence; the order counts.

    Parameters
    ----------
    X : array of shape (n, p)
        One profile per row.
    Y : array of shape (m, p) or None, default=None
        Training profiles, where X are new ones: all estimates are taken from Y, none from X.
        None compares X with itself.
    noise_share : "neighbors", float, or array of shape (p,), default="neighbors"
        As in ``estimate_common_source``.
    model : CommonSource or None, default=None
        Estimates made before, from ``estimate_common_source``; noise_share is then theirs.

    Returns
    -------
    ndarray of shape (n, n) or (n, m)
        Similarities. The diagonal, a profile met twice without any noise, is not constant.

    Examples
    --------
    >>> from relrbf.measures import common_source_log_odds
    >>> common_source_log_odds([[0.0], [1.0], [5.0]], noise_share=0.5).round(2)
    array([[ 0.33,  0.22, -0.74],
           [ 0.22,  0.19, -0.38],
           [-0.74, -0.38,  0.57]])
    """
    profiles, training, known = _ready(X, Y, noise_share, model)
    return known.log_odds(profiles, training).astype(profiles.dtype, copy=False)


def common_source_dissimilarities(
    X: Any,
    Y: Any = None,
    *,
    form: Literal["relative", "kernel"] = "relative",
    noise_share: Any = "neighbors",
    model: CommonSource | None = None,
) -> Array:
    """Return dissimilarities that follow from the log-odds s of a common source.

    Symmetric, zero on the diagonal and never negative; both forms are squared quantities, to be
    used with ``exponent=1``.

    Parameters
    ----------
    X, Y, noise_share, model
        As in ``common_source_log_odds``.
    form : {"relative", "kernel"}, default="relative"
        "relative": ``1 - 2 s_xy / (s_xx + s_yy)``, the share of the evidence that identical
        profiles would give and these do not. With one noise share for all genes, vectors have
        it; with a share per gene, not always. "kernel": ``s_xx + s_yy - 2 s_xy``, the squared
        distance of a kernel: a weighted squared Euclidean distance, in which the rarity of a level
        no longer counts.

    Returns
    -------
    ndarray of shape (n, n) or (n, m)
        New profiles in rows, training profiles in columns; float32 for float32 profiles.

    Examples
    --------
    >>> from relrbf.measures import common_source_dissimilarities
    >>> X = [[0.0, 0.0, 5.0], [0.2, 0.1, 1.0], [4.0, 4.1, 4.0], [4.2, 4.0, 2.0]]
    >>> common_source_dissimilarities(X).round(2)
    array([[0.  , 0.05, 9.61, 9.82],
           [0.05, 0.  , 9.1 , 9.25],
           [9.61, 9.1 , 0.  , 0.02],
           [9.82, 9.25, 0.02, 0.  ]])
    """
    check_choice("form", form, FORMS)
    profiles, training, known = _ready(X, Y, noise_share, model)
    return FORMS[form](known, profiles, training).astype(profiles.dtype, copy=False)


def _ready(
    X: Any, Y: Any, noise_share: Any, model: CommonSource | None
) -> tuple[Array, Array, CommonSource]:
    """Return the profiles, what they are compared with, and the estimates for both."""
    profiles = as_profiles(X)
    training = profiles if Y is None else as_profiles(Y, "Y", min_objects=1 if model else 2)
    check_genes(profiles, training.shape[1])
    if model is None:
        return profiles, training, estimate_common_source(training, noise_share=noise_share)
    if not isinstance(model, CommonSource):
        raise OptionError(f"model is {model!r:.80}; estimate_common_source makes one.")
    check_genes(profiles, len(model.used))
    return profiles, training, model


def estimate_common_source(X: Any, *, noise_share: Any = "neighbors") -> CommonSource:
    """Estimate, gene by gene, how profiles vary and how much of that is noise.

    The mean and the variance are those of the profiles (with n - 1). Genes that do not vary say
    nothing and are left out, with a warning that counts them.

    Parameters
    ----------
    X : array of shape (n, p)
        One training profile per row, at least two, on a scale where noise is about the same at
        every level, such as the logarithm of intensities.
    noise_share : "neighbors", float, or array of shape (p,), default="neighbors"
        Noise's share of a gene's variance. "neighbors" takes each profile's nearest other one
        (in standardised genes) for a second look at the same source: half the mean squared
        difference between the two, over the gene's variance, kept within [0.05, 0.95]. A
        number strictly between 0 and 1 is taken for every gene; with replicates at hand, pass
        one per gene.

    Returns
    -------
    CommonSource
        Pass it to ``common_source_dissimilarities`` as ``model``, to measure many batches of new
        profiles.

    Examples
    --------
    >>> from relrbf.measures import estimate_common_source
    >>> X = [[0.0, 0.0, 5.0], [0.2, 0.1, 1.0], [4.0, 4.1, 4.0], [4.2, 4.0, 2.0]]
    >>> model = estimate_common_source(X)
    >>> model.noise_shares.round(2).tolist()  # neighbours agree on two genes
    [0.05, 0.05, 0.95]
    """
    profiles = as_profiles(X, min_objects=2)
    used = profiles.min(axis=0) < profiles.max(axis=0)
    if not used.any():
        raise RelationError(
            f"none of the {len(used)} genes varies among the {len(profiles)} profiles: they are "
            "all the same, and nothing can be estimated from them."
        )
    if not used.all():
        warn(
            f"{int((~used).sum())} of {len(used)} genes do not vary among the training profiles; "
            "they say nothing and were left out. Leave them out of X to silence this.",
            RelationWarning,
        )
    kept = profiles[:, used].astype(float)
    means, variances = kept.mean(axis=0), kept.var(axis=0, ddof=1)
    if isinstance(noise_share, str) and noise_share == "neighbors":
        shares = _neighbor_shares((kept - means) / np.sqrt(variances))
    else:
        shares = _given_shares(noise_share, profiles.shape[1])[used]
    return CommonSource(means, variances, shares, used)


def _neighbor_shares(t: Array) -> Array:
    distances_sq = cdist(t, t, "sqeuclidean")
    np.fill_diagonal(distances_sq, np.inf)
    differences = t - t[distances_sq.argmin(axis=1)]
    return np.clip((differences**2).mean(axis=0) / 2, *NOISE_SHARES)


def _given_shares(noise_share: Any, n_genes: int) -> Array:
    shares = np.asarray(noise_share)
    is_numeric = shares.dtype.kind in "iuf" and shares.shape in ((), (n_genes,))
    if not is_numeric or not ((shares > 0) & (shares < 1)).all():
        raise OptionError(
            f"noise_share is {noise_share!r:.80}, with {n_genes} genes; it must be 'neighbors', or "
            "a number strictly between 0 and 1, for all genes or for each."
        )
    return np.broadcast_to(shares.astype(float), (n_genes,))
