"""The estimators that a file may hold, and what each has once it is fitted."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from warnings import catch_warnings

from relrbf.embeddings import (
    ClassicalMDS,
    DissimilarityRows,
    LandmarkMDS,
    MetricLearningMDS,
    NearestEuclideanMDS,
    ProximalMDS,
)
from relrbf.embeddings.base import SearchStatus
from relrbf.embeddings.spectrum import Placement
from relrbf.estimators import (
    RBFNetworkClassifier,
    RBFNetworkRegressor,
    RelationalFuzzyCMeans,
    RelationalKMeans,
)
from relrbf.estimators.validation import check_kernel, check_options, check_solver
from relrbf.exceptions import ModelFileError
from relrbf.io.models_format.judging import (
    Fields,
    Sizes,
    floats,
    judge_fields,
    maybe,
    names,
    number,
    of_type,
    positions,
    size,
    whole,
    workers,
)
from relrbf.io.models_format.records import exponent, record
from relrbf.network import Network
from relrbf.prototypes import FixedPrototypes, VectorPrototypes
from relrbf.relations.computed import measure
from relrbf.relations.conversion import is_precomputed
from relrbf.relations.duplicates import KnownObjects
from relrbf.relations.inputs import (
    ColumnSource,
    MetricSource,
    ObjectSource,
    VectorSource,
    check_space_and_metric,
)
from relrbf.relations.properties import RelationReport
from relrbf.training import History, Status


@dataclass(frozen=True)
class Model:
    """A kind of estimator: its class, who judges its options, what it has once it is fitted.

    What is ``scratch`` serves the fit alone.
    """

    kind: type
    check_options: Callable[[Any], None]
    fitted: Fields
    optional: Fields = field(default_factory=dict)
    scratch: tuple[str, ...] = ()

    def attributes_of(self, model: Any) -> tuple[dict[str, Any], list[str]]:
        """Return the fitted attributes of a model, and the names of others that it has."""
        expected, own = {**self.fitted, **self.optional}, vars(model)
        missing = [name for name in self.fitted if name not in own]
        if missing:
            raise ModelFileError(f"the model has no {missing[0]}. Fit it again.")
        params = model.get_params(deep=False)
        others = [name for name in own if name not in {*expected, *params, *self.scratch}]
        return {name: own[name] for name in expected if name in own}, others

    def check(self, model: Any, found: dict[str, Any]) -> None:
        """Refuse attributes that no fit gives."""
        other = sorted(({*found} - {*self.optional}) ^ {*self.fitted})
        if other:
            raise ModelFileError(f"the model has more or fewer attributes: {other!s:.80}")
        self.check_options(model)
        maybe(workers)(model.n_jobs, {}, "n_jobs")
        expected = {name: judge for name, judge in self.optional.items() if name in found}
        judge_fields({**expected, **self.fitted}, found, {}, "")
        _check_source(model, found)


def _check_source(model: Any, found: dict[str, Any]) -> None:
    """Refuse a source of dissimilarities that does not suit the options."""
    source = _source_for(model)
    if type(found["_source"]) is not source:
        raise ModelFileError(f"its options ask for {source.__name__}, and it has another source")
    if source is not ObjectSource and "n_features_in_" not in found:
        raise ModelFileError("the model has no n_features_in_")
    if source is MetricSource:
        _try_out(found["_source"])
    if "prototypes_" in found:
        is_vector = type(found["prototypes_"]) is VectorPrototypes
        if is_vector != (source is VectorSource):
            raise ModelFileError("its prototypes do not live in its space")


def _try_out(source: Any) -> None:
    """Measure one object, to know that the metric's parameters are such."""
    with catch_warnings(action="ignore"):
        measure(source.objects[:1], source.objects, source.metric, source.metric_params, None)


def _source_for(model: Any) -> type:
    if model.space == "vector":
        return VectorSource
    if callable(model.metric):
        return ObjectSource
    return ColumnSource if is_precomputed(model.metric) else MetricSource


def _output(value: Any, sizes: Sizes, where: str) -> None:
    """Judge what ``set_output`` was told."""
    words = ("default", "pandas", "polars", None)
    if type(value) is not dict or set(value) != {"transform"} or value["transform"] not in words:
        raise ModelFileError(f"{where} cannot be {value!r:.60}")


def _check_network(model: Any) -> None:
    check_options(model)
    check_kernel(model.kernel)
    check_solver(model)


SHAPED: Fields = {"n_features_in_": size("w"), "feature_names_in_": names("w")}
OUTPUT: Fields = {"_sklearn_output_config": _output}
SOURCE: Fields = {
    "_source": record(ColumnSource, MetricSource, ObjectSource, VectorSource),
    "exponent_": exponent,
}
PLACED: Fields = {
    "prototypes_": record(FixedPrototypes, VectorPrototypes),
    "support_": positions("m", below="n"),
    **SOURCE,
    "relation_report_": record(RelationReport),
    "n_iter_": whole,
}
NETWORK: Fields = {
    **PLACED,
    "bandwidths_": floats("c"),
    "weights_": floats("c", "g"),
    "bias_": floats("g"),
    "_network": record(Network),
    "alpha_": number,
    "status_": of_type(Status),
    "history_": record(History),
    "n_evaluations_": whole,
    "_choices": of_type(str),
}
CLUSTERS: Fields = {**PLACED, "inertia_": number, "labels_": positions("n", below="c")}
CLUSTERS = {**CLUSTERS, "_tie": number}
EMBEDDING: Fields = {
    "embedding_": floats("n", "k"),
    "eigenvalues_": floats("k"),
    "support_": positions("m", below="n"),
    "_placement": record(Placement),
    **SOURCE,
}
SEARCHED: Fields = {"n_iter_": whole, "status_": of_type(SearchStatus)}
REPORTED: Fields = {**SHAPED, **OUTPUT, "relation_report_": record(RelationReport)}


def _clusterer(kind: type, **more: Any) -> Model:
    return Model(kind, lambda model: model._check_options(), {**CLUSTERS, **more}, SHAPED)


def _embedding(kind: type, **more: Any) -> Model:
    return Model(kind, kind._check_options, {**EMBEDDING, **more}, REPORTED)


_LISTED = (
    Model(
        RBFNetworkClassifier,
        _check_network,
        {
            **NETWORK,
            "classes_": names("g"),
            "probability_scale_": number,
            "probability_smoothing_": number,
        },
        {**SHAPED, **OUTPUT},
    ),
    Model(
        RBFNetworkRegressor,
        _check_network,
        {**NETWORK, "_is_flat": of_type(bool)},
        {**SHAPED, **OUTPUT},
        scratch=("_means", "_spreads"),
    ),
    _clusterer(RelationalKMeans),
    _clusterer(
        RelationalFuzzyCMeans,
        memberships_=floats("n", "c"),
        beta_=number,
        _norms_sq=floats("c", "1"),
    ),
    _embedding(ClassicalMDS, negative_eigenfraction_=number),
    _embedding(LandmarkMDS, negative_eigenfraction_=number),
    _embedding(ProximalMDS, shift_=number, _known=record(KnownObjects)),
    _embedding(
        NearestEuclideanMDS,
        distance_=number,
        gap_=number,
        _known=record(KnownObjects),
        _whole=record(Placement, k="whole"),
        _coordinates=floats("n", "whole"),
        **SEARCHED,
    ),
    _embedding(MetricLearningMDS, metric_=floats("f", "f"), **SEARCHED),
    Model(
        DissimilarityRows,
        check_space_and_metric,
        {"support_": positions("m", below="m"), "_source": SOURCE["_source"]},
        {**SHAPED, **OUTPUT},
    ),
)

MODELS: dict[str, Model] = {found.kind.__name__: found for found in _LISTED}
