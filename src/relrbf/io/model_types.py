"""What a model file may hold: every estimator and record, their fields, and what a field may be.

A field is described by a tuple of types, a frozenset of values, a dict of descriptions, a list of
the description of what stands by exponent (2, 1 and a third one, if it was given), or a text:

- ``"number >0"`` is a positive number, ``"number <=1"`` a share, ``"whole"`` a count, ``"numbers"``
  and ``"wholes"`` are lists of those, and ``"pairs"`` one of two counts each;
- ``"float c g"`` is an array of floats of c × g, ``"float c >0"`` one of positive floats, and
  ``"float c >>0"`` of those whose squares and inverse squares are in range; likewise
  ``"index m <n"`` one of m positions below n, ``"names n"`` one of n names, ``"objects m"`` a list
  of m of anything, and ``"size n"`` the number n itself;
- ``?`` says that there may be None, and ``or`` that there may be an array instead.

Numbers are finite. The same letter is the same size throughout a model: c prototypes, g outputs, m
objects of the support, n training objects, w columns of X. ``ANY`` is an option, which is checked
with all others.
"""

import re
import sys
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from math import inf
from types import NoneType
from typing import Any, TypeAlias
from warnings import catch_warnings

import numpy as np

from relrbf import embeddings
from relrbf.autotune import Evidence
from relrbf.clustering import RelationalFuzzyCMeans, RelationalKMeans
from relrbf.embeddings.spectrum import Placement
from relrbf.estimators import RBFNetworkClassifier, RBFNetworkRegressor
from relrbf.estimators.uncertainty import LeftOutDistances, LeftOutResiduals
from relrbf.estimators.validation import check_options
from relrbf.exceptions import ModelFileError
from relrbf.io.source import limit
from relrbf.network import KERNELS, GeneralizedGaussian, LocallyScaledNetwork, Network
from relrbf.prototypes import FixedPrototypes, ObjectPrototypes, VectorPrototypes
from relrbf.prototypes.vector import CentredObjects
from relrbf.relations.conversion import METRICS, check_space_and_metric
from relrbf.relations.metrics import complete_params, metric_dissimilarities
from relrbf.relations.named import NamedMetric, list_objects, takes_objects
from relrbf.relations.objects import MetricRelation
from relrbf.relations.properties import KnownObjects, RelationReport
from relrbf.relations.queries import ColumnSource, MetricSource, ObjectSource, VectorSource
from relrbf.relations.validation import is_precomputed
from relrbf.torch.estimators import DeepNetwork, DeepRBFClassifier, DeepRBFRegressor
from relrbf.training import SOLVERS, GradientDescent, History, Status

Fields: TypeAlias = Mapping[str, Any]
MAX_WORKERS = 2**8  # that a file may ask for
MAX_COUNT, MAX_SEED = 2**53, 2**32 - 1
MAX_NAME_CHARACTERS = 2**16
LARGEST = sys.float_info.max
BOUNDS = {"": (-inf, inf), ">=0": (0, inf), ">0": (5e-324, inf), ">>0": (1e-153, 1e153)}
BOUNDS |= {"<=1": (0, 1)}
ARRAY_KINDS = {"float": "f", "index": "i", "names": "biufUSMmO"}  # of dtypes
CONTROL = re.compile(r"[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")  # of terminals; halves
ANY = object()
WHOLE = (int, np.int64, np.int32)
NUMBER = (*WHOLE, float, np.float64, np.float32)
DTYPES = (type(np.dtype(np.float32)), type(np.dtype(np.float64)))
EXPONENT = frozenset({1, 2})
BY_ANNOTATION: dict[Any, Any] = {
    int: "whole",
    int | None: (*WHOLE, NoneType),  # of workers
    float: "number",
    float | None: "number?",
    list[int]: "wholes",
    list[float]: "numbers",
    list[tuple[int, int]]: "pairs",
    dict[float, float]: ["number"],
    dict[float, bool]: [(bool,)],
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
_LAYERS: Fields = {
    "kernel": (*KERNELS.values(), GeneralizedGaussian),
    **{"bandwidths": "float c >>0", "weights": "float c g", "bias": "float g"},
}
_DESCRIPTIONS: dict[Any, Fields] = {
    Network: _LAYERS,
    LocallyScaledNetwork: {**_LAYERS, "n_sites": "size sites"},
    DeepNetwork: {
        **{"kernel": tuple(KERNELS.values()), "own": "float k m", "halves": "float k"},
        **{"bandwidths": "float k >>0", "sizes": "wholes", "parameters": "float parameters"},
    },
    GeneralizedGaussian: {"power": "number >0 or float c >0"},
    ObjectPrototypes: {
        **{"n_objects": "size n", "objects": "index m <n", "near": "index m near <m"},
        **{"n_layers": "whole", "ids": "names? n", "relation": (NoneType,)},
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
    Evidence: {"tried": "float tried 4", "layers": "float layers 2"},
    LeftOutDistances: {
        **{"objects": "index? known_objects <n", "own": "float known_objects >=0"},
        **dict.fromkeys(("far", "relative", "products"), "float left >=0"),
        "ranges": "float 3 3 >=0",
    },
    LeftOutResiduals: {"scaled": "float residuals g >=0", "sizes": "float known_objects g >=0"},
    ColumnSource: {
        **{"n_columns": "size w", "support": "index m <w", "ids": "names? w"},
        "exponent": "number >0",
    },
    MetricSource: {"objects": "float m w", "exponent": "number >0", "metric": frozenset(METRICS)},
    VectorSource: {},
    MetricRelation: {"objects": "objects m", "ids": "names? m", "dtype": DTYPES},
    ObjectSource: {"relation": (MetricRelation,), "exponent": "number >0"},
    Placement: {"axes": "float m *", "means": "float m"},
    KnownObjects: {
        **{"_dtype": DTYPES, "_scale": "number >0", "_units": "float n >0"},
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
SOURCE: Fields = {**ROWS, "exponent_": "number >0"}
PLACED: Fields = {
    "prototypes_": (FixedPrototypes, ObjectPrototypes, VectorPrototypes),
    **SOURCE,
    "relation_report_": (RelationReport,),
    "n_iter_": "whole",
}
NETWORK: Fields = {
    **PLACED,
    **{"bandwidths_": "float c >>0", "weights_": "float c g", "bias_": "float g"},
    **{"_network": (Network, LocallyScaledNetwork), "_evidence": (Evidence,)},
    **{"_left_out_distances": (LeftOutDistances,), "alpha_": "number >=0"},
    **{"status_": (Status,), "history_": (History,), "n_evaluations_": "whole"},
}
DEEP: Fields = {
    "n_objects_": "size n",
    **SOURCE,
    "relation_report_": (RelationReport,),
    **{"n_iter_": "whole", "best_epoch_": "whole"},
    **{"validation_curve_": "float curve", "loss_curve_": "float trained"},
    "_teacher": (Network, LocallyScaledNetwork, NoneType),
    "_teacher_prototypes": (FixedPrototypes, ObjectPrototypes, NoneType),
    "_deep": (DeepNetwork, NoneType),
}
CLUSTERS: Fields = {**PLACED, "inertia_": "number", "labels_": "index n <c", "_tie": "number"}
EMBEDDING: Fields = {
    **{"embedding_": "float n k", "eigenvalues_": "float k", "_placement": (Placement,)},
    **SOURCE,
}
SEARCHED: Fields = {**EMBEDDING, "n_iter_": "whole", "status_": (embeddings.SearchStatus,)}
# what each estimator has once it is fitted
MODELS: dict[Any, Fields] = {
    RBFNetworkClassifier: {
        **{**NETWORK, "classes_": "names g"},
        **{"probability_scale_": "number >=0", "probability_smoothing_": "number <=1"},
    },
    RBFNetworkRegressor: {
        **NETWORK,
        **{"_is_flat": (bool,), "_range": "float 2 g"},
        "_left_out_residuals": (LeftOutResiduals,),
    },
    DeepRBFClassifier: {**DEEP, "classes_": "names g", "_calibration": "float 2"},
    DeepRBFRegressor: {
        **DEEP,
        **{"_is_flat": (bool,), "_mean": "float g", "_scale": "float g >0"},
        "_calibration": "float 2 g",
    },
    RelationalKMeans: CLUSTERS,
    RelationalFuzzyCMeans: {
        **{**CLUSTERS, "memberships_": "float n c"},
        **{"beta_": "number", "_norms_sq": "float c 1"},
    },
    embeddings.ClassicalMDS: {**EMBEDDING, "negative_eigenfraction_": "number"},
    embeddings.LandmarkMDS: {**EMBEDDING, "negative_eigenfraction_": "number"},
    embeddings.ProximalMDS: {**EMBEDDING, "shift_": "number", "_known": (KnownObjects,)},
    embeddings.NearestEuclideanMDS: {
        **{**SEARCHED, "distance_": "number", "gap_": "number", "_known": (KnownObjects,)},
        **{"_whole": (Placement,), "_coordinates": "float n whole"},
    },
    embeddings.MetricLearningMDS: {**SEARCHED, "metric_": "float f f"},
    embeddings.DissimilarityRows: {**ROWS, "support_": "index m <m"},
}
MODEL_NAMES: dict[str, Any] = {kind.__name__: kind for kind in MODELS}


def make_record(kind: Any, values: dict[str, Any], model: Any) -> Any:
    """Return a record with these fields, which belongs to a model of known options."""
    if other := sorted({*values} ^ {*RECORDS[kind]}):
        raise ModelFileError(f"a {kind.__name__} has more or fewer fields: {other!s:.80}")
    for name in LOCAL_FIELDS.get(kind, ()):
        _require(values[name] is None, values[name], f"{kind.__name__}.{name}")
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
    is_named = isinstance(model.metric, str) and takes_objects(model.metric)
    if is_named:
        list_objects(model.metric, support)
    relation = MetricRelation(
        support if len(support) > 1 else 2 * support,  # a relation needs two objects
        NamedMetric(model.metric) if is_named else model.metric,
        pairwise=is_named,
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
    seed: Any = getattr(model, "random_state", None)
    _require(type(seed) not in WHOLE or 0 <= seed <= MAX_SEED, seed, "random_state")
    for name in expected:
        if name in fitted:
            check(fitted[name], expected[name], sizes, name)
    if "history_" in fitted:
        n_epochs, n_iter = len(fitted["history_"]), fitted["n_iter_"]
        _require(n_epochs > min(n_iter, 1), n_epochs, "the length of history_")
    _check_source(model, fitted)
    is_vector = type(fitted["_source"]) is VectorSource
    placed = fitted.get("prototypes_", fitted.get("_teacher_prototypes"))
    _check_prototypes(placed, is_vector, sizes.get("c", 0))
    if isinstance(model, DeepRBFClassifier | DeepRBFRegressor):
        deep, parts = fitted["_deep"], (fitted["_teacher"], fitted["_teacher_prototypes"])
        _require(parts.count(None) != 1, parts, "_teacher")
        _require(deep is None or deep.sizes[-1] == sizes["g"], deep, "_deep")
    if "sites" in sizes:
        least, most = (1, sizes["c"]) if is_vector else (sizes["m"], sizes["m"])
        _require(least <= sizes["sites"] <= most, sizes["sites"], "n_sites")
    for name, letter in {"_placement": "k", "_whole": "whole"}.items():
        if name in fitted:
            n_axes = fitted[name].axes.shape[1]
            _require(n_axes == sizes[letter], n_axes, f"the number of {name}.axes")
    if "relation_report_" in fitted:
        is_known = fitted["exponent_"] in fitted["relation_report_"].has_vector_dual
        _require(is_known, fitted["exponent_"], "exponent_")
    exponent = getattr(fitted["_source"], "exponent", None)
    _require(exponent in (None, fitted.get("exponent_", 1)), exponent, "_source.exponent")
    if "_left_out_distances" in fitted:
        _check_known(fitted["_left_out_distances"], is_vector, sizes)


def _check_known(distances: LeftOutDistances, is_vector: bool, sizes: dict[str, int]) -> None:
    known, n_known = distances.objects, sizes["known_objects"]
    if known is None and is_vector:
        raise ModelFileError("its left-out distances are not of its space")
    is_all = known is None and n_known == sizes["m"]
    if not is_vector and not is_all and (known is None or known.max(initial=0) >= sizes["m"]):
        raise ModelFileError(f"it has distances of {n_known} objects, and not {sizes['m']}")


def check(value: Any, expected: Any, sizes: dict[str, int], where: str) -> None:
    """Refuse a value that is not as described; sizes that were met so far are known by letter."""
    if expected is ANY:
        return
    if isinstance(expected, str):
        one, *several = expected.split(" or ")
        described = several[0] if several and isinstance(value, np.ndarray) else one
        _check_described(value, described, sizes, where)
    elif isinstance(expected, frozenset):
        _require(type(value) in (int, float, str, NoneType) and value in expected, value, where)
    elif isinstance(expected, Mapping):
        _require(type(value) is dict and value.keys() == expected.keys(), value, where)
        for name in expected:
            check(value[name], expected[name], sizes, f"{where}.{name}")
    elif isinstance(expected, list):
        _require(type(value) is dict and value.keys() >= {1, 2} and len(value) < 4, value, where)
        for exponent, each in value.items():
            check(exponent, "number >0", sizes, where)
            check(each, expected[0], sizes, f"{where}.{exponent}")
    else:
        _require(type(value) in expected, value, where)
        for name, described in RECORDS.get(type(value), {}).items():
            check(getattr(value, name), described, sizes, f"{where}.{name}")


def _check_described(value: Any, expected: str, sizes: dict[str, int], where: str) -> None:
    kind, *letters = expected.split()
    if value is None and kind.endswith("?"):
        return
    kind, bound = kind.removesuffix("?"), ""
    if letters and letters[-1][0] in "<>":
        bound = letters.pop()
    if kind in ARRAY_KINDS:
        is_array = isinstance(value, np.ndarray) and value.ndim == len(letters)
        _require(is_array and value.dtype.kind in ARRAY_KINDS[kind], value, where)
        shape = value.shape
    elif kind == "objects":
        _require(type(value) is list, value, where)
        shape = (len(value),)
    else:
        _check_numbers(value, kind, bound, where)
        shape = (value,) if kind == "size" else ()
    for letter, length in zip(letters, shape, strict=True):  # a digit is itself, and * any
        known = int(letter) if letter.isdigit() else sizes.setdefault(letter, length)
        if length != known and letter != "*":
            raise ModelFileError(f"{where} has a size of {length} where others have {known}")
    if kind == "float":
        _require(bool(np.isfinite(value).all()) and _is_above(value, bound), value, where)
    elif kind == "index" and value.size:
        _require(value.min() >= 0 and value.max() < sizes[bound[1:]], value, where)
    elif kind == "names":  # a terminal takes no orders from them
        for name in map(str, value.ravel().tolist()):
            if len(name) > MAX_NAME_CHARACTERS or CONTROL.search(name):
                problem = "has control characters, half a character or too many"
                raise ModelFileError(f"{where} cannot be {name!r:.60}, which {problem}")


def _check_numbers(value: Any, kind: str, bound: str, where: str) -> None:
    """Refuse what is not a number of the right kind and size, or a list of such."""
    values = value if kind.endswith("s") else [value]
    if kind == "pairs":
        is_right = type(value) is list and all(type(e) is tuple and len(e) == 2 for e in value)
        _require(is_right, value, where)
        values = [each for pair in value for each in pair]
    _require(type(values) is list, value, where)
    is_number = kind.startswith("number")
    types, lowest = (NUMBER, bound) if is_number else (WHOLE, ">=0")
    most = limit("OBJECTS") if kind == "size" else LARGEST if is_number else MAX_COUNT
    for each in values:
        number = each.item() if isinstance(each, np.generic) else each
        is_right = type(each) in types and -most <= number <= most and _is_above(number, lowest)
        _require(is_right, each, where)


def _is_above(values: Any, bound: str) -> bool:
    """Tell whether all numbers, or one, are above the bound, if there is one."""
    (lowest, highest), exact = BOUNDS[bound], np.asarray(values, dtype=np.float64)
    return bool(np.all((exact >= lowest) & (exact <= highest)))


def _check_workers(n_jobs: Any) -> None:
    is_right = n_jobs is None or (type(n_jobs) in WHOLE and 0 < abs(n_jobs) <= MAX_WORKERS)
    _require(is_right, n_jobs, "n_jobs")


def _check_source(model: Any, fitted: dict[str, Any]) -> None:
    """Refuse a source of dissimilarities that does not suit the options."""
    expected: type = ColumnSource if is_precomputed(model.metric) else MetricSource
    if model.space == "vector" or takes_objects(model.metric):
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
            complete_params(X, metric, params)
            metric_dissimilarities(X[:1], X, metric, params, None)


def _check_prototypes(prototypes: Any, is_vector: bool, n_rows: int) -> None:
    if prototypes is not None and is_vector != isinstance(prototypes, VectorPrototypes):
        raise ModelFileError("its prototypes are not of its space")
    if isinstance(prototypes, ObjectPrototypes) and not len(prototypes) == n_rows:
        raise ModelFileError(f"prototypes_ has {len(prototypes)} rows where others have {n_rows}")
    if isinstance(prototypes, FixedPrototypes):
        n_known = prototypes.known_sq.shape[1]
        width = prototypes.n_objects if prototypes.near is None else len(prototypes.objects)
        if n_known != width:
            raise ModelFileError(f"prototypes_.known_sq has {n_known} columns, and not {width}")


def _require(is_right: bool, value: Any, where: str) -> None:
    if not is_right:
        raise ModelFileError(f"{where} cannot be {value!r:.60}")
