"""Objects in a table: numbers are vectors or series, text is strings."""

from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from relrbf.exceptions import FileFormatError
from relrbf.io import layout
from relrbf.io.layout import Rows, is_number, show_names, split_cells
from relrbf.io.source import TextSource, suffix_of

MAX_COLUMNS_NAMED = 8
TEXT_KINDS = ("strings", "molecules")
HEADERS = {  # words that name a column of objects
    *layout.ID_NAMES,
    *layout.LABEL_NAMES,
    *("word", "words", "string", "strings", "text", "texts", "sequence", "sequences", "smiles"),
    *("title", "titles", "surname", "surnames", "term", "terms", "peptide", "molecule", "gene"),
}
LARGEST_COORDINATE = 1e150  # whose square is a number
DOMINANT_SPREAD = 10.0  # times the median spread of a column: one that decides a distance alone

Columns = dict[int, list[str]]
Scale = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True, eq=False)
class LoadedObjects:
    """Objects from a file.

    Attributes
    ----------
    objects : list of str, list of ndarray, or ndarray of shape (n, d)
        Strings, series or vectors.
    ids : list of str, or None
        Their names, if the file has any.
    labels : ndarray of str, or None
        The column that was asked for as labels.
    columns : list of str
        The columns that the objects were taken from.
    notes : tuple of str
        What was assumed and left out, in sentences.
    kind : str
        "vectors", "series", "strings" or "molecules".
    scale : tuple of two ndarrays of shape (d,), or None
        Means and standard deviations by which vectors were standardized.
    """

    objects: Any
    ids: list[str] | None
    labels: np.ndarray | None
    columns: list[str]
    notes: tuple[str, ...]
    kind: str
    scale: Scale | None = None


def load_objects(
    path: Any,
    kind: str | None = None,
    delimiter: str | None = None,
    ids: str | None = None,
    *,
    label: str | None = None,
    columns: Sequence[str] = (),
    drop: Sequence[str] = (),
    header: Any = "auto",
    standardize: bool | Scale = False,
    like: LoadedObjects | None = None,
) -> LoadedObjects:
    r"""Read objects from a table: csv, tsv or the first sheet of an xlsx file.

    Parameters
    ----------
    path : str or path
        The file.
    kind : {"vectors", "series", "strings", "molecules"} or None, default=None
        What the objects are. None: strings where there is a column of text beside names and
        labels, and vectors otherwise.
    delimiter : str or None, default=None
        What separates cells. None finds out.
    ids, label : str or None, default=None
        The columns of names and of labels. Without ids, one called id or name, or the first one of
        text beside others.
    columns, drop : sequence of str, default=()
        Which columns the objects are taken from, or not. By default all but names, labels, and
        those that look like labels: by their name (label, target, class, y, ...) or, among numbers,
        because they hold text.
    header : {"auto", True, False}, default="auto"
        Whether the first line names the columns.
    standardize : bool or tuple of two arrays, default=False
        Whether columns of vectors are centred and divided by their standard deviation; or means
        and standard deviations, those of training for new objects.
    like : LoadedObjects or None, default=None
        Those of training, for new ones: vectors have the same columns and the same scale; a column
        that is to be dropped may be missing.

    Returns
    -------
    LoadedObjects

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from relrbf.io import load_objects
    >>> path = Path(tempfile.mkdtemp()) / "words.csv"
    >>> _ = path.write_text("word,language\nape,en\nAffe,de\n")
    >>> found = load_objects(path, label="language")
    >>> found.objects, found.labels.tolist()
    (['ape', 'Affe'], ['en', 'de'])
    """
    if like is not None and (kind := like.kind) == "vectors":
        columns, drop, standardize = like.columns, (), like.scale or False
    asked = [name for name in (ids, label, *columns, *drop) if name is not None]
    names, rows, notes = _load_cells(path, layout.check_delimiter(delimiter), header, asked)
    where, cells = str(path), {at: [row[at] for row in rows] for at in range(len(names))}
    for name in asked:
        if name not in names and (like is None or name not in drop):
            raise FileFormatError(where, f"it has no column {name!r}, but {names}")
    labels = None if label is None else np.array(cells.pop(names.index(label)))
    for name in {*drop} & {*names}:
        cells.pop(names.index(name), None)
    ids_at = _find_ids(names, cells, ids, kind)
    called = None if ids_at is None else cells.pop(ids_at)
    if columns:
        cells = {names.index(name): [row[names.index(name)] for row in rows] for name in columns}
    else:
        notes += _leave_out_labels(names, cells, label)
    texts = [at for at, column in cells.items() if _is_text_column(column)]
    if kind is None:
        kind = "strings" if texts or not cells else "vectors"
    if kind in TEXT_KINDS:
        if len(texts) == 1 and not columns:
            numbers = [at for at in cells if at not in texts]
            notes += _leave_out(names, cells, numbers, "because they hold numbers")
        used, strings = _only_column(names, cells or {0: called or []}, where)
        if called is None and _can_be_names(strings):
            called = strings
        notes.append(f"column used: {used[0]!r}")
        return LoadedObjects(strings, called, labels, used, tuple(notes), kind)
    if not columns and len(texts) < len(cells):
        _check_thousands(names, {at: cells[at] for at in texts}, where)
        notes += _leave_out(names, cells, texts, "because they hold text")
    _check_numbers(names, cells, where)
    used = [names[at] for at in cells]
    notes.append(f"columns used: {show_names(used, MAX_COLUMNS_NAMED)} ({len(used)})")
    table = [[row[at] for at in cells] for row in rows]
    if kind == "series":
        series = [_series(each, i, where) for i, each in enumerate(table)]
        return LoadedObjects(series, called, labels, used, tuple(notes), kind)
    vectors = _vectors(table, used, where)
    vectors, scale, more = _scaled(vectors, used, standardize)
    return LoadedObjects(vectors, called, labels, used, (*notes, *more), kind, scale)


def _load_cells(
    path: Path, delimiter: str | None, header: Any, asked: list[str]
) -> tuple[list[str], Rows, list[str]]:
    """Return the names of the columns, the cells below, as many in each row, and notes."""
    with closing(TextSource(path)) as source:
        lines = source.all_lines()
    name, usual = source.name, layout.DELIMITER_BY_SUFFIX.get(suffix_of(path), ",")
    if delimiter is None:  # semicolons where only these separate the columns
        has_only = lines and usual not in lines[0] and len(split_cells(lines[0], ";", name)) > 1
        delimiter = ";" if has_only else usual
    cells = [row for line in lines if any(row := split_cells(line, delimiter, name))]
    if len(cells) < 2:
        problem = f"it has {len(cells)} line(s)"
        raise FileFormatError(name, problem, "A header and one line for each object are needed.")
    # spreadsheets end lines in blank cells, which are no column
    width = max(at for row in cells for at, cell in enumerate(row, start=1) if cell)
    cells = [row[:width] for row in cells]
    notes = list(source.notes)
    if header == "auto":
        header = _has_header(cells, asked, name)
        if not header:
            text = "the first line is taken for an object, not for the names of columns; "
            notes.append(f"{text}--header takes it for those")
    first, *rows = cells if header else [[f"column {k}" for k in range(1, width + 1)], *cells]
    for i, row in enumerate(rows):
        if len(row) > len(first):
            problem = f"object {i} has {len(row)} cells for {len(first)} columns"
            advice = "Is the delimiter another, or a cell without its quotes?"
            raise FileFormatError(name, problem, advice)
    return first, [[*row, *[""] * (len(first) - len(row))] for row in rows], notes


def _has_header(cells: Rows, asked: list[str], name: str) -> bool:
    """Tell whether the first line names columns; numbers alone are asked about."""
    first, body = cells[0], cells[1:]
    if all(map(is_number, first)):
        problem = "it begins with numbers; its first line must name the columns"
        advice = "If they are those of an object, pass {header}."
        raise FileFormatError(name, problem, advice, {"header": False})
    if set(asked) & set(first) or {cell.lower() for cell in first} & HEADERS:
        return True
    if any(is_number(cell) for row in body for cell in row):
        return True
    below = [[row[at] for row in body if at < len(row)] for at in range(len(first))]
    is_repeated = any(cell and cell in column for cell, column in zip(first, below, strict=True))
    return len(first) > 1 and not is_repeated


def _find_ids(header: list[str], columns: Columns, ids: str | None, kind: str | None) -> int | None:
    """Return the column of names: the one given, one called id, or text beside others."""
    if ids is not None:
        return header.index(ids)
    words = {at: header[at].lower() for at in columns}
    if len(words) < 2:
        return None
    first = min(words)
    if not words[first]:
        return first  # the row numbers of pandas and of R
    if known := [at for word in layout.ID_NAMES for at in words if words[at] == word]:
        return known[0]
    others = [at for at in columns if words[at] not in layout.LABEL_NAMES]
    texts = [at for at in others if _first_text(columns[at]) is not None]
    n_needed = 1 if kind in ("vectors", "series") else 2  # one column of text is the objects
    is_own = len(texts) >= n_needed and len(set(columns[texts[0]])) == len(columns[texts[0]])
    return texts[0] if is_own else None


def _leave_out_labels(header: list[str], columns: Columns, label: str | None) -> list[str]:
    """Take away columns that are labels by their name, where others are left; say so."""
    words = {at: header[at].lower() for at in columns}
    named = [at for at in columns if words[at] in layout.LABEL_NAMES]
    if "x" in words.values():  # beside which y is a coordinate
        named = [at for at in named if words[at] != "y"]
    advice = "" if label else "; --columns takes them for measurements"
    return [note + advice for note in _leave_out(header, columns, named, "as labels by their name")]


def _leave_out(header: list[str], columns: Columns, some: list[int], why: str) -> list[str]:
    """Take away some columns, where others are left; say so."""
    if not some or len(some) == len(columns):
        return []
    for at in some:
        del columns[at]
    return [f"left out, {why}: {show_names([header[at] for at in some], MAX_COLUMNS_NAMED)}"]


def _check_thousands(header: list[str], columns: Columns, where: str) -> None:
    """Refuse text that would be numbers without a separator."""
    for at, cells in columns.items():
        cell = next(cell for cell in cells if cell)
        if layout.THOUSANDS.fullmatch(cell):
            problem = f"column {header[at]!r} holds {cell!r:.80}, which is no number"
            raise FileFormatError(where, problem, "Write it without the thousands separator.")


def _is_text_column(cells: list[str]) -> bool:
    """Tell whether most cells that are not blank hold text."""
    kinds = Counter(layout.parse_number(cell) is None for cell in cells if cell)
    return kinds[True] > kinds[False]


def _only_column(header: list[str], columns: Columns, where: str) -> tuple[list[str], list[str]]:
    """Return the one column that there must be, in a list of its name alone, and its cells."""
    used = [header[at] for at in columns]
    if len(used) != 1:
        problem = f"it has the columns {used} beside names; for strings there must be one"
        raise FileFormatError(where, problem, "Say which: {columns}.", {"columns": ...})
    ((_, cells),) = columns.items()
    return used, cells


def _can_be_names(strings: list[str]) -> bool:
    """Tell whether each is one line, and no two are the same."""
    is_different = len(set(strings)) == len(strings)
    return is_different and all(len(string.splitlines()) == 1 for string in strings)


def _check_numbers(header: list[str], columns: Columns, where: str) -> None:
    if not columns:
        raise FileFormatError(where, "it has names only; numbers are needed beside them")
    for at, cells in columns.items():
        if (text := _first_text(cells)) is not None:
            problem = f"column {header[at]!r} holds {text!r:.80}, which is no number; this measure "
            advice = "Leave it out with {drop}, or name those to use with {columns}."
            options = {"drop": ..., "columns": ...}
            raise FileFormatError(where, f"{problem}takes one number a cell", advice, options)


def _vectors(table: Rows, columns: list[str], where: str) -> np.ndarray:
    """Return the numbers of a table (n × d), of which none is missing or too large."""
    vectors = np.array([[layout.parse_number(cell) for cell in row] for row in table], dtype=float)
    for i, at in np.argwhere(~(np.abs(vectors) < LARGEST_COORDINATE)):
        held = "nothing" if np.isnan(vectors[i, at]) else table[i][at][:40]
        problem = f"object {i} has {held} in column {columns[at]!r}"
        advice = f"Every number of a vector must be known, and below {LARGEST_COORDINATE:g}."
        raise FileFormatError(where, problem, advice)
    return vectors


def _scaled(
    vectors: np.ndarray, columns: list[str], standardize: bool | Scale
) -> tuple[np.ndarray, Scale | None, list[str]]:
    """Standardize vectors where asked to; else say where one column decides all distances."""
    notes, spreads = [], vectors.std(axis=0)
    if standardize:
        scale = vectors.mean(axis=0), np.where(spreads > 0, spreads, 1)
        scale = scale if isinstance(standardize, bool) else standardize
        note = "every column is centred and divided by its standard deviation"
        return (vectors - scale[0]) / scale[1], scale, [note]
    largest, usual = int(np.argmax(spreads)), float(np.median(spreads))
    if len(columns) > 1 and spreads[largest] > DOMINANT_SPREAD * usual > 0:
        ratio = f"{spreads[largest] / usual:.0f} times as much as most others"
        advice = "--standardize makes all count alike"
        notes = [f"column {columns[largest]!r} varies {ratio} and decides most distances; {advice}"]
    return vectors, None, notes


def _first_text(cells: list[str]) -> str | None:
    """Return the first cell that is neither a number nor blank, if there is one."""
    return next((cell for cell in cells if layout.parse_number(cell) is None), None)


def _series(cells: list[str], i: int, name: str) -> np.ndarray:
    """Return a series without the blanks that fill up its row."""
    while cells and not cells[-1]:
        cells.pop()
    if not cells or not all(map(is_number, cells)):
        raise FileFormatError(name, f"object {i} has a gap, or no numbers", "Fill it in.")
    return np.array(cells, dtype=float)
