"""Validation sets: given by the user, or drawn from every class alike."""

from typing import Any

import numpy as np

from relrbf._typing import Array
from relrbf.exceptions import OptionError

VALIDATION_ADVICE = (
    "Choose another part, give more objects, or train without validation: validation_fraction=None "
    "in a GradientDescent, max_prototypes=None with solver='auto'."
)


def draw_validation_mask(
    fraction: float,
    weights: Array,
    classes: np.ndarray | None,
    rng: np.random.Generator,
    eligible: np.ndarray | None = None,
) -> np.ndarray:
    """Draw a fraction of the objects of positive weight, from every class alike (n, bool).

    A class whose share is not a whole number is rounded at random; its last object is not drawn,
    nor are objects that are not eligible.
    """
    free = np.ones(len(weights), dtype=bool) if eligible is None else eligible
    groups = np.zeros(len(weights), dtype=int) if classes is None else classes
    members = [np.flatnonzero((groups == g) & (weights > 0)) for g in np.unique(groups)]
    counts = [min(int(fraction * len(m) + rng.random()), len(m) - 1) for m in members]
    for largest in np.argsort([-len(m) for m in members], kind="stable"):
        if np.count_nonzero(counts) >= min(2, len(members)):
            break
        counts[largest] = max(counts[largest], min(1, len(members[largest]) - 1))
    mask = np.zeros(len(weights), dtype=bool)
    for objects, count in zip(members, counts, strict=True):
        mask[rng.permutation(objects[free[objects]])[: max(count, 0)]] = True
    check_validation_mask(mask, weights, classes, f"validation_fraction={fraction:.3g}")
    return mask


def as_mask(validation: Any, n_objects: int) -> np.ndarray:
    """Return positions, or a mask, of objects as a mask (n, bool)."""
    given = np.asarray(validation)
    if given.ndim != 1 or given.dtype.kind not in "bui" or given.size == 0:
        raise OptionError(
            "validation must be a flat array, not empty: positions of objects, or one boolean per "
            f"object. It has shape {given.shape} and dtype {given.dtype}."
        )
    if given.dtype == bool:
        if len(given) != n_objects:
            raise OptionError(
                f"validation has {len(given)} booleans for {n_objects} objects; give one for each."
            )
        return given
    outside = given[(given < 0) | (given >= n_objects)]
    if len(outside):
        raise OptionError(
            f"validation holds the position {outside[0]}; positions go from 0 to {n_objects - 1}."
        )
    mask = np.zeros(n_objects, dtype=bool)
    mask[given] = True
    return mask


def check_validation_mask(
    mask: np.ndarray, weights: Array, classes: np.ndarray | None, name: str
) -> None:
    """Refuse a validation part that cannot validate, or leaves nothing to train on."""
    used = weights > 0
    for part, objects in (("validation", mask & used), ("training", ~mask & used)):
        if not objects.any():
            raise OptionError(f"{name} leaves no object for {part}. {VALIDATION_ADVICE}")
        if classes is not None and len(np.unique(classes[objects])) < 2:
            raise OptionError(
                f"{name} leaves objects of one class only for {part}; a classifier needs at least "
                f"two. {VALIDATION_ADVICE}"
            )
    if classes is None:
        return
    untaught = np.setdiff1d(classes[mask & used], classes[~mask & used])
    if len(untaught):
        raise OptionError(
            f"{name} leaves no object of class number {untaught[0]} for training. "
            f"{VALIDATION_ADVICE}"
        )
