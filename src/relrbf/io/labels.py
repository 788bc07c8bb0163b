"""``load_labels``: one label per line, or an id and a label."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from relrbf.exceptions import OptionError, RelationError
from relrbf.io.archive import LABEL_NAMES, ROW_NAMES, open_archive
from relrbf.io.arrays import MAGIC, refuse_objects
from relrbf.io.layout import Asked, repeated, split_comments
from relrbf.io.loaded import LoadedLabels, as_names
from relrbf.io.names import ID_NAMES
from relrbf.io.source import Source, check_exists, is_stream, name_of, open_bytes, suffix_of
from relrbf.io.text import BY_SUFFIX, DELIMITERS, cells_of, find_delimiter, is_number

SHOWN = 8  # names in an error
UNKNOWN = ("", "na", "n/a", "nan")


@dataclass(frozen=True)
class Columns:
    """Cells of a file of labels, and which of them are what."""

    rows: list[list[str]]
    header: list[str] | None
    label: int
    ids: int | None


def load_labels(
    path: Any,
    *,
    column: str | int | None = None,
    header: Any = "auto",
    delimiter: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
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
    asked = Asked(header, delimiter=delimiter, decimal=decimal)
    if not is_stream(path):
        check_exists(Path(path))
        if suffix_of(Path(path)) in (".npy", ".npz"):
            return _load_arrays(Path(path), column)
    with Source(path, encoding) as source:
        lines = [line for _, line in source.numbered if line.strip()]
        notes = source.notes
    if not lines:
        raise RelationError(f"{name_of(path)} is empty.")
    columns, told = _columns(_texts(lines, asked, name_of(path)), path, asked, column)
    return _labels(columns, [*notes, *told], asked, name_of(path))


def _texts(lines: list[bytes], asked: Asked, name: str) -> list[str]:
    try:
        return split_comments(lines, asked.delimiter)[0]
    except UnicodeDecodeError:
        raise RelationError(
            f"{name} is not UTF-8. If it comes from an old spreadsheet, pass encoding='cp1252'."
        ) from None


def _columns(
    texts: list[str], path: Any, asked: Asked, column: str | int | None
) -> tuple[Columns, list[str]]:
    """Cut lines into cells, and say which column is what."""
    name = name_of(path)
    suffix = "" if is_stream(path) else suffix_of(Path(path))
    among = "\t;,| " if suffix in ("", ".txt") else "\t;,|"  # labels of two words are common
    delimiter = asked.delimiter or find_delimiter(texts, among) or BY_SUFFIX.get(suffix, ",")
    rows, left_out = _trimmed([cells_of(text, delimiter, name) for text in texts])
    if not rows:
        raise RelationError(f"{name} has nothing in its cells; no labels were found.")
    width = _width(rows, delimiter, name)
    header = rows[0] if _has_header(rows, asked, column) else None
    body = rows[1:] if header else rows
    if not body:
        raise RelationError(f"{name} has a header and nothing below it; no labels were found.")
    label, ids = _places(header, width, column, name)
    notes = [f"cells are separated by {DELIMITERS.get(delimiter, repr(delimiter))}"] * (width > 1)
    called = ", ".join(map(repr, header)) if header else ""
    notes.append(f"the first line names columns: {called}" if header else "there is no header")
    if width > 1 and ids is None:
        notes.append("there are no ids")
    elif ids is not None:
        notes.append(f"column {ids + 1} holds ids and column {label + 1} labels")
    return Columns(body, header, label, ids), [*notes, *left_out]


def _trimmed(rows: list[list[str]]) -> tuple[list[list[str]], list[str]]:
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


def _width(rows: list[list[str]], delimiter: str, name: str) -> int:
    """Return how many cells all lines have."""
    width = len(rows[-1])
    for i, row in enumerate(rows):
        if len(row) != width:
            raise RelationError(
                f"{name} has {len(row)} cells in line {i + 1} of those that are not blank, and "
                f"{width} in the last, cut at {delimiter!r}. A label that holds that needs quotes; "
                "or pass delimiter= if cells were cut in the wrong place."
            )
    return width


def _has_header(rows: list[list[str]], asked: Asked, column: str | int | None) -> bool:
    """Tell whether the first line names columns: by a word that does, or unlike all below it."""
    if asked.header != "auto":
        return bool(asked.header)
    first, body = rows[0], rows[1:]
    words = {cell.lower() for cell in first}
    known = {*LABEL_NAMES, *ID_NAMES}
    if isinstance(column, str) or words <= known or (body and (words & known or not first[0])):
        return True
    if len(body) < 2:
        return False
    below = [row[-1] for row in body]
    if all(is_number(cell) or is_number(cell, ",") for cell in below):
        return not (is_number(first[-1]) or is_number(first[-1], ","))
    return first[-1] not in below and min(Counter(below).values()) > 1


def _places(
    header: list[str] | None, width: int, column: str | int | None, name: str
) -> tuple[int, int | None]:
    """Return the column of labels, and that of ids, if there is one."""
    words = [cell.lower() for cell in header or []]
    named_ids = next((at for at, word in enumerate(words) if word in ID_NAMES or not word), None)
    if column is not None:
        label = _asked_column(header, width, column, name)
        others = [at for at in (named_ids, 0) if at is not None and at != label]
        return label, others[0] if others else None
    if width > 2:
        more = ", ..." if width > SHOWN else ""
        shown = f" ({', '.join(map(repr, header[:SHOWN]))}{more})" if header else ""
        raise RelationError(
            f"{name} has {width} columns{shown}; say which of them holds labels, with column=."
        )
    if width == 1:
        return 0, None
    named_label = next((at for at, word in enumerate(words) if word in LABEL_NAMES), None)
    ids = named_ids if named_ids is not None else 1 - named_label if named_label is not None else 0
    return 1 - ids, ids


def _asked_column(header: list[str] | None, width: int, column: str | int, name: str) -> int:
    if isinstance(column, int):
        if not 0 <= column < width:
            raise OptionError(f"column is {column}; {name} has the columns 0 to {width - 1}.")
        return column
    if header is None:
        raise OptionError(
            f"column is {column!r}, and header=False says that the columns of {name} have no "
            "names; pass a position from 0, or header=True."
        )
    if column not in header:
        raise OptionError(f"{name} has no column {column!r}, but {header}.")
    return header.index(column)


def _labels(columns: Columns, notes: list[str], asked: Asked, name: str) -> LoadedLabels:
    texts = [row[columns.label] for row in columns.rows]
    ids = None if columns.ids is None else [row[columns.ids] for row in columns.rows]
    for at, text in enumerate(texts):
        if text.lower() in UNKNOWN:
            which = f"object {at} (counted from 0)" if ids is None else repr(ids[at])
            raise RelationError(f"{name} has no label for {which}. Label it, or take it out.")
    if ids is not None and (twice := repeated(ids)):
        raise RelationError(f"{name} labels objects twice: {', '.join(map(repr, twice[:5]))}.")
    decimal = asked.decimal or _decimal(texts)
    is_numeric = _are_numbers(texts, decimal)
    if is_numeric:
        notes = [*notes, "labels are numbers"]
    return LoadedLabels(np.array(texts), as_names(ids), tuple(notes), name, is_numeric, decimal)


def _decimal(texts: list[str]) -> str:
    """Return the decimal sign with which all labels are numbers, if there is one."""
    return "," if not _are_numbers(texts, ".") and _are_numbers(texts, ",") else "."


def _are_numbers(texts: list[str], decimal: str) -> bool:
    """Tell whether all labels are numbers; whole ones that begin with a zero are names."""
    is_padded = any(len(text) > 1 and text[0] == "0" and text.isdigit() for text in texts)
    return not is_padded and all(is_number(text, decimal) for text in texts)


def _load_arrays(path: Path, column: str | int | None) -> LoadedLabels:
    ids, notes, name = None, [], str(path)
    if path.suffix == ".npz":
        archive = open_archive(path)
        names = archive.arrays.files
        known = [key for key in names if key.lower() in LABEL_NAMES]
        chosen = [column] if column in names else known
        if len(chosen) != 1 or (column is not None and column not in names):
            raise RelationError(f"{name} holds {names}; say which array holds labels with column=.")
        values = archive.get(str(chosen[0]))
        flat = archive.flat(len(values)) if values.ndim else {}
        named = next((key for key in flat if key.lower() in ROW_NAMES), None)
        ids = None if named is None else flat[named]
        notes.append(f"labels are the array {chosen[0]!r}")
    else:
        values = _load_npy(path)
    if values.ndim == 2 and 1 in values.shape:
        values = values.ravel()
    if values.ndim != 1 or values.dtype.kind not in "biufUS":
        raise RelationError(f"{name}: labels of shape {values.shape}, {values.dtype}; one each.")
    if values.dtype.kind == "f" and np.isnan(values).any():
        at = int(np.isnan(values).argmax())
        raise RelationError(f"{name} has no label for object {at} (counted from 0): it is NaN.")
    if values.dtype.kind == "S":
        values = np.char.decode(values, "utf-8", "replace")
    is_text = values.dtype.kind == "U"
    is_numeric = _are_numbers(values.tolist(), ".") if is_text else values.dtype.kind != "b"
    return LoadedLabels(values, as_names(ids), tuple(notes), name, is_numeric)


def _load_npy(path: Path) -> np.ndarray:
    with open_bytes(path) as file:
        if file.read(len(MAGIC)) != MAGIC:
            raise RelationError(f"{path} is no array of numpy, for all its name; save it again.")
    try:
        return np.asarray(np.load(path, allow_pickle=False))
    except ValueError as error:
        if "allow_pickle" in str(error):
            refuse_objects(str(path), "the array")
        raise RelationError(f"{path} cannot be read ({error}).") from None
    except (OSError, EOFError) as error:
        raise RelationError(f"{path} cannot be read ({error}).") from None
