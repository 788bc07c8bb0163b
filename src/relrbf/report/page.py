"""Figures and facts on one page that needs no network and no other file."""

import os
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Picture:
    """A figure with its caption; the name is that of its file, where pictures are files."""

    figure: "Figure"
    caption: str
    name: str = ""

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


@dataclass(frozen=True)
class Table:
    """Rows of text under a header."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    title: str = ""


@dataclass(frozen=True)
class Section:
    """A heading, text, a list of facts, tables, pictures, and code."""

    title: str
    text: str = ""
    facts: Sequence[tuple[str, str]] = ()
    tables: Sequence[Table] = ()
    pictures: Sequence[Picture] = ()
    code: str = ""


def write_page(path: Path, title: str, lead: str, sections: list[Section]) -> None:
    """Write the page; a reader never meets half of one."""
    from jinja2 import Environment, PackageLoader

    environment = Environment(loader=PackageLoader("relrbf.report"), autoescape=True)
    page = environment.get_template("page.html").render(title=title, lead=lead, sections=sections)
    write_whole(path, page.encode())


def write_whole(path: Path, content: bytes) -> None:
    """Write a file that is there as a whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.part")
    partial.write_bytes(content)
    os.replace(partial, path)
