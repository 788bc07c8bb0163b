"""Measures of strings, by rapidfuzz."""

from functools import partial
from typing import Any

import numpy as np

from relrbf._typing import Array
from relrbf.exceptions import RelationError
from relrbf.measures.named.entry import Named, Params, library

# the name: (class in rapidfuzz.distance, its function, what it counts)
KNOWN = {
    "levenshtein": ("Levenshtein", "distance", "insertions, deletions, substitutions"),
    "normalized-levenshtein": (
        "Levenshtein",
        "normalized_distance",
        "edits relative to the most that there could be",
    ),
    "damerau-levenshtein": ("DamerauLevenshtein", "distance", "edits, with neighbours swapped"),
    "osa": ("OSA", "distance", "edits, with neighbours swapped, no part edited twice"),
    "indel": ("Indel", "distance", "insertions and deletions only"),
    "normalized-indel": ("Indel", "normalized_distance", "indel over the sum of lengths"),
    "lcs": ("LCSseq", "distance", "length of the longer less the longest common subsequence"),
    "jaro": ("Jaro", "distance", "1 - Jaro similarity"),
    "jaro-winkler": ("JaroWinkler", "distance", "1 - Jaro-Winkler similarity: beginnings count"),
}


def _between(name: str, rows: list[str], cols: list[str], **params: Any) -> Array:
    process = library("rapidfuzz.process", "rapidfuzz", f"measure={name!r}")
    distance = library("rapidfuzz.distance", "rapidfuzz", f"measure={name!r}")
    group, function, _ = KNOWN[name]
    scorer = getattr(getattr(distance, group), function)
    return process.cdist(rows, cols, scorer=scorer, scorer_kwargs=params, dtype=np.float64)


def _prepare(name: str, objects: Any, params: Params) -> tuple[list[str], Params]:
    library("rapidfuzz.process", "rapidfuzz", f"measure={name!r}")
    return as_strings(name, objects), params


def as_strings(name: str, objects: Any) -> list[str]:
    """Return a list of strings, or say which object is none."""
    for i, text in enumerate(objects):
        if not isinstance(text, str):
            raise RelationError(
                f"measure={name!r} is about strings; objects[{i}] is {text!r:.80}. Leave out what "
                "is missing, and turn the others into strings."
            )
    return [str(text) for text in objects]  # numpy's own strings, too


STRINGS = tuple(
    Named(name, text, "rapidfuzz", "strings", partial(_prepare, name), partial(_between, name))
    for name, (_, _, text) in KNOWN.items()
)
