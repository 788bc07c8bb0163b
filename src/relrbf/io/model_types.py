"""What a model file may hold: every estimator and record, their fields, and what a field may be.

A field is described by a tuple of types, a frozenset of values, a list of the types of a list's
entries, a dict of descriptions, or a text: ``"float c g"`` is an array of floats of c × g,
``"index m <n"`` one of m positions below n, ``"names n"`` one of n names, ``"size n"`` the number
n itself, and ``?`` says that there may be None. The same letter is the same size throughout a
model: c prototypes, g outputs, m objects of the support, n training objects, w columns of X.
``ANY`` is an option, which is checked with all others.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from enum import Enum
from types import NoneType
from typing import Any, TypeAlias
from warnings import catch_warnings

import numpy as np

from relrbf.autotune import Evidence
from relrbf.clustering import RelationalFuzzyCMeans, RelationalKMeans
from relrbf.embeddings import (
    ClassicalMDS,
    DissimilarityRows,
    LandmarkMDS,
    MetricLearningMDS,
    NearestEuclideanMDS,
    ProximalMDS,
    SearchStatus,
)
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
from relrbf.training import LBFGS, GradientDescent, History, Status

Fields: TypeAlias = Mapping[str, Any]
MAX_WORKERS = 2**12  # that a file may ask for
ARRAY_KINDS = {"float": "f", "index": "i", "names": "biufUSMmO"}  # of dtypes
ANY = object()
WHOLE = (int, np.int64, np.int32)
NUMBER = (*WHOLE, float, np.float64, np.float32)
EXPONENT = frozenset({1, 2})
OUTPUTS = frozenset({"default", "pandas", "polars", None})
BY_EXPONENT = {kind: {1: (kind,), 2: (kind,)} for kind in (float, bool)}

OPTION_TYPES: tuple[Any, ...] = (*KERNELS.values(), GradientDescent, LBFGS)
ENUMS: dict[str, type[Enum]] = {kind.__name__: kind for kind in (Status, SearchStatus)}
RECORDS: dict[Any, Fields] = {
    **{kind: {each.name: ANY for each in fields(kind)} for kind in OPTION_TYPES},
    Network: {
        "kernel": tuple(KERNELS.values()),
        "bandwidths": "float c",
        "weights": "float c g",
        "bias": "float g",
    },
    FixedPrototypes: {
        "n_objects": "size n",
        "objects": "index m <n",
        "own": "float c m",
        "offsets": "float c",
        "known_sq": "float c known",
        "near": "index? c near <n",
        "ids": "names? n",
    },
    CentredObjects: {"mean": "float w", "vectors": "float n w", "norms_sq": "float n"},
    VectorPrototypes: {
        "centred": "float c w",
        "objects": (CentredObjects,),
        "ids": "names? n",
    },
    History: {
        "objective": [*NUMBER],
        "validation_error": [*NUMBER],
        "n_prototypes": [*WHOLE],
        "rejected": [*WHOLE],
        "grown": [tuple],
        "best_epoch": WHOLE,
    },
    RelationReport: {
        "n_objects": WHOLE,
        "n_inspected": WHOLE,
        "n_duplicate_objects": WHOLE,
        "smallest_eigenvalue": BY_EXPONENT[float],
        "negative_eigenfraction": BY_EXPONENT[float],
        "has_vector_dual": BY_EXPONENT[bool],
        "suggested_exponent": EXPONENT,
    },
    Evidence: {
        "n_support": WHOLE,
        "negative_distances": NUMBER,
        "bandwidth": NUMBER,
        "width": NUMBER,
        "error": NUMBER,
        "tried": "float tried 3",
    },
    ColumnSource: {
        "n_columns": "size w",
        "support": "index m <w",
        "exponent": EXPONENT,
        "ids": "names? w",
        "self_similarity": (*NUMBER, NoneType),
    },
    MetricSource: {
        "objects": "float m w",
        "exponent": EXPONENT,
        "metric": frozenset(METRICS),
        "metric_params": (dict, NoneType),
        "n_jobs": (*WHOLE, NoneType),
    },
    VectorSource: {},
    MetricRelation: {"objects": (list,), "ids": "names? m", "dtype": ANY},
    ObjectSource: {"relation": (MetricRelation,), "exponent": EXPONENT},
    Placement: {"axes": "float m *", "means": "float m"},
    KnownObjects: {
        "_dtype": ANY,
        "_scale": NUMBER,
        "_units": "float n",
        "_directions": "float n projections",
        "_projections": "float n projections",
    },
}
RECORD_NAMES: dict[str, type] = {kind.__name__: kind for kind in RECORDS}
LOCAL_FIELDS = {GradientDescent: ("checkpoint",)}  # that mean something on one machine only

SHAPED: Fields = {"n_features_in_": "size w", "feature_names_in_": "names w"}
OUTPUT: Fields = {"_sklearn_output_config": {"transform": OUTPUTS}}
SOURCE: Fields = {
    "_source": (ColumnSource, MetricSource, ObjectSource, VectorSource),
    "exponent_": EXPONENT,
}
PLACED: Fields = {
    "prototypes_": (FixedPrototypes, VectorPrototypes),
    "support_": "index m <n",
    **SOURCE,
    "relation_report_": (RelationReport,),
    "n_iter_": WHOLE,
}
NETWORK: Fields = {
    **PLACED,
    "bandwidths_": "float c",
    "weights_": "float c g",
    "bias_": "float g",
    "_network": (Network,),
    "alpha_": NUMBER,
    "status_": (Status,),
    "history_": (History,),
    "n_evaluations_": WHOLE,
    "_evidence": (Evidence,),
}
CLUSTERS: Fields = {
    **PLACED,
    "inertia_": NUMBER,
    "labels_": "index n <c",
    "_tie": NUMBER,
}
EMBEDDING: Fields = {
    "embedding_": "float n k",
    "eigenvalues_": "float k",
    "support_": "index m <n",
    "_placement": (Placement,),
    **SOURCE,
}
SEARCHED: Fields = {"n_iter_": WHOLE, "status_": (SearchStatus,)}


@dataclass(frozen=True)
class ModelType:
    """An estimator, what checks its options, and what it has once it is fitted."""

    kind: Any
    check_options: Callable[[Any], None]
    fitted: Fields
    optional: Fields


def _network(kind: type, **more: Any) -> ModelType:
    return ModelType(kind, check_options, {**NETWORK, **more}, {**SHAPED, **OUTPUT})


def _clusterer(kind: type, **more: Any) -> ModelType:
    return ModelType(kind, lambda model: model._check_options(), {**CLUSTERS, **more}, SHAPED)


def _embedding(kind: type, **more: Any) -> ModelType:
    optional = {**SHAPED, **OUTPUT, "relation_report_": (RelationReport,)}
    return ModelType(kind, lambda model: model._check_options(), {**EMBEDDING, **more}, optional)


MODELS: dict[str, ModelType] = {
    model.kind.__name__: model
    for model in (
        _network(
            RBFNetworkClassifier,
            classes_="names g",
            probability_scale_=NUMBER,
            probability_smoothing_=NUMBER,
        ),
        _network(RBFNetworkRegressor, _is_flat=(bool,)),
        _clusterer(RelationalKMeans),
        _clusterer(
            RelationalFuzzyCMeans,
            memberships_="float n c",
            beta_=NUMBER,
            _norms_sq="float c 1",
        ),
        _embedding(ClassicalMDS, negative_eigenfraction_=NUMBER),
        _embedding(LandmarkMDS, negative_eigenfraction_=NUMBER),
        _embedding(ProximalMDS, shift_=NUMBER, _known=(KnownObjects,)),
        _embedding(
            NearestEuclideanMDS,
            distance_=NUMBER,
            gap_=NUMBER,
            _known=(KnownObjects,),
            _whole=(Placement,),
            _coordinates="float n whole",
            **SEARCHED,
        ),
        _embedding(MetricLearningMDS, metric_="float f f", **SEARCHED),
        ModelType(
            DissimilarityRows,
            check_space_and_metric,
            {"support_": "index m <m", "_source": SOURCE["_source"]},
            {**SHAPED, **OUTPUT},
        ),
    )
}


def make_record(kind: Any, values: dict[str, Any], model: Any) -> Any:
    """Return a record with these fields, which belongs to a model of known options."""
    if set(values) != set(RECORDS[kind]):
        other = sorted({*values} ^ {*RECORDS[kind]})
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
    expected = MODELS[type(model).__name__]
    other = sorted((set(fitted) - set(expected.optional)) ^ set(expected.fitted))
    if other:
        raise ModelFileError(f"the model has more or fewer attributes: {other!s:.80}")
    expected.check_options(model)
    _check_workers(model.n_jobs)
    sizes: dict[str, int] = {}
    for name, description in {**expected.optional, **expected.fitted}.items():
        if name in fitted:
            check(fitted[name], description, sizes, name)
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
        if type(value) in RECORDS:
            found = {name: getattr(value, name) for name in RECORDS[type(value)]}
            check(found, RECORDS[type(value)], sizes, where)


def _check_sizes(value: Any, expected: str, sizes: dict[str, int], where: str) -> None:
    kind, *letters = expected.split()
    if value is None and kind.endswith("?"):
        return
    if kind == "size":
        _require(type(value) in WHOLE, value, where)
        _check_size(int(value), letters[0], sizes, where)
        return
    below = letters.pop()[1:] if letters[-1].startswith("<") else None
    kinds = ARRAY_KINDS[kind.removesuffix("?")]
    is_array = isinstance(value, np.ndarray) and value.dtype.kind in kinds
    _require(is_array and value.ndim == len(letters), value, where)
    for letter, length in zip(letters, value.shape, strict=True):
        _check_size(length, letter, sizes, where)
    if below is not None and value.size:
        _require(value.min() >= 0 and value.max() < sizes[below], value, where)


def _check_size(length: int, letter: str, sizes: dict[str, int], where: str) -> None:
    """Refuse a size that is another elsewhere; a digit is itself, and * any."""
    if letter == "*":
        return
    known = int(letter) if letter.isdigit() else sizes.setdefault(letter, length)
    if length != known:
        raise ModelFileError(f"{where} has a size of {length} where others have {known}")


def _check_workers(n_jobs: Any) -> None:
    is_right = n_jobs is None or (type(n_jobs) in WHOLE and 0 < abs(n_jobs) <= MAX_WORKERS)
    _require(is_right, n_jobs, "n_jobs")


def _check_source(model: Any, fitted: dict[str, Any]) -> None:
    """Refuse a source of dissimilarities that does not suit the options."""
    expected = _source_type(model)
    source: Any = fitted["_source"]
    if type(source) is not expected:
        raise ModelFileError(f"its options ask for {expected.__name__}, and it has another source")
    if expected is not ObjectSource and "n_features_in_" not in fitted:
        raise ModelFileError("the model has no n_features_in_")
    if isinstance(source, MetricSource):
        _check_workers(source.n_jobs)
        with catch_warnings(action="ignore"):  # do the metric's parameters exist?
            metric_dissimilarities(
                source.objects[:1], source.objects, source.metric, source.metric_params, None
            )


def _source_type(model: Any) -> type:
    if model.space == "vector":
        return VectorSource
    if callable(model.metric):
        return ObjectSource
    return ColumnSource if is_precomputed(model.metric) else MetricSource


def _check_prototypes(prototypes: Any, is_vector: bool) -> None:
    if prototypes is not None and is_vector != isinstance(prototypes, VectorPrototypes):
        raise ModelFileError("its prototypes are not of its space")
    if isinstance(prototypes, FixedPrototypes):
        width = prototypes.n_objects if prototypes.near is None else len(prototypes.objects)
        if prototypes.known_sq.shape[1] != width:
            raise ModelFileError(
                f"prototypes_.known_sq has {prototypes.known_sq.shape[1]} columns, and not {width}"
            )


def _require(is_right: bool, value: Any, where: str) -> None:
    if not is_right:
        raise ModelFileError(f"{where} cannot be {value!r:.60}")
