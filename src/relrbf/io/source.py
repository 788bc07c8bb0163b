"""A file as numbered lines of text, whatever it is compressed with or encoded in."""

import codecs
import csv
import difflib
import gzip
import io
import os
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from itertools import chain, islice
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from relrbf.exceptions import FileFormatError, OptionError

BUFFER_BYTES = 2**20
PROGRESS_BYTES = 2**24  # between two calls of progress
HEAD_LINES, HEAD_BYTES = 50, 2**16  # that tell how a file is laid out
MAX_HEAD_COMMENTS = 2**16
# What a file may take of the machine; RELRBF_MAX_LINE=... in the environment raises the first.
LIMITS = {
    "LINE": 2**23,  # bytes of one line of text: a million numbers
    "EXPANSION": 200,  # times the bytes of a compressed file
    "OBJECTS": 2**21,  # whose labels, names or vectors are held at once
    "MODEL": 2**31,  # bytes of a model file
}
FREE_EXPANSION = 2**24  # bytes that any compressed file may expand to
CHECKED_BYTES = 2**23  # of a compressed file that is expanded once to see how large it gets
BYTE_ORDER_MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
READABLE = "Matrices are read from csv, tsv, npy, npz, zarr, mtx and PHYLIP files."
NO_TEXT = "it is not text: it holds bytes that no text has", READABLE
SPREADSHEET = "a spreadsheet", "Save the sheet as xlsx or csv, and pass that."
SHEET_SUFFIXES = (".xlsx", ".xlsm")
R_DATA = "R's", 'There, write.csv(as.matrix(D), "D.csv"), and pass that.'
PICKLE = "a pickle, and reading one runs what is in it", "Write the matrix with numpy.save."
HDF5 = "an HDF5 file", "Write the array with numpy.save, and pass that."
COLUMNAR = "a columnar table", "Read it with pandas, and write it with to_csv."
FOREIGN_SUFFIXES = {
    (".xls", ".ods", ".numbers"): SPREADSHEET,
    (".rds", ".rdata", ".rda"): R_DATA,
    (".pkl", ".pickle", ".joblib"): PICKLE,
    (".h5", ".hdf5", ".hdf"): HDF5,
    (".parquet", ".feather", ".arrow"): COLUMNAR,
    (".mat",): ("MATLAB's", "There, writematrix(D, 'D.csv'), and pass that."),
    (".json",): ("JSON", "Write the matrix with numpy.save, or as csv."),
}
FOREIGN_BEGINNINGS = {
    (b"PK\x03\x04",): ("a zip archive, as spreadsheets and .npz are", READABLE),
    (b"\x89HDF",): HDF5,
    (b"\xd0\xcf\x11\xe0",): SPREADSHEET,
    (b"PAR1",): COLUMNAR,
    (b"\x93NUMPY",): ("an array of numpy", "Give it a name that ends in .npy."),
    (b"RDX",): R_DATA,
    (b"\x80\x04", b"\x80\x05"): PICKLE,
    (b"%PDF",): ("a PDF", "Pass the numbers as csv."),
}
DAMAGE_ERRORS = (OSError, EOFError, zlib.error)  # of what is damaged
Progress = Callable[[int, int | None], Any]
Lines = Iterator[tuple[int, str]]


class TextSource:
    """The lines of a file with their numbers, read once from first to last.

    ``head`` are as many as tell the layout, ``lines`` all of them, those of the head again;
    ``n_bytes`` is None where nobody knows how many there are, as of a pipe.
    """

    def __init__(self, path: Any, encoding: str | None = None, progress: Progress | None = None):
        self.name, self.notes = name_of(path), list[str]()
        self._progress = progress or (lambda *_: None)
        is_sheet = suffix_of(path) in SHEET_SUFFIXES
        if is_stream(path) and sys.stdin is None:
            raise FileFormatError(self.name, "it is closed")
        self._raw: Any
        open_file = self._sheet if is_sheet else open_bytes
        self._raw = sys.stdin.buffer if is_stream(path) else open_file(Path(path))
        has_size = not is_sheet and not is_stream(path) and Path(path).is_file()
        self.n_bytes = os.fstat(self._raw.fileno()).st_size if has_size else None
        try:
            self.is_compressed = self._raw.peek(2)[:2] == b"\x1f\x8b"
            self._file: Any = gzip.GzipFile(fileobj=self._raw) if self.is_compressed else self._raw
            if self.is_compressed and self.n_bytes is not None:
                self._check_expansion(Path(path))
            self._decode(encoding)
            unread = self._read()
            self.head = list(self._first_lines(unread))
        except BaseException as error:
            self.close()
            if isinstance(error, DAMAGE_ERRORS):
                raise self._broken(error) from error
            raise
        self.lines: Lines = chain(self.head, unread)

    def _check_expansion(self, path: Path) -> None:
        """Refuse a small file that expands to a very large one, before its lines are parsed."""
        n_packed, done = self.n_bytes or 0, 0
        with suppress(*DAMAGE_ERRORS), gzip.open(path) as file:  # damage is told where it is read
            while n_packed < CHECKED_BYTES and (part := file.read(BUFFER_BYTES)):
                done += len(part)
                check_expansion(self.name, done, n_packed)

    def _sheet(self, path: Path) -> Any:
        """Return the first sheet of a workbook as text, its cells between tabs."""
        if find_spec("openpyxl") is None:
            problem = "the file is a spreadsheet, which openpyxl reads, and that is not installed"
            advice = "Install it (pip install openpyxl), or save the sheet as csv, and pass that."
            raise FileFormatError(self.name, problem, advice)
        check_file(path)
        with open_bytes(path) as file:
            try:
                with ZipFile(file) as archive:
                    members = archive.infolist()
                n_packed = sum(member.compress_size for member in members)
                n_bytes = sum(member.file_size for member in members)
                check_expansion(self.name, n_bytes, n_packed)
                openpyxl = import_module("openpyxl")
                sheets = openpyxl.load_workbook(file, read_only=True, data_only=True).worksheets
                sheets[0].reset_dimensions()  # a file may declare what it does not have
                rows, width = [], 0
                for row in sheets[0].values:
                    rows.append(_without_blank_end(row))
                    width = max(width, len(rows[-1]))
                    if len(rows) * width > n_bytes:  # a cell takes more than a byte
                        raise FileFormatError(self.name, "its few cells lie too far apart")
            except FileFormatError:
                raise
            except Exception as error:  # openpyxl raises anything where a workbook is damaged
                problem = f"it is no spreadsheet that can be read ({error!s:.60})"
                raise FileFormatError(self.name, problem) from error
        if len(sheets) > 1:
            first = f"the first of {len(sheets)} sheets, {sheets[0].title!r}"
            self.notes.append(f"{first}, was read")
        text = io.StringIO()
        full = (row + (None,) * (width - len(row)) for row in rows)
        csv.writer(text, "excel-tab", lineterminator="\n").writerows(full)
        return io.BufferedReader(io.BytesIO(text.getvalue().encode()))

    def all_lines(self) -> list[str]:
        """Return every line that is not blank, of a file that has one for each object."""
        most = limit("OBJECTS")
        lines = [line for _, line in islice(self.lines, most + 1)]
        if len(lines) > most:
            problem = f"it has more than {most:,} lines, one for each object"
            raise FileFormatError(self.name, problem, raise_limit("OBJECTS"))
        return [line for line in lines if line.strip()]

    def _first_lines(self, lines: Lines) -> Lines:
        """Yield as many lines as tell how the file is laid out: at least three, if there are."""
        n_bytes = n_used = 0
        for at, (number, line) in enumerate(lines):
            yield number, line
            n_bytes += len(line)
            n_used += not line.startswith("#")
            if n_used >= HEAD_LINES or (n_bytes > HEAD_BYTES and n_used >= 3):
                return
            if at - n_used > MAX_HEAD_COMMENTS:
                raise FileFormatError(self.name, "it begins with nothing but comments")

    def _decode(self, encoding: str | None) -> None:
        """Find out how the text is encoded; what is not UTF-8 is decoded as it is read."""
        head = bytes(self._file.peek(2**12))
        mark = next((mark for mark in BYTE_ORDER_MARKS if head.startswith(mark)), b"")
        self._file.read(len(mark))
        if not mark:
            for beginnings, (what, advice) in FOREIGN_BEGINNINGS.items():
                if head.startswith(beginnings):
                    raise FileFormatError(self.name, f"it is not text, but {what}", advice)
            if b"\0" in head:
                raise FileFormatError(self.name, *NO_TEXT)
        encoding = BYTE_ORDER_MARKS.get(mark, encoding or "utf-8")
        try:
            encoding = codecs.lookup(encoding).name
            io.TextIOWrapper(io.BytesIO(), encoding)  # refuses what is no encoding of text
        except LookupError:
            text = f"encoding={encoding!r} does not exist; 'utf-8', 'utf-16', 'cp1252' are common."
            raise OptionError(text, "encoding") from None
        if encoding != "utf-8":
            self.notes.append(f"the text is in {encoding}")
        has_old_ends = b"\r" in head and b"\n" not in head and len(head) < 2**16
        if encoding != "utf-8" or has_old_ends:
            self._file = io.TextIOWrapper(self._file, encoding, newline=None)

    def _read(self) -> Lines:
        """Yield the lines that are not blank."""
        done = reported = number = 0
        longest, is_decoded = limit("LINE"), isinstance(self._file, io.TextIOWrapper)
        try:
            while line := self._file.readline(longest + 1):
                number, done = number + 1, done + len(line)
                if len(line) > longest:
                    problem = f"it has more than {longest:,} characters"
                    raise FileFormatError(self.name, problem, raise_limit("LINE"), line=number)
                if self.is_compressed and self.n_bytes is not None:
                    check_expansion(self.name, done, self.n_bytes)
                if done - reported >= PROGRESS_BYTES:
                    reported = done
                    self._report(done)
                text = (line if is_decoded else line.decode()).rstrip("\r\n")
                if "\0" in text:
                    raise FileFormatError(self.name, *NO_TEXT)
                if text.strip(" "):  # tabs are blank cells
                    yield number, text
        except DAMAGE_ERRORS as error:
            raise self._broken(error) from error
        except UnicodeError as error:
            if is_decoded:
                problem = f"it is not text in {self._file.encoding}"
                raise FileFormatError(self.name, problem) from error
            problem, options = "the text is not UTF-8", {"encoding": "cp1252"}
            advice = "If it comes from an old spreadsheet, pass {encoding}; or save it as UTF-8."
            raise FileFormatError(self.name, problem, advice, options, number) from None
        self._report(done)

    def _report(self, done: int) -> None:
        """Say how far the file is read, in its own bytes where these can be counted."""
        self._progress(done if self.n_bytes is None else self._raw.tell(), self.n_bytes)

    def _broken(self, error: BaseException) -> FileFormatError:
        return FileFormatError(self.name, f"it cannot be read to its end ({error!s:.300})")

    def close(self) -> None:
        """Close what was opened."""
        if isinstance(getattr(self, "_file", None), io.TextIOWrapper):
            self._file.detach()  # which would close the standard input when it goes
        if sys.stdin is None or self._raw is not sys.stdin.buffer:
            self._raw.close()


def limit(name: str) -> int:
    """Return how much a file may take, as the environment says or else as usual."""
    variable = f"RELRBF_MAX_{name}"
    try:
        return int(os.environ.get(variable, LIMITS[name]))
    except ValueError:
        raise OptionError(f"{variable} is {os.environ[variable]!r}; give a whole number.") from None


def raise_limit(name: str) -> str:
    """Return how to let a file take more."""
    return f"If you trust it, set RELRBF_MAX_{name} in the environment to a larger number."


def _without_blank_end(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a row of cells up to the last one that is not blank."""
    return row[: max((i for i, cell in enumerate(row, 1) if cell not in (None, "")), default=0)]


def check_expansion(name: str, n_bytes: int, n_packed: int) -> None:
    """Refuse a small file that expands to a very large one."""
    if n_bytes > max(FREE_EXPANSION, limit("EXPANSION") * n_packed):
        problem = f"it expands to more than {limit('EXPANSION')} times its size"
        raise FileFormatError(name, problem, raise_limit("EXPANSION"))


def is_stream(path: Any) -> bool:
    """Tell whether a path stands for the standard input or output."""
    return str(path) == "-"


def name_of(path: Any) -> str:
    """Return what a file is called in messages."""
    return "standard input" if is_stream(path) else str(path)


def suffix_of(path: Any) -> str:
    """Return how a file's name ends, what it is compressed with aside; "" for a stream."""
    name = "" if is_stream(path) else Path(path).name.lower()
    return Path(name.removesuffix(".gz")).suffix


def check_exists(path: Path) -> None:
    """Refuse a path where nothing is, and name what is called nearly so."""
    if path.exists():
        return
    folder = path.parent
    if not folder.is_dir():
        raise FileFormatError(str(path), f"the file does not exist, nor does its folder, {folder}")
    names = sorted(os.listdir(folder))
    stems = [Path(name).stem.lower() for name in names]
    near = difflib.get_close_matches(path.stem.lower(), dict.fromkeys(stems), n=3, cutoff=0.7)
    similar = [name for name, stem in zip(names, stems, strict=True) if stem in near][:3]
    advice = f"Is it {' or '.join(similar)}?" if similar else ""
    raise FileFormatError(str(path), "the file does not exist", advice)


def check_file(path: Path) -> None:
    """Refuse what is no file on a disk, as a pipe, which nobody may ever write to."""
    check_exists(path)
    if not path.is_file():
        raise FileFormatError(str(path), "it is a folder, a pipe or a device, and no file")


def open_bytes(path: Path) -> Any:
    """Open a file that may be text."""
    check_exists(path)
    if path.is_dir():
        advice = "Pass a file, or a folder that zarr wrote (it holds zarr.json)."
        raise FileFormatError(str(path), "it is a folder", advice)
    for suffixes, (what, advice) in FOREIGN_SUFFIXES.items():
        if suffix_of(path) in suffixes:
            raise FileFormatError(str(path), f"the file is {what}", advice)
    try:
        return open(path, "rb", BUFFER_BYTES)
    except OSError as error:
        raise FileFormatError(str(path), f"it cannot be opened ({error.strerror})") from None
