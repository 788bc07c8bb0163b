"""The gate: the one file that judges what a user passed to an estimator.

Rooms above trust what comes through here. Whether a matrix is a relation is judged by its own
room (``relrbf.relations.convert``), which the gate asks.
"""

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.metrics.pairwise import _VALID_METRICS, PAIRWISE_DISTANCE_FUNCTIONS
from sklearn.utils import assert_all_finite, check_array, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, _num_samples

from relrbf._options import check_choice, check_number
from relrbf._typing import Array, Indices
from relrbf.exceptions import OptionError, RelationError
from relrbf.network import KERNELS, LOSSES, Kernel
from relrbf.relations.base import CrossRelation, Relation
from relrbf.relations.convert import (
    as_relation,
    check_exponent,
    is_flat,
    is_precomputed,
)
from relrbf.relations.judge import as_matrix, refuse_negative
from relrbf.training import Descent, QuasiNewton, Trainer
from relrbf.training.holdout import as_mask

SPACES = ("relational", "vector", "medoid")
METRICS = sorted({*PAIRWISE_DISTANCE_FUNCTIONS, *_VALID_METRICS, "precomputed"} - {"nan_euclidean"})
TOO_LARGE = 1e15  # a target; its square still has room in float32
LINEAR = "squared-error"  # the loss of linear outputs
CLUSTER_INITS = ("k-means++", "random-partition")
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
    check_choice("solver", solver, ("auto", "quasi-newton", "descent"))
    if solver == "descent":
        return Descent()
    if solver == "quasi-newton":
        return QuasiNewton()
    grows = estimator.max_prototypes is not None
    if grows and not is_auto(estimator.n_prototypes):
        grows = estimator.max_prototypes > estimator.n_prototypes
    if grows:
        return Descent.steady(validation_fraction=Descent.validation_fraction)
    # medoids jump, and cross-entropy has no closed form: neither suits the fast solver
    is_usual = estimator.space != "medoid" and _is(getattr(estimator, "loss", LINEAR), LINEAR)
    return QuasiNewton() if is_usual else Descent.steady()


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
    if not isinstance(estimator.verbose, bool):
        check_number("verbose", estimator.verbose, Integral, 0)
    if not isinstance(estimator.warm_start, bool | np.bool_):
        raise OptionError(f"warm_start is {estimator.warm_start!r}; it must be True or False.")
    if hasattr(estimator, "loss"):
        check_choice("loss", estimator.loss, LOSSES)
    weight = getattr(estimator, "class_weight", None)
    if not isinstance(weight, dict | None) and not _is(weight, "balanced"):
        raise OptionError(f"class_weight is {weight!r}; it must be None, 'balanced' or a dict.")
    _check_space_and_metric(estimator)


def _check_n_support(estimator: Any) -> None:
    n_support = estimator.n_support
    if n_support is None or is_auto(n_support):
        return
    is_number = isinstance(n_support, Real) and not isinstance(n_support, bool)
    whole = is_number and isinstance(n_support, Integral) and n_support >= 1
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


def is_auto(value: Any) -> bool:
    """Tell whether the choice is left to the estimator."""
    return _is(value, "auto")


def _is(value: Any, word: str) -> bool:
    return isinstance(value, str) and value == word


def _check_space_and_metric(estimator: Any) -> None:
    metric = estimator.metric
    known = callable(metric) or isinstance(metric, Relation)
    if not known and not (isinstance(metric, str) and metric in METRICS):
        raise OptionError(
            f"metric={metric!r} does not exist; it must be a callable, a Relation, or one of "
            f"{[*METRICS]}."
        )
    measures = estimator.space != "vector" and not is_precomputed(metric)
    if not isinstance(estimator.metric_params, dict | None):
        raise OptionError(
            f"metric_params is {estimator.metric_params!r}; it must be None or a dict."
        )
    if estimator.metric_params and (not measures or isinstance(metric, Relation)):
        raise OptionError(
            f"metric_params is {estimator.metric_params!r}, but space={estimator.space!r} with "
            f"metric={metric!r} computes no metric. Leave it at None."
        )
    if estimator.space != "vector":
        return
    if not isinstance(metric, str) or metric not in ("precomputed", "euclidean"):
        raise OptionError(
            "space='vector' measures Euclidean distances between feature vectors, and metric is "
            f"{metric!r}. Use metric='euclidean', or space='relational' for this metric."
        )
    if not is_auto(estimator.exponent) and estimator.exponent == 1:
        raise OptionError(
            "space='vector' has exponent 2: a point's squared distance is the Euclidean one. Use "
            "exponent='auto', or space='relational' with metric='euclidean' for exponent 1."
        )


def check_relation(X: Any, estimator: Any) -> Relation:
    """Return the relation among the training objects that X and the estimator's metric mean."""
    if isinstance(estimator.metric, Relation):
        return estimator.metric.restrict(check_positions(X, estimator.metric.n_objects))
    if estimator.space != "vector" and is_precomputed(estimator.metric):
        if not isinstance(X, Relation | CrossRelation) and is_flat(X):
            raise RelationError(
                "X is one-dimensional. Reshape your data: an estimator needs one row and one "
                "column per object. A condensed vector goes through relrbf.as_relation."
            )
        return as_relation(X)
    if isinstance(X, Relation):
        raise RelationError(
            f"X is a {type(X).__name__}, which holds dissimilarities; metric={estimator.metric!r} "
            f"with space={estimator.space!r} needs feature vectors. Use metric='precomputed' and "
            "space='relational'."
        )
    _question_vectors(as_matrix(X, min_rows=2), estimator)
    metric = "euclidean" if estimator.space == "vector" else estimator.metric
    return as_relation(X, metric, metric_params=estimator.metric_params, n_jobs=estimator.n_jobs)


def _question_vectors(vectors: Array, estimator: Any) -> None:
    """Refuse feature vectors that look in every respect like dissimilarities."""
    n, d = vectors.shape
    if n != d or n < 3 or np.diagonal(vectors).any() or vectors.min() < 0:
        return
    if np.array_equal(vectors, vectors.T):
        raise RelationError(
            f"X is square ({n} × {n}), symmetric, not negative and zero on the diagonal: these are "
            f"dissimilarities, but space={estimator.space!r} and metric={estimator.metric!r} take "
            "feature vectors. Use space='relational' and metric='precomputed'. (To use "
            "rows of dissimilarities as features on purpose, drop one of the columns.)"
        )


def check_positions(X: Any, n_objects: int) -> Indices:
    """Return X, a column of positions in a relation, as integers."""
    positions = as_matrix(X)
    if positions.shape[1] != 1:
        raise RelationError(
            f"X has shape {positions.shape}; with metric=Relation it must be one column, the "
            "positions of the objects in the relation."
        )
    outside = (positions < 0) | (positions >= n_objects) | (positions != np.round(positions))
    if outside.any():
        raise RelationError(
            f"X holds the position {positions[outside][0]:g}; with metric=Relation positions are "
            f"whole numbers from 0 to {n_objects - 1}."
        )
    return positions[:, 0].astype(np.intp)


def check_same_ids(X: Any, ids: np.ndarray | None) -> None:
    """Refuse columns that name other objects than the model needs, or in another order."""
    names = _column_names(X)
    if names is None:
        return
    numbers = np.arange(len(names))
    if ids is None:  # trained without names: numbers out of order are a mistake all the same
        ids = numbers if set(names) == set(numbers.tolist()) else names
    unnamed = np.array_equal(names, numbers) and not all(isinstance(name, Integral) for name in ids)
    if unnamed or np.array_equal(names, ids):
        return
    missing = [name for name in ids if name not in set(names)]
    problem = f"lacks {missing[0]!r}" if missing else "names them in another order"
    raise RelationError(
        f"X must have a column for each object the model needs, in its order, and {problem}. Pass "
        "X[ids] with the ids of training (of the support after compact())."
    )


def _column_names(X: Any) -> np.ndarray | None:
    if isinstance(X, CrossRelation):
        return X.column_ids
    if isinstance(X, Relation):
        return X.ids
    return np.asarray(X.columns, dtype=object) if hasattr(X, "columns") else None


def check_queries(X: Any, estimator: Any) -> Array | CrossRelation:
    """Return new objects' dissimilarities to the training objects (m × n), judged."""
    n, name = estimator.n_features_in_, type(estimator).__name__
    queries = X if isinstance(X, CrossRelation) else as_matrix(_matrix_of(X))
    if queries.shape[1] != n:
        advice = (
            "with metric='precomputed' X needs one column for each of the objects that a "
            "prediction uses: all the training objects, or the support after compact()."
            if is_precomputed(estimator.metric) and estimator.space != "vector"
            else "one column per feature of the training vectors."
        )
        raise RelationError(
            f"X has {queries.shape[1]} features, but {name} is expecting {n} features as input: "
            + advice
        )
    return queries


def _matrix_of(X: Any) -> Any:
    return X.block() if isinstance(X, Relation) else X


def check_not_negative(dissimilarities: Array) -> Array:
    """Return dissimilarities of new objects, none of them negative."""
    if dissimilarities.size:
        lowest, largest = float(dissimilarities.min()), float(dissimilarities.max())
        refuse_negative(dissimilarities, lowest, largest)
    return dissimilarities


def check_responses(responses: Array) -> Array:
    """Return responses that are finite, or say which object is too far away for one."""
    finite = np.isfinite(responses).all(axis=1)
    if not finite.all():
        raise RelationError(
            f"object {int(np.argmin(finite))} of X is so far from the training objects that the "
            "network's response overflows. Check its dissimilarities, or use a kernel that fades, "
            "such as 'gaussian'."
        )
    return responses


def check_labels(y: Any, X: Any, estimator: Any) -> tuple[np.ndarray, Indices]:
    """Return the classes, of whatever type, and the class of each object."""
    _check_given(y, estimator)
    try:
        assert_all_finite(y, input_name="y")
        check_classification_targets(y)
        labels = column_or_1d(y, warn=True)
        _check_length(labels, X)
        classes, indices = np.unique(labels, return_inverse=True)
    except TypeError as error:
        kinds = sorted({type(label).__name__ for label in np.ravel(y)})
        raise ValueError(
            f"y holds labels that cannot be ordered ({', '.join(kinds)}); use labels of one type."
        ) from error
    if len(classes) < 2:
        raise ValueError(
            f"y holds {len(classes)} class ({classes.tolist()}); a classifier needs objects of at "
            "least two classes."
        )
    return classes, indices


def check_weighted_classes(weights: Array, labels: Indices, classes: np.ndarray) -> None:
    """Refuse weights that leave fewer than two classes."""
    left = np.unique(labels[weights > 0])
    if len(left) < 2:
        raise ValueError(
            f"sample_weight and class_weight leave {len(left)} class ({classes[left].tolist()}); a "
            "classifier needs objects of at least two classes with a positive weight."
        )


def check_targets(y: Any, X: Any, estimator: Any) -> np.ndarray:
    """Return finite numeric targets of shape (n,) or (n, g)."""
    _check_given(y, estimator)
    targets = check_array(y, ensure_2d=False, dtype="numeric", input_name="y", estimator=estimator)
    largest = np.abs(targets).max()
    if largest > TOO_LARGE:
        raise ValueError(
            f"y reaches {largest:.3g}, whose square is out of range. Rescale y, for example by its "
            "largest entry."
        )
    if targets.ndim > 2:
        raise ValueError(f"y has shape {targets.shape}; it must be (n,) or (n, number of outputs).")
    _check_length(targets, X)
    return targets


def _refuse_mask(values: Any, name: str) -> None:
    if np.ma.isMaskedArray(values) and np.ma.getmaskarray(values).any():
        raise ValueError(f"{name} is a masked array; every entry must be known.")


def _check_given(y: Any, estimator: Any) -> None:
    _refuse_mask(y, "y")
    if y is None:
        raise ValueError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is None."
        )


def _check_length(y: np.ndarray, X: Any) -> None:
    n_objects = _num_samples(X)
    if len(y) != n_objects:
        raise ValueError(
            f"y has {len(y)} entries for {n_objects} objects in X; give one for each, in the same "
            "order."
        )


def check_weights(sample_weight: Any, X: Any, by_class: Any = None) -> Array:
    """Return one weight per object: finite, also in sum, and not negative."""
    _refuse_mask(sample_weight, "sample_weight")
    weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    _check_sum(weights, "sample_weight")
    if by_class is not None:
        weights = weights * by_class
        _check_sum(weights, "class_weight")
    return weights


def _check_sum(weights: Array, name: str) -> None:
    with np.errstate(over="ignore"):
        total = weights.sum()
    if not 0 < total < np.inf or weights.min() < 0:
        raise ValueError(
            f"{name} makes the weights of the objects sum to {total:g}, the smallest being "
            f"{weights.min():g}; none may be negative, and their sum must be positive and finite."
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


def check_cluster_options(estimator: Any) -> None:
    """Judge every option of a clustering that does not depend on the data."""
    check_number("n_clusters", estimator.n_clusters, Integral, 1)
    check_number("n_init", estimator.n_init, Integral, 1, or_auto=True)
    check_number("max_iter", estimator.max_iter, Integral, 1)
    if isinstance(estimator.init, str):
        check_choice("init", estimator.init, CLUSTER_INITS)
    if not is_auto(estimator.exponent):
        check_exponent(estimator.exponent)
    _check_space_and_metric(estimator)


def check_fuzzy_options(estimator: Any) -> None:
    """Judge what fuzzy c-means has besides."""
    check_number("tol", estimator.tol, Real, 0)
    check_number("fuzzifier", estimator.fuzzifier, Real, 1)
    if estimator.fuzzifier == 1:
        raise OptionError(
            "fuzzifier is 1; it must be larger. Use 2, less for clusters that overlap less, and "
            "RelationalKMeans for clusters that do not overlap."
        )


def check_n_clusters(n_clusters: int, n_distinct: int) -> None:
    """Refuse more clusters than there are distinct objects of positive weight."""
    if n_clusters > n_distinct:
        raise OptionError(
            f"n_clusters is {n_clusters}, but only {n_distinct} objects are distinct and have a "
            f"positive weight. Use n_clusters={n_distinct} or fewer."
        )


def check_partition(init: Any, weights: Array, n_clusters: int) -> Indices:
    """Return a given first partition: one label per object, no cluster without weight."""
    if not hasattr(init, "__len__") or not is_flat(init) or len(init) != len(weights):
        raise OptionError(
            f"init is {_shown(init)}; it must be one of {[*CLUSTER_INITS]} or one label for each "
            f"of the {len(weights)} objects."
        )
    values = as_matrix(np.reshape(init, (-1, 1)), "init")[:, 0]
    outside = (values < 0) | (values >= n_clusters) | (values != np.round(values))
    if outside.any():
        raise OptionError(
            f"init holds the label {values[outside][0]:g}; with n_clusters={n_clusters} labels are "
            f"whole numbers from 0 to {n_clusters - 1}."
        )
    labels = values.astype(np.intp)
    _refuse_empty(np.bincount(labels, weights=weights, minlength=n_clusters))
    return labels


def check_memberships(init: Any, weights: Array, n_clusters: int) -> Array:
    """Return given first memberships (n × k): not negative, rows sum to one."""
    memberships = as_matrix(init, "init").astype(weights.dtype, copy=False)
    if memberships.shape != (len(weights), n_clusters):
        raise OptionError(
            f"init has shape {memberships.shape}; memberships need one row for each of the "
            f"{len(weights)} objects and one column for each of the {n_clusters} clusters."
        )
    if memberships.min() < 0:
        raise OptionError(
            f"init holds the membership {memberships.min():.6g}; none may be negative."
        )
    off = np.abs(memberships.sum(axis=1) - 1)
    if off.max() > np.sqrt(np.finfo(weights.dtype).eps):
        worst = int(np.argmax(off))
        raise OptionError(
            f"row {worst} of init sums to {memberships[worst].sum():.6g}; the memberships of an "
            "object must sum to 1. Divide each row by its sum."
        )
    _refuse_empty(weights @ memberships)
    return memberships


def _refuse_empty(masses: np.ndarray) -> None:
    if not masses.all():
        raise OptionError(
            f"init leaves cluster {int(np.argmin(masses))} without an object of positive weight; "
            "every cluster needs one. Lower n_clusters, or give it an object."
        )


def _shown(value: Any) -> str:
    """Say what came, an array by its shape."""
    return f"an array of shape {np.shape(value)}" if np.ndim(value) else repr(value)
