"""The same sections as Markdown, with the pictures as files beside it."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from relrbf.report.page import Section, Table, write_whole


def write_markdown(path: Path, title: str, lead: str, sections: Sequence[Section]) -> None:
    """Write the text, and each picture as a file named after it in the same folder."""
    for section in sections:
        for picture in section.pictures:
            write_whole(path.parent / f"{picture.name}.png", picture.png)
    blocks = [f"# {title}", lead, *(block for section in sections for block in _blocks(section))]
    write_whole(path, ("\n\n".join(blocks) + "\n").encode())


def _blocks(section: Section) -> Iterator[str]:
    yield f"## {section.title}"
    if section.text:
        yield section.text
    if section.points:
        yield "\n".join(f"- {point}" for point in section.points)
    if section.facts:
        yield _table(["", ""], section.facts)
    for table in section.tables:
        yield from _titled(table)
    for picture in section.pictures:
        yield f"![{picture.name}]({picture.name}.png)"
        yield picture.caption
    if section.code:
        yield f"```\n{section.code}\n```"


def _titled(table: Table) -> Iterator[str]:
    if table.title:
        yield f"### {table.title}"
    yield _table(table.header, table.rows)


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(_cell(value) for value in line)} |" for line in lines)


def _cell(value: str) -> str:
    return value.replace("|", "\\|").replace("\n", " ")
