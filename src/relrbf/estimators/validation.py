"""Judging the options of an estimator."""

from numbers import Integral, Real
from typing import Any

import numpy as np

from relrbf._options import check_choice, check_number, check_verbose, is_auto
from relrbf._typing import Array, Indices
from relrbf.exceptions import OptionError
from relrbf.network import KERNELS, LOSSES, Kernel
from relrbf.relations.base import Relation
from relrbf.relations.conversion import (
    check_exponent,
    is_flat,
)
from relrbf.relations.inputs import check_space_and_metric
from relrbf.relations.validation import as_matrix
from relrbf.training import LBFGS, GradientDescent, Trainer
from relrbf.training.options import as_mask

SPACES = ("relational", "vector", "medoid")
LINEAR = "squared-error"  # the loss of linear outputs
INITS = ("k-means", "random-partition", "fuzzy", "class", "random")


def check_kernel(kernel: Any) -> Kernel:
    """Return the kernel meant by a name or a Kernel."""
    if isinstance(kernel, Kernel):
        return kernel
    if not isinstance(kernel, str) or kernel not in KERNELS:
        raise OptionError(
            f"kernel={kernel!r} does not exist; it must be one of {[*KERNELS]} or a "
            "relrbf.network.Kernel."
        )
    return KERNELS[kernel]()


def check_solver(estimator: Any) -> Trainer:
    """Return the trainer meant by a name or a Trainer.

    "auto" watches a validation part only where prototypes may be added.
    """
    solver = estimator.solver
    if isinstance(solver, Trainer):
        return solver
    if isinstance(solver, type) and issubclass(solver, Trainer):
        raise OptionError(f"solver is the class {solver.__name__}; pass one: {solver.__name__}().")
    check_choice("solver", solver, ("auto", "lbfgs", "gradient-descent"))
    if solver == "gradient-descent":
        return GradientDescent()
    if solver == "lbfgs":
        return LBFGS()
    grows = estimator.max_prototypes is not None
    if grows and not is_auto(estimator.n_prototypes):
        grows = estimator.max_prototypes > estimator.n_prototypes
    if grows:
        return GradientDescent.curvature_scaled(
            validation_fraction=GradientDescent.validation_fraction
        )
    # medoids jump, and cross-entropy has no closed form: neither suits the fast solver
    is_usual = estimator.space != "medoid" and getattr(estimator, "loss", LINEAR) == LINEAR
    return LBFGS() if is_usual else GradientDescent.curvature_scaled()


def check_validation(trainer: Trainer, n_objects: int) -> np.ndarray | None:
    """Return which objects are given for validation (n, bool); None where none are."""
    if trainer.validation is None:
        return None
    return as_mask(trainer.validation, n_objects)


def check_options(estimator: Any) -> None:
    """Judge every option of an estimator that does not depend on the data."""
    check_choice("space", estimator.space, SPACES)
    check_number("n_prototypes", estimator.n_prototypes, Integral, 1, or_auto=True)
    if estimator.max_prototypes is not None:
        check_number("max_prototypes", estimator.max_prototypes, Integral, 1)
    if not is_auto(estimator.n_prototypes):
        check_room_to_grow(estimator.max_prototypes, estimator.n_prototypes)
    _check_n_support(estimator)
    if not is_auto(estimator.exponent):
        check_exponent(estimator.exponent)
    check_number("alpha", estimator.alpha, Real, 0, or_auto=True)
    if isinstance(estimator.init, str):
        check_choice("init", estimator.init, INITS)
    check_number("max_iter", estimator.max_iter, Integral, 1)
    check_number("tol", estimator.tol, Real, 0)
    check_verbose(estimator.verbose)
    if not isinstance(estimator.warm_start, bool | np.bool_):
        raise OptionError(f"warm_start is {estimator.warm_start!r}; it must be True or False.")
    if hasattr(estimator, "loss"):
        check_choice("loss", estimator.loss, LOSSES)
    weight = getattr(estimator, "class_weight", None)
    if not isinstance(weight, dict | None) and not (
        isinstance(weight, str) and weight == "balanced"
    ):
        raise OptionError(f"class_weight is {weight!r}; it must be None, 'balanced' or a dict.")
    check_space_and_metric(estimator)


def _check_n_support(estimator: Any) -> None:
    n_support = estimator.n_support
    if n_support is None or is_auto(n_support):
        return
    is_number = isinstance(n_support, Real) and not isinstance(n_support, bool)
    whole = is_number and isinstance(n_support, Integral) and int(n_support) >= 1
    part = is_number and not isinstance(n_support, Integral) and 0 < float(n_support) < 1
    if not whole and not part:
        raise OptionError(
            f"n_support is {n_support!r}; it must be a number of objects (an integer, at least 1), "
            "a part of them (between 0 and 1), None for all, or auto."
        )
    if estimator.space == "vector":
        raise OptionError(
            f"n_support is {n_support!r} and space is 'vector', where prototypes are points that "
            "need no training object. Leave n_support at 'auto'."
        )


def check_support_size(n_prototypes: int, n_support: int, estimator: Any) -> None:
    """Refuse more prototypes than objects that may carry their coefficients."""
    if n_prototypes > n_support:
        raise OptionError(
            f"n_support={estimator.n_support!r} lets {n_support} objects carry coefficients, too "
            f"few for {n_prototypes} prototypes. Raise n_support, or lower n_prototypes."
        )


def check_on_support(coefficients: Array, support: Indices) -> Array:
    """Refuse first prototypes with coefficients outside the support."""
    outside = np.ones(coefficients.shape[1], dtype=bool)
    outside[support] = False
    n_outside = int(np.count_nonzero(coefficients[:, outside].any(axis=0)))
    if n_outside:
        raise OptionError(
            f"init has coefficients on {n_outside} objects outside the support of {len(support)}, "
            "which are left out because of n_support, a weight of zero, or an earlier equal "
            "object. Set n_support=None, or put the coefficients on the support."
        )
    return coefficients


def check_room_to_grow(max_prototypes: int | None, n_prototypes: int) -> None:
    """Refuse a limit that the first prototypes exceed."""
    if max_prototypes is not None and max_prototypes < n_prototypes:
        raise OptionError(
            f"max_prototypes is {max_prototypes} and training starts from {n_prototypes} "
            "prototypes; raise it to at least that, or leave it at None for a network that does "
            "not grow."
        )


def check_coefficients(init: Any, relation: Relation, n_prototypes: Any) -> Array:
    """Return given first prototypes (c × n), whose rows sum to one."""
    if not hasattr(init, "__len__") or is_flat(init):
        raise OptionError(
            f"init is {init!r}; it must be one of {[*INITS]} or coefficients (one row per "
            "prototype, one column per object)."
        )
    coefficients = as_matrix(init, "init").astype(relation.dtype, copy=False)
    if coefficients.shape[1] != relation.n_objects:
        raise OptionError(
            f"init has shape {coefficients.shape}; coefficients need one column for each of the "
            f"{relation.n_objects} objects."
        )
    if not is_auto(n_prototypes) and n_prototypes != len(coefficients):
        raise OptionError(
            f"init holds {len(coefficients)} prototypes and n_prototypes is {n_prototypes}; leave "
            "n_prototypes at 'auto' or make them agree."
        )
    sums = coefficients.sum(axis=1)
    if np.abs(sums - 1).max() > np.sqrt(np.finfo(relation.dtype).eps):
        worst = int(np.argmax(np.abs(sums - 1)))
        raise OptionError(
            f"row {worst} of init sums to {sums[worst]:.6g}; the coefficients of a prototype are "
            "affine and must sum to 1. Divide each row by its sum."
        )
    return coefficients


def check_class_prototypes(n_prototypes: int, n_classes: int) -> None:
    """Refuse a number of prototypes that init="class" does not give."""
    if n_prototypes != n_classes:
        raise OptionError(
            f"init='class' gives one prototype per class, and n_prototypes is {n_prototypes} for "
            f"{n_classes} classes. Leave it at 'auto', or use init='k-means' or 'random'."
        )
