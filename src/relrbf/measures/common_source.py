"""Bayesian common-source similarity of profiles, and dissimilarities that follow from it."""

from typing import Any, Literal

from relrbf._options import check_choice
from relrbf._typing import Array
from relrbf.exceptions import OptionError
from relrbf.measures.estimate import estimate_common_source
from relrbf.measures.profiles import as_profiles, check_genes
from relrbf.measures.source import CommonSource

FORMS = {"relative": CommonSource.missing_share, "kernel": CommonSource.distances_sq}


def common_source_log_odds(
    X: Any, Y: Any = None, *, noise_share: Any = "neighbors", model: CommonSource | None = None
) -> Array:
    """Return the log-odds that two profiles have a common source.

    ``log ∫ p(x|z) p(y|z) p(z) dz - log p(x) p(y)``, summed over the genes as if they were
    independent, with normal densities. Above 0 speaks for one source; agreement on a rare level
    says more than on a usual one. Genes that go together are counted as often as there are of
    them, so the size overstates the evidence; the order is what counts.

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

    Symmetric, zero on the diagonal and never negative by construction; both forms are squared
    quantities, to be read with ``exponent=1``.

    Parameters
    ----------
    X : array of shape (n, p)
        One profile per row.
    Y : array of shape (m, p) or None, default=None
        Training profiles, where X are new ones: all estimates are taken from Y, none from X.
        None compares X with itself.
    form : {"relative", "kernel"}, default="relative"
        "relative": ``1 - 2 s_xy / (s_xx + s_yy)``, the share of the evidence that identical
        profiles would give and these do not. With one noise share for all genes, vectors have
        it; with a share per gene, not always. "kernel": ``s_xx + s_yy - 2 s_xy``, the squared
        distance of a kernel; under the normal model it is a weighted squared Euclidean
        distance, in which the rarity of a level no longer counts.
    noise_share : "neighbors", float, or array of shape (p,), default="neighbors"
        As in ``estimate_common_source``.
    model : CommonSource or None, default=None
        Estimates made before, from ``estimate_common_source``; noise_share is then theirs.

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
