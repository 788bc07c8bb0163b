"""From the files that were named to a relation and labels, with notes on what was assumed."""

import re
import warnings
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import relrbf
from relrbf.cli.command import CommandError, as_flag
from relrbf.cli.console import Console, as_typed
from relrbf.cli.options import LabelOptions, MatrixOptions, ReadingOptions
from relrbf.exceptions import FileFormatError, RelationError

if TYPE_CHECKING:
    import numpy as np

    from relrbf.io import LoadedLabels, LoadedMatrix
    from relrbf.relations import Relation

N_LABEL_GROUPS = 5  # of numbers that are drawn as classes are
MAX_CLASS_CODES = 20  # different whole numbers that are still taken for classes


def read_matrix(
    path: Path, options: ReadingOptions, console: Console, columns: list[str] | None = None
) -> "LoadedMatrix":
    """Read a matrix: n × n, or new objects × columns."""
    text, keywords = f"reading {path}", options.load_keywords()
    with console.progress(text) as show:
        keywords |= {"columns": columns, "progress": partial(show, text)}
        return relrbf.io.load_matrix(path, **keywords)


def read_square(path: Path, options: ReadingOptions, console: Console) -> "LoadedMatrix":
    """Read an n × n matrix, its columns in the order of its rows."""
    matrix = read_matrix(path, options, console).square()
    note_assumptions(matrix, console)
    if matrix.shape[0] < 2:
        raise CommandError(f"{path} holds {matrix.shape[0]} objects; at least two are needed.")
    return matrix


def read_relation(path: Path, options: MatrixOptions, console: Console) -> "Relation":
    """Read and validate the dissimilarities of n objects."""
    matrix = read_square(path, options, console)
    with (
        console.progress(f"validating {path}"),
        warnings.catch_warnings(record=True, action="always", category=UserWarning) as caught,
    ):
        relation = matrix.relation(**options.relation_keywords())
    console.note(*(re.sub(r"\bX\b", str(path), as_typed(str(w.message))) for w in caught))
    return relation


def read_rows(
    path: Path, ids: Any, n_columns: int, support: Any, options: ReadingOptions, console: Console
) -> "LoadedMatrix":
    """Read new objects, with the columns in the order of training objects or features.

    Only the columns of the support must be there; None: all.
    """
    loaded = read_matrix(path, options, console, object_names(ids, n_columns))
    matched = relrbf.io.match_columns(loaded, ids, support)
    if (m := matched.shape[1]) != n_columns:
        problem = f"{path} has {m} columns, and must have {n_columns}, one for each of training."
        raise CommandError(problem)
    note_assumptions(matched, console)
    return matched


def read_labels(path: Path, options: LabelOptions, *, drop: bool = False) -> "LoadedLabels":
    """Read labels, with the names of their objects if the file has any; ``drop`` blank ones."""
    missing = {"missing": "drop"} if drop else {}
    try:
        return relrbf.io.load_labels(path, **options.load_keywords(), **missing)
    except FileFormatError as error:
        text = error.message(partial(as_flag, prefix="labels-"))
        for name in ("column", "unlabelled"):  # which have no such prefix
            text = text.replace(f"--labels-{name}", f"--{name}")
        raise CommandError(text) from error


def labels_in_order(
    labels: "LoadedLabels", ids: Any, n_objects: int, console: Console
) -> "LoadedLabels":
    """Return one label for each object, by name where there are names on both sides."""
    matched = relrbf.io.match_labels(labels, ids, n_objects=n_objects, allow_extra=True)
    note_assumptions(matched, console)
    return matched


def read_classes(
    path: Path | None, options: LabelOptions, ids: Any, n_objects: int, console: Console
) -> "np.ndarray | None":
    """Return the class of each object, if a file of them is named."""
    if path is None:
        return None
    labels = labels_in_order(read_labels(path, options), ids, n_objects, console)
    if not is_regression(labels):
        return as_classes(labels)
    console.note(
        f"{path} holds numbers, which are shown in {N_LABEL_GROUPS} groups of about equal size"
    )
    return as_groups(as_numbers(labels))


def as_groups(numbers: "np.ndarray") -> "np.ndarray":
    """Return numbers as groups of about equal size, called by their ranges."""
    import numpy as np

    ends = np.unique(np.quantile(numbers, np.linspace(0, 1, N_LABEL_GROUPS + 1)))
    at = np.clip(np.searchsorted(ends, numbers, side="right") - 1, 0, max(len(ends) - 2, 0))
    last = np.minimum(np.arange(len(ends)) + 1, len(ends) - 1)
    digits = len(str(len(ends)))  # so that groups are in order
    names = [f"{k + 1:0{digits}}: {ends[k]:.4g} to {ends[last[k]]:.4g}" for k in range(len(ends))]
    return np.array(names, dtype=object)[at]


def match_targets(
    relation: "Relation", labels: "LoadedLabels", console: Console, *, drop: bool
) -> "tuple[Relation, LoadedLabels]":
    """Return one label per object of a relation; ``drop`` leaves out objects without one."""
    if drop:
        relation = _drop_unlabelled(relation, labels, console)
    try:
        return relation, labels_in_order(labels, relation.ids, relation.n_objects, console)
    except RelationError as error:
        advice = " --unlabelled drop leaves them out." if "has no label for" in str(error) else ""
        raise CommandError(f"{error}{advice}") from error


def _drop_unlabelled(relation: "Relation", labels: "LoadedLabels", console: Console) -> "Relation":
    if labels.kept is not None and (labels.ids is None or relation.ids is None):
        if labels.kept[-1] >= relation.n_objects:
            raise CommandError(f"{labels.path} has more lines than the matrix has objects.")
        return relation.restrict(labels.kept)
    if labels.ids is None or relation.ids is None:
        without = labels.path if labels.ids is None else "the matrix"
        raise CommandError(f"--unlabelled drop needs ids in both files, and {without} has none.")
    import numpy as np

    n = relation.n_objects
    kept = np.flatnonzero(np.isin(relation.ids.astype(str), labels.ids.astype(str)))
    console.note(f"{n - len(kept):,} of {n:,} objects have no label and are left out")
    if len(kept) < 2:
        raise CommandError(f"{labels.path} labels {len(kept)} of the objects; two are needed.")
    return relation.restrict(kept)


def as_targets(labels: "LoadedLabels", task: str, console: Console) -> "np.ndarray":
    """Return classes as text, or targets as numbers; note which they were taken for."""
    if task == "auto":
        _refuse_infinite(labels)
        task = "regress" if is_regression(labels) else "classify"
        if labels.is_numeric:
            taken, other = ("numbers", "classify") if task == "regress" else ("classes", "regress")
            console.note(f"the labels are taken for {taken}; --task {other} takes them otherwise")
    return as_numbers(labels) if task == "regress" else as_classes(labels)


def as_numbers(labels: "LoadedLabels") -> "np.ndarray":
    """Return labels that must be finite numbers."""
    _refuse_infinite(labels)
    return labels.numbers


def _refuse_infinite(labels: "LoadedLabels") -> None:
    """Refuse an infinite number among numbers, because of which all would be taken for classes."""
    try:
        infinite = [label for label in labels.values if abs(float(label)) == float("inf")]
    except ValueError:
        return
    if infinite:
        raise CommandError(f"{labels.path}: the label {infinite[0]} is not a finite number.")


def as_classes(labels: "LoadedLabels") -> "np.ndarray":
    """Return labels as text, just as they are written; whole numbers of an array have no point."""
    values = labels.values
    if values.dtype.kind == "f" and (values % 1 == 0).all():
        values = values.astype(int)
    return values.astype(str).astype(object)


def is_regression(labels: "LoadedLabels") -> bool:
    """Tell whether labels look like numbers to predict, not like names or codes of classes."""
    has_codes = any(re.match(r"[+-]?0\d", str(label)) for label in labels.values)  # such as 007
    if has_codes or not labels.is_numeric:
        return False
    numbers = labels.numbers
    return bool((numbers % 1 != 0).any()) or len(set(numbers.tolist())) > MAX_CLASS_CODES


def note_assumptions(loaded: "LoadedMatrix | LoadedLabels", console: Console) -> None:
    """Say in a line what was assumed about a file."""
    if loaded.notes:
        console.note(f"{loaded.path}: {'; '.join(loaded.notes)}")


def object_names(ids: Any, n_objects: int) -> list[str]:
    """Return a name for each object: its own, or its row's number from 0."""
    return [str(name) for name in (range(n_objects) if ids is None else ids)]


def is_pairwise(model: Any) -> bool:
    """Tell whether a model takes dissimilarities, not features."""
    from sklearn.utils import get_tags

    return bool(get_tags(model).input_tags.pairwise)
