"""The loaders: vectors with their standardised Euclidean distances, and relations as they are."""

from typing import Any

import numpy as np
from scipy.sparse.csgraph import connected_components
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler
from sklearn.utils import Bunch

from relrbf._options import check_choice
from relrbf._typing import Array, Indices
from relrbf._utils import filled
from relrbf.datasets.fetch import fetch, read_registry
from relrbf.relations import Relation, as_relation

EXPRESSION_FLOOR, EXPRESSION_CEILING = 10, 16000  # below is noise, above the scanner saturates
MIN_FOLD_CHANGE, MIN_DIFFERENCE = 5, 50  # over the samples, of a gene that is kept
LOADER_SECTIONS = """Parameters
    ----------
    data_home : str, path or None, default=None
        Folder to look in and to download to. None looks in the folder that ``RELRBF_DATA`` names,
        then in the cache (``RELRBF_CACHE``, or the user's).
    download_if_missing : bool, default=True
        Whether to download what is not found; if not, an error says what to put where.

    Returns
    -------
    Bunch"""


def load_bc569() -> Bunch:
    """Load BC-569: benign and malignant breast masses, 569 objects with 30 features.

    Nothing is looked for or downloaded; the data come with scikit-learn.

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
    return _vector_set("BC-569", found.data, found.data, target, "mass")


@filled(sections=LOADER_SECTIONS)
def load_usc435(*, data_home: Any = None, download_if_missing: bool = True) -> Bunch:
    """Load USC-435: votes of 435 members of the US House of 1984 on 16 bills, and their party.

    A vote is 1 (yes), -1 (no) or 0 ("?": neither), which is a third value, not a missing one.

    {sections}
        ``relation`` (Euclidean distances between standardised votes, exponent 2), ``data`` (435 ×
        16, standardised), ``raw`` (1, -1, 0), ``target`` ("democrat" or "republican"),
        ``target_names``, ``feature_names``, ``ids``, ``DESCR``.
    """
    found = fetch("USC-435", data_home, download_if_missing)
    return _vector_set("USC-435", found["X"], found["X"].astype(float), found["y"], "member")


@filled(sections=LOADER_SECTIONS.removeprefix("Parameters\n    ----------\n    "))
def load_hd303(
    *, fill: str = "median", data_home: Any = None, download_if_missing: bool = True
) -> Bunch:
    """Load HD-303: heart disease present or absent in 303 patients, 13 attributes.

    Parameters
    ----------
    fill : {"median", "mean"}, default="median"
        What stands for each of the six missing attributes: its median, or mean, in the others.
    {sections}
        ``relation`` (Euclidean distances between standardised attributes, exponent 2), ``data``
        (303 × 13, filled and standardised), ``raw`` (NaN where missing), ``target`` ("absent" or
        "present"), ``num`` (0 to 4; above 0 is present), ``target_names``, ``feature_names``,
        ``ids``, ``DESCR``.
    """
    fills: Any = {"median": np.nanmedian, "mean": np.nanmean}
    check_choice("fill", fill, fills)
    found = fetch("HD-303", data_home, download_if_missing)
    raw, num = found["X"], found["num"]
    filled_in = np.where(np.isnan(raw), fills[fill](raw, axis=0), raw)
    target = np.where(num > 0, "present", "absent")
    return _vector_set("HD-303", raw, filled_in, target, "patient", num=num)


@filled(sections=LOADER_SECTIONS)
def load_hg194(*, data_home: Any = None, download_if_missing: bool = True) -> Bunch:
    """Load HG-194: fuzzy-measure dissimilarities of 194 human gene products in three families.

    Only 30 of its 194 rows are distinct, since most products of one gene share their GO terms: in
    a random split nearly every test object has a duplicate in training. ``groups`` says what to
    keep together, for example with ``sklearn.model_selection.GroupShuffleSplit``.

    {sections}
        ``relation`` (exponent 1), ``target`` ("collagen_alpha_chain", "myotubularin" or
        "receptor_precursor"), ``target_names``, ``ids`` (gene and number), ``gene``, ``groups``
        (numbers; the same for products of one gene, and for duplicates), ``terms`` (per object the
        sorted list of its GO terms), ``DESCR``.
    """
    found = fetch("HG-194", data_home, download_if_missing)
    R, gene = found["R"], found["gene"]
    which = [np.count_nonzero(gene[: i + 1] == name) for i, name in enumerate(gene)]
    ids = np.array([f"{name}-{k}" for name, k in zip(gene, which, strict=True)], dtype=object)
    terms = [str(terms).split(";") for terms in found["terms"]]
    groups = inseparable_groups(gene, R)
    return _relation_set("HG-194", R, found["y"], ids, gene=gene, groups=groups, terms=terms)


@filled(sections=LOADER_SECTIONS)
def load_pc102(*, data_home: Any = None, download_if_missing: bool = True) -> Bunch:
    """Load PC-102: expression profiles of 52 prostate tumors and 50 normal samples.

    The paper's own relation is not public. ``relation`` stands in for it: 1 - Pearson correlation
    of the logarithmic profiles, over the genes that vary.

    {sections}
        ``relation`` (exponent 1), ``data`` (102 × 12600 average differences as measured, float32,
        a quarter of them negative), ``keep`` (which 5966 genes the relation uses), ``target``
        ("normal" or "tumor"), ``target_names``, ``ids``, ``DESCR``.
    """
    found = fetch("PC-102", data_home, download_if_missing)
    X = found["X"]
    keep = varying_genes(X)
    R = one_minus_pearson(X[:, keep])
    return _relation_set("PC-102", R, found["y"], "sample", data=X, keep=keep)


@filled(sections=LOADER_SECTIONS)
def load_protein213(*, data_home: Any = None, download_if_missing: bool = True) -> Bunch:
    """Load protein-213: evolutionary dissimilarities of 213 globins in four classes.

    {sections}
        ``relation`` (exponent 1, with which vectors exist), ``target`` ("G", "HA", "HB" or "M"),
        ``target_names``, ``ids``, ``DESCR``.
    """
    found = fetch("protein-213", data_home, download_if_missing)
    return _relation_set("protein-213", found["R"], found["y"], "protein")


@filled(sections=LOADER_SECTIONS)
def load_yeast200(*, data_home: Any = None, download_if_missing: bool = True) -> Bunch:
    """Load yeast-200: Smith-Waterman similarities of 200 yeast proteins in two classes.

    The hard case: nearly half of the spectrum is negative.

    {sections}
        ``relation`` (1 - similarity, exponent 1), ``similarities`` (200 × 200, 1 on the diagonal),
        ``target`` ("1" or "2"; which functions they are is not published), ``target_names``,
        ``ids``, ``DESCR``.
    """
    found = fetch("yeast-200", data_home, download_if_missing)
    S, target = found["S"], found["y"].astype(str)
    return _relation_set("yeast-200", 1 - S, target, "protein", similarities=S)


@filled(sections=LOADER_SECTIONS)
def load_plaid1074(*, data_home: Any = None, download_if_missing: bool = True) -> Bunch:
    """Load plaid-1074: electric currents of 1,074 appliances of 11 kinds, by time warping.

    Its dissimilarities span six decades.

    {sections}
        ``relation`` (exponent 1, float32), ``target`` ("0" to "10"), ``target_names``, ``ids``,
        ``DESCR``.
    """
    found = fetch("plaid-1074", data_home, download_if_missing)
    return _relation_set("plaid-1074", found["R"], found["y"].astype(str), "appliance")


@filled(sections=LOADER_SECTIONS)
def load_peptides2500(*, data_home: Any = None, download_if_missing: bool = True) -> Bunch:
    """Load peptides-2500: weighted edit distances of 2,500 peptides and their retention times.

    {sections}
        ``relation`` (exponent 1), ``target`` (retention times: a regression), ``ids``, ``DESCR``.
    """
    found = fetch("peptides-2500", data_home, download_if_missing)
    return _relation_set("peptides-2500", found["R"].astype(float), found["y"], "peptide")


@filled(sections=LOADER_SECTIONS)
def load_surnames3017(*, data_home: Any = None, download_if_missing: bool = True) -> Bunch:
    """Load surnames-3017: normalised edit distances of 3,017 surnames of 20 languages.

    {sections}
        ``relation`` (exponent 1, float32), ``target`` ("Arabic" to "Welsh"), ``target_names``,
        ``ids``, ``DESCR``.
    """
    found = fetch("surnames-3017", data_home, download_if_missing)
    return _relation_set("surnames-3017", found["R"], found["y"], "surname")


def inseparable_groups(gene: np.ndarray, R: Array) -> Indices:
    """Join objects of one gene and objects with identical rows: neither may straddle a split."""
    rows = np.unique(R, axis=0, return_inverse=True)[1].ravel()
    linked = (gene[:, None] == gene) | (rows[:, None] == rows)
    groups: Indices = connected_components(linked, directed=False)[1]
    return groups


def varying_genes(X: Array) -> np.ndarray:
    """Tell which genes vary over the samples: by a factor, and by a difference."""
    clipped = np.clip(X, EXPRESSION_FLOOR, EXPRESSION_CEILING)
    low, high = clipped.min(axis=0), clipped.max(axis=0)
    return (high / low > MIN_FOLD_CHANGE) & (high - low > MIN_DIFFERENCE)


def one_minus_pearson(X: Array) -> Array:
    """Return 1 - the correlation of logarithmic profiles, exactly symmetric, zero on itself."""
    logs = np.log10(np.clip(X.astype(float), EXPRESSION_FLOOR, EXPRESSION_CEILING))
    D = np.clip(1 - np.corrcoef(logs), 0, None)  # identical ones correlate by 1 up to rounding
    np.fill_diagonal(D, 0)
    return (D + D.T) / 2


def _numbered(word: str, n: int) -> np.ndarray:
    """Return names for objects that have none: a word and the row's number, from 1."""
    return np.array([f"{word}-{i:0{len(str(n))}d}" for i in range(1, n + 1)], dtype=object)


def _vector_set(
    name: str, raw: Any, complete: Array, target: np.ndarray, word: str, **more: Any
) -> Bunch:
    """Return vectors, standardised, and the relation that follows from them."""
    data = StandardScaler().fit_transform(complete)
    relation = as_relation(data, "euclidean", exponent=2, ids=_numbered(word, len(raw)))
    features = np.array(read_registry()[name].feature_names)
    return _bunch(name, relation, target, data=data, raw=raw, feature_names=features, **more)


def _relation_set(name: str, R: Array, target: np.ndarray, ids: Any, **more: Any) -> Bunch:
    """Return dissimilarities that are 1 - a similarity, or squared distances: exponent 1."""
    ids = _numbered(ids, len(R)) if isinstance(ids, str) else ids
    relation = as_relation(R, exponent=1, similarities="refuse", ids=ids)
    return _bunch(name, relation, target, **more)


def _bunch(name: str, relation: Relation, target: np.ndarray, **more: Any) -> Bunch:
    more |= {"target": target, "ids": relation.ids}
    if target.dtype.kind != "f":
        more["target_names"] = np.unique(target)
    return Bunch(relation=relation, DESCR=read_registry()[name].description, **more)
