"""A file as numbered lines of text, whatever it is compressed with or encoded in."""

import codecs
import difflib
import gzip
import io
import os
import sys
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from relrbf.exceptions import FileFormatError, OptionError

BUFFER_BYTES = 2**20
PROGRESS_BYTES = 2**24  # between two calls of progress
HEAD_LINES, HEAD_BYTES = 50, 2**16  # that tell how a file is laid out
BYTE_ORDER_MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
READABLE = "Matrices are read from csv, tsv, npy, npz, zarr, mtx and PHYLIP files."
SPREADSHEET = "a spreadsheet", "Save the sheet as csv, and pass that."
R_DATA = "R's", 'There, write.csv(as.matrix(D), "D.csv"), and pass that.'
PICKLE = "a pickle, and reading one runs what is in it", "Write the matrix with numpy.save."
HDF5 = "an HDF5 file", "Write the array with numpy.save, and pass that."
COLUMNAR = "a columnar table", "Read it with pandas, and write it with to_csv."
FOREIGN_SUFFIXES = {
    (".xlsx", ".xls", ".xlsm", ".ods", ".numbers"): SPREADSHEET,
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
Progress = Callable[[int, int | None], Any]
Lines = Iterator[tuple[int, str]]


class TextSource:
    """The lines of a file with their numbers, read once from first to last.

    ``head`` are as many as tell the layout, ``lines`` all of them, those of the head again;
    ``n_bytes`` is None where nobody knows how many there are, as of a pipe.
    """

    def __init__(self, path: Any, encoding: str | None = None, progress: Progress | None = None):
        self.name, self._progress, self.notes = name_of(path), progress, list[str]()
        stdin: Any = sys.stdin.buffer
        self._raw = stdin if is_stream(path) else open_bytes(Path(path))
        has_size = not is_stream(path) and Path(path).is_file()
        self.n_bytes = os.fstat(self._raw.fileno()).st_size if has_size else None
        try:
            self.is_compressed = self._raw.peek(2)[:2] == b"\x1f\x8b"
            self._file: Any = gzip.GzipFile(fileobj=self._raw) if self.is_compressed else self._raw
            self._decode(encoding)
            unread = enumerate(self._read(), start=1)
            self.head = list(_first_lines(unread))
        except BaseException as error:
            self.close()
            if isinstance(error, OSError | EOFError):
                raise self._broken(error) from error
            raise
        self.lines: Lines = chain(self.head, unread)

    def _decode(self, encoding: str | None) -> None:
        """Find out how the text is encoded; what is not UTF-8 is decoded as it is read."""
        head = bytes(self._file.peek(2**12))
        mark = next((mark for mark in BYTE_ORDER_MARKS if head.startswith(mark)), b"")
        self._file.read(len(mark))
        if not mark:
            for beginnings, (what, advice) in FOREIGN_BEGINNINGS.items():
                if head.startswith(beginnings):
                    raise FileFormatError(self.name, f"it is not text, but {what}", advice)
            self._refuse_zero_bytes(head)
        encoding = BYTE_ORDER_MARKS.get(mark, encoding or "utf-8")
        try:
            encoding = codecs.lookup(encoding).name
        except LookupError:
            text = (
                f"encoding={encoding!r} does not exist; 'utf-8', 'utf-16' and 'cp1252' are common."
            )
            raise OptionError(text, "encoding") from None
        if encoding != "utf-8":
            self.notes.append(f"the text is in {encoding}")
        has_old_ends = b"\r" in head and b"\n" not in head and len(head) < 2**16
        if encoding != "utf-8" or has_old_ends:
            self._file = io.TextIOWrapper(self._file, encoding, newline=None)

    def _refuse_zero_bytes(self, text: bytes) -> None:
        if b"\0" in text:
            problem = "it is not text: it holds bytes that no text has"
            raise FileFormatError(self.name, problem, READABLE)

    def _read(self) -> Iterator[str]:
        done = reported = number = 0
        try:
            for line in self._file:
                number, done = number + 1, done + len(line)
                if self._progress is not None and done - reported >= PROGRESS_BYTES:
                    reported = done
                    self._report(done)
                if isinstance(line, bytes):
                    self._refuse_zero_bytes(line)
                yield (line.decode() if isinstance(line, bytes) else line).rstrip("\r\n")
        except (OSError, EOFError) as error:
            raise self._broken(error) from error
        except UnicodeDecodeError as error:
            if isinstance(self._file, io.TextIOWrapper):
                raise FileFormatError(self.name, f"it is not text in {error.encoding}") from error
            problem, options = "the text is not UTF-8", {"encoding": "cp1252"}
            advice = "If it comes from an old spreadsheet, pass {encoding}; or save it as UTF-8."
            raise FileFormatError(self.name, problem, advice, options, number) from None
        if self._progress is not None:
            self._report(done)

    def _report(self, done: int) -> None:
        """Say how far the file is read, in its own bytes where these can be counted."""
        assert self._progress is not None
        self._progress(done if self.n_bytes is None else self._raw.tell(), self.n_bytes)

    def _broken(self, error: BaseException) -> FileFormatError:
        return FileFormatError(self.name, f"it cannot be read to its end ({error})")

    def close(self) -> None:
        """Close what was opened."""
        if isinstance(getattr(self, "_file", None), io.TextIOWrapper):
            self._file.detach()  # which would close the standard input when it goes
        if self._raw is not sys.stdin.buffer:
            self._raw.close()

    def __enter__(self) -> "TextSource":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _first_lines(lines: Lines) -> Lines:
    """Yield as many lines as tell how a file is laid out: at least three, if there are."""
    n_bytes = n_used = 0
    for number, line in lines:
        yield number, line
        n_bytes += len(line)
        n_used += bool(line.strip(" ")) and not line.startswith("#")
        if n_used >= HEAD_LINES or (n_bytes > HEAD_BYTES and n_used >= 3):
            return


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
