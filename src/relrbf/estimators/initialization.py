"""The first prototypes, bandwidths and weights of a fit, as a problem and its initial state."""

from copy import deepcopy
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.autotune import FitConfig, PreviousFit, TrainingData
from relrbf.clustering import initial_coefficients
from relrbf.estimators.validation import check_coefficients, check_max_prototypes
from relrbf.exceptions import OptionError
from relrbf.prototypes import (
    MedoidSpace,
    ProductSpace,
    RelationalSpace,
    Space,
    SupportSpace,
    VectorSpace,
)
from relrbf.prototypes.base import row_dots
from relrbf.training import InitialState, Problem
from relrbf.training.base import IDENTITY_TOLERANCE, agree

# What may change from one fit to the next with warm_start: how long, how far to grow, reporting.
FREE_PARAMETERS = (
    "max_iter",
    "tol",
    "max_prototypes",
    "random_state",
    "n_jobs",
    "verbose",
    "warm_start",
)


def initialize(config: FitConfig, data: TrainingData) -> tuple[Problem, InitialState]:
    """Return what there is to learn, and the network that training starts from."""
    problem = _make_problem(config, data)
    if data.previous is not None:
        _check_same_problem(data.previous, problem, config.total_weight)
        state = data.previous.state.continued()
        check_max_prototypes(config.params["max_prototypes"], len(state.point.prototypes))
        return replace(problem, alpha=data.previous.alpha), replace(state.initial, state=state)
    coefficients, outputs = _initial_coefficients(config, data, problem.space)
    problem = replace(problem, prototype_outputs=outputs)
    if config.params["max_prototypes"] is not None:
        check_max_prototypes(config.params["max_prototypes"], len(coefficients))
    prototypes = problem.space.place(coefficients)
    network, alpha = config.trainer.initial_network(problem, config.kernel, prototypes, config.rng)
    return replace(problem, alpha=alpha), InitialState(network, prototypes)


def _make_problem(config: FitConfig, data: TrainingData) -> Problem:
    return Problem(
        make_space(config, data),
        config.targets.astype(config.relation.dtype),
        config.training_weights,
        config.alpha,
        config.loss,
        config.validation_weights,
        None if config.has_full_support else _mean_sq_on_support(config),
    )


def _mean_sq_on_support(config: FitConfig) -> float:
    shares = config.training_weights[config.support] / config.training_weights[config.support].sum()
    block = config.relation.block_sq(config.support, config.support)
    mean = float(shares @ block @ shares)
    if mean <= 0:  # one object, or copies of one: the others tell how far apart objects are
        row, more = config.relation.block_sq(config.support[:1])[0], config.validation_weights
        mean = float(row @ (config.training_weights + (0 if more is None else more)))
    return max(mean, 0.0)


def make_space(config: FitConfig, data: TrainingData) -> Space:
    """Return the space of the objects."""
    relation, support, kind = config.relation, config.support, config.params["space"]
    if kind == "vector":
        assert data.vectors is not None
        return VectorSpace(data.vectors, relation.ids)
    candidates = np.zeros(relation.n_objects, dtype=bool)
    # coefficients that were given may lie on any object
    is_given = not isinstance(config.params["init"], str)
    candidates[slice(None) if config.has_full_support and is_given else support] = True
    if kind == "medoid":
        return MedoidSpace(relation, candidates)
    is_euclidean = config.report.has_vector_dual[config.exponent]
    if not config.has_full_support:
        return SupportSpace(relation, support, is_euclidean)
    return RelationalSpace(relation, candidates, is_euclidean)


def _initial_coefficients(
    config: FitConfig, data: TrainingData, space: Space
) -> tuple[Array, Indices | None]:
    """Return the coefficients of the first prototypes (c × n), on the support alone.

    With ``positive``, their classes as well.
    """
    init, support, relation = config.params["init"], config.support, config.relation
    n_prototypes = config.n_prototypes
    if not isinstance(init, str):
        allowed = space.support if isinstance(space, SupportSpace) else None
        return check_coefficients(init, relation, config.params["n_prototypes"], allowed), None
    is_supervised = config.trainer.supervised_init
    memberships = config.training_weights[None]
    if data.classes is not None:
        memberships = memberships * config.targets.T
    if config.has_full_support and not is_supervised:
        return initial_coefficients(init, space, memberships, n_prototypes, config.rng), None
    own = memberships[:, support] / memberships[:, support].sum()
    responses = config.targets[support] if is_supervised and init == "k-means" else None
    found, outputs = first_prototypes(config, data, support, own, responses, n_prototypes)
    coefficients = np.zeros((len(found), relation.n_objects), dtype=found.dtype)
    coefficients[:, support] = found
    return coefficients, outputs


def first_prototypes(
    config: FitConfig,
    data: TrainingData,
    objects: Indices,
    memberships: Array,
    responses: Array | None,
    n_prototypes: int,
) -> tuple[Array, Indices | None]:
    """Return coefficients of first prototypes on objects and, with ``positive``, their classes.

    Then each is a mean of objects of its class; larger classes have more of them, every class one.
    Classes come from the widest on, with the same draws each: their names change nothing. With
    ``responses`` (m × g), objects count as near where these are as well.
    """
    init, rng, relation = config.params["init"], config.rng, config.relation
    if data.vectors is not None:
        space: Any = VectorSpace(data.vectors[objects])
    else:
        is_whole = len(objects) == relation.n_objects
        space = RelationalSpace(relation if is_whole else relation.restrict(objects))
    memberships = memberships.astype(space.dtype)
    if responses is not None:
        space = ProductSpace(space, responses.astype(space.dtype), memberships.sum(axis=0))
    if not config.params.get("positive"):
        return initial_coefficients(init, space, memberships, n_prototypes, rng), None
    present = np.flatnonzero(memberships.any(axis=1))
    means = memberships[present] / memberships[present].sum(axis=1, keepdims=True)
    widths = row_dots(means, space.place(means).distances_sq)
    present = present[np.argsort(-widths, kind="stable")]
    shares, counts = memberships[present].sum(axis=1), np.ones(len(present), dtype=int)
    for _ in range(n_prototypes - len(present)):
        counts[np.argmax(np.round(shares / (counts + 0.5), 9))] += 1
    found = [
        initial_coefficients(init, space, memberships[[k]] / share, n, deepcopy(rng))
        for k, share, n in zip(present, shares, counts.tolist(), strict=True)
    ]
    return np.concatenate(found), np.repeat(present, [len(each) for each in found])


def check_same_params(previous: PreviousFit, params: dict[str, Any], n_objects: int) -> None:
    """Refuse to continue a fit with other parameters, or another number of objects."""
    other = [
        name
        for name, value in params.items()
        if name not in FREE_PARAMETERS and not _same(value, previous.params[name])
    ]
    if n_objects != len(previous.identity["X"]):
        other.append("X")
    _refuse_to_continue(other)


def _check_same_problem(previous: PreviousFit, problem: Problem, total_weight: float) -> None:
    present = problem.identity()
    other = [name for name, kept in previous.identity.items() if not agree(kept, present[name])]
    if (
        not other
        and abs(total_weight - previous.total_weight) > IDENTITY_TOLERANCE * previous.total_weight
    ):
        other = ["sample_weight"]
    _refuse_to_continue(other)


def _refuse_to_continue(other: list[str]) -> None:
    if other:
        raise OptionError(
            f"warm_start=True goes on from the last fit, which had another {', '.join(other)}. "
            "Restore it, or set warm_start=False to train anew.",
            name="warm_start",
        )


def _same(one: Any, other: Any) -> bool:
    """Compare parameters, of which some are arrays and some hold arrays."""
    if one is other:
        return True
    if is_dataclass(one) and type(one) is type(other):
        return all(_same(getattr(one, f.name), getattr(other, f.name)) for f in fields(one))
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return np.array_equal(one, other)
    return type(one) is type(other) and bool(one == other)
