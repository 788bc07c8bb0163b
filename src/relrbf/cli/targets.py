"""What is to be learned: which objects have a label, and whether it is a class or a number."""

import re

import numpy as np

from relrbf.cli.errors import CommandError
from relrbf.cli.screen import Screen
from relrbf.io import LoadedLabels
from relrbf.relations.base import Relation

MOST_CLASSES = 20  # different whole numbers that are still taken for classes


def without_unlabelled(relation: Relation, labels: LoadedLabels, screen: Screen) -> Relation:
    """Return the relation among the objects that a file has labels for."""
    if labels.ids is None or relation.ids is None:
        without = labels.path if labels.ids is None else "the matrix"
        raise CommandError(f"--unlabelled drop needs ids in both files, and {without} has none.")
    known = set(labels.ids)
    kept = np.flatnonzero([str(name) in known for name in relation.ids])
    dropped = relation.n_objects - len(kept)
    screen.note(f"{dropped:,} of {relation.n_objects:,} objects have no label and take no part")
    if len(kept) < 2:
        raise CommandError(f"{labels.path} names {len(kept)} of the objects; two are the least.")
    return relation.restrict(kept)


def as_targets(labels: LoadedLabels, task: str, screen: Screen) -> np.ndarray:
    """Return classes as text, or targets as numbers; say which they were taken for."""
    if task == "auto":
        _refuse_infinite(labels)
        task = "regress" if is_regression(labels) else "classify"
        if labels.is_numeric:
            taken = "numbers" if task == "regress" else "classes"
            other = "classify" if task == "regress" else "regress"
            screen.note(f"the labels are taken for {taken}; --task {other} takes them otherwise")
    return as_numbers(labels) if task == "regress" else as_classes(labels)


def as_numbers(labels: LoadedLabels) -> np.ndarray:
    """Return labels as finite numbers, all of which they must be."""
    _refuse_infinite(labels)
    return labels.numbers


def _refuse_infinite(labels: LoadedLabels) -> None:
    """Refuse an infinite number among numbers, which would make classes of them all."""
    texts = [str(label) for label in labels.values]
    try:
        infinite = np.flatnonzero(np.isinf([float(text) for text in texts]))
    except ValueError:
        return
    if len(infinite):
        raise CommandError(f"{labels.path}: the label {texts[infinite[0]]} is no finite number.")


def as_classes(labels: LoadedLabels) -> np.ndarray:
    """Return labels as text, just as they are written; whole numbers of an array have no point."""
    values = labels.values
    if values.dtype.kind == "f" and (values == np.round(values)).all():
        values = values.astype(int)
    return np.array([str(label) for label in values], dtype=object)


def is_regression(labels: LoadedLabels) -> bool:
    """Tell whether labels look like numbers to predict, not like names or codes of classes."""
    if not labels.is_numeric or any(_is_code(str(label)) for label in labels.values):
        return False
    numbers = labels.numbers
    is_whole = bool((numbers == np.round(numbers)).all())
    return not is_whole or len(np.unique(numbers)) > MOST_CLASSES


def _is_code(label: str) -> bool:
    """Tell whether a number begins with a zero that does not count, as 007 does."""
    return re.match(r"[+-]?0\d", label) is not None
