"""The set of expression profiles, from which a relation is computed."""

from typing import Any

import numpy as np
from sklearn.utils import Bunch

from relrbf._typing import Array
from relrbf._utils import filled
from relrbf.datasets.describe import WHERE, described, numbered
from relrbf.datasets.find import obtain
from relrbf.datasets.registry import PC_102
from relrbf.relations import as_relation

FLOOR, CEILING = 10, 16000  # below is noise, above the scanner saturates
FOLD, SPAN = 5, 50  # a gene that varies less over the samples says nothing of them


@filled(where=WHERE)
def load_pc102(*, data_home: Any = None, download_if_missing: bool = True) -> Bunch:
    """Load PC-102: expression profiles of 52 prostate tumors and 50 normal samples.

    The paper's own relation is not public. ``relation`` stands in for it: 1 - Pearson correlation
    of the logarithmic profiles, over the genes that vary.

    Parameters
    ----------
    {where}

    Returns
    -------
    Bunch
        ``relation`` (exponent 1), ``data`` (102 × 12600 average differences as measured, float32,
        a quarter of them negative), ``keep`` (which 5966 genes the relation uses), ``target``
        ("normal" or "tumor"), ``target_names``, ``ids``, ``DESCR``.

    Examples
    --------
    >>> from relrbf.datasets import load_pc102
    >>> prostate = load_pc102()  # doctest: +SKIP
    >>> prostate.relation  # doctest: +SKIP
    DenseRelation(102 objects, exponent=1)
    >>> int(prostate.keep.sum())  # doctest: +SKIP
    5966
    """
    found = obtain(PC_102, data_home, download_if_missing)
    X, target, ids = found["X"], found["y"], numbered("sample", len(found["X"]))
    keep = varying(X)
    return described(
        PC_102,
        relation=as_relation(one_minus_pearson(X[:, keep]), exponent=1, ids=ids),
        data=X,
        keep=keep,
        target=target,
        target_names=np.unique(target),
        ids=ids,
    )


def varying(X: Array) -> np.ndarray:
    """Tell which genes vary: by more than a factor, and by more than a difference."""
    clipped = np.clip(X, FLOOR, CEILING)
    low, high = clipped.min(axis=0), clipped.max(axis=0)
    return (high / low > FOLD) & (high - low > SPAN)


def one_minus_pearson(X: Array) -> Array:
    """Return 1 - the correlation of logarithmic profiles, exactly symmetric, zero on itself."""
    D = 1 - np.corrcoef(np.log10(np.clip(X.astype(float), FLOOR, CEILING)))
    np.fill_diagonal(D, 0)
    D = np.clip(D, 0, None)  # identical profiles correlate by 1 up to rounding
    return (D + D.T) / 2
