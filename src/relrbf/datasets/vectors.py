"""The three sets of feature vectors: standardised Euclidean distances, as the paper uses them."""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler
from sklearn.utils import Bunch

from relrbf._options import check_choice
from relrbf._utils import filled
from relrbf.datasets.describe import WHERE, described, numbered
from relrbf.datasets.entry import Entry
from relrbf.datasets.find import obtain
from relrbf.datasets.registry import BC_569, HD_303, USC_435
from relrbf.relations import as_relation

BILLS = (
    "handicapped-infants",
    "water-project-cost-sharing",
    "adoption-of-the-budget-resolution",
    "physician-fee-freeze",
    "el-salvador-aid",
    "religious-groups-in-schools",
    "anti-satellite-test-ban",
    "aid-to-nicaraguan-contras",
    "mx-missile",
    "immigration",
    "synfuels-corporation-cutback",
    "education-spending",
    "superfund-right-to-sue",
    "crime",
    "duty-free-exports",
    "export-administration-act-south-africa",
)
ATTRIBUTES = (
    *("age", "sex", "cp", "trestbps", "chol", "fbs", "restecg"),
    *("thalach", "exang", "oldpeak", "slope", "ca", "thal"),
)
FILLS: dict[str, Callable[..., np.ndarray]] = {"median": np.nanmedian, "mean": np.nanmean}


def load_bc569() -> Bunch:
    """Load BC-569: benign and malignant breast masses, 569 objects with 30 features.

    Nothing is looked for or fetched; the data come with scikit-learn.

    Returns
    -------
    Bunch
        ``relation`` (Euclidean distances between standardised features, exponent 2), ``data`` (569
        × 30, every feature with mean 0 and standard deviation 1), ``raw`` (as measured),
        ``target`` ("benign" or "malignant"), ``target_names``, ``feature_names``, ``ids``,
        ``DESCR``.

    Examples
    --------
    >>> from relrbf.datasets import load_bc569
    >>> cancer = load_bc569()
    >>> cancer.relation
    VectorRelation(569 objects, exponent=2)
    >>> str(cancer.target[0]), cancer.data.shape
    ('malignant', (569, 30))
    """
    found = load_breast_cancer()
    target = found.target_names[found.target]
    return _of_vectors(BC_569, found.data, found.data, target, found.feature_names, "mass")


@filled(where=WHERE)
def load_usc435(*, data_home: Any = None, download_if_missing: bool = True) -> Bunch:
    """Load USC-435: votes of 435 members of the US House of 1984 on 16 bills, and their party.

    A vote is 1 (yes), -1 (no) or 0 ("?": neither), which is a third value, not a missing one.

    Parameters
    ----------
    {where}

    Returns
    -------
    Bunch
        ``relation`` (Euclidean distances between standardised votes, exponent 2), ``data`` (435 ×
        16, standardised), ``raw`` (1, -1, 0), ``target`` ("democrat" or "republican"),
        ``target_names``, ``feature_names``, ``ids``, ``DESCR``.

    Examples
    --------
    >>> from relrbf.datasets import load_usc435
    >>> votes = load_usc435()  # doctest: +SKIP
    >>> votes.relation  # doctest: +SKIP
    VectorRelation(435 objects, exponent=2)
    """
    found = obtain(USC_435, data_home, download_if_missing)
    raw = found["X"]
    return _of_vectors(USC_435, raw, raw.astype(float), found["y"], BILLS, "member")


@filled(where=WHERE)
def load_hd303(
    *, fill: str = "median", data_home: Any = None, download_if_missing: bool = True
) -> Bunch:
    """Load HD-303: heart disease present or absent in 303 patients, 13 attributes.

    Six attributes are missing: ``raw`` has NaN there, ``data`` and the relation the column's
    median.

    Parameters
    ----------
    fill : {"median", "mean"}, default="median"
        What stands for a missing attribute: the median, or the mean, of those who have it.
    {where}

    Returns
    -------
    Bunch
        ``relation`` (Euclidean distances between standardised attributes, exponent 2), ``data``
        (303 × 13, filled and standardised), ``raw`` (NaN where missing), ``target`` ("absent" or
        "present"), ``num`` (0 to 4; above 0 is present), ``target_names``, ``feature_names``,
        ``ids``, ``DESCR``.

    Examples
    --------
    >>> from relrbf.datasets import load_hd303
    >>> heart = load_hd303()  # doctest: +SKIP
    >>> heart.relation  # doctest: +SKIP
    VectorRelation(303 objects, exponent=2)
    """
    check_choice("fill", fill, FILLS)
    found = obtain(HD_303, data_home, download_if_missing)
    raw, num = found["X"], found["num"]
    filled = np.where(np.isnan(raw), FILLS[fill](raw, axis=0), raw)
    target = np.where(num > 0, "present", "absent")
    return _of_vectors(HD_303, raw, filled, target, ATTRIBUTES, "patient", num=num)


def _of_vectors(
    entry: Entry,
    raw: np.ndarray,
    complete: np.ndarray,
    target: np.ndarray,
    features: Any,
    word: str,
    **more: Any,
) -> Bunch:
    """Return vectors, standardised, and the relation that follows from them."""
    data, ids = StandardScaler().fit_transform(complete), numbered(word, len(raw))
    return described(
        entry,
        relation=as_relation(data, "euclidean", exponent=2, ids=ids),
        data=data,
        raw=raw,
        target=target,
        target_names=np.unique(target),
        feature_names=np.array(features),
        ids=ids,
        **more,
    )
