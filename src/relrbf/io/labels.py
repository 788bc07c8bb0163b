"""``load_labels``: one label per line, or an id and a label."""

from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from relrbf._options import check_choice
from relrbf.exceptions import FileFormatError, OptionError
from relrbf.io import layout
from relrbf.io.arrays import ROW_ID_KEYS, NpzArchive, load_array
from relrbf.io.layout import ID_NAMES, Rows, TextOptions, as_names, is_number, show_names
from relrbf.io.source import TextSource, name_of, suffix_of

MAX_COLUMNS_SHOWN = 8
UNKNOWN_LABELS = ("", "na", "n/a", "nan")


@dataclass(frozen=True, eq=False)
class LoadedLabels:
    """Labels from a file.

    Attributes
    ----------
    values : ndarray of shape (n,)
        As they are in the file: text, ``1.10`` beside ``1.1``, from a text; from an array, what it
        holds.
    ids : ndarray of str, or None
        The names of the objects.
    notes : tuple of str
        What was assumed, in sentences.
    path : str
        The file.
    is_numeric : bool
        Whether all labels are numbers; ``007`` is a name.
    decimal : {".", ","}
        The decimal sign of those that are text.
    kept : ndarray of int, or None
        Which lines have a label, where those without were left out.
    """

    values: np.ndarray
    ids: np.ndarray | None
    notes: tuple[str, ...]
    path: str
    is_numeric: bool
    decimal: str = "."
    kept: np.ndarray | None = None

    @property
    def numbers(self) -> np.ndarray:
        """The labels as float64; text that is no number is refused."""
        if self.values.dtype.kind in "biuf":
            return self.values.astype(np.float64)
        numbers = [layout.parse_number(str(text), self.decimal) for text in self.values]
        for text, number in zip(self.values, numbers, strict=True):
            if number is None or number != number:
                raise FileFormatError(self.path, f"the label {str(text)!r:.60} is not a number")
        return np.array(numbers, dtype=np.float64)


def load_labels(
    path: Any,
    *,
    column: str | int | None = None,
    header: Any = "auto",
    delimiter: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    missing: str = "refuse",
) -> LoadedLabels:
    r"""Read the labels of objects from a file.

    Parameters
    ----------
    path : str or path
        Text with one label in each line, or with an id and a label; a .npy of labels; a .npz with
        an array called y, labels or target; or "-" for text on the standard input.
    column : str, int or None, default=None
        The column of labels, by name or by position from 0; of a .npz, the array. None takes the
        only one beside ids.
    header : {"auto", True, False}, default="auto"
        Whether the first line names the columns.
    delimiter : str or None, default=None
        What separates cells. None finds out.
    decimal : {".", ","} or None, default=None
        The decimal sign of labels that are numbers. None finds out.
    encoding : str or None, default=None
        That of the text; None means UTF-8, or what a byte order mark says.
    missing : {"refuse", "drop"}, default="refuse"
        What to do with objects whose label is blank or NA.

    Returns
    -------
    LoadedLabels
        With values as they are in the file, ids or None, and notes; ``is_numeric`` tells whether
        all are numbers, which ``numbers`` returns.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from relrbf.io import load_labels
    >>> path = Path(tempfile.mkdtemp()) / "y.csv"
    >>> _ = path.write_text("id,label\n007,spy\n008,spy\n")
    >>> labels = load_labels(path)
    >>> labels.values.tolist(), labels.ids.tolist()
    (['spy', 'spy'], ['007', '008'])
    """
    check_choice("missing", missing, ("refuse", "drop"))
    options = TextOptions(header, delimiter=delimiter, decimal=decimal)
    if suffix_of(path) in (".npy", ".npz"):
        return _load_arrays(Path(path), column)
    with closing(TextSource(path, encoding)) as source:
        lines = source.all_lines()
    if not lines:
        raise FileFormatError(source.name, "the file is empty")
    return _labels_of(lines, source, suffix_of(path), options, column, missing == "drop")


def _labels_of(
    lines: list[str], source: TextSource, suffix: str, options: TextOptions, column: Any, drop: bool
) -> LoadedLabels:
    """Cut lines into cells, find out which column is what, and take the labels."""
    name, notes = source.name, source.notes
    among = "\t;,| " if suffix in ("", ".txt") else "\t;,|"  # labels of two words are common
    texts = layout.without_comments(lines, options.delimiter, among)
    if n_comments := len(lines) - len(texts):
        notes.append(f"{n_comments} line(s) that begin with # were left out")
    found = options.delimiter or layout.find_delimiter(texts, among)
    delimiter = found or layout.DELIMITER_BY_SUFFIX.get(suffix, ",")
    rows, trimmed = _trim([layout.split_cells(text, delimiter, name) for text in texts])
    if not rows:
        raise FileFormatError(name, "it has nothing in its cells; no labels were found")
    width = _check_widths(rows, delimiter, name)
    header = rows.pop(0) if _has_header(rows, options, column) else None
    if not rows:
        raise FileFormatError(name, "it has a header and nothing below it; no labels were found")
    label_at, ids_at = _find_columns(header, width, column, name)
    labels = [row[label_at] for row in rows]
    ids = None if ids_at is None else [row[ids_at] for row in rows]
    if width > 1:
        notes.append(layout.delimiter_note(delimiter))
    called = ", ".join(map(repr, header or []))
    notes.append(f"the first line names columns: {called}" if header else "there is no header")
    if ids_at is not None:
        notes.append(f"column {ids_at + 1} holds ids and column {label_at + 1} labels")
    elif width > 1:
        notes.append("there are no ids")
    kept = None
    if drop:
        some = [at for at, text in enumerate(labels) if text.lower() not in UNKNOWN_LABELS]
        if len(some) < len(labels):
            notes.append(f"{len(labels) - len(some)} objects without a label were left out")
            kept, labels = np.array(some, dtype=np.intp), [labels[at] for at in some]
            ids = None if ids is None else [ids[at] for at in some]
    _check_labels(labels, ids, name)
    has_commas = not _are_numbers(labels, ".") and _are_numbers(labels, ",")
    if has_commas and options.decimal is None:
        layout.check_commas(labels, name, "Write the labels in one of these ways.")
    decimal = options.decimal or ("," if has_commas else ".")
    is_numeric = _are_numbers(labels, decimal)
    notes += [*trimmed, "labels are numbers"] if is_numeric else trimmed
    known = as_names(ids), tuple(notes), name, is_numeric, decimal, kept
    return LoadedLabels(np.array(labels), *known)


def labels_of(values: Any, ids: Any, path: Any) -> LoadedLabels:
    """Return a column of text as labels; one that is blank is refused."""
    name, labels = name_of(path), [str(value) for value in values]
    _check_labels(labels, None, name)
    return LoadedLabels(np.array(labels), as_names(ids), (), name, _are_numbers(labels, "."))


def _trim(rows: Rows) -> tuple[Rows, list[str]]:
    """Return cells without the blank columns and lines that spreadsheets write round a table."""
    width = Counter(map(len, rows)).most_common(1)[0][0]
    while width > 1 and not any(any(row[width - 1 :]) for row in rows):
        width -= 1
    trimmed = [row if any(row[width:]) else row[:width] for row in rows]
    kept = trimmed if width == 1 else [row for row in trimmed if any(row)]
    while kept and not any(kept[-1]):  # one label alone may be missing, but not below all others
        kept = kept[:-1]
    notes = []
    if any(len(row) > width for row in rows) and all(len(row) == width for row in kept):
        notes.append("cells without anything in them at the end of lines were left out")
    if n_blank := len(rows) - len(kept):
        notes.append(f"{n_blank} line(s) without anything in them were left out")
    return kept, notes


def _check_widths(rows: Rows, delimiter: str, name: str) -> int:
    """Return how many cells all lines have."""
    width = len(rows[-1])
    for number, row in enumerate(rows, start=1):
        if len(row) != width:
            problem = f"it has {len(row)} cells in line {number} of those that are not blank, and"
            problem += f" {width} in the last, cut at {delimiter!r}"
            advice = "A label that holds that needs quotes; or pass {delimiter} if this is wrong."
            raise FileFormatError(name, problem, advice, {"delimiter": ...})
    return width


def _has_header(rows: Rows, options: TextOptions, column: str | int | None) -> bool:
    """Tell whether the first line names columns: by a word that does, or unlike all below it."""
    if options.header != "auto":
        return bool(options.header)
    first, body = rows[0], rows[1:]
    words, known = {cell.lower() for cell in first}, {*layout.LABEL_NAMES, *ID_NAMES}
    if isinstance(column, str) or words <= known or (body and (words & known or not first[0])):
        return True
    if len(body) < 2:
        return False
    below = [row[-1] for row in body]
    if all(is_number(cell) or is_number(cell, ",") for cell in below):
        return not (is_number(first[-1]) or is_number(first[-1], ","))
    return first[-1] not in below and min(Counter(below).values()) > 1


def _find_columns(
    header: list[str] | None, width: int, column: str | int | None, name: str
) -> tuple[int, int | None]:
    """Return the column of labels, and that of ids, if there is one."""
    words = [cell.lower() for cell in header or []]
    named_ids = next((at for at, word in enumerate(words) if word in ID_NAMES or not word), None)
    if column is not None:
        label = _check_column(header, width, column, name)
        others = [at for at in (named_ids, 0) if at is not None and at != label]
        return label, others[0] if others else None
    if width > 2:
        shown = f" ({show_names(header, MAX_COLUMNS_SHOWN)})" if header else ""
        advice = "Say which of them holds labels: {column}"
        raise FileFormatError(name, f"it has {width} columns{shown}", advice, {"column": ...})
    if width == 1:
        return 0, None
    named_label = next((at for at, word in enumerate(words) if word in layout.LABEL_NAMES), None)
    ids = named_ids if named_ids is not None else 1 - named_label if named_label is not None else 0
    return 1 - ids, ids


def _check_column(header: list[str] | None, width: int, column: str | int, name: str) -> int:
    """Return the position of a column that is given by name or position."""
    if isinstance(column, int):
        found, text = column, f"column is {column}; {name} has the columns 0 to {width - 1}."
    elif header is not None:
        found = header.index(column) if column in header else -1
        text = f"{name} has no column {column!r}, but {header}."
    else:
        found, text = -1, f"column is {column!r}, and header=False says that the columns of {name} "
        text += "have no names; pass a position from 0, or header=True."
    if not 0 <= found < width:
        raise OptionError(text, "column")
    return found


def _check_labels(labels: list[str], ids: list[str] | None, name: str) -> None:
    """Refuse labels of which one is missing, and objects that have two."""
    for at, text in enumerate(labels):
        if text.lower() in UNKNOWN_LABELS:
            which = f"object {at} (counted from 0)" if ids is None else repr(ids[at])
            advice = "Label it, or leave out all that have none with {unlabelled}."
            options = {"unlabelled": "drop"}
            raise FileFormatError(name, f"no label for {which}", advice, options)
    layout.check_different(ids or (), name, "it labels objects twice")


def _are_numbers(texts: list[str], decimal: str) -> bool:
    """Tell whether all labels are numbers; whole ones that begin with a zero are names."""
    is_padded = any(len(text) > 1 and text[0] == "0" and text.isdecimal() for text in texts)
    return not is_padded and all(is_number(text, decimal) for text in texts)


def _load_arrays(path: Path, column: str | int | None) -> LoadedLabels:
    ids, notes, name = None, [], str(path)
    if suffix_of(path) == ".npz":
        archive = NpzArchive(path)
        found = [key for key in archive.keys if key.lower() in layout.LABEL_NAMES]
        found = found if column is None else [key for key in archive.keys if key == column]
        if len(found) != 1:
            problem, advice = f"it holds {archive.keys}", "Say which array holds labels: {column}"
            raise FileFormatError(name, problem, advice, {"column": ...})
        values = archive.get(found[0])
        vectors = archive.get_vectors(len(values)) if values.ndim else {}
        ids = next((vectors[key] for key in vectors if key.lower() in ROW_ID_KEYS), None)
        notes.append(f"labels are the array {found[0]!r}")
    else:
        values = load_array(path)
    if values.ndim == 2 and 1 in values.shape:
        values = values.ravel()
    kind = values.dtype.kind
    if values.ndim != 1 or kind not in "biufUS":
        raise FileFormatError(name, f"labels of shape {values.shape}, {values.dtype}, not of (n,)")
    if kind == "f" and np.isnan(values).any():
        at = int(np.isnan(values).argmax())
        raise FileFormatError(name, f"no label for object {at} (counted from 0): it is NaN")
    if kind == "S":
        values = np.char.decode(values, "utf-8", "replace")
    is_numeric = _are_numbers(values.tolist(), ".") if kind in "US" else kind != "b"
    return LoadedLabels(values, as_names(ids), tuple(notes), name, is_numeric)
