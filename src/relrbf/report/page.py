"""Figures and facts on one page that needs no network and no other file."""

import re
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from relrbf.io.writing import replacing
from relrbf.report.ink import drawn_in_ink

if TYPE_CHECKING:
    from matplotlib.figure import Figure


ARROW = ">>"  # as wide as the one that a sortable column has after its name
LETTERS = 16  # of a word that a column makes room for; longer ones are broken


@dataclass(frozen=True)
class Picture:
    """A figure with its caption; the name is that of its file, where pictures are files.

    ``alt`` says what is seen, for those who do not see it: the caption, unless it is given. With
    ``in_ink`` the page draws it in its own colours, so that it fits a dark page too.
    """

    figure: "Figure"
    caption: str
    name: str = ""
    alt: str = ""
    in_ink: bool = False

    @property
    def png(self) -> bytes:
        """The figure as a file."""
        buffer = BytesIO()
        self.figure.savefig(buffer, format="png", dpi=160)
        return buffer.getvalue()

    @property
    def address(self) -> str:
        """The figure as an address that holds all of it."""
        return f"data:image/png;base64,{b64encode(self.png).decode('ascii')}"

    @property
    def markup(self) -> str:
        """The figure as SVG in the ink of the page around it."""
        return drawn_in_ink(self.figure, self.name or "picture", self.alt or self.caption)


@dataclass(frozen=True)
class Drawing:
    """SVG that is markup already, every text in it escaped; objects in it tell of themselves."""

    markup: str
    caption: str


@dataclass(frozen=True)
class Table:
    """Rows of text under a header.

    ``shades``, where given, are numbers from 0 to 1 beside the cells, None where a cell has none.
    A sortable table can be ordered by its columns and searched.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    title: str = ""
    shades: Sequence[Sequence[float | None]] = ()
    sortable: bool = False

    @property
    def stacks(self) -> bool:
        """Whether a phone shows the cells of a row below each other; shades need their columns."""
        return not self.shades

    @property
    def longest_words(self) -> list[int]:
        """Letters of the longest word in each column, at most LETTERS."""
        named = [f"{name}{ARROW * self.sortable}" for name in self.header]
        columns = zip(named, *self.rows, strict=True)
        return [
            min(max((len(word) for text in column for word in text.split()), default=1), LETTERS)
            for column in columns
        ]


@dataclass(frozen=True)
class Section:
    """A heading, text, points, a list of facts, drawings, tables, pictures, and code.

    Blank lines part the text into paragraphs; a legend says what colours mean.
    """

    title: str
    text: str = ""
    facts: Sequence[tuple[str, str]] = ()
    tables: Sequence[Table] = ()
    pictures: Sequence[Picture] = ()
    code: str = ""
    points: Sequence[str] = ()
    drawings: Sequence[Drawing] = ()
    legend: Sequence[tuple[str, str]] = ()

    @property
    def key(self) -> str:
        """What the address of the section ends in."""
        return re.sub(r"\W+", "-", self.title.lower()).strip("-")


def write_page(path: Path, title: str, lead: str, sections: Sequence[Section]) -> None:
    """Write the page; a reader never meets half of one."""
    from jinja2 import Environment, PackageLoader

    environment = Environment(loader=PackageLoader("relrbf.report"), autoescape=True)
    page = environment.get_template("page.html").render(
        title=title, lead=lead, sections=sections, zip=zip
    )
    write_whole(path, page.encode(errors="replace"))  # a lone surrogate in a name is no letter


def prepare(path: Path) -> None:
    """Fail before long work, not after it: where a library is missing, or a folder cannot be."""
    import jinja2  # noqa: F401
    import matplotlib  # noqa: F401

    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; name the file to write, such as report.html.")


def write_whole(path: Path, content: bytes) -> None:
    """Write a file that is there as a whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        file.write(content)
