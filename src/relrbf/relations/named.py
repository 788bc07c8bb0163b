"""Measures by name, each computed by a library that is imported when it is used.

To add a measure, add one line to ``MEASURES``, under its library: the name and what it measures,
with the library's own name before that where it differs. A new library is one more ``Library``: how
it prepares objects, and how it compares two lists of them.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.metrics import pairwise_distances

from relrbf._typing import Array
from relrbf._utils import import_library
from relrbf.exceptions import RelationError
from relrbf.relations.metrics import complete_params
from relrbf.relations.objects import as_object_list
from relrbf.relations.validation import as_matrix

Params: TypeAlias = dict[str, Any]
FAST_SIDE, SLOW_SIDE = 512, 128  # objects on a side of a block: a pair takes nanoseconds, or longer
BINARY_METRICS = ("dice", "rogerstanimoto", "sokalsneath", "yule")


@dataclass(frozen=True)
class Library:
    """A library that compares objects of one kind.

    ``prepare`` takes a measure's name, objects and parameters, validates them and returns what
    ``compare`` takes after the library's name of the measure: some objects (rows), others
    (columns), and the parameters.
    """

    kind: str  # "vectors", "strings", "series" or "molecules"
    package: str  # to be installed
    prepare: Callable[[str, Any, Params], tuple[Any, Params]]
    compare: Callable[..., Array]
    side: int = FAST_SIDE
    backend: str = "threads"  # or "processes": what is faster on several cores


@dataclass(frozen=True)
class NamedMeasure:
    """One of a library's measures."""

    library: Library
    library_name: str
    description: str


@dataclass(frozen=True)
class NamedMetric:
    """A measure by name, as a function of two lists of objects."""

    name: str

    def __call__(self, rows: Any, cols: Any, **params: Any) -> Array:
        """Return the dissimilarities of all pairs."""
        named = NAMED[self.name]
        prepared, params = named.library.prepare(self.name, rows, params)
        others, _ = named.library.prepare(self.name, cols, params)
        return named.library.compare(named.library_name, prepared, others, **params)


def takes_objects(metric: Any) -> bool:
    """Tell whether a metric compares objects of any kind, and not vectors only."""
    is_named = isinstance(metric, str) and metric in NAMED
    return callable(metric) or (is_named and NAMED[metric].library.kind != "vectors")


def list_objects(metric: str, objects: Any) -> list[Any]:
    """Return objects for a named measure as a list; a table of one column is that column."""
    if hasattr(objects, "to_numpy"):
        objects = objects.to_numpy()
    is_column = isinstance(objects, np.ndarray) and objects.ndim == 2 and objects.shape[1] == 1
    if is_column and NAMED[metric].library.kind != "series":
        objects = objects[:, 0]
    listed, _ = as_object_list(objects, "X", False)
    NAMED[metric].library.prepare(metric, listed, {})  # refuses what is no such object
    return [str(each) if isinstance(each, str) else each for each in listed]


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
        name: f"{named.library.kind}: {named.description} ({named.library.package})"
        for name, named in NAMED.items()
    }


def _prepare_vectors(name: str, objects: Any, params: Params) -> tuple[Array, Params]:
    vectors = as_matrix(objects, "objects")
    if name in BINARY_METRICS and not np.isin(vectors, (0, 1)).all():
        raise RelationError(
            f"measure={name!r} is about 0 and 1, and objects holds other numbers. Say what is "
            "meant, for example with objects > 0."
        )
    return vectors, complete_params(vectors, name, params) or {}


def _compare_by_scipy(metric: str, rows: Array, cols: Array, **params: Any) -> Array:
    return cdist(rows, cols, metric, **params)


def _compare_by_sklearn(metric: str, rows: Array, cols: Array, **params: Any) -> Array:
    return pairwise_distances(rows, cols, metric=metric, **params)


def _prepare_strings(name: str, objects: Any, params: Params) -> tuple[list[str], Params]:
    import_library("rapidfuzz.process", "rapidfuzz", f"measure={name!r}")
    return _as_strings(name, objects), params


def _as_strings(name: str, objects: Any) -> list[str]:
    for i, text in enumerate(objects):
        if not isinstance(text, str):
            raise RelationError(
                f"measure={name!r} is about strings; objects[{i}] is {text!r:.80}. Leave out what "
                "is missing, and turn the others into strings."
            )
    return [str(text) for text in objects]  # numpy's own strings, too


def _compare_strings(scorer: str, rows: list[str], cols: list[str], **params: Any) -> Array:
    from rapidfuzz import distance, process

    group, function = scorer.split(".")
    compare = getattr(getattr(distance, group), function)
    return process.cdist(rows, cols, scorer=compare, scorer_kwargs=params, dtype=np.float64)


def _prepare_series(name: str, objects: Any, params: Params) -> tuple[list[Array], Params]:
    import_library("aeon.distances", "aeon", f"measure={name!r}")
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


def _compare_series(method: str, rows: list[Array], cols: list[Array], **params: Any) -> Array:
    distances = import_library("aeon.distances", "aeon", f"measure={method!r}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # numba's, about aeon's own code
        # first series of unequal and second ones of equal length: aeon 1 reads beyond its window
        n_lengths = [len({each.shape[1] for each in some}) for some in (rows, cols)]
        if n_lengths[0] > 1 and n_lengths[1] == 1:
            return distances.pairwise_distance(cols, rows, method=method, **params).T
        return distances.pairwise_distance(rows, cols, method=method, **params)


def _prepare_molecules(name: str, objects: Any, params: Params) -> tuple[np.ndarray, Params]:
    """Return Morgan fingerprints as rows of bits."""
    chem, generators, base = (
        import_library(f"rdkit.{module}", "rdkit", f"measure={name!r}")
        for module in ("Chem", "Chem.rdFingerprintGenerator", "rdBase")
    )
    morgan = generators.GetMorganGenerator(**({"radius": 2, "fpSize": 2048} | params))
    bits = []
    for i, text in enumerate(_as_strings(name, objects)):
        with base.BlockLogs():
            molecule = chem.MolFromSmiles(text)
        if molecule is None or molecule.GetNumAtoms() == 0:
            raise RelationError(f"objects[{i}] is {text!r:.80}, which is no molecule in SMILES.")
        bits.append(morgan.GetFingerprintAsNumPy(molecule))
    return np.array(bits, dtype=np.uint8), {}


def _compare_molecules(_: str, rows: np.ndarray, cols: np.ndarray) -> Array:
    """Return 1 - shared bits over bits in either; counts of bits are exact in single precision."""
    both = (rows.astype(np.float32) @ cols.T.astype(np.float32)).astype(np.float64)
    either = rows.sum(axis=1)[:, None] + cols.sum(axis=1) - both
    return 1 - both / either


SCIPY = Library("vectors", "scipy", _prepare_vectors, _compare_by_scipy)
SKLEARN = Library("vectors", "scikit-learn", _prepare_vectors, _compare_by_sklearn)
RAPIDFUZZ = Library("strings", "rapidfuzz", _prepare_strings, _compare_strings)
# compiled code that holds Python's lock
AEON = Library("series", "aeon", _prepare_series, _compare_series, SLOW_SIDE, "processes")
RDKIT = Library("molecules", "rdkit", _prepare_molecules, _compare_molecules)

# Left out: scipy's russellrao, by which an object is not at 0 from itself, and scikit-learn's
# nan_euclidean, whose squares cancel.
MEASURES: dict[Library, dict[str, str | tuple[str, str]]] = {
    SCIPY: {
        "braycurtis": "sum of differences over sum of sums",
        "canberra": "differences relative to sizes, summed",
        "chebyshev": "the largest difference",
        "cityblock": "sum of absolute differences",
        "correlation": "1 - Pearson correlation",
        "cosine": "1 - cosine of the angle",
        "dice": "of 0 and 1: what is not shared, shared counting twice",
        "euclidean": "straight-line distance",
        "hamming": "share of entries that differ",
        "jaccard": "share that differs of what is not 0 in both",
        "jensenshannon": "root of the Jensen-Shannon divergence of two distributions",
        "mahalanobis": "distance in units of the covariance (params: VI, default from the data)",
        "minkowski": "p-norm of the difference (params: p)",
        "rogerstanimoto": "of 0 and 1: what differs, counted twice",
        "seuclidean": "distance in units of the variances (params: V, default from the data)",
        "sokalsneath": "of 0 and 1: what differs, counted twice, of what is not 0 in both",
        "sqeuclidean": "squared straight-line distance",
        "yule": "of 0 and 1: from the odds of agreeing",
        "manhattan": ("cityblock", "another name of cityblock"),
        "l1": ("cityblock", "another name of cityblock"),
        "l2": ("euclidean", "another name of euclidean"),
    },
    SKLEARN: {"haversine": "angle between (latitude, longitude) on a sphere, in radians"},
    RAPIDFUZZ: {
        "levenshtein": ("Levenshtein.distance", "insertions, deletions, substitutions"),
        "normalized-levenshtein": ("Levenshtein.normalized_distance", "edits, as a share"),
        "damerau-levenshtein": ("DamerauLevenshtein.distance", "edits, with neighbours swapped"),
        "osa": ("OSA.distance", "edits, with neighbours swapped, no part edited twice"),
        "indel": ("Indel.distance", "insertions and deletions only"),
        "normalized-indel": ("Indel.normalized_distance", "indel over the sum of lengths"),
        "lcs": ("LCSseq.distance", "length of the longer less the longest common subsequence"),
        "jaro": ("Jaro.distance", "1 - Jaro similarity"),
        "jaro-winkler": ("JaroWinkler.distance", "1 - Jaro-Winkler similarity: beginnings count"),
    },
    AEON: {
        "dtw": "dynamic time warping: squared differences, no root (use exponent=1)",
        "ddtw": "dynamic time warping of derivatives",
        "wdtw": "dynamic time warping, less for steps off the diagonal",
        "wddtw": "the same of derivatives",
        "adtw": "dynamic time warping with a price for every warp (params: warp_penalty)",
        "shape_dtw": "dynamic time warping of neighbourhoods",
        "erp": "edits with a real price: a metric",
        "edr": "edits until all is within epsilon, as a share",
        "lcss": "1 - share of the longest common subsequence within epsilon",
        "msm": "move, split and merge: a metric",
        "twe": "edits priced by time as well: a metric",
        "sbd": "1 - largest cross-correlation: shapes, whatever their shift",
    },
    RDKIT: {"tanimoto": "1 - Tanimoto similarity of Morgan fingerprints (params: radius, fpSize)"},
}
NAMED = {
    name: NamedMeasure(library, *((name, entry) if isinstance(entry, str) else entry))
    for library, measures in MEASURES.items()
    for name, entry in measures.items()
}
