"""Objects that only watch: the validation part."""

from typing import Any

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.exceptions import OptionError

ADVICE = (
    "Choose another part, give more objects, or train without validation: validation_fraction=None "
    "in a GradientDescent, max_prototypes=None with solver='auto'."
)


def split_off(
    fraction: float,
    weights: Array,
    classes: np.ndarray | None,
    rng: np.random.Generator,
    may_validate: np.ndarray | None = None,
) -> np.ndarray:
    """Draw a fraction of the objects of positive weight, from every class alike (n, bool).

    A class whose share is not a whole number is rounded at random; its last object stays, and so
    do those that may not watch.
    """
    free = np.ones(len(weights), dtype=bool) if may_validate is None else may_validate
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
    refuse_useless(mask, weights, classes, f"validation_fraction={fraction:.3g}")
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
    _refuse_outside(given, n_objects)
    mask = np.zeros(n_objects, dtype=bool)
    mask[given] = True
    return mask


def _refuse_outside(positions: Indices, n_objects: int) -> None:
    outside = positions[(positions < 0) | (positions >= n_objects)]
    if len(outside):
        raise OptionError(
            f"validation holds the position {outside[0]}; positions go from 0 to {n_objects - 1}."
        )


def refuse_useless(mask: np.ndarray, weights: Array, classes: np.ndarray | None, name: str) -> None:
    """Refuse a validation part that cannot validate, or leaves nothing to train on."""
    used = weights > 0
    for part, objects in (("validation", mask & used), ("training", ~mask & used)):
        if not objects.any():
            raise OptionError(f"{name} leaves no object for {part}. {ADVICE}")
        if classes is not None and len(np.unique(classes[objects])) < 2:
            raise OptionError(
                f"{name} leaves objects of one class only for {part}; a classifier needs at least "
                f"two. {ADVICE}"
            )
    if classes is None:
        return
    untaught = np.setdiff1d(classes[mask & used], classes[~mask & used])
    if len(untaught):
        raise OptionError(
            f"{name} leaves no object of class number {untaught[0]} for training. {ADVICE}"
        )
