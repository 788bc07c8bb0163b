"""Measures by name, one file for each library that computes them; none is imported before use."""

from relrbf.measures.named.entry import Named
from relrbf.measures.named.molecules import MOLECULES
from relrbf.measures.named.series import SERIES
from relrbf.measures.named.strings import STRINGS
from relrbf.measures.named.vectors import VECTORS

NAMED: dict[str, Named] = {entry.name: entry for entry in (*VECTORS, *STRINGS, *SERIES, *MOLECULES)}


def named_measures() -> dict[str, str]:
    """Return what each name means that ``relate`` knows, by name.

    Returns
    -------
    dict
        For each name one line: what is measured, of which objects, by which package.

    Examples
    --------
    >>> from relrbf.measures import named_measures
    >>> named_measures()["levenshtein"]
    'strings: insertions, deletions, substitutions (rapidfuzz)'
    """
    return {
        name: f"{entry.kind}: {entry.description} ({entry.package})"
        for name, entry in NAMED.items()
    }
