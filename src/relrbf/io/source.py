"""A text file's lines, read once from first to last, whatever it is compressed with or coded in."""

import codecs
import difflib
import gzip
import io
import os
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from relrbf.exceptions import OptionError, RelationError
from relrbf.io.foreign import refuse_binary, refuse_suffix

BUFFER = 2**20
TOLD_EVERY = 2**24  # bytes between two calls of progress
MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
Progress = Callable[[int, int | None], Any]


class Source:
    """The lines of a file as UTF-8 bytes, without their ends.

    Attributes
    ----------
    name : str
        The file, in messages.
    n_bytes : int or None
        How many there are to read; None where that is not known, as of a pipe.
    notes : list of str
        What was assumed.
    numbered : iterator of (int, bytes)
        The lines that were not read yet, blank ones too, each with its number in the file.
    """

    def __init__(self, path: Any, encoding: str | None = None, progress: Progress | None = None):
        self.name = name_of(path)
        self.notes: list[str] = []
        self._progress = progress
        self._raw = sys.stdin.buffer if is_stream(path) else open_bytes(Path(path))
        self.n_bytes = None if is_stream(path) else _size(self._raw)
        try:
            self.is_packed = _peek(self._raw)[:2] == b"\x1f\x8b"
            packed: Any = gzip.GzipFile(fileobj=self._raw) if self.is_packed else self._raw
            self._text = self._decoded(packed, encoding)
        except (OSError, EOFError) as error:
            self.close()
            raise RelationError(f"{self.name} cannot be read to its end ({error}).") from error
        except BaseException:
            self.close()
            raise
        self.numbered = enumerate(self._lines(), start=1)

    def _lines(self) -> Iterator[bytes]:
        done = told = 0
        try:
            for line in self._text:
                done += len(line)
                if self._progress is not None and done - told >= TOLD_EVERY:
                    told = done
                    self._progress(self._position(done), self.n_bytes)
                yield line.rstrip(b"\r\n")
        except (OSError, EOFError) as error:
            raise RelationError(f"{self.name} cannot be read to its end ({error}).") from error
        except UnicodeDecodeError as error:
            raise RelationError(f"{self.name} is not text in {error.encoding}: {error}.") from None
        if self._progress is not None:
            self._progress(self._position(done), self.n_bytes)

    def close(self) -> None:
        """Close what was opened."""
        if self._raw is not sys.stdin.buffer:
            self._raw.close()

    def __enter__(self) -> "Source":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _position(self, done: int) -> int:
        """Return how far the file is read, in its own bytes."""
        return done if self.n_bytes is None else self._raw.tell()

    def _decoded(self, file: Any, encoding: str | None) -> Any:
        head = _peek(file)
        mark = next((mark for mark in MARKS if head.startswith(mark)), b"")
        if mark:
            file.read(len(mark))
            encoding = MARKS[mark]
        else:
            refuse_binary(self.name, head)
        if encoding is not None:
            encoding = _known(encoding)
            if encoding != "utf-8":
                self.notes.append(f"the text is in {encoding}")
        old_ends = b"\r" in head and b"\n" not in head and len(head) < 2**16
        if encoding in (None, "utf-8") and not old_ends:
            return file
        recoded: Any = _Recoded(file, encoding or "utf-8")
        return io.BufferedReader(recoded, BUFFER)


class _Recoded(io.RawIOBase):
    """Bytes of any encoding and any line ends, as UTF-8 and line feeds."""

    def __init__(self, file: Any, encoding: str) -> None:
        self._file = file
        decoder = codecs.getincrementaldecoder(encoding)()
        self._decoder = io.IncrementalNewlineDecoder(decoder, translate=True)
        self._rest = b""

    def readable(self) -> bool:
        """Tell that it is."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer, as far as what was read goes."""
        while not self._rest:
            block = self._file.read(BUFFER)
            self._rest = self._decoder.decode(block, final=not block).encode()
            if not block:
                break
        n = min(len(buffer), len(self._rest))
        buffer[:n], self._rest = self._rest[:n], self._rest[n:]
        return n


def is_stream(path: Any) -> bool:
    """Tell whether a path stands for the standard input."""
    return str(path) == "-"


def name_of(path: Any) -> str:
    """Return what a file is called in messages."""
    return "standard input" if is_stream(path) else str(path)


def check_exists(path: Path) -> None:
    """Refuse a path where nothing is, and name what is called nearly so."""
    if path.exists():
        return
    folder = path.parent
    if not folder.is_dir():
        raise RelationError(f"{path} does not exist, nor does its folder, {folder}.")
    near = _called_nearly(path, sorted(os.listdir(folder)))[:3]
    advice = f" Is it {' or '.join(near)}?" if near else ""
    raise RelationError(f"{path} does not exist.{advice}")


def _called_nearly(path: Path, names: list[str]) -> list[str]:
    """Return the names that are nearly a path's; all the same what they end in."""
    stems = [Path(name).stem.lower() for name in names]
    near = difflib.get_close_matches(path.stem.lower(), dict.fromkeys(stems), n=3, cutoff=0.7)
    return [name for name, stem in zip(names, stems, strict=True) if stem in near]


def suffix_of(path: Path) -> str:
    """Return how a file's name ends, what it is compressed with aside."""
    name = path.name.lower()
    return Path(name.removesuffix(".gz")).suffix


def open_bytes(path: Path) -> Any:
    """Open a file that may be text."""
    check_exists(path)
    if path.is_dir():
        raise RelationError(
            f"{path} is a folder; pass a file, or a folder that zarr wrote (it holds zarr.json)."
        )
    refuse_suffix(str(path), suffix_of(path))
    try:
        return open(path, "rb", BUFFER)
    except OSError as error:
        raise RelationError(f"{path} cannot be opened: {error.strerror}.") from None


def _size(file: Any) -> int | None:
    """Return how many bytes a file has; a pipe does not know, nor where it is."""
    about = os.fstat(file.fileno())
    return about.st_size if stat.S_ISREG(about.st_mode) else None


def _peek(file: Any) -> bytes:
    return bytes(file.peek(2**12))


def _known(encoding: str) -> str:
    try:
        return codecs.lookup(encoding).name
    except LookupError:
        raise OptionError(
            f"encoding={encoding!r} does not exist; 'utf-8', 'utf-16' and 'cp1252' are common."
        ) from None
