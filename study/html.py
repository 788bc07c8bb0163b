"""Sections of tables and pictures, written as one HTML file and as Markdown."""

from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from study.results import save_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TEMPLATE = """<!doctype html>
<html lang="en">
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{ title }}</title>
<style>
body { max-width: 70rem; margin: 2rem auto; padding: 0 1rem; font: 16px/1.5 sans-serif; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
th, td { border-bottom: 1px solid #bbb; padding: .3rem .6rem; text-align: left; }
td { vertical-align: top; } img { max-width: 100%; } figure { margin: 1rem 0; }
pre { background: #f3f3f3; padding: .8rem; overflow-x: auto; }
@media (prefers-color-scheme: dark) {
  body { background: #1b1b1b; color: #e8e8e8; } pre { background: #2a2a2a; }
  img { background: white; }
}
</style>
<h1>{{ title }}</h1>
<p>{{ lead }}</p>
{% for section in sections %}
<h2>{{ section.title }}</h2>
{% if section.text %}<p>{{ section.text }}</p>{% endif %}
{% for table in section.tables %}
{% if table.title %}<h3>{{ table.title }}</h3>{% endif %}
<table>
{% if table.header %}
<tr>{% for cell in table.header %}<th scope="col">{{ cell }}</th>{% endfor %}</tr>
{% endif %}
{% for row in table.rows %}<tr>{% for cell in row %}<td>{{ cell }}</td>{% endfor %}</tr>
{% endfor %}
</table>
{% endfor %}
{% for picture in section.pictures %}
<figure><img alt="{{ picture.caption }}" src="data:image/png;base64,{{ picture.base64 }}">
<figcaption>{{ picture.caption }}</figcaption></figure>
{% endfor %}
{% if section.code %}<pre>{{ section.code }}</pre>{% endif %}
{% endfor %}
</html>
"""


@dataclass(frozen=True)
class Picture:
    """A figure with its caption, and the name of its file."""

    figure: "Figure"
    caption: str
    name: str

    @cached_property
    def png(self) -> bytes:
        """The content of the file."""
        buffer = BytesIO()
        self.figure.savefig(buffer, format="png", dpi=160)
        return buffer.getvalue()

    @property
    def base64(self) -> str:
        """The file as text within a page."""
        return b64encode(self.png).decode("ascii")


@dataclass(frozen=True)
class Table:
    """Rows of text under a header."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    title: str = ""


@dataclass(frozen=True)
class Section:
    """A heading, text, tables, pictures and code."""

    title: str
    text: str = ""
    tables: Sequence[Table] = ()
    pictures: Sequence[Picture] = ()
    code: str = ""


def write_html(path: Path, title: str, lead: str, sections: Sequence[Section]) -> None:
    """Write one page that needs no other file."""
    from jinja2 import Environment

    template = Environment(autoescape=True).from_string(TEMPLATE)
    page = template.render(title=title, lead=lead, sections=sections)
    save_whole(path, page)


def write_markdown(path: Path, title: str, lead: str, sections: Sequence[Section]) -> None:
    """Write the text, and each picture as a file in the same folder."""
    for picture in (picture for section in sections for picture in section.pictures):
        (path.parent / f"{picture.name}.png").write_bytes(picture.png)
    blocks = [f"# {title}", lead, *(block for section in sections for block in _blocks(section))]
    save_whole(path, "\n\n".join(blocks) + "\n")


def _blocks(section: Section) -> Iterator[str]:
    yield f"## {section.title}"
    if section.text:
        yield section.text
    for table in section.tables:
        if table.title:
            yield f"### {table.title}"
        yield _markdown_table(table)
    for picture in section.pictures:
        yield f"![{picture.name}]({picture.name}.png)"
        yield picture.caption
    if section.code:
        yield f"```\n{section.code}\n```"


def _markdown_table(table: Table) -> str:
    lines = [table.header, ["---"] * len(table.header), *table.rows]
    return "\n".join(f"| {' | '.join(map(_escaped, line))} |" for line in lines)


def _escaped(cell: str) -> str:
    return cell.replace("|", "\\|").replace("\n", " ")
