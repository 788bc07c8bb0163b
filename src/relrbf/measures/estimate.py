"""Estimating where profiles come from, from the profiles alone."""

from numbers import Real
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from relrbf._typing import Array
from relrbf.exceptions import OptionError, RelationError, RelationWarning, warn
from relrbf.measures.profiles import as_profiles
from relrbf.measures.source import CommonSource

SHARES = (0.05, 0.95)  # without noise, or with nothing else, a gene would decide all or nothing


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
    used = _varying(profiles)
    kept = profiles[:, used].astype(float)
    means, variances = kept.mean(axis=0), kept.var(axis=0, ddof=1)
    if isinstance(noise_share, str) and noise_share == "neighbors":
        shares = _neighbor_shares((kept - means) / np.sqrt(variances))
    else:
        shares = _given_shares(noise_share, profiles.shape[1])[used]
    return CommonSource(means, variances, shares, used)


def _varying(profiles: Array) -> np.ndarray:
    """Tell which genes vary, and warn of those that do not."""
    used = profiles.min(axis=0) < profiles.max(axis=0)
    n_constant = int((~used).sum())
    if not used.any():
        raise RelationError(
            f"none of the {len(used)} genes varies among the {len(profiles)} profiles: they are "
            "all the same, and nothing can be estimated from them."
        )
    if n_constant:
        warn(
            f"{n_constant} of {len(used)} genes do not vary among the training profiles; they say "
            "nothing and were left out. Leave them out of X to silence this.",
            RelationWarning,
        )
    return used


def _neighbor_shares(t: Array) -> Array:
    distances_sq = cdist(t, t, "sqeuclidean")
    np.fill_diagonal(distances_sq, np.inf)
    differences = t - t[distances_sq.argmin(axis=1)]
    return np.clip((differences**2).mean(axis=0) / 2, *SHARES)


def _given_shares(noise_share: Any, n_genes: int) -> Array:
    if isinstance(noise_share, str | bool) or not isinstance(
        noise_share, Real | list | tuple | np.ndarray
    ):
        _refuse_shares(f"is {noise_share!r}")
    shares = np.asarray(noise_share)
    if shares.dtype.kind not in "iuf" or shares.shape not in ((), (n_genes,)):
        _refuse_shares(f"has shape {shares.shape} for {n_genes} genes")
    if not ((shares > 0) & (shares < 1)).all():
        _refuse_shares(f"holds {shares[~((shares > 0) & (shares < 1))].flat[0]!r}")
    return np.broadcast_to(shares.astype(float), (n_genes,))


def _refuse_shares(what: str) -> None:
    raise OptionError(
        f"noise_share {what}; it must be 'neighbors', or a number strictly between 0 and 1, for "
        "all genes or for each."
    )
