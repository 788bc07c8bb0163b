"""Text, tables and figures on one HTML page that needs no network and no other file."""

import csv
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias
from urllib.parse import quote

from relrbf._utils import replacing
from relrbf.exceptions import printable
from relrbf.io.layout import as_cell
from relrbf.plotting.style import COLOURS, INK

if TYPE_CHECKING:
    from jinja2 import Environment
    from matplotlib.figure import Figure

ReportProgress: TypeAlias = Callable[[str, int, int], Any]
"""Called with the current step, the number of steps done, and their total."""

SORT_ARROW = ">>"  # as wide as the arrow after the name of a sortable column
MAX_WHOLE_WORD = 16  # letters; longer words are broken in a table
IMAGE_DPI = 150  # of images within SVG


@dataclass(frozen=True)
class Picture:
    """A matplotlib figure with its caption; drawn as SVG in the colours of the page."""

    figure: "Figure"
    caption: str
    name: str = "picture"

    @property
    def markup(self) -> str:
        """The figure as SVG; ids in it begin with the picture's name."""
        return _as_svg(self.figure, re.sub(r"\W+", "-", self.name), self.caption)


@dataclass(frozen=True)
class TextTable:
    """Rows of text under a header.

    ``shades``, if given, are numbers from 0 to 1 beside the cells, None for cells without. A
    sortable table can be ordered by its columns. ``keys`` name what rows are about, ``related``
    the keys of what else belongs to each (separated by spaces): both are marked on the map.
    ``download`` is the name of a csv file and its text.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    title: str = ""
    shades: Sequence[Sequence[float | None]] = ()
    sortable: bool = False
    keys: Sequence[str] = ()
    related: Sequence[str] = ()
    download: tuple[str, str] | None = None
    note: str = ""

    @property
    def longest_words(self) -> list[int]:
        """Letters of the longest word in each column, at most MAX_WHOLE_WORD."""
        header = [f"{name}{SORT_ARROW * self.sortable}" for name in self.header]
        columns = zip(header, *self.rows, strict=True)
        words = [[len(word) for text in column for word in text.split()] for column in columns]
        return [min(max(lengths, default=1), MAX_WHOLE_WORD) for lengths in words]


class Card(NamedTuple):
    """A number or a word with its meaning, on top of the page; ``target`` is where to read on."""

    value: str
    label: str
    note: str = ""
    target: str = ""


class Dot(NamedTuple):
    """A row of a dot plot: a value with its interval, as positions from 0 to 1, and texts."""

    name: str
    value: float
    low: float
    high: float
    text: str
    note: str = ""
    is_beyond: bool = False  # to the left of the axis


@dataclass(frozen=True)
class DotPlot:
    """Values of several models with their intervals, one below the other; the first is ours."""

    title: str
    header: Sequence[str]
    dots: Sequence[Dot]
    ticks: Sequence[tuple[float, str]]


@dataclass(frozen=True)
class Section:
    """A heading with any of text, bullet points, facts, tables, figures and code.

    Blank lines separate paragraphs of the text; a legend explains colours. Steps, which are
    numbered, have a heading of their own. A detail is closed until its heading is clicked. Drawings
    and tables of a linked section stand side by side.
    """

    title: str
    text: str = ""
    facts: Sequence[tuple[str, str]] = ()
    tables: Sequence[TextTable] = ()
    pictures: Sequence[Picture] = ()
    code: str = ""
    points: Sequence[str] = ()
    steps: Sequence[str] = ()
    drawings: Sequence[tuple[str, str]] = ()  # markup, its texts escaped already, and caption
    legend: Sequence[tuple[str, str]] = ()
    dot_plots: Sequence[DotPlot] = ()
    is_detail: bool = False
    is_linked: bool = False

    @property
    def key(self) -> str:
        """The section's id on the page."""
        return re.sub(r"\W+", "-", self.title.lower()).strip("-")


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, PackageLoader, select_autoescape

    loader = PackageLoader("relrbf.report")
    environment = Environment(loader=loader, autoescape=select_autoescape(["html"]))
    environment.globals |= {"zip": zip, "count": count, "verb": verb, "quote": quote}
    environment.globals["unbroken"] = unbroken
    return environment


def render(template: str, **values: Any) -> str:
    """Return a template of this package, filled in; HTML is escaped."""
    return _environment().get_template(template).render(**values)


def prose(name: str, **values: Any) -> str:
    """Return a text of ``templates/texts.txt`` as one paragraph."""
    macro = getattr(_environment().get_template("texts.txt").module, name)
    return " ".join(macro(**values).split())


def write_page(
    path: Path, title: str, lead: str, sections: Sequence[Section], cards: Sequence[Card] = ()
) -> None:
    """Write the page as a whole or not at all."""
    page = render("page.html", title=title, lead=lead, sections=sections, cards=cards)
    page = re.sub(r"[^\n\xa0 -~]", lambda match: printable(match[0]), page)
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        file.write(page.encode(errors="replace"))  # names may hold lone surrogates


def as_csv(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Return a table as the text of a csv file; no spreadsheet takes text for a formula."""
    buffer = StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerows([map(as_cell, row) for row in (header, *rows)])
    return buffer.getvalue()


def prepare(path: Path) -> None:
    """Fail before long work if a library is missing or the file cannot be written."""
    import jinja2  # noqa: F401
    import matplotlib  # noqa: F401

    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; name the file to write, such as report.html.")


def new_figure(width: float, height: float, layout: Any = "constrained") -> "Figure":
    """Return a figure that is not registered with pyplot."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout=layout)


def count(number: int, noun: str) -> str:
    """Return a number and its noun, singular or plural."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def verb(number: int, singular: str = "is", plural: str = "are") -> str:
    """Return the form of a verb for a number."""
    return singular if number == 1 else plural


def unbroken(text: str) -> str:
    """Return a text in which no line ends before a sign of per cent, or beside a ±."""
    return re.sub(r"(?<=\d) ?%", "\u00a0%", text.replace(" ± ", "\u00a0±\u00a0"))


def _as_svg(figure: "Figure", name: str, alt: str) -> str:
    """Return an SVG element without background in which black is ``currentColor``."""
    from matplotlib import rc_context

    buffer = StringIO()
    metadata = dict.fromkeys(["Creator", "Date", "Format", "Type"])
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "relrbf"}):
        figure.savefig(buffer, format="svg", transparent=True, dpi=IMAGE_DPI, metadata=metadata)
    svg = buffer.getvalue()
    svg = svg[svg.index("<svg") :]
    # a style sheet would apply to the whole page
    svg = re.sub(r"<(style|metadata)\b.*?</\1>", "", svg, flags=re.DOTALL)
    svg = re.sub(rf"(?i)(fill|stroke): (#000000|#000|black|{INK})\b", r"\1: currentColor", svg)
    svg = re.sub(rf"(?i){COLOURS[0]}\b", "var(--blue)", svg)  # lighter on a dark page
    svg = re.sub(r"font: ([\d.]+)px[^;\"]*", r"font-size: \1px", svg)
    svg = re.sub(r'\bid="', f'id="{name}-', svg)
    svg = re.sub(r'href="#', f'href="#{name}-', svg).replace("url(#", f"url(#{name}-")
    opening, rest = svg.split(">", 1)
    opening = re.sub(r'\s(width|height)="[^"]*"', "", opening)  # the page sets the width
    label = f'<svg class="plot" role="img" aria-label="{escape(alt)}"'
    return f"{opening.replace('<svg', label, 1)}>{rest}"
