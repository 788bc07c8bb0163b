"""Validation of what a user passes to a network: options, objects, targets, weights."""

from collections.abc import Callable
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.class_weight import compute_sample_weight

from relrbf._options import check_choice, check_flag, check_number, require
from relrbf._typing import Array, Indices
from relrbf.autotune import TrainingData
from relrbf.base import check_classes, check_targets, check_weights
from relrbf.exceptions import OptionError
from relrbf.network import KERNELS, LOSSES, Kernel
from relrbf.relations.base import Relation
from relrbf.relations.conversion import check_space_and_metric
from relrbf.relations.validation import as_matrix, check_exponent
from relrbf.training import LBFGS, SOLVERS, Trainer
from relrbf.training.base import as_mask

if TYPE_CHECKING:
    from relrbf.estimators.base import RBFNetwork

SPACES = ("relational", "vector", "medoid")
INITS = ("k-means", "random-partition", "fuzzy", "class", "random")
REQUIRED = object()  # a number: nothing may stand in its place
NUMBERS: dict[str, tuple[Any, float, Any]] = {  # kind, lowest, what may stand in its place
    "n_prototypes": (Integral, 1, "auto"),
    "max_prototypes": (Integral, 1, None),
    "alpha": (Real, 0, "auto"),
    "max_iter": (Integral, 1, REQUIRED),
    "tol": (Real, 0, REQUIRED),
    "verbose": (Integral, 0, REQUIRED),
}
CHOICES: dict[str, tuple[Any, type]] = {  # names, and what else may be given
    "space": (SPACES, str),
    "init": (INITS, object),
    "kernel": (KERNELS, Kernel),
    "solver": (("auto", *SOLVERS), Trainer),
    "loss": (LOSSES, str),
}
POSITIVE_NEEDS: dict[str, tuple[Callable[[Any], bool], str]] = {  # test, and what to use
    "kernel": (lambda kernel: _decreases(kernel), "use one that falls with distance"),
    "solver": (lambda solver: isinstance(solver, LBFGS) or solver in ("auto", "lbfgs"), "use auto"),
    "space": (lambda space: space != "medoid", "use 'relational' or 'vector'"),
    "loss": (lambda loss: loss == "squared-error", "use 'squared-error'"),
    "init": (lambda init: isinstance(init, str), "name one, such as 'k-means'"),
    "n_prototypes": (lambda wanted: wanted != "all", "use a number, or 'auto'"),
    "max_prototypes": (lambda limit: limit is None, "leave it at None"),
    "warm_start": (lambda is_warm: not is_warm, "leave it at False"),
}


def validate(estimator: "RBFNetwork", X: Any, y: Any, sample_weight: Any) -> TrainingData:
    """Return the validated input of a fit; errors about X, y and single options are raised here."""
    check_options(estimator)
    if estimator._has_classes:
        classes, labels = check_classes(y, X, estimator)
        by_class = compute_sample_weight(estimator.class_weight, classes[labels])
        weights = check_weights(sample_weight, X, by_class, classes[labels])
        relation = estimator._validate_relation(X)
        targets = np.eye(len(classes), dtype=relation.dtype)[labels]
    else:
        classes, y = None, check_targets(y, X, estimator)
        weights = check_weights(sample_weight, X)
        relation = estimator._validate_relation(X)
        targets = y.reshape(len(y), -1).astype(np.float64)
    held_out = estimator.solver.validation if isinstance(estimator.solver, Trainer) else None
    return TrainingData(
        relation,
        targets,
        weights,
        classes,
        vectors=as_matrix(X) if estimator.space == "vector" else None,
        validation_mask=None if held_out is None else as_mask(held_out, relation.n_objects),
        is_flat=classes is not None or y.ndim == 1,
        seed=int(check_random_state(estimator.random_state).randint(2**31)),
        previous=estimator._previous_fit(relation.n_objects) if estimator.warm_start else None,
    )


def check_options(estimator: "RBFNetwork") -> None:
    """Validate every option of an estimator that does not depend on the data."""
    params = estimator.get_params(deep=False)
    for name, (kind, low, instead) in NUMBERS.items():
        value = params[name]
        is_number = isinstance(value, kind) and (name == "verbose" or not isinstance(value, bool))
        is_other = value is instead or (isinstance(value, str) and value == instead)
        is_other = is_other or (
            name == "n_prototypes" and isinstance(value, str) and value == "all"
        )
        if not is_other and not (is_number and low <= value < np.inf):
            check_number(name, value, kind, low, or_auto=instead == "auto")
    for name, (names, kind) in CHOICES.items():
        value = params.get(name, "squared-error")
        if not (value in names if isinstance(value, str) else isinstance(value, kind)):
            _refuse_choice(name, value, names)
    if not isinstance(estimator.n_prototypes, str) and estimator.max_prototypes is not None:
        check_max_prototypes(estimator.max_prototypes, estimator.n_prototypes)
    if estimator.n_support is not None and estimator.n_support != "auto":
        _check_n_support(estimator.n_support, estimator.space)
    if estimator.exponent != "auto":
        check_exponent(estimator.exponent)
    if not isinstance(estimator.warm_start, bool | np.bool_):
        raise OptionError(
            f"warm_start is {estimator.warm_start!r}; it must be True or False.", name="warm_start"
        )
    if params.get("class_weight") is not None:
        _check_class_weight(params["class_weight"])
    if params.get("positive", False) is not False:
        _check_positive(params)
    check_space_and_metric(estimator)


def _refuse_choice(name: str, value: Any, names: Any) -> None:
    if isinstance(value, type) and issubclass(value, Trainer | Kernel):
        raise OptionError(
            f"{name} is the class {value.__name__}; pass one: {value.__name__}().", name=name
        )
    if name == "kernel":
        raise OptionError(
            f"kernel={value!r} does not exist; it must be one of {[*names]} or a "
            "relrbf.network.Kernel.",
            name="kernel",
        )
    check_choice(name, value, names)


def _check_class_weight(weight: Any) -> None:
    is_right = isinstance(weight, dict) or (isinstance(weight, str) and weight == "balanced")
    require(is_right, "class_weight", weight, "None, 'balanced' or a dict")


def _check_positive(params: dict[str, Any]) -> None:
    """Refuse what a network whose prototypes have one class each cannot have."""
    check_flag("positive", params["positive"])
    for name, (is_possible, advice) in POSITIVE_NEEDS.items():
        if params["positive"] and not is_possible(params[name]):
            raise OptionError(
                f"{name} is {params[name]!r:.60}, which does not go with positive=True; {advice}.",
                name=name,
            )


def _decreases(kernel: Any) -> bool:
    """Tell whether nearer objects have the larger activation."""
    kernel = KERNELS[kernel]() if isinstance(kernel, str) else kernel
    near, far = kernel.activate(np.array([[0.0, 1.0]]))[0]
    return bool(near > far)


def _check_n_support(n_support: Any, space: str) -> None:
    is_number = isinstance(n_support, Real) and not isinstance(n_support, bool)
    is_count = is_number and isinstance(n_support, Integral) and int(n_support) >= 1
    is_part = is_number and not isinstance(n_support, Integral) and 0 < float(n_support) < 1
    needed = "a number of objects (an integer, at least 1), a part of them (between 0 and 1), "
    require(is_count or is_part, "n_support", n_support, f"{needed}None for all, or auto")
    if space == "vector":
        raise OptionError(
            f"n_support is {n_support!r} and space is 'vector', where prototypes are points that "
            "need no training object. Leave n_support at 'auto'.",
            name="n_support",
        )


def check_max_prototypes(max_prototypes: int | None, n_prototypes: int) -> None:
    """Refuse a limit that the first prototypes exceed."""
    if max_prototypes is not None and max_prototypes < n_prototypes:
        raise OptionError(
            f"max_prototypes is {max_prototypes} and training starts from {n_prototypes} "
            "prototypes; raise it to at least that, or use None for a network that does not grow.",
            name="max_prototypes",
        )


def check_coefficients(
    init: Any, relation: Relation, n_prototypes: Any, support: Indices | None = None
) -> Array:
    """Return given first prototypes (c × n), whose rows sum to one, on the support if given."""
    needed = f"one of {[*INITS]} or coefficients (one row per prototype, one column per object)"
    require(hasattr(init, "__len__") and np.ndim(init) != 1, "init", init, needed)
    coefficients = as_matrix(init, "init").astype(relation.dtype, copy=False)
    if coefficients.shape[1] != relation.n_objects:
        raise OptionError(
            f"init has shape {coefficients.shape}; coefficients need one column for each of the "
            f"{relation.n_objects} objects.",
            name="init",
        )
    if not isinstance(n_prototypes, str) and n_prototypes != len(coefficients):
        raise OptionError(
            f"init holds {len(coefficients)} prototypes and n_prototypes is {n_prototypes}; leave "
            "n_prototypes at 'auto' or make them agree.",
            name="n_prototypes",
        )
    sums = coefficients.sum(axis=1)
    if np.abs(sums - 1).max() > np.sqrt(np.finfo(relation.dtype).eps):
        worst = int(np.argmax(np.abs(sums - 1)))
        raise OptionError(
            f"row {worst} of init sums to {sums[worst]:.6g}; the coefficients of a prototype are "
            "affine and must sum to 1. Divide each row by its sum.",
            name="init",
        )
    if support is not None:
        _check_on_support(coefficients, support)
    return coefficients


def _check_on_support(coefficients: Array, support: Indices) -> None:
    outside = np.ones(coefficients.shape[1], dtype=bool)
    outside[support] = False
    n_outside = int(np.count_nonzero(coefficients[:, outside].any(axis=0)))
    if n_outside:
        raise OptionError(
            f"init has coefficients on {n_outside} objects outside the support of {len(support)}, "
            "which are left out because of n_support, a weight of zero, or an earlier equal "
            "object. Set n_support=None, or put the coefficients on the support.",
            name="init",
        )
