"""The sets that are relations from the start: no vectors were ever measured."""

from typing import Any

import numpy as np
from scipy.sparse.csgraph import connected_components
from sklearn.utils import Bunch

from relrbf._typing import Array, Indices
from relrbf._utils import filled
from relrbf.datasets.describe import WHERE, described, numbered
from relrbf.datasets.entry import Entry
from relrbf.datasets.find import obtain
from relrbf.datasets.registry import HG_194, PROTEIN_213, YEAST_200
from relrbf.relations import as_relation


@filled(where=WHERE)
def load_hg194(*, data_home: Any = None, download_if_missing: bool = True) -> Bunch:
    """Load HG-194: fuzzy-measure dissimilarities of 194 human gene products in three families.

    Only 30 of its 194 rows are distinct, since most products of one gene share their GO terms: in
    a random split nearly every test object has a twin in training. ``groups`` says what to keep
    together, for example with ``sklearn.model_selection.GroupShuffleSplit``.

    Parameters
    ----------
    {where}

    Returns
    -------
    Bunch
        ``relation`` (exponent 1), ``target`` ("collagen_alpha_chain", "myotubularin" or
        "receptor_precursor"), ``target_names``, ``ids`` (gene and number), ``gene``, ``groups``
        (numbers; the same for products of one gene, and for twins), ``terms`` (per object the
        sorted list of its GO terms), ``DESCR``.

    Examples
    --------
    >>> from relrbf.datasets import load_hg194
    >>> genes = load_hg194()  # doctest: +SKIP
    >>> genes.relation  # doctest: +SKIP
    DenseRelation(194 objects, exponent=1)
    >>> genes.ids[0], genes.terms[0][:2]  # doctest: +SKIP
    ('MTMR1-1', ['GO:0004722', 'GO:0004725'])
    """
    found = obtain(HG_194, data_home, download_if_missing)
    R, gene = found["R"], found["gene"]
    return _of_relation(
        HG_194,
        R,
        found["y"],
        _numbered_within(gene),
        gene=gene,
        groups=inseparable(gene, R),
        terms=[str(terms).split(";") for terms in found["terms"]],
    )


@filled(where=WHERE)
def load_protein213(*, data_home: Any = None, download_if_missing: bool = True) -> Bunch:
    """Load protein-213: evolutionary dissimilarities of 213 globins in four classes.

    Parameters
    ----------
    {where}

    Returns
    -------
    Bunch
        ``relation`` (exponent 1: read so, vectors exist), ``target`` ("G", "HA", "HB" or "M"),
        ``target_names``, ``ids``, ``DESCR``.

    Examples
    --------
    >>> from relrbf.datasets import load_protein213
    >>> proteins = load_protein213()  # doctest: +SKIP
    >>> proteins.relation  # doctest: +SKIP
    DenseRelation(213 objects, exponent=1)
    """
    found = obtain(PROTEIN_213, data_home, download_if_missing)
    return _of_relation(PROTEIN_213, found["R"], found["y"], numbered("protein", 213))


@filled(where=WHERE)
def load_yeast200(*, data_home: Any = None, download_if_missing: bool = True) -> Bunch:
    """Load yeast-200: Smith-Waterman similarities of 200 yeast proteins in two classes.

    The hard case: nearly half of the spectrum is negative.

    Parameters
    ----------
    {where}

    Returns
    -------
    Bunch
        ``relation`` (1 - similarity, exponent 1), ``similarities`` (200 × 200, 1 on the diagonal),
        ``target`` ("1" or "2"; which functions they are is not published), ``target_names``,
        ``ids``, ``DESCR``.

    Examples
    --------
    >>> from relrbf.datasets import load_yeast200
    >>> yeast = load_yeast200()  # doctest: +SKIP
    >>> yeast.relation  # doctest: +SKIP
    DenseRelation(200 objects, exponent=1)
    """
    found = obtain(YEAST_200, data_home, download_if_missing)
    S, target = found["S"], found["y"].astype(str)
    return _of_relation(YEAST_200, 1 - S, target, numbered("protein", 200), similarities=S)


def inseparable(gene: np.ndarray, R: Array) -> Indices:
    """Join objects of one gene and objects with identical rows: neither may straddle a split."""
    rows = np.unique(R, axis=0, return_inverse=True)[1].ravel()
    linked = (gene[:, None] == gene) | (rows[:, None] == rows)
    groups: Indices = connected_components(linked, directed=False)[1]
    return groups


def _numbered_within(gene: np.ndarray) -> np.ndarray:
    """Return a name per object: its gene, and which of the gene's products it is."""
    which = [np.count_nonzero(gene[: i + 1] == name) for i, name in enumerate(gene)]
    return np.array([f"{name}-{k}" for name, k in zip(gene, which, strict=True)], dtype=object)


def _of_relation(entry: Entry, R: Array, target: np.ndarray, ids: np.ndarray, **more: Any) -> Bunch:
    """Return dissimilarities that are 1 - a similarity, or squared distances: exponent 1."""
    return described(
        entry,
        relation=as_relation(R, exponent=1, similarities="refuse", ids=ids),
        target=target,
        target_names=np.unique(target),
        ids=ids,
        **more,
    )
