"""The objects that a file may hold, by name: the whole list of what can be made from one."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from enum import Enum
from typing import Any

import numpy as np

from relrbf.embeddings.base import SearchStatus
from relrbf.embeddings.spectrum import Placement
from relrbf.exceptions import ModelFileError
from relrbf.io.models_format.judging import (
    REAL,
    WHOLE,
    Fields,
    Judge,
    Sizes,
    anything,
    by_exponent,
    floats,
    judge_fields,
    listed,
    maybe,
    names,
    number,
    objects,
    of_type,
    one_of,
    positions,
    size,
    whole,
    workers,
)
from relrbf.network import KERNELS, Network
from relrbf.prototypes import FixedPrototypes, VectorPrototypes
from relrbf.prototypes.vector import CentredObjects
from relrbf.relations.duplicates import KnownObjects
from relrbf.relations.inputs import METRICS, ColumnSource, MetricSource, ObjectSource, VectorSource
from relrbf.relations.objects import MetricRelation
from relrbf.relations.properties import RelationReport
from relrbf.training import LBFGS, GradientDescent, History, Status


@dataclass(frozen=True)
class Record:
    """A kind of object: its class, what its fields must be, and how it is taken apart and made."""

    kind: type
    fields: Fields
    take_apart: Callable[[Any], dict[str, Any]] | None = None
    put_together: Callable[..., Any] | None = None
    unkept: tuple[str, ...] = ()  # fields that mean something on this machine only

    def pack(self, value: Any) -> tuple[dict[str, Any], list[str]]:
        """Return the fields of an object, and which of them are left out."""
        if self.take_apart is not None:
            return self.take_apart(value), []
        found = {name: getattr(value, name) for name in self.fields}
        left_out = [name for name in self.unkept if found[name] is not None]
        return {**found, **dict.fromkeys(left_out)}, left_out

    def make(self, found: dict[str, Any], model: Any) -> Any:
        """Return the object that has these fields, and belongs to a model of these options."""
        if set(found) != set(self.fields):
            other = sorted({*found} ^ {*self.fields})
            raise ModelFileError(f"a {self.kind.__name__} has more or fewer fields: {other!s:.80}")
        if self.put_together is not None:
            judge_fields(self.fields, found, {}, self.kind.__name__)
            return self.put_together(found, model)
        return self.kind(**found)


def record(*kinds: type, **renamed: str) -> Judge:
    """Return a judge of objects of these kinds, some of whose sizes have another letter here."""

    def judge(value: Any, sizes: Sizes, where: str) -> None:
        if type(value) not in kinds:
            raise ModelFileError(f"{where} cannot be a {type(value).__name__}")
        own = {inner: sizes[outer] for inner, outer in renamed.items() if outer in sizes}
        shared = {letter: n for letter, n in sizes.items() if letter not in renamed} | own
        found = RECORDS[NAMES[type(value)]]
        judge_fields(found.fields, found.pack(value)[0], shared, where)
        _check_whole(value, where)
        sizes.update({renamed.get(letter, letter): n for letter, n in shared.items()})

    return judge


def _check_whole(value: Any, where: str) -> None:
    """Refuse prototypes whose distances are neither to all objects nor to the support."""
    if isinstance(value, FixedPrototypes):
        width = value.n_objects if value.near is None else len(value.objects)
        if value.known_sq.shape[1] != width:
            raise ModelFileError(f"{where}.known_sq has {value.known_sq.shape[1]} columns")


def _options_of(kind: Any, *unkept: str) -> Record:
    """Return the record of options, which judge themselves when they are made."""
    return Record(kind, {field.name: anything for field in fields(kind)}, unkept=unkept)


def _take_compared_apart(source: Any) -> dict[str, Any]:
    relation = source.relation
    return {
        "objects": relation.objects,
        "ids": relation.ids,
        "dtype": str(relation.dtype),
        "exponent": source.exponent,
    }


def _compare_again(found: dict[str, Any], model: Any) -> ObjectSource:
    """Return the support's objects, to be compared by the metric that the user gives."""
    support = found["objects"]
    relation = MetricRelation(
        support if len(support) > 1 else 2 * support,  # a relation needs two objects
        model.metric,
        measure_params=model.metric_params,
        check_symmetry=False,
        dtype=found["dtype"],
        n_jobs=model.n_jobs,
    ).alone(np.arange(len(support)))
    relation.ids = found["ids"]
    return ObjectSource(relation, found["exponent"])


def _take_known_apart(known: KnownObjects) -> dict[str, Any]:
    found = {name.removeprefix("_"): value for name, value in vars(known).items()}
    return {**found, "dtype": str(found["dtype"])}


def _know_again(found: dict[str, Any], model: Any) -> KnownObjects:
    known = KnownObjects.__new__(KnownObjects)
    kept = {f"_{name}": value for name, value in found.items()}
    vars(known).update(kept, _dtype=np.dtype(found["dtype"]))
    return known


exponent, precision = one_of(1, 2), one_of("float64", "float32")

_LISTED = (
    *(_options_of(kernel) for kernel in KERNELS.values()),
    _options_of(GradientDescent, "checkpoint"),
    _options_of(LBFGS),
    Record(
        Network,
        {
            "kernel": record(*KERNELS.values()),
            "bandwidths": floats("c"),
            "weights": floats("c", "g"),
            "bias": floats("g"),
        },
    ),
    Record(
        FixedPrototypes,
        {
            "n_objects": size("n"),
            "objects": positions("m", below="n"),
            "own": floats("c", "m"),
            "offsets": floats("c"),
            "known_sq": floats("c", "known"),
            "near": maybe(positions("c", "near", below="n")),
            "ids": maybe(names("n")),
        },
    ),
    Record(
        CentredObjects,
        {"mean": floats("w"), "vectors": floats("n", "w"), "norms_sq": floats("n")},
    ),
    Record(
        VectorPrototypes,
        {
            "centred": floats("c", "w"),
            "objects": record(CentredObjects),
            "ids": maybe(names("n")),
        },
    ),
    Record(
        History,
        {
            "objective": listed(*REAL),
            "validation_error": listed(*REAL),
            "n_prototypes": listed(*WHOLE),
            "rejected": listed(*WHOLE),
            "grown": listed(tuple),
            "best_epoch": whole,
        },
    ),
    Record(
        RelationReport,
        {
            "n_objects": whole,
            "n_inspected": whole,
            "n_duplicate_objects": whole,
            "smallest_eigenvalue": by_exponent(float),
            "negative_eigenfraction": by_exponent(float),
            "has_vector_dual": by_exponent(bool),
            "suggested_exponent": exponent,
        },
    ),
    Record(
        ColumnSource,
        {
            "n_columns": size("w"),
            "support": positions("m", below="w"),
            "exponent": exponent,
            "ids": maybe(names("w")),
            "self_similarity": maybe(number),
        },
    ),
    Record(
        MetricSource,
        {
            "objects": floats("m", "w"),
            "exponent": exponent,
            "metric": one_of(*METRICS),
            "metric_params": maybe(of_type(dict)),
            "n_jobs": maybe(workers),
        },
    ),
    Record(VectorSource, {}),
    Record(
        ObjectSource,
        {
            "objects": objects("m"),
            "ids": maybe(names("m")),
            "dtype": precision,
            "exponent": exponent,
        },
        _take_compared_apart,
        _compare_again,
    ),
    Record(Placement, {"axes": floats("m", "k"), "means": floats("m")}),
    Record(
        KnownObjects,
        {
            "dtype": precision,
            "scale": number,
            "units": floats("n"),
            "directions": floats("n", "prints"),
            "prints": floats("n", "prints"),
        },
        _take_known_apart,
        _know_again,
    ),
)

RECORDS: dict[str, Record] = {found.kind.__name__: found for found in _LISTED}
NAMES: dict[type, str] = {found.kind: name for name, found in RECORDS.items()}
ENUMS: dict[str, type[Enum]] = {kind.__name__: kind for kind in (Status, SearchStatus)}
