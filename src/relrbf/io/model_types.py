"""What a model file may hold: every estimator and record, their fields, and what a field may be.

A field is described by a tuple of types, a frozenset of values, a list of the types of a list's
entries, a dict of descriptions, or a text: ``"float c g"`` is an array of floats of c × g,
``"index m <n"`` one of m positions below n, ``"names n"`` one of n names, ``"size n"`` the number
n itself, and ``?`` says that there may be None. The same letter is the same size throughout a
model: c prototypes, g outputs, m objects of the support, n training objects, w columns of X.
``ANY`` is an option, which is checked with all others.
"""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from types import NoneType
from typing import Any, TypeAlias
from warnings import catch_warnings

import numpy as np

from relrbf import embeddings
from relrbf.autotune import Evidence
from relrbf.clustering import RelationalFuzzyCMeans, RelationalKMeans
from relrbf.embeddings.spectrum import Placement
from relrbf.estimators import RBFNetworkClassifier, RBFNetworkRegressor
from relrbf.estimators.validation import check_options
from relrbf.exceptions import ModelFileError
from relrbf.network import KERNELS, Network
from relrbf.prototypes import FixedPrototypes, VectorPrototypes
from relrbf.prototypes.vector import CentredObjects
from relrbf.relations.conversion import METRICS, check_space_and_metric
from relrbf.relations.metrics import metric_dissimilarities
from relrbf.relations.objects import MetricRelation
from relrbf.relations.properties import KnownObjects, RelationReport
from relrbf.relations.queries import ColumnSource, MetricSource, ObjectSource, VectorSource
from relrbf.relations.validation import is_precomputed
from relrbf.training import SOLVERS, GradientDescent, History, Status

Fields: TypeAlias = Mapping[str, Any]
MAX_WORKERS = 2**12  # that a file may ask for
ARRAY_KINDS = {"float": "f", "index": "i", "names": "biufUSMmO"}  # of dtypes
ANY = object()
WHOLE = (int, np.int64, np.int32)
NUMBER = (*WHOLE, float, np.float64, np.float32)
EXPONENT = frozenset({1, 2})
BY_ANNOTATION: dict[Any, Any] = {
    int: WHOLE,
    int | None: (*WHOLE, NoneType),
    float: NUMBER,
    float | None: (*NUMBER, NoneType),
    list[int]: [*WHOLE],
    list[float]: [*NUMBER],
    list[tuple[int, int]]: [tuple],
    dict[int, float]: {1: (float,), 2: (float,)},  # by exponent
    dict[int, bool]: {1: (bool,), 2: (bool,)},
    dict[str, Any] | None: (dict, NoneType),
    CentredObjects: (CentredObjects,),
}


def _describe(kind: Any, given: Fields) -> Fields:
    """Return what the fields of a record may be: as given, or else as they are annotated."""
    others = [each for each in fields(kind) if each.name not in given] if is_dataclass(kind) else []
    return {**given, **{each.name: BY_ANNOTATION[each.type] for each in others}}


OPTION_TYPES: tuple[Any, ...] = (*KERNELS.values(), *SOLVERS.values())
ENUMS: dict[str, type[Enum]] = {kind.__name__: kind for kind in (Status, embeddings.SearchStatus)}
RECORDS: dict[Any, Fields] = {
    kind: dict.fromkeys(getattr(kind, "__match_args__", ()), ANY) for kind in OPTION_TYPES
}
_DESCRIPTIONS: dict[Any, Fields] = {
    Network: {
        "kernel": tuple(KERNELS.values()),
        **{"bandwidths": "float c", "weights": "float c g", "bias": "float g"},
    },
    FixedPrototypes: {
        **{"n_objects": "size n", "objects": "index m <n", "ids": "names? n"},
        **{"own": "float c m", "offsets": "float c"},
        **{"known_sq": "float c known", "near": "index? c near <n"},
    },
    CentredObjects: {"mean": "float w", "vectors": "float n w", "norms_sq": "float n"},
    VectorPrototypes: {"centred": "float c w", "ids": "names? n"},
    History: {},
    RelationReport: {"suggested_exponent": EXPONENT},
    Evidence: {"tried": "float tried 3"},
    ColumnSource: {
        **{"n_columns": "size w", "support": "index m <w", "ids": "names? w"},
        "exponent": EXPONENT,
    },
    MetricSource: {"objects": "float m w", "exponent": EXPONENT, "metric": frozenset(METRICS)},
    VectorSource: {},
    MetricRelation: {"objects": (list,), "ids": "names? m", "dtype": ANY},
    ObjectSource: {"relation": (MetricRelation,), "exponent": EXPONENT},
    Placement: {"axes": "float m *", "means": "float m"},
    KnownObjects: {
        **{"_dtype": ANY, "_scale": NUMBER, "_units": "float n"},
        **dict.fromkeys(("_directions", "_projections"), "float n projections"),
    },
}
RECORDS |= {kind: _describe(kind, given) for kind, given in _DESCRIPTIONS.items()}
RECORD_NAMES: dict[str, type] = {kind.__name__: kind for kind in RECORDS}
LOCAL_FIELDS = {GradientDescent: ("checkpoint",)}  # that mean something on one machine only

OPTIONAL: Fields = {
    **{"n_features_in_": "size w", "feature_names_in_": "names w"},
    "_sklearn_output_config": {"transform": frozenset({"default", "pandas", "polars", None})},
    "relation_report_": (RelationReport,),
}
ROWS: Fields = {
    "support_": "index m <n",
    "_source": (ColumnSource, MetricSource, ObjectSource, VectorSource),
}
SOURCE: Fields = {**ROWS, "exponent_": EXPONENT}
PLACED: Fields = {
    "prototypes_": (FixedPrototypes, VectorPrototypes),
    **SOURCE,
    "relation_report_": (RelationReport,),
    "n_iter_": WHOLE,
}
NETWORK: Fields = {
    **PLACED,
    **{"bandwidths_": "float c", "weights_": "float c g", "bias_": "float g"},
    **{"_network": (Network,), "_evidence": (Evidence,), "alpha_": NUMBER},
    **{"status_": (Status,), "history_": (History,), "n_evaluations_": WHOLE},
}
CLUSTERS: Fields = {**PLACED, "inertia_": NUMBER, "labels_": "index n <c", "_tie": NUMBER}
EMBEDDING: Fields = {
    **{"embedding_": "float n k", "eigenvalues_": "float k", "_placement": (Placement,)},
    **SOURCE,
}
SEARCHED: Fields = {**EMBEDDING, "n_iter_": WHOLE, "status_": (embeddings.SearchStatus,)}
# what each estimator has once it is fitted
MODELS: dict[Any, Fields] = {
    RBFNetworkClassifier: {
        **NETWORK,
        "classes_": "names g",
        "probability_scale_": NUMBER,
        "probability_smoothing_": NUMBER,
    },
    RBFNetworkRegressor: {**NETWORK, "_is_flat": (bool,)},
    RelationalKMeans: CLUSTERS,
    RelationalFuzzyCMeans: {
        **CLUSTERS,
        "memberships_": "float n c",
        "beta_": NUMBER,
        "_norms_sq": "float c 1",
    },
    embeddings.ClassicalMDS: {**EMBEDDING, "negative_eigenfraction_": NUMBER},
    embeddings.LandmarkMDS: {**EMBEDDING, "negative_eigenfraction_": NUMBER},
    embeddings.ProximalMDS: {**EMBEDDING, "shift_": NUMBER, "_known": (KnownObjects,)},
    embeddings.NearestEuclideanMDS: {
        **SEARCHED,
        "distance_": NUMBER,
        "gap_": NUMBER,
        "_known": (KnownObjects,),
        "_whole": (Placement,),
        "_coordinates": "float n whole",
    },
    embeddings.MetricLearningMDS: {**SEARCHED, "metric_": "float f f"},
    embeddings.DissimilarityRows: {**ROWS, "support_": "index m <m"},
}
MODEL_NAMES: dict[str, Any] = {kind.__name__: kind for kind in MODELS}


def make_record(kind: Any, values: dict[str, Any], model: Any) -> Any:
    """Return a record with these fields, which belongs to a model of known options."""
    if other := sorted({*values} ^ {*RECORDS[kind]}):
        raise ModelFileError(f"a {kind.__name__} has more or fewer fields: {other!s:.80}")
    if kind is MetricRelation:
        return _make_metric_relation(values, model)
    if kind is not KnownObjects:
        return kind(**values)
    known = KnownObjects.__new__(KnownObjects)
    vars(known).update(values)
    return known


def _make_metric_relation(values: dict[str, Any], model: Any) -> Any:
    """Return the support's objects, to be compared by the metric that the user gives."""
    check(values, RECORDS[MetricRelation], {}, "MetricRelation")
    support = values["objects"]
    relation = MetricRelation(
        support if len(support) > 1 else 2 * support,  # a relation needs two objects
        model.metric,
        measure_params=model.metric_params,
        check_symmetry=False,
        dtype=values["dtype"],
        n_jobs=model.n_jobs,
    ).alone(np.arange(len(support)))
    relation.ids = values["ids"]
    return relation


def check_model(model: Any, fitted: dict[str, Any]) -> None:
    """Refuse options, and attributes of a fitted model, that no fit gives."""
    expected, sizes = {**OPTIONAL, **MODELS[type(model)]}, dict[str, int]()
    if other := sorted({*MODELS[type(model)]} - {*fitted} | {*fitted} - {*expected}):
        raise ModelFileError(f"the model has more or fewer attributes: {other!s:.80}")
    if isinstance(model, RBFNetworkClassifier | RBFNetworkRegressor):
        check_options(model)
    elif isinstance(model, embeddings.DissimilarityRows):
        check_space_and_metric(model)
    else:
        model._check_options()
    _check_workers(model.n_jobs)
    for name in expected:
        if name in fitted:
            check(fitted[name], expected[name], sizes, name)
    _check_source(model, fitted)
    _check_prototypes(fitted.get("prototypes_"), type(fitted["_source"]) is VectorSource)


def check(value: Any, expected: Any, sizes: dict[str, int], where: str) -> None:
    """Refuse a value that is not as described; sizes that were met so far are known by letter."""
    if expected is ANY:
        return
    if isinstance(expected, str):
        _check_sizes(value, expected, sizes, where)
    elif isinstance(expected, frozenset):
        _require(type(value) in (int, float, str, NoneType) and value in expected, value, where)
    elif isinstance(expected, list):
        is_right = type(value) is list and all(type(entry) in expected for entry in value)
        _require(is_right, value, where)
    elif isinstance(expected, Mapping):
        _require(type(value) is dict and value.keys() == expected.keys(), value, where)
        for name in expected:
            check(value[name], expected[name], sizes, f"{where}.{name}")
    else:
        _require(type(value) in expected, value, where)
        for name, described in RECORDS.get(type(value), {}).items():
            check(getattr(value, name), described, sizes, f"{where}.{name}")


def _check_sizes(value: Any, expected: str, sizes: dict[str, int], where: str) -> None:
    kind, *letters = expected.split()
    if value is None and kind.endswith("?"):
        return
    below = letters.pop()[1:] if letters[-1].startswith("<") else None
    if kind == "size":
        _require(type(value) in WHOLE, value, where)
        shape = (int(value),)
    else:
        is_array = isinstance(value, np.ndarray) and value.ndim == len(letters)
        kinds = ARRAY_KINDS[kind.removesuffix("?")]
        _require(is_array and value.dtype.kind in kinds, value, where)
        shape = value.shape
    for letter, length in zip(letters, shape, strict=True):  # a digit is itself, and * any
        known = int(letter) if letter.isdigit() else sizes.setdefault(letter, length)
        if length != known and letter != "*":
            raise ModelFileError(f"{where} has a size of {length} where others have {known}")
    if below is not None and value.size:
        _require(value.min() >= 0 and value.max() < sizes[below], value, where)


def _check_workers(n_jobs: Any) -> None:
    is_right = n_jobs is None or (type(n_jobs) in WHOLE and 0 < abs(n_jobs) <= MAX_WORKERS)
    _require(is_right, n_jobs, "n_jobs")


def _check_source(model: Any, fitted: dict[str, Any]) -> None:
    """Refuse a source of dissimilarities that does not suit the options."""
    expected: type = ColumnSource if is_precomputed(model.metric) else MetricSource
    if model.space == "vector" or callable(model.metric):
        expected = VectorSource if model.space == "vector" else ObjectSource
    source: Any = fitted["_source"]
    if type(source) is not expected:
        raise ModelFileError(f"its options ask for {expected.__name__}, and it has another source")
    if expected is not ObjectSource and "n_features_in_" not in fitted:
        raise ModelFileError("the model has no n_features_in_")
    if isinstance(source, MetricSource):
        _check_workers(source.n_jobs)
        X, metric, params = source.objects, source.metric, source.metric_params
        with catch_warnings(action="ignore"):  # do the metric's parameters exist?
            metric_dissimilarities(X[:1], X, metric, params, None)


def _check_prototypes(prototypes: Any, is_vector: bool) -> None:
    if prototypes is not None and is_vector != isinstance(prototypes, VectorPrototypes):
        raise ModelFileError("its prototypes are not of its space")
    if isinstance(prototypes, FixedPrototypes):
        n_known = prototypes.known_sq.shape[1]
        width = prototypes.n_objects if prototypes.near is None else len(prototypes.objects)
        if n_known != width:
            raise ModelFileError(f"prototypes_.known_sq has {n_known} columns, and not {width}")


def _require(is_right: bool, value: Any, where: str) -> None:
    if not is_right:
        raise ModelFileError(f"{where} cannot be {value!r:.60}")
