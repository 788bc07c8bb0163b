"""Measures of molecules, by rdkit."""

from typing import Any

import numpy as np

from relrbf._typing import Array
from relrbf.exceptions import RelationError
from relrbf.measures.named.entry import Named, Params, library
from relrbf.measures.named.strings import as_strings

NAME = "tanimoto"
RADIUS, BITS = 2, 2048


def _between(rows: np.ndarray, cols: np.ndarray) -> Array:
    """Return 1 - shared bits over bits in either; counts of bits are exact in single precision."""
    both = (rows.astype(np.float32) @ cols.T.astype(np.float32)).astype(np.float64)
    either = rows.sum(axis=1)[:, None] + cols.sum(axis=1) - both
    return 1 - both / either


def _prepare(objects: Any, params: Params) -> tuple[np.ndarray, Params]:
    what = f"measure={NAME!r}"
    chem = library("rdkit.Chem", "rdkit", what)
    generators = library("rdkit.Chem.rdFingerprintGenerator", "rdkit", what)
    options = {"radius": RADIUS, "fpSize": BITS} | params
    morgan = generators.GetMorganGenerator(**options)
    texts = as_strings(NAME, objects)
    bits = [_fingerprint(chem, morgan, i, text) for i, text in enumerate(texts)]
    return np.array(bits, dtype=np.uint8), {}


def _fingerprint(chem: Any, morgan: Any, i: int, text: str) -> np.ndarray:
    log = library("rdkit.rdBase", "rdkit", f"measure={NAME!r}")
    with log.BlockLogs():
        molecule = chem.MolFromSmiles(text)
    if molecule is None or molecule.GetNumAtoms() == 0:
        raise RelationError(f"objects[{i}] is {text!r:.80}, which is no molecule in SMILES.")
    return morgan.GetFingerprintAsNumPy(molecule)


MOLECULES = (
    Named(
        NAME,
        "1 - Tanimoto similarity of Morgan fingerprints, from SMILES (params: radius, fpSize)",
        "rdkit",
        "molecules",
        _prepare,
        _between,
    ),
)
