"""What is found about a tile and its mirror image on a worker, and what follows for the whole."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from relrbf._typing import Array
from relrbf.relations.entry_summary import EntrySummary, summarize_part
from relrbf.relations.validation import (
    SYMMETRIZERS,
    asymmetry_error,
    check_range,
    diagonal_error,
    negative_error,
    nonfinite_error,
    warn_changed,
)


@dataclass(frozen=True)
class Findings:
    """A survey with what an error says of its worst entries, and what a policy has changed."""

    survey: EntrySummary
    there: float
    back: float
    furthest: int  # from itself
    first: tuple[int, int]  # that is not finite
    n_negative: int
    n_changed: int = 0
    change: float = 0.0


def judged(
    upper: Array, lower: Array, rows: slice, cols: slice, policy: str | None
) -> tuple[Array, Findings]:
    """Return what to keep of a tile and its mirror image, and what was found about them."""
    survey = summarize_part(upper, lower, rows, cols)
    i, j = survey.worst_pair[0] - rows.start, survey.worst_pair[1] - cols.start
    halves = (upper,) if rows == cols else (upper, lower)
    found = Findings(
        survey=survey,
        there=float(upper[i, j]),
        back=float(lower[j, i]),
        furthest=rows.start + int(np.argmax(np.abs(np.diagonal(upper)))) if rows == cols else 0,
        first=_first_missing(halves, rows, cols) if survey.n_missing else (0, 0),
        n_negative=sum(int((half < 0).sum()) for half in halves) if survey.lowest < 0 else 0,
    )
    if policy is None or survey.asymmetry == 0 or survey.n_missing:
        return np.ascontiguousarray(upper), found
    mended = SYMMETRIZERS[policy](upper, lower.T)
    changes = [np.abs(mended - half) for half in (upper, lower.T)[: len(halves)]]
    n_changed = sum(int((change > 0).sum()) for change in changes)
    largest = max(float(change.max()) for change in changes)
    return mended, replace(found, n_changed=n_changed, change=largest)


def _first_missing(halves: Sequence[Array], rows: slice, cols: slice) -> tuple[int, int]:
    starts = (rows.start, cols.start), (cols.start, rows.start)
    found = []
    for half, (top, left) in zip(halves, starts, strict=False):
        places = np.argwhere(~np.isfinite(half))
        found += [(top + int(i), left + int(j)) for i, j in places[:1]]
    return min(found)


def check_findings(
    found: Sequence[Findings], policy: str | None, n_objects: int, dtype: np.dtype[Any]
) -> None:
    """Refuse, with the words for any matrix, what the tiles together show to be no relation."""
    surveys = [each.survey for each in found]
    n_missing, n_infinite = sum(s.n_missing for s in surveys), sum(s.n_infinite for s in surveys)
    if n_missing:
        first = min(each.first for each in found if each.survey.n_missing)
        raise nonfinite_error(n_missing - n_infinite, n_infinite, first, "source")
    lowest, largest = min(s.lowest for s in surveys), max(s.largest for s in surveys)
    check_range(np.empty(0, dtype), lowest, largest, "source")
    eps = float(np.finfo(dtype).eps)
    if lowest < -100 * eps * largest:
        raise negative_error(sum(each.n_negative for each in found), lowest, "source")
    rounding = float(np.sqrt(eps)) * largest
    worst = max(found, key=lambda each: each.survey.asymmetry)
    if worst.survey.asymmetry > rounding:
        if policy is None:
            survey = replace(worst.survey, largest=largest)
            raise asymmetry_error(survey, worst.there, worst.back, "source", "DaskRelation")
        n_changed = sum(each.n_changed for each in found)
        change = max(each.change for each in found)
        warn_changed(policy, n_changed, n_objects**2, change, "source")
    far = max(found, key=lambda each: each.survey.largest_diagonal)
    if far.survey.largest_diagonal > rounding:
        raise diagonal_error(far.furthest, far.survey.largest_diagonal, "source")
