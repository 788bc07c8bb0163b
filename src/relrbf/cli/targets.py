"""What is to be learned: which objects have a label, and whether it is a class or a number."""

import numpy as np

from relrbf.cli.errors import CommandError
from relrbf.cli.screen import Screen
from relrbf.files import LoadedLabels
from relrbf.relations.base import Relation

MOST_CLASSES = 20  # different whole numbers that are still taken for classes


def without_unlabelled(relation: Relation, labels: LoadedLabels, screen: Screen) -> Relation:
    """Return the relation among the objects that a file has labels for."""
    if labels.ids is None or relation.ids is None:
        raise CommandError("--unlabelled drop needs ids in both files: labels belong to names.")
    known = set(labels.ids)
    kept = np.flatnonzero([str(name) in known for name in relation.ids])
    dropped = relation.n_objects - len(kept)
    screen.note(f"{dropped:,} of {relation.n_objects:,} objects have no label and take no part")
    if len(kept) < 2:
        raise CommandError(f"{labels.path} names {len(kept)} of the objects; two are the least.")
    return relation.restrict(kept)


def as_targets(labels: np.ndarray, task: str, screen: Screen) -> np.ndarray:
    """Return classes as text, or targets as numbers; say which they were taken for."""
    if task == "auto":
        numbers = _numbers(labels)
        is_number = numbers is not None and not _look_like_classes(numbers)
        task = "regress" if is_number else "classify"
        if numbers is not None:
            taken, other = ("numbers", "classify") if is_number else ("classes", "regress")
            screen.note(f"the labels are taken for {taken}; --task {other} takes them otherwise")
    return as_numbers(labels) if task == "regress" else as_classes(labels)


def as_numbers(labels: np.ndarray) -> np.ndarray:
    """Return labels as numbers, all of which they must be."""
    numbers = _numbers(labels)
    if numbers is None:
        wrong = next(str(label) for label in labels if _numbers(np.array([label])) is None)
        raise CommandError(f"the label {wrong!r} is no finite number; a regression is about those.")
    return numbers


def as_classes(labels: np.ndarray) -> np.ndarray:
    """Return labels as text, whole numbers without a point."""
    numbers = _numbers(labels) if labels.dtype.kind == "f" else None
    if numbers is not None and (numbers == np.round(numbers)).all():
        labels = numbers.astype(int)
    return np.array([str(label) for label in labels], dtype=object)


def _numbers(labels: np.ndarray) -> np.ndarray | None:
    try:
        numbers = labels.astype(np.float64)
    except ValueError:
        return None
    return numbers if np.isfinite(numbers).all() else None


def _look_like_classes(numbers: np.ndarray) -> bool:
    is_whole = bool((numbers == np.round(numbers)).all())
    return is_whole and len(np.unique(numbers)) <= MOST_CLASSES
