"""Measures of time series, equal in length or not, by aeon."""

import warnings
from functools import partial
from typing import Any

import numpy as np

from relrbf._typing import Array
from relrbf.exceptions import RelationError
from relrbf.measures.named.entry import SLOW, Named, Params, library

KNOWN = {
    "dtw": "dynamic time warping: squared differences, no root (read it with exponent=1)",
    "ddtw": "dynamic time warping of slopes",
    "wdtw": "dynamic time warping, less for steps off the diagonal",
    "wddtw": "the same of slopes",
    "adtw": "dynamic time warping with a price for every warp (params: warp_penalty)",
    "shape_dtw": "dynamic time warping of neighbourhoods",
    "erp": "edits with a real price: a metric",
    "edr": "edits until all is within epsilon, as a share",
    "lcss": "1 - share of the longest common subsequence within epsilon",
    "msm": "move, split and merge: a metric",
    "twe": "edits priced by time as well: a metric",
    "sbd": "1 - largest cross-correlation: shapes, whatever their shift",
}


def _between(name: str, rows: list[Array], cols: list[Array], **params: Any) -> Array:
    distances = library("aeon.distances", "aeon", f"measure={name!r}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # numba's, about aeon's own code
        return distances.pairwise_distance(rows, cols, method=name, **params)


def _prepare(name: str, objects: Any, params: Params) -> tuple[list[Array], Params]:
    library("aeon.distances", "aeon", f"measure={name!r}")
    return [_as_series(name, i, each) for i, each in enumerate(objects)], params


def _as_series(name: str, i: int, given: Any) -> Array:
    """Return one series as channels × times, in double precision as aeon computes it."""
    try:
        series = np.atleast_2d(np.asarray(given, dtype=np.float64))
    except (TypeError, ValueError):
        raise RelationError(
            f"measure={name!r} is about series of numbers; objects[{i}] is {given!r:.80}."
        ) from None
    if series.ndim != 2 or series.size == 0 or not np.isfinite(series).all():
        raise RelationError(
            f"objects[{i}] has shape {np.shape(given)} and {int((~np.isfinite(series)).sum())} "
            "entries that are no finite numbers; a series is a flat array of times, or channels × "
            "times, without gaps. Cut off padding, and fill gaps."
        )
    return np.ascontiguousarray(series)


SERIES = tuple(
    Named(
        name,
        text,
        "aeon",
        "series",
        partial(_prepare, name),
        partial(_between, name),
        SLOW,
        "processes",  # compiled code that holds Python's lock
    )
    for name, text in KNOWN.items()
)
