"""Names that only count objects: row numbers of pandas, and what R calls nameless columns."""

import re
from collections.abc import Sequence

import numpy as np

COUNT = re.compile(r"(V|X|Unnamed: |)(0|[1-9][0-9]{0,8})")


def counted_places(names: Sequence[str] | np.ndarray | None) -> np.ndarray | None:
    """Return where each name stands if all count, from 0 or from 1 and in any order; else None."""
    found = [COUNT.fullmatch(name) for name in (() if names is None else names)]
    matches = [match for match in found if match is not None]
    if not matches or len(matches) < len(found) or len({match[1] for match in matches}) > 1:
        return None
    numbers = np.array([int(match[2]) for match in matches])
    first = int(numbers.min())
    is_whole = first < 2 and np.array_equal(np.sort(numbers), first + np.arange(len(numbers)))
    return numbers - first if is_whole else None


def is_ascending(places: np.ndarray) -> bool:
    """Tell whether each number is larger than the one before."""
    return bool((np.diff(places) > 0).all())
