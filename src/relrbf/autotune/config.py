"""What a fit is given, and the record of all that was chosen for it."""

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np

from relrbf._options import is_auto
from relrbf._typing import Array, Indices
from relrbf.autotune.row_sampling import RowSummary
from relrbf.autotune.teacher import Teacher
from relrbf.network import Kernel, Loss
from relrbf.relations.base import Relation
from relrbf.relations.blocks import cores_for
from relrbf.relations.properties import NEGLIGIBLE, RelationReport
from relrbf.training import Result, Trainer


@dataclass(frozen=True, eq=False)
class PreviousFit:
    """Where the last fit stopped and what it was a fit of, for ``warm_start``.

    ``rows`` are the objects whose rows were read, their shares and exponent; None: all were.
    """

    state: Any
    alpha: float
    support: Indices
    validation: np.ndarray | None
    rows: tuple[Indices, Array, float] | None
    total_weight: float
    params: dict[str, Any]
    identity: dict[str, Array]


@dataclass(frozen=True, eq=False)
class TrainingData:
    """Validated input of a fit.

    Attributes
    ----------
    relation : Relation
        Dissimilarities between the n objects.
    targets : ndarray of shape (n, g)
        One column per class or output.
    weights : ndarray of shape (n,)
        Object weights as given.
    classes : ndarray or None
        Class labels, one per column; None for regression.
    vectors : ndarray or None
        The feature vectors, in vector space.
    validation : ndarray of bool or None
        Objects that were given for validation.
    seed : int
        Of everything that is drawn.
    is_flat : bool
        Whether y had one dimension.
    previous : PreviousFit or None
        The fit to continue.
    """

    relation: Relation
    targets: Array
    weights: Array
    classes: np.ndarray | None
    vectors: Array | None
    validation: np.ndarray | None
    seed: int
    is_flat: bool = True
    previous: PreviousFit | None = None


@dataclass(frozen=True, eq=False)
class FitConfig:
    """Every value that a fit needs, with the evidence for those that were left open.

    Attributes
    ----------
    params : dict
        The parameters of the estimator, as given.
    trainer, kernel, loss
        What trains, and what is trained.
    relation : Relation
        The relation under the chosen exponent.
    report : RelationReport
        What was found about it.
    exponent : float
        ``S = r ** exponent``.
    support : ndarray of int
        Objects that may carry coefficients, in ascending order.
    targets, learned_targets : ndarrays of shape (n, g)
        The targets, standardized in regression, and what the trainer learns: those or the
        teacher's responses.
    target_mean, target_scale : ndarrays of shape (g,)
        ``y = target_scale * target + target_mean``.
    weights, validation : ndarrays of shape (n,), the second may be None
        Object weights in training and in validation; each sum to one.
    alpha : float
        Ridge penalty on the trainer's scale; NaN leaves it to the trainer.
    alpha_scale : float
        What turns the trainer's penalty into that of ``sklearn.linear_model.Ridge``.
    n_prototypes : int
        To begin with.
    teacher : Teacher or None
        The closed-form network whose responses are learned.
    rows : RowSummary
        What was read of the relation.
    total_weight : float
        Sum of the weights as given.
    rng : Generator
        The source of all that is drawn from here on.
    """

    params: dict[str, Any]
    trainer: Trainer
    kernel: Kernel
    loss: Loss
    relation: Relation
    report: RelationReport
    exponent: float
    support: Indices
    targets: Array
    learned_targets: Array
    target_mean: Array
    target_scale: Array
    weights: Array
    validation: Array | None
    alpha: float
    alpha_scale: float
    n_prototypes: int
    teacher: Teacher | None
    rows: RowSummary
    total_weight: float
    rng: np.random.Generator

    @property
    def has_full_support(self) -> bool:
        """Whether every object that takes part may carry coefficients."""
        return len(self.support) >= np.count_nonzero(self.weights)

    def thread_limits(self) -> AbstractContextManager[Any]:
        """Return the context for products with S, or with the support's part of it."""
        n_objects = self.relation.n_objects
        is_whole = len(self.support) == n_objects
        return cores_for(n_objects, self.relation.multiplying() if is_whole else nullcontext())


def explain(config: FitConfig, result: Result, alpha: float) -> str:
    """Return one line for each value that was chosen, with the evidence for it."""
    bandwidths, teacher = result.network.bandwidths, config.teacher
    if teacher is None:
        bandwidth = float(np.median(bandwidths))
        spread = f"{bandwidths.min():.4g} to {bandwidths.max():.4g} after training"
        width_reason = f"the median; {spread}"
        alpha_reason = "given" if not is_auto(config.params["alpha"]) else "left to the solver"
    else:
        bandwidth = teacher.bandwidth
        width_reason = f"{_count(teacher.width, 'unit')}; {_errors_by_width(teacher)}"
        how = "given" if not is_auto(config.params["alpha"]) else "best of fifteen"
        alpha_reason = f"{how}; leave-one-out error of the teacher {teacher.error:.4g}"
    objective = result.history.objective
    movement = f"objective {objective[min(1, result.n_iter)]:.4g} -> {objective[-1]:.4g}"
    negative = float(np.mean(result.prototypes.distances_sq < 0))
    lines = [
        ("exponent", f"{config.exponent:g}", _explain_exponent(config)),
        ("n_support", f"{len(config.support)}", _explain_support(config)),
        ("n_prototypes", f"{len(result.prototypes)}", _explain_prototypes(config)),
        ("bandwidth", f"{bandwidth:.4g}", width_reason),
        ("alpha", f"{alpha:.3g}", alpha_reason),
        ("movement", _count(result.n_iter, "epoch"), f"{movement}; {result.status.value}"),
        (
            "distances",
            f"{negative:.1%} < 0" if negative else "none < 0",
            "squared distances of prototypes to training objects",
        ),
    ]
    return "\n".join(f"{name:<13}{value:<12} {reason}".rstrip() for name, value, reason in lines)


def _explain_exponent(config: FitConfig) -> str:
    if not is_auto(config.params["exponent"]):
        return "given"
    report, exponent = config.report, int(config.exponent)
    negative = report.negative_eigenfraction[exponent]
    if config.params["space"] == "vector" or report.has_vector_dual[exponent]:
        return "vectors with these dissimilarities exist"
    if negative <= NEGLIGIBLE:
        return f"vectors all but exist: {negative:.2%} of the spectrum is negative"
    negative_part = f"{negative:.1%} of the spectrum is negative"
    errors = _lowest_errors(config.teacher)
    if len(errors) < 2:
        return negative_part
    other = 3 - exponent
    return (
        f"{negative_part}; leave-one-out error {errors[exponent]:.4g}, with {other} "
        f"{errors[other]:.4g}"
    )


def _lowest_errors(teacher: Teacher | None) -> dict[float, float]:
    """Return the lowest error under each exponent that was compared."""
    tried = {} if teacher is None else teacher.tried
    exponents = {exponent for exponent, _ in tried}
    return {
        e: min(error for (tried_e, _), error in tried.items() if tried_e == e) for e in exponents
    }


def _explain_support(config: FitConfig) -> str:
    if config.params["space"] == "vector":
        return "objects that the first prototypes are means of; a point needs none afterwards"
    n_objects = config.report.n_objects
    if len(config.support) >= n_objects - config.report.n_duplicate_objects:
        return "all distinct objects; a prediction needs no others"
    return f"spread by k-means++ over the {n_objects} objects; a prediction needs no others"


def _explain_prototypes(config: FitConfig) -> str:
    if not is_auto(config.params["n_prototypes"]):
        return "given"
    return "one for every ten distinct objects, at most 128; more of very few, or where those fail"


def _errors_by_width(teacher: Teacher) -> str:
    errors = ", ".join(
        f"{width:g}: {error:.4g}"
        for (exponent, width), error in sorted(teacher.tried.items())
        if exponent == teacher.exponent
    )
    return f"leave-one-out errors {errors}"


def _count(number: float, name: str) -> str:
    return f"{number:g} {name}" if number == 1 else f"{number:g} {name}s"
