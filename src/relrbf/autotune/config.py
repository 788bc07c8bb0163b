"""What a fit is given, and the record of all that was chosen for it."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.autotune.row_sampling import RowSummary
from relrbf.autotune.teacher import Teacher
from relrbf.network import Kernel, Loss
from relrbf.relations.base import Relation
from relrbf.relations.properties import RelationReport
from relrbf.training import Trainer


@dataclass(frozen=True, eq=False)
class PreviousFit:
    """Where the last fit stopped and what it was a fit of, for ``warm_start``.

    ``rows`` are the objects whose rows were read, their shares and exponent; None: all were.
    """

    state: Any
    alpha: float
    support: Indices
    validation_mask: np.ndarray | None
    rows: tuple[Indices, Array, float] | None
    total_weight: float
    params: dict[str, Any]
    identity: dict[str, Array]


@dataclass(frozen=True, eq=False)
class Evidence:
    """The numbers that explain what was chosen; those of a teacher are 0 where there was none.

    ``tried`` (k × 4) holds power, log2 of the width, whether locally scaled, and left-out loss of
    all that was compared; ``layers`` powers and bandwidths of the prototypes on an object.
    """

    n_support: int
    negative_distances: float
    loss: float
    constant_loss: float
    is_local: float
    tried: Array
    layers: Array


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
    validation_mask : ndarray of bool or None
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
    validation_mask: np.ndarray | None
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
    order : ndarray of int of shape (n,)
        The objects from the center outwards, however they are numbered.
    has_full_support : bool
        Whether these are all objects that take part.
    targets : ndarray of shape (n, g)
        The targets, standardized in regression.
    target_mean, target_scale : ndarrays of shape (g,)
        ``y = target_scale * target + target_mean``.
    training_weights, validation_weights : ndarrays of shape (n,), the second may be None
        Object weights in training and in validation; each sum to one.
    alpha : float
        Ridge penalty on the trainer's scale; NaN leaves it to the trainer.
    alpha_scale, teacher_alpha_scale : float
        What turns the trainer's penalty, and the teacher's, into that of
        ``sklearn.linear_model.Ridge``. The trainer's weights sum to one, the teacher's have mean
        one and scale activations and errors alike.
    n_prototypes : int
        To begin with.
    teacher : Teacher or None
        The closed-form network whose responses are learned, or that is kept.
    summary : RowSummary
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
    order: Indices
    has_full_support: bool
    targets: Array
    target_mean: Array
    target_scale: Array
    training_weights: Array
    validation_weights: Array | None
    alpha: float
    alpha_scale: float
    teacher_alpha_scale: float
    n_prototypes: int
    teacher: Teacher | None
    summary: RowSummary
    total_weight: float
    rng: np.random.Generator
