"""Figures and facts on one page that needs no network and no other file."""

import os
from base64 import b64encode
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Section:
    """A heading, text, a table of facts, figures with captions, and code."""

    title: str
    text: str = ""
    facts: list[tuple[str, str]] = field(default_factory=list)
    figures: list[tuple["Figure", str]] = field(default_factory=list)
    code: str = ""

    @property
    def images(self) -> list[tuple[str, str]]:
        """The figures as data addresses, with their captions."""
        return [(f"data:image/png;base64,{as_png(f)}", caption) for f, caption in self.figures]


def as_png(figure: "Figure") -> str:
    """Return a figure as base64 text."""
    buffer = BytesIO()
    figure.savefig(buffer, format="png", dpi=160)
    return b64encode(buffer.getvalue()).decode("ascii")


def write_page(path: Path, title: str, lead: str, sections: list[Section]) -> None:
    """Write the page; a reader never meets half of one."""
    from jinja2 import Environment, PackageLoader

    environment = Environment(loader=PackageLoader("relrbf.report"), autoescape=True)
    page = environment.get_template("page.html").render(title=title, lead=lead, sections=sections)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".part")
    partial.write_text(page, encoding="utf-8")
    os.replace(partial, path)
