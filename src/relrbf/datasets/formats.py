"""One function per file format that a data set comes in; each set yields the same arrays from all.

What is read is not validated here: the checksum of the arrays says whether it is right.
"""

import csv
import re
from collections.abc import Container, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from relrbf.datasets.rdata import read_rdata

Arrays: TypeAlias = dict[str, np.ndarray]

VOTES = {"y": 1, "n": -1, "?": 0}
FAMILIES = {"myotubularin": 21, "receptor_precursor": 87, "collagen_alpha_chain": 86}


def archive(path: Path, names: Container[str] = ("X", "R", "y", "gene")) -> Arrays:
    """Read features X or dissimilarities R, and classes y, from an archive of arrays."""
    with np.load(path, allow_pickle=False) as file:
        return {name: file[name] for name in file if name in names}


def votes_table(path: Path) -> Arrays:
    """Read the votes from text: the party, then 16 times y, n or ?; with or without a header."""
    rows = [row for row in _rows(path) if row[0] in ("democrat", "republican")]
    X = np.array([[VOTES[vote] for vote in row[1:]] for row in rows], dtype=np.int8)
    return {"X": X, "y": np.array([row[0] for row in rows])}


def heart_table(path: Path) -> Arrays:
    """Read the heart data from text: 13 attributes, empty or ? where missing, and num 0 to 4."""
    rows = [row for row in _rows(path) if row[0][0].isdigit()]
    table = np.array([[np.nan if cell in ("", "?") else float(cell) for cell in r] for r in rows])
    return {"X": table[:, :13], "num": table[:, 13].astype(np.int8)}


def genes_archive(relation: Path, objects: Path) -> Arrays:
    """Read the gene products from an archive of arrays and a table of GO terms."""
    rows = _rows(objects)[1:]
    terms = [";".join(sorted(row[3].split(";"))) for row in rows]
    return archive(relation) | {"terms": np.array(terms)}


def genes_matlab(relation: Path, objects: Path) -> Arrays:
    """Read the gene products from MATLAB: the families are blocks of rows, in the script's order.

    The term list is whatever a record holds beside the gene and the name.
    """
    records, terms = _matlab(objects)["data194"], []
    for record in records:
        others = (record[key] for key in record if key not in ("gene", "name"))
        terms.append(";".join(sorted({term for other in others for term in _terms(other)})))
    return {
        "R": np.asarray(_matlab(relation)["go194_ju13_fms"], dtype=float),
        "y": np.repeat([*FAMILIES], [*FAMILIES.values()]),
        "gene": np.array([record["gene"] for record in records]),
        "terms": np.array(terms),
    }


def profiles_r(path: Path) -> Arrays:
    """Read the expression profiles from R: a list of x, one row per sample, and the classes y."""
    parts = read_rdata(path)["singh"].named()
    return {"X": parts["x"].matrix().astype(np.float32), "y": parts["y"].labels()}


def proteins_r(path: Path) -> Arrays:
    """Read the protein dissimilarities from R: a list of D and class (and y, the same in codes)."""
    parts = read_rdata(path)["protein"].named()
    return {"R": parts["D"].matrix().astype(float), "y": parts["class"].labels()}


def yeast_archive(path: Path) -> Arrays:
    """Read the alignment similarities from an archive of arrays."""
    found = archive(path, ("S", "y"))
    return {"S": found["S"], "y": found["y"].astype(np.int8)}


def yeast_matlab(path: Path) -> Arrays:
    """Read the alignment similarities from MATLAB: A, and the classes C."""
    found = _matlab(path)
    S = found["A"].toarray() if hasattr(found["A"], "toarray") else found["A"]
    return {"S": np.asarray(S, dtype=float), "y": np.ravel(found["C"]).astype(np.int8)}


def _rows(path: Path) -> list[list[str]]:
    with open(path, newline="", encoding="utf-8") as file:
        return [row for row in csv.reader(file) if row]


def _matlab(path: Path) -> dict[str, Any]:
    from scipy.io import loadmat

    found: dict[str, Any] = loadmat(path, simplify_cells=True)
    return found


def _terms(value: Any) -> Iterator[str]:
    """Yield GO terms, whether they are kept as text or as numbers, however deep."""
    if isinstance(value, dict | list | np.ndarray):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _terms(part)
    elif isinstance(value, str):
        yield from (f"GO:{digits}" for digits in re.findall(r"\d{7}", value))
    else:
        yield f"GO:{int(value):07d}"
