"""A comment that cites the theory cites a section that exists, in one style: theory 5.6."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CITATION = re.compile(r"\btheory (\d+(?:\.\d+)?(?:(?:, | and | to |-)\d+(?:\.\d+)?)*)")
OTHER_STYLE = re.compile(
    r"\btheory,? (?:sections?|entry|erratum) \d|\btheory, \d|\berrat(?:um|a) \d"
)


def texts():
    for folder in ("src", "study", "benchmarks", "tests", "examples", "docs"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in {".py", ".md"} and "_build" not in path.parts:
                yield path, path.read_text("utf-8")


def sections():
    page = (ROOT / "docs" / "theory.md").read_text("utf-8")
    return re.findall(r"^#{2,3} (\d+(?:\.\d+)?)\.? ", page, re.MULTILINE)


def cited(text):
    for found in CITATION.findall(text):
        yield from re.findall(r"\d+(?:\.\d+)?", found)


def test_the_sections_are_numbered_without_gaps():
    chapters = [number for number in sections() if "." not in number]
    errata = [number for number in sections() if "." in number]
    assert chapters == [str(n) for n in range(1, 11)]
    assert errata == [f"5.{n}" for n in range(1, 11)]


def test_every_citation_is_of_a_section_that_exists():
    known = set(sections())
    wrong = [(str(path), found) for path, text in texts() for found in set(cited(text)) - known]
    assert not wrong


def test_there_is_one_style_of_citation():
    own = Path(__file__)
    other = [str(path) for path, text in texts() if path != own and OTHER_STYLE.search(text)]
    assert not other


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("see theory 4.", ["4"]),
        ("(theory 5.6)", ["5.6"]),
        ("theory 1 to 4, and", ["1", "4"]),
        ("theory 3 and 5.10", ["3", "5.10"]),
    ],
)
def test_citations_are_found(text, numbers):
    assert list(cited(text)) == numbers
