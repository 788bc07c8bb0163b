"""What is settled before training: who takes part, who watches, what is left to choose."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from relrbf._options import is_auto
from relrbf._typing import Array, Indices
from relrbf.autotune import (
    Choice,
    Overview,
    choose_reading,
    choose_support,
    gather_evidence,
    inspect,
    look_over_all,
    look_over_distinct,
    look_over_few,
    look_over_given,
)
from relrbf.estimators.twins import merge_duplicates, split_weights
from relrbf.estimators.validation import check_kernel, check_solver, check_validation
from relrbf.estimators.warm import LastFit
from relrbf.prototypes import RelationalSpace
from relrbf.relations.base import Relation
from relrbf.relations.sampling import is_small_support, support_size
from relrbf.training import Trainer


@dataclass(frozen=True, eq=False)
class Task:
    """What there is to train: targets, weights (summing to one) and the choices that were made.

    ``scale`` is alpha's, as in ``linear_model.Ridge``; ``total`` the sum of all weights as given.
    """

    trainer: Trainer
    overview: Overview
    Y: Array
    training: Array
    validation: Array | None
    memberships: Array
    watching: np.ndarray | None
    choice: Choice
    total: float
    scale: float


def settle(
    estimator: Any,
    relation: Relation,
    Y: Array,
    weights: Array,
    has_classes: bool,
    last: LastFit | None,
    rng: np.random.Generator,
) -> Task:
    """Settle who takes part, who watches, and what is left to the estimator to choose."""
    trainer, total = check_solver(estimator), float(weights.sum())
    parts = check_validation(trainer, relation.n_objects)
    overview = _look(estimator, relation, weights / total, parts, last, rng)
    relation = overview.relation
    weights, Y = merge_duplicates(overview.twins, weights / total, Y, parts)
    n_distinct = int(np.count_nonzero(weights))
    n_support = support_size(estimator.n_support, n_distinct)
    drawn = overview.drawn(n_support, n_distinct)
    trainer = trainer.for_size(n_distinct, n_support if drawn is None else len(drawn))
    order = overview.order(weights, Y)
    estimator.relation_report_ = inspect(overview, weights, order)
    classes = np.argmax(Y, axis=1) if has_classes else None
    watching = last.watching if last else _hold_out(trainer, weights, classes, order, drawn, rng)
    training, validation = split_weights(weights.astype(relation.dtype), watching)
    Y = estimator._standardised(Y, training)
    support = last.support if last else (n_support if drawn is None else drawn)
    choice = _choose(estimator, trainer, relation, Y, training, total, support, order, rng)
    scale = total * float(weights[training > 0].sum())
    memberships = training * Y.T if has_classes else training[None]
    return Task(
        trainer,
        overview,
        Y,
        training,
        validation,
        memberships,
        watching,
        choice,
        total,
        scale,
    )


def _look(
    estimator: Any,
    relation: Relation,
    weights: Array,
    parts: np.ndarray | None,
    last: LastFit | None,
    rng: np.random.Generator,
) -> Overview:
    """Look at all pairs; where the support is to be small, draw it and read its rows alone."""
    teaching = weights if parts is None else np.where(parts, 0, weights)
    n_teaching = int(np.count_nonzero(teaching))
    size = support_size(estimator.n_support, n_teaching)
    given = None if last is None else last.looked_at
    if given is None and (last is not None or not is_small_support(size, n_teaching)):
        return look_over_all(relation, weights)
    if given is not None:
        return look_over_given(relation, teaching, *given)
    child = rng.spawn(1)[0]  # where all rows are read in the end, as if nothing had been drawn
    overview = look_over_few(relation, teaching, size, child)
    n_distinct = len(overview.distinct(teaching))
    if is_small_support(support_size(estimator.n_support, n_distinct), n_distinct):
        return overview
    return look_over_distinct(relation, teaching, overview)


def _choose(
    estimator: Any,
    trainer: Trainer,
    relation: Relation,
    Y: Array,
    weights: Array,
    total: float,
    n_support: int | Indices,
    order: Indices,
    rng: np.random.Generator,
) -> Choice:
    """Choose support and exponent; where the trainer distills, ask the full network."""
    exponents, kernel = estimator._readings(relation), check_kernel(estimator.kernel)
    latent = RelationalSpace(relation.with_exponent(exponents[0]))
    if isinstance(n_support, int):
        support = choose_support(latent, weights, n_support, order, rng)
    else:
        support = n_support  # drawn before, or the last fit's
    if trainer.distills:
        # the full network's weights have mean one, and scale activations and errors alike
        scale = total / int(np.count_nonzero(weights))
        alpha = None if is_auto(estimator.alpha) else float(estimator.alpha) / scale / scale
        evidence = gather_evidence(relation, kernel, Y, weights, exponents, order, alpha)
        exponent = evidence.reading.exponent
        return Choice(exponent, support, evidence.responses, True, evidence, scale)
    exponent = exponents[0]
    if len(exponents) > 1 and trainer.supervised_init:
        exponent = choose_reading(relation, kernel, Y, weights, support, exponents, order)
    return Choice(exponent, support, Y, trainer.supervised_init)


def _hold_out(
    trainer: Trainer,
    weights: Array,
    classes: np.ndarray | None,
    order: Indices,
    support: Indices | None,
    rng: np.random.Generator,
) -> np.ndarray | None:
    """Return which objects only watch; those of a support that was drawn before do not.

    The fast solver draws along an order that does not depend on how the objects are numbered.
    """
    eligible = np.ones(len(weights), dtype=bool)
    eligible[[] if support is None else support] = False
    if not trainer.supervised_init:
        return trainer.validation_mask(weights, classes, rng, eligible)
    in_order = None if classes is None else classes[order]
    drawn = trainer.validation_mask(weights[order], in_order, rng, eligible[order])
    if drawn is None:
        return None
    watching = np.empty_like(drawn)
    watching[order] = drawn
    return watching
