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
    """Validated input of a fit."""

    relation: Relation  # dissimilarities between the n objects
    targets: Array  # one column per class or output (n × g)
    weights: Array  # of the objects, as given (n)
    classes: np.ndarray | None  # class labels, one per column; None for regression
    vectors: Array | None  # the feature vectors, in vector space
    validation_mask: np.ndarray | None  # objects that were given for validation
    seed: int  # of everything that is drawn
    is_flat: bool = True  # whether y had one dimension
    previous: PreviousFit | None = None  # the fit to continue


@dataclass(frozen=True, eq=False)
class FitConfig:
    """Every value that a fit needs, with the evidence for those that were left open.

    ``alpha_scale`` and ``teacher_alpha_scale`` turn the trainer's penalty, and the teacher's, into
    that of ``sklearn.linear_model.Ridge``: the trainer's weights sum to one, the teacher's have
    mean one and scale activations and errors alike.
    """

    params: dict[str, Any]  # of the estimator, as given
    trainer: Trainer
    kernel: Kernel
    loss: Loss
    relation: Relation  # under the chosen exponent
    report: RelationReport  # what was found about it
    exponent: float  # S = r ** exponent
    support: Indices  # objects that may carry coefficients, in ascending order
    order: Indices  # the objects from the center outwards, however they are numbered (n)
    has_full_support: bool  # whether all objects that take part are in the support
    targets: Array  # standardized in regression: y = target_scale * target + target_mean (n × g)
    target_mean: Array
    target_scale: Array
    training_weights: Array  # of the objects; sum to one (n)
    validation_weights: Array | None  # sum to one as well
    alpha: float  # ridge penalty on the trainer's scale; NaN leaves it to the trainer
    alpha_scale: float
    teacher_alpha_scale: float
    n_prototypes: int  # to begin with
    teacher: Teacher | None  # the closed-form network whose responses are learned, or that is kept
    summary: RowSummary  # what was read of the relation
    total_weight: float  # sum of the weights as given
    rng: np.random.Generator  # the source of all that is drawn from here on
