"""Every "auto" becomes a value: from data and parameters to a FitConfig, and nothing else.

The order is that in which one choice depends on another: which rows of the relation are read, which
objects are equal, which validate, which carry coefficients, which exponent and teacher, how many
prototypes. docs/auto.md has the reasons and the numbers behind the constants.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.autotune.config import Evidence, FitConfig, TrainingData
from relrbf.autotune.row_sampling import RowSummary, draw_support, read_rows
from relrbf.autotune.targets import Targets, TeacherProblem
from relrbf.autotune.teacher import fit_teacher
from relrbf.clustering import seed_plus_plus
from relrbf.exceptions import OptionError, RelationWarning, warn
from relrbf.network import KERNELS, LOSSES
from relrbf.network.model import CentredSquaredError
from relrbf.prototypes import RelationalSpace
from relrbf.relations.base import Relation
from relrbf.relations.properties import (
    MAX_INSPECTED,
    NEGLIGIBLE,
    RelationReport,
    choose_exponent,
    describe,
    duplicates_and_means,
    is_small_support,
    order_by_centrality,
    spread_over,
    support_size,
    warn_without_vectors,
)
from relrbf.training import LBFGS, SOLVERS, GradientDescent, Result, Trainer

PROTOTYPES_PER_OBJECT = 0.1
MAX_AUTO_PROTOTYPES = 128  # however many objects: the cost of a fit then grows as their number
MIN_PROTOTYPES_PER_CLASS = 2
FEW_OBJECTS = 500  # divided by the objects: of very few, nearly all are prototypes
MAX_WHOLE_OBJECTS = 10_000  # of more, a support carries the prototypes
GOLDEN_RATIO = 0.6180339887  # whose multiples, modulo one, are evenly spread
EXTRA_INSPECTION = 0.25  # of the entries read before, that a report may read besides
MAX_PENALTY = 1e30  # which leaves nothing of the weights; its product with them is in range
CONSTANT_OUTPUT = 1e-13  # relative: an output that varies less does so by rounding


@dataclass(frozen=True, eq=False)
class DistinctObjects:
    """The objects of a fit, of which one stands for all that are equal to it."""

    summary: RowSummary  # what was read of the relation
    weights: Array  # of the objects, summing to one; zero where another stands for one (n)
    targets: Array  # averaged over duplicates (n × g)
    order: Indices  # the objects from the center outwards, whatever their numbers (n)
    drawn: Indices | None  # the support, where it was drawn when its rows were read


def resolve(params: Mapping[str, Any], data: TrainingData) -> FitConfig:
    """Return every value that a fit needs; the same for the same data, parameters and seed."""
    rng, total = np.random.default_rng(data.seed), float(data.weights.sum())
    solver = _solver(params)
    is_given = not (isinstance(params["n_prototypes"], str) and isinstance(params["init"], str))
    is_given = is_given or bool(params.get("positive"))  # the teacher itself will not do
    wanted_support = _wanted_support(params["n_support"], data.relation, solver, is_given)
    objects = _distinct_objects(wanted_support, data, total, rng)
    relation, n_distinct = objects.summary.relation, int(np.count_nonzero(objects.weights))
    report = _report(objects, params["exponent"])
    size = support_size(wanted_support, n_distinct, data.relation.is_costly)
    n_support = size if objects.drawn is None else len(objects.drawn)
    trainer = solver.for_size(n_distinct, n_support, is_given)
    try:
        training, validation = _split_weights(trainer, data, objects, rng)
    except OptionError:  # too few objects, or classes too rare: with "auto" all train
        if solver.early_stopping != "auto":
            raise
        training, validation = objects.weights.astype(relation.dtype), None
    targets = objects.targets
    mean: Array = np.zeros(1)
    scale: Array = np.ones(1)
    if data.classes is None:
        targets, mean, scale = _standardized(targets, training)
    exponent = choose_exponent(params["exponent"], params["space"], relation, report)
    support = _support(data, objects, training, size, exponent, rng)
    kernel = params["kernel"]
    kernel = KERNELS[kernel]() if isinstance(kernel, str) else kernel
    alpha_scale = total * float(objects.weights[training > 0].sum())
    mean_weight = total / int(np.count_nonzero(training))
    relation, teacher = relation.with_exponent(exponent), None
    order = _order(objects, relation)
    if trainer.early_stopping == "distillation":
        alpha = None
        if not isinstance(params["alpha"], str):
            alpha = min(params["alpha"] / mean_weight / mean_weight, MAX_PENALTY)
        taking_part = order[training[order] > 0]
        w = training.astype(np.float64) / float(training[taking_part].mean())
        Y = Targets(targets.astype(np.float64, copy=False), w, data.classes is not None)
        problem = TeacherProblem(relation, Y, kernel, taking_part, alpha)
        teacher = fit_teacher(problem, _by_draw(objects, support, taking_part))
    if params["space"] != "vector" and report.negative_eigenfraction[exponent] > NEGLIGIBLE:
        warn_without_vectors(
            exponent, report, "The network trains all the same, but it has no vector equivalent."
        )
    return FitConfig(
        params=dict(params),
        trainer=trainer,
        kernel=kernel,
        loss=LOSSES[params.get("loss", "squared-error")]()
        if not params.get("positive")
        else CentredSquaredError(),  # one weight per prototype cannot move all classes at once
        relation=relation,
        report=report,
        exponent=exponent,
        support=support,
        order=order,
        has_full_support=bool(len(support) >= np.count_nonzero(training)),
        targets=targets,
        target_mean=mean,
        target_scale=scale,
        training_weights=training,
        validation_weights=validation,
        alpha=np.nan
        if isinstance(params["alpha"], str)
        else min(float(params["alpha"]) / alpha_scale, MAX_PENALTY),
        alpha_scale=alpha_scale,
        teacher_alpha_scale=mean_weight * mean_weight,
        n_prototypes=_n_prototypes(params, data, training, len(support)),
        teacher=teacher,
        summary=objects.summary,
        total_weight=total,
        rng=rng,
    )


def _wanted_support(n_support: Any, relation: Relation, solver: Trainer, is_given: bool) -> Any:
    """Return n_support, None for all objects where a teacher is solved for all of them."""
    is_whole = relation.is_in_memory and relation.n_objects <= MAX_WHOLE_OBJECTS
    is_auto = isinstance(n_support, str) and solver.early_stopping in ("auto", "distillation")
    return None if is_auto and is_whole and not is_given else n_support


def _distinct_objects(
    n_support: Any, data: TrainingData, total: float, rng: np.random.Generator
) -> DistinctObjects:
    """Read the relation, and merge objects that are equal."""
    summary = _read(n_support, data, data.weights / total, rng)
    weights, targets = merge_duplicates(
        summary.duplicates, data.weights / total, data.targets, data.validation_mask
    )
    order = order_by_centrality(lambda A: _multiply(summary, A), weights, targets, summary.means)
    drawn = None
    if summary.support is not None:
        n_distinct = int(np.count_nonzero(weights))
        distinct = summary.support[summary.duplicates[summary.support] == summary.support]
        if len(distinct) < n_distinct:
            size = support_size(n_support, n_distinct, data.relation.is_costly)
            drawn = np.sort(distinct[:size])
    return DistinctObjects(summary, weights, targets, order, drawn)


def _read(
    n_support: Any, data: TrainingData, weights: Array, rng: np.random.Generator
) -> RowSummary:
    """Look at all pairs; where the support is to be small, draw it and read its rows alone."""
    relation, previous, validation = data.relation, data.previous, data.validation_mask
    training = weights if validation is None else np.where(validation, 0, weights)
    n_training = int(np.count_nonzero(training))
    if previous is not None and previous.rows is not None:
        return read_rows(relation, training, *previous.rows)
    size = support_size(n_support, n_training, relation.is_costly)
    if previous is not None or not is_small_support(size, n_training):
        return RowSummary(relation, *duplicates_and_means(relation, weights))
    child = rng.spawn(1)[0]  # where all rows are read in the end, as if nothing had been drawn
    rows = draw_support(relation, training, size, child)
    distinct = np.unique(rows.duplicates[training > 0])
    size = support_size(n_support, len(distinct), relation.is_costly)
    if is_small_support(size, len(distinct)):
        return rows
    shares = np.bincount(rows.duplicates, weights=training).astype(np.float64)[distinct]
    return read_rows(relation, training, distinct, shares, relation.exponent)


def merge_duplicates(
    duplicates: Indices, weights: Array, Y: Array, parts: np.ndarray | None = None
) -> tuple[Array, Array]:
    """Let one of several equal objects, ``duplicates`` (n), stand for all: their weights add up.

    Returns object weights that sum to one, zero for those that do not count, and the targets,
    averaged over duplicates. For the squared error nothing changes but a constant; leaving an
    object out now leaves out its duplicates as well, so that copies are no evidence for each other.
    Objects in different ``parts`` (n, bool) stay apart.
    """
    if parts is not None:
        duplicates = _kept_apart(duplicates, parts)
    merged = np.bincount(duplicates, weights=weights, minlength=len(duplicates))
    sums = np.zeros(Y.shape)
    np.add.at(sums, duplicates, weights[:, None] * Y)
    targets = np.divide(sums, merged[:, None], out=np.zeros_like(sums), where=merged[:, None] > 0)
    return (merged / merged.sum()).astype(Y.dtype), targets.astype(Y.dtype, copy=False)


def _kept_apart(duplicates: Indices, parts: np.ndarray) -> Indices:
    """Let one object count in each part: the one that counted for all, or else the first."""
    keys = 2 * duplicates + parts
    order = np.argsort(duplicates != np.arange(len(duplicates)), kind="stable")
    _, firsts, groups = np.unique(keys[order], return_index=True, return_inverse=True)
    apart = np.empty_like(duplicates)
    apart[order] = order[firsts[groups]]
    return apart


def _order(objects: DistinctObjects, relation: Relation) -> Indices:
    """Return the objects from the center outwards under the exponent that was chosen."""
    summary = objects.summary
    if summary.support is not None or relation.exponent == summary.relation.exponent:
        return objects.order
    means = relation.product(objects.weights[None].astype(relation.dtype))[0]
    return order_by_centrality(
        lambda A: relation.product(A.astype(relation.dtype)),
        objects.weights,
        objects.targets,
        means,
    )


def _multiply(summary: RowSummary, A: Array) -> Array:
    """Return products with S, or as much of them as was read."""
    if summary.projections is not None:
        return summary.projections
    return summary.relation.product(A.astype(summary.relation.dtype))


def _report(objects: DistinctObjects, exponent: Any) -> RelationReport:
    """Report on the relation among the distinct objects, or some of them, from the center outwards.

    Where few objects' rows were read, those come first, and others only as far as they cost
    little more.
    """
    summary, n_objects = objects.summary, len(objects.weights)
    distinct, size = objects.order[objects.weights[objects.order] > 0], MAX_INSPECTED
    first = np.zeros(0, dtype=np.intp)
    if summary.support is not None:
        first = spread_over(distinct[np.isin(distinct, summary.support)], size)
        distinct = distinct[~np.isin(distinct, first)]
        n_read = len(summary.support) * n_objects
        size = max(len(first), min(size, int((EXTRA_INSPECTION * n_read) ** 0.5)))
    others = spread_over(distinct, size - len(first))
    inspected = np.sort(np.concatenate([first, others]))
    return describe(summary.relation, inspected, summary.duplicates, exponent)


def _solver(params: Mapping[str, Any]) -> Trainer:
    """Return the trainer; "auto" validates only where prototypes may be added."""
    solver = params["solver"]
    if isinstance(solver, Trainer):
        return solver
    if solver in SOLVERS:
        return SOLVERS[solver]()
    limit, n_prototypes = params["max_prototypes"], params["n_prototypes"]
    if limit is not None and (isinstance(n_prototypes, str) or limit > n_prototypes):
        fraction = GradientDescent.validation_fraction
        return GradientDescent.curvature_scaled(validation_fraction=fraction)
    # medoids jump, and cross-entropy has no closed form: neither suits L-BFGS
    is_usual = params["space"] != "medoid" and params.get("loss") != "cross-entropy"
    return LBFGS() if is_usual else GradientDescent.curvature_scaled()


def _split_weights(
    trainer: Trainer, data: TrainingData, objects: DistinctObjects, rng: np.random.Generator
) -> tuple[Array, Array | None]:
    """Return the weights of the objects that train and that validate; each sum to one.

    Objects of a support that was drawn before do not validate. L-BFGS draws along an order that
    does not depend on how the objects are numbered.
    """
    weights = objects.weights.astype(objects.summary.relation.dtype)
    if data.previous is not None:
        mask = data.previous.validation_mask
    else:
        eligible = np.ones(len(weights), dtype=bool)
        eligible[[] if objects.drawn is None else objects.drawn] = False
        at = objects.order if trainer.supervised_init else np.arange(len(weights))
        classes = None if data.classes is None else np.argmax(objects.targets, axis=1)[at]
        found = trainer.validation_mask(weights[at], classes, rng, eligible[at])
        mask = None if found is None else np.zeros(len(weights), dtype=bool)
        if mask is not None:
            mask[at] = found
    if mask is None:
        return weights, None
    training, validation = np.where(mask, 0, weights), np.where(mask, weights, 0)
    return training / training.sum(), validation / validation.sum()


def _standardized(Y: Array, weights: Array) -> tuple[Array, Array, Array]:
    """Return targets in units of their own spread, the means and those units.

    Then learning is alike at any scale. Only objects that train have a say.
    """
    shares = weights.astype(np.float64)
    means = np.average(Y, axis=0, weights=shares)
    spreads = np.sqrt(np.average(np.square(Y - means), axis=0, weights=shares))
    is_constant = spreads <= CONSTANT_OUTPUT * np.abs(Y).max(axis=0)
    units = np.where(is_constant, 1, spreads)
    return np.where(is_constant, 0, Y - means) / units, means, units


def _support(
    data: TrainingData,
    objects: DistinctObjects,
    weights: Array,
    size: int,
    exponent: float,
    rng: np.random.Generator,
) -> Indices:
    """Return the previous fit's support, the one that was drawn before, all objects or some."""
    if data.previous is not None:
        return data.previous.support
    if objects.drawn is not None:
        return objects.drawn
    if size >= np.count_nonzero(weights):
        return np.flatnonzero(weights)
    space = RelationalSpace(objects.summary.relation.with_exponent(exponent))
    return choose_support(space, weights, size, objects.order, rng)


def choose_support(
    space: RelationalSpace, weights: Array, size: int, order: Indices, rng: np.random.Generator
) -> Indices:
    """Return some objects that take part as the support, in ascending order (theory 7).

    k-means++ spreads them over the data: each is drawn with a chance that grows with its squared
    distance from those drawn before. Where that leaves nothing to draw, because every object has a
    dissimilarity of zero to one of them, others fill up, evenly along the given order.
    """
    seeds = seed_plus_plus(space, weights, size, rng)
    left = order[(weights[order] > 0) & ~np.isin(order, seeds)]
    return np.sort(np.concatenate([seeds, spread_over(left, size - len(seeds))]))


def _by_draw(objects: DistinctObjects, support: Indices, order: Indices) -> Indices:
    """Return the support such that its first part is as well spread as the whole."""
    if objects.drawn is not None and objects.summary.support is not None:
        drawn = objects.summary.support
        return drawn[np.isin(drawn, support)]
    ranked = order[np.isin(order, support)]
    return ranked[np.argsort(np.arange(len(ranked)) * GOLDEN_RATIO % 1, kind="stable")]


def _n_prototypes(
    params: Mapping[str, Any], data: TrainingData, weights: Array, n_support: int
) -> int:
    """Return how many prototypes to begin with."""
    wanted, init = params["n_prototypes"], params["init"]
    if not isinstance(init, str):
        return 0  # as many as were given
    n_groups = 1 if data.classes is None else len(data.classes)
    if init == "class":
        _check_class_init(wanted, n_groups)
    if params.get("positive"):
        _check_class_prototypes(wanted, n_groups)
    n_distinct = int(np.count_nonzero(weights))
    if not isinstance(wanted, str):
        return _check_n_prototypes(wanted, len(weights), n_distinct, n_support, params["n_support"])
    limit = n_support if params["max_prototypes"] is None else params["max_prototypes"]
    return min(auto_n_prototypes(n_distinct, n_groups), n_support, limit)


def auto_n_prototypes(n_distinct: int, n_groups: int) -> int:
    """Return one for every ten distinct objects, at least two per class, where there is no teacher.

    Of very few objects most are needed (all of 22, ten of 50), and 128 are enough for any number.
    """
    share = min(round(PROTOTYPES_PER_OBJECT * n_distinct), MAX_AUTO_PROTOTYPES)
    floor = max(round(FEW_OBJECTS / n_distinct), MIN_PROTOTYPES_PER_CLASS * n_groups)
    return min(n_distinct, max(share, floor))


def _check_class_init(n_prototypes: int | str, n_groups: int) -> None:
    if n_groups == 1:
        raise OptionError(
            "init='class' needs classes; use 'k-means' or 'random' instead.", name="init"
        )
    if not isinstance(n_prototypes, str) and n_prototypes != n_groups:
        raise OptionError(
            f"init='class' gives one prototype per class, and n_prototypes is {n_prototypes} for "
            f"{n_groups} classes. Leave it at 'auto', or use init='k-means' or 'random'.",
            name="n_prototypes",
        )


def _check_class_prototypes(n_prototypes: int | str, n_groups: int) -> None:
    if not isinstance(n_prototypes, str) and n_prototypes < n_groups:
        raise OptionError(
            f"positive=True gives every prototype one class, and n_prototypes is {n_prototypes} "
            f"for {n_groups} classes. Raise it to at least {n_groups}, or leave it at 'auto'.",
            name="n_prototypes",
        )


def _check_n_prototypes(
    wanted: int, n_objects: int, n_distinct: int, n_support: int, given_support: Any
) -> int:
    """Return the number of prototypes that a given number comes to."""
    if wanted > n_objects:
        raise OptionError(
            f"n_prototypes is {wanted} and there are {n_objects} objects; a prototype needs at "
            "least one object of its own. Lower n_prototypes, or use 'auto'.",
            name="n_prototypes",
        )
    if wanted > n_distinct:
        warn(
            f"n_prototypes is {wanted}, but only {n_distinct} objects are distinct and have a "
            f"positive weight: {n_distinct} prototypes are used.",
            RelationWarning,
        )
    found = min(wanted, n_distinct)
    if found > n_support:
        raise OptionError(
            f"n_support={given_support!r} lets {n_support} objects carry coefficients, too few for "
            f"{found} prototypes. Raise n_support, or lower n_prototypes.",
            name="n_support",
        )
    return found


def make_evidence(config: FitConfig, result: Result) -> Evidence:
    """Return the numbers that explain what was chosen."""
    n_support, teacher = len(config.support), config.teacher
    if teacher is None:
        negative = float(np.mean(result.prototypes.distances_sq < 0))
        return Evidence(n_support, negative, 0.0, 0.0, 0.0, np.zeros((0, 4)), np.zeros((0, 2)))
    negative = 0.0
    if len(result.prototypes) < len(teacher.objects):
        negative = float(np.mean(result.prototypes.distances_sq < 0))
    layers = np.array([(layer.power, layer.bandwidth_sq**0.5) for layer in teacher.layers])
    losses = teacher.loss, teacher.constant_loss, float(teacher.local_scales is not None)
    return Evidence(len(teacher.objects), negative, *losses, teacher.tried, layers)
