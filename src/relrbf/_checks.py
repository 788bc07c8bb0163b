"""The gate: the one file that judges what a user passed to an estimator.

Rooms above trust what comes through here. Whether a matrix is a relation is judged by its own
room (``relrbf.relations.convert``), which the gate asks.
"""

from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils import check_array, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, _num_samples

from relrbf._typing import Array, Indices
from relrbf.exceptions import OptionError, RelationError
from relrbf.network import KERNELS, Kernel
from relrbf.relations.base import CrossRelation, Relation
from relrbf.relations.convert import as_relation, check_exponent, is_flat
from relrbf.relations.judge import as_matrix
from relrbf.training import Descent, Trainer

SPACES = ("relational", "vector", "medoid")
EUCLIDEAN = ("euclidean", "precomputed")
INITS = ("k-means", "class", "random")


def check_choice(name: str, value: Any, choices: Iterable[Any], coming: Iterable[Any] = ()) -> None:
    """Refuse a value that does not exist, and say which do; one that is coming is said to be."""
    if isinstance(value, str) and value in coming:
        raise OptionError(
            f"{name}={value!r} is not available in this version of relrbf. Use one of {[*choices]}."
        )
    if not isinstance(value, str) or value not in choices:
        raise OptionError(f"{name}={value!r} does not exist; it must be one of {[*choices]}.")


def check_number(
    name: str, value: Any, kind: type, low: float, *, strict: bool = False, also: str = ""
) -> None:
    """Refuse what is not a number of the kind, or lies below the lowest value allowed."""
    wanted = "an integer" if kind is Integral else "a number"
    bound = f"{'greater than' if strict else 'at least'} {low}"
    is_number = isinstance(value, kind) and not isinstance(value, bool)
    if not is_number or not (value > low if strict else value >= low):
        raise OptionError(f"{name} is {value!r}; it must be {wanted} {bound}{also}.")


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


def check_solver(solver: Any) -> Trainer:
    """Return the trainer meant by a name or a Trainer."""
    if isinstance(solver, Trainer):
        return solver
    check_choice("solver", solver, ("auto", "descent"), coming=("quasi-newton",))
    return Descent()


def check_options(estimator: Any) -> None:
    """Judge every option of an estimator that does not depend on the data."""
    check_choice("space", estimator.space, SPACES)
    if estimator.n_prototypes != "auto":
        check_number("n_prototypes", estimator.n_prototypes, Integral, 1, also=", or 'auto'")
    if estimator.max_prototypes is not None:
        raise OptionError(
            f"max_prototypes={estimator.max_prototypes!r}: growing networks are not available in "
            "this version of relrbf. Leave it at None and set n_prototypes."
        )
    if estimator.n_support not in ("auto", None):
        raise OptionError(
            f"n_support={estimator.n_support!r}: a chosen support is not available in this "
            "version of relrbf. Use 'auto' or None, which let all objects carry coefficients."
        )
    if estimator.exponent != "auto":
        check_exponent(estimator.exponent)
    if estimator.alpha != "auto":
        check_number("alpha", estimator.alpha, Real, 0, also=", or 'auto'")
    if isinstance(estimator.init, str):
        check_choice("init", estimator.init, INITS, coming=("fuzzy",))
    check_number("max_iter", estimator.max_iter, Integral, 1)
    check_number("tol", estimator.tol, Real, 0)
    _check_space_and_metric(estimator)


def _check_space_and_metric(estimator: Any) -> None:
    if estimator.space != "vector":
        return
    if isinstance(estimator.metric, Relation) or estimator.metric not in (
        "precomputed",
        "euclidean",
    ):
        raise OptionError(
            f"space='vector' measures Euclidean distances between feature vectors, and metric is "
            f"{estimator.metric!r}. Use metric='euclidean', or space='relational' for this metric."
        )
    if estimator.exponent == 1:
        raise OptionError(
            "space='vector' has exponent 2: a point's squared distance is the Euclidean one. Use "
            "exponent='auto', or space='relational' with metric='euclidean' for exponent 1."
        )


def check_relation(X: Any, estimator: Any) -> Relation:
    """Return the relation among the training objects that X and the estimator's metric mean."""
    if isinstance(estimator.metric, Relation):
        return estimator.metric.restrict(check_positions(X, estimator.metric.n_objects))
    if estimator.space != "vector" and estimator.metric == "precomputed":
        if not isinstance(X, Relation | CrossRelation) and is_flat(X):
            raise RelationError(
                "X is one-dimensional. Reshape your data: an estimator needs one row and one "
                "column per object. A condensed vector goes through relrbf.as_relation."
            )
        return X if isinstance(X, Relation) else as_relation(X)
    if isinstance(X, Relation):
        raise RelationError(
            f"X is a {type(X).__name__}, which holds dissimilarities; metric={estimator.metric!r} "
            f"with space={estimator.space!r} needs feature vectors. Use metric='precomputed' and "
            "space='relational'."
        )
    metric = "euclidean" if estimator.space == "vector" else estimator.metric
    relation = as_relation(
        X, metric, metric_params=estimator.metric_params, n_jobs=estimator.n_jobs
    )
    _question_vectors(as_matrix(X), estimator)
    return relation


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
    positions = check_array(X, dtype=None, input_name="X")
    if positions.shape[1] != 1 or not np.array_equal(positions, np.round(positions)):
        raise RelationError(
            f"X has shape {positions.shape}; with metric=Relation it must be one column of whole "
            "numbers, the positions of the objects in the relation."
        )
    positions = positions[:, 0].astype(np.intp)
    if positions.min() < 0 or positions.max() >= n_objects:
        raise RelationError(
            f"X holds positions from {positions.min()} to {positions.max()}; the relation has "
            f"objects 0 to {n_objects - 1}."
        )
    return positions


def check_queries(X: Any, estimator: Any) -> Array | CrossRelation:
    """Return new objects' dissimilarities to the training objects (m × n), judged."""
    n, name = estimator.n_features_in_, type(estimator).__name__
    queries = X if isinstance(X, CrossRelation) else as_matrix(_matrix_of(X))
    if queries.shape[1] != n:
        advice = (
            "with metric='precomputed' X needs one column for each of the objects that a "
            "prediction uses: all the training objects, or the support after compact()."
            if estimator.__sklearn_tags__().input_tags.pairwise
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
    if dissimilarities.size and dissimilarities.min() < 0:
        n_negative, lowest = int((dissimilarities < 0).sum()), dissimilarities.min()
        raise RelationError(
            f"Negative values in data: X has {n_negative} of them, the lowest {lowest:.4g}; "
            "dissimilarities cannot be negative."
        )
    return dissimilarities


def check_labels(y: Any, X: Any, estimator: Any) -> tuple[np.ndarray, Indices]:
    """Return the classes, of whatever type, and the class of each object."""
    _check_given(y, estimator)
    check_classification_targets(y)
    labels = column_or_1d(y, warn=True)
    _check_length(labels, X)
    classes, indices = np.unique(labels, return_inverse=True)
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
            f"sample_weight and class_weight leave one class only ({classes[left][0]!r}); "
            "a classifier needs objects of at least two classes with a positive weight."
        )


def check_targets(y: Any, X: Any, estimator: Any) -> np.ndarray:
    """Return finite numeric targets of shape (n,) or (n, g)."""
    _check_given(y, estimator)
    targets = check_array(y, ensure_2d=False, dtype="numeric", input_name="y", estimator=estimator)
    if targets.ndim > 2:
        raise ValueError(f"y has shape {targets.shape}; it must be (n,) or (n, number of outputs).")
    _check_length(targets, X)
    return targets


def _check_given(y: Any, estimator: Any) -> None:
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


def check_weights(sample_weight: Any, X: Any) -> Array:
    """Return one weight per object, not negative, some positive."""
    weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    if not weights.any():
        raise ValueError("sample_weight is zero for every object; some must be positive.")
    return weights


def check_coefficients(init: Any, relation: Relation, n_prototypes: Any) -> Array:
    """Return given first prototypes (c × n), whose rows sum to one."""
    coefficients = as_matrix(init, "init").astype(relation.dtype, copy=False)
    if coefficients.shape[1] != relation.n_objects:
        raise OptionError(
            f"init has shape {coefficients.shape}; coefficients need one column for each of the "
            f"{relation.n_objects} objects."
        )
    if n_prototypes not in ("auto", len(coefficients)):
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
