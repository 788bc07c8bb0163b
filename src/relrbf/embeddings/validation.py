"""Judging the options of embeddings."""

from numbers import Integral, Real
from typing import Any

import numpy as np

from relrbf._options import check_choice, check_number, check_verbose, is_auto
from relrbf._typing import Indices
from relrbf.exceptions import OptionError
from relrbf.relations.conversion import check_exponent, is_flat
from relrbf.relations.inputs import check_space_and_metric
from relrbf.relations.validation import as_matrix

NEGATIVE = ("clip", "flip", "refuse")
NORMS = ("l2", "l1")
LANDMARKS = ("maxmin", "random")
TARGETS = ("relation", "labels")


def check_embedding_options(estimator: Any) -> None:
    """Judge every option of an embedding that does not depend on the data."""
    if estimator.n_components is not None:
        check_number("n_components", estimator.n_components, Integral, 1)
    if estimator.exponent is not None and not is_auto(estimator.exponent):
        check_exponent(estimator.exponent)
    check_space_and_metric(estimator)
    for name, choices in (("negative", NEGATIVE), ("norm", NORMS), ("target", TARGETS)):
        if hasattr(estimator, name):
            check_choice(name, getattr(estimator, name), choices)
    if hasattr(estimator, "max_iter"):
        check_number("max_iter", estimator.max_iter, Integral, 1)
        check_number("tol", estimator.tol, Real, 0)
        check_verbose(estimator.verbose)
    if hasattr(estimator, "n_features"):
        check_number("n_features", estimator.n_features, Integral, 1, or_auto=True)
    if hasattr(estimator, "n_landmarks"):
        check_number("n_landmarks", estimator.n_landmarks, Integral, 2, or_auto=True)
        if isinstance(estimator.landmarks, str):
            check_choice("landmarks", estimator.landmarks, LANDMARKS)
        elif not is_auto(estimator.n_landmarks):
            raise OptionError(
                f"landmarks are given, and n_landmarks is {estimator.n_landmarks}; leave it at "
                "'auto'."
            )


def check_landmarks(landmarks: Any, n_objects: int) -> Indices:
    """Return given landmarks: distinct positions of objects."""
    if not hasattr(landmarks, "__len__") or not is_flat(landmarks) or len(landmarks) < 2:
        raise OptionError(
            f"landmarks is {landmarks!r}; it must be one of {[*LANDMARKS]} or a flat list of "
            "positions of at least two objects."
        )
    if not np.issubdtype(np.asarray(landmarks).dtype, np.number):
        raise OptionError(
            f"landmarks holds {np.asarray(landmarks).dtype} values; positions are whole numbers. "
            "Of a mask, take numpy.flatnonzero(mask)."
        )
    positions = as_matrix(np.reshape(landmarks, (-1, 1)), "landmarks")[:, 0]
    outside = (positions < 0) | (positions >= n_objects) | (positions != np.round(positions))
    if outside.any():
        raise OptionError(
            f"landmarks holds the position {positions[outside][0]:g}; positions are whole numbers "
            f"from 0 to {n_objects - 1}."
        )
    if len(np.unique(positions)) < len(positions):
        raise OptionError("landmarks names an object twice; each must be named once.")
    return positions.astype(np.intp)
