"""The pages: each can be found, leads where it says, and names only what exists."""

import importlib
import re
import runpy
from itertools import pairwise
from pathlib import Path

import pytest

import relrbf
from relrbf.cli.main import COMMANDS

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
BUILT = {"_build", "gallery", "_extensions", "_static"}
PAGES = sorted(path for path in DOCS.rglob("*.md") if not BUILT & set(path.relative_to(DOCS).parts))
READ = [*PAGES, ROOT / "README.md"]

FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!\\)\]\(([^)\s]+)\)")


def named(path):
    return str(path.relative_to(ROOT))


def listed(path):
    """Yield the pages in the tables of contents of a page."""
    for block in re.findall(r"```\{toctree\}\n(.*?)```", path.read_text("utf-8"), re.DOTALL):
        for line in block.splitlines():
            if line.strip() and not line.startswith(":"):
                yield (path.parent / line.strip()).relative_to(DOCS).as_posix()


def anchor(heading):
    """Return the anchor of a heading, as GitHub and MyST make it."""
    plain = re.sub(r"[^\w\s-]", "", re.sub(r"[`*]", "", heading)).strip().lower()
    return re.sub(r"\s", "-", plain)


def anchors(path):
    text = FENCE.sub("", path.read_text("utf-8"))
    return {anchor(heading) for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE)}


def links(path):
    """Yield the links of a page that lead to a file or a heading of this project."""
    for target in LINK.findall(FENCE.sub("", path.read_text("utf-8"))):
        if not re.match(r"[a-z]+:", target):
            yield target


def commands():
    return {command.__name__ for command in COMMANDS}


def test_every_page_is_in_a_table_of_contents():
    found = {page for path in PAGES for page in listed(path)}
    pages = {path.relative_to(DOCS).with_suffix("").as_posix() for path in PAGES} - {"index"}
    assert pages <= found
    assert found - pages == {"gallery/index"}  # which the examples become


@pytest.mark.parametrize("path", READ, ids=named)
def test_every_link_leads_somewhere(path):
    broken = []
    for target in links(path):
        file, _, heading = target.partition("#")
        page = (path.parent / file).resolve() if file else path
        if not page.exists() or (heading and heading not in anchors(page)):
            broken.append(target)
    assert not broken


@pytest.mark.parametrize("path", READ, ids=named)
def test_a_page_has_one_title_and_skips_no_level(path):
    text = FENCE.sub("", path.read_text("utf-8"))
    levels = [len(marks) for marks in re.findall(r"^(#+) ", text, re.MULTILINE)]
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_every_make_target_that_is_mentioned_exists():
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    mentioned = {
        name
        for path in READ
        for name in re.findall(r"(?:^|`)make ([a-z-]+)", path.read_text("utf-8"), re.MULTILINE)
    }
    assert mentioned <= targets


def test_every_command_that_is_mentioned_exists():
    text = "\n".join(path.read_text("utf-8") for path in READ)
    inline = re.findall(r"`relrbf ([a-z]+)", text)
    shell = re.findall(r"^(?:\$ )?relrbf ([a-z]+)", "\n".join(FENCE.findall(text)), re.MULTILINE)
    assert {*inline, *shell} <= commands()


def test_every_module_that_is_mentioned_as_a_command_exists():
    mentioned = {
        name
        for path in READ
        for name in re.findall(r"python -m (benchmarks[\w.]*)", path.read_text("utf-8"))
    }
    files = {name: ROOT / name.replace(".", "/") for name in mentioned}
    assert all(file.is_dir() or file.with_suffix(".py").exists() for file in files.values())


def test_every_test_that_is_mentioned_exists():
    text = "".join(path.read_text("utf-8") for path in READ)
    for file, name in re.findall(r"`(tests/[\w/.]+)(?:::(\w+))?`", text):
        assert (ROOT / file).exists()
        assert not name or f"def {name}" in (ROOT / file).read_text()


@pytest.mark.parametrize("package", ["", *relrbf._SUBMODULES])
def test_every_public_name_is_on_a_reference_page(package):
    module = importlib.import_module(f"relrbf.{package}".rstrip("."))
    page = (DOCS / "reference" / f"{package or 'relrbf'}.md").read_text()
    # automodule takes the names from __all__; the page need only not narrow them.
    assert f".. automodule:: {module.__name__}\n```" in page
    assert all(hasattr(module, name) for name in getattr(module, "__all__", ()))


@pytest.fixture
def requests_of():
    """What fails the build of the site where a page would fetch anything."""
    return runpy.run_path(str(DOCS / "_extensions" / "offline.py"))["requests_of"]


@pytest.mark.parametrize(
    "part",
    [
        '<script async src="https://cdn.example/x.js"></script>',
        '<link rel="stylesheet" href="//fonts.example/css">',
        '<img alt="a" src="http://example/a.png">',
        "<style>@import url(https://example/a.css)</style>",
        "<style>@font-face { src: url('https://example/a.woff2') }</style>",
    ],
)
def test_a_site_that_fetches_is_found_out(tmp_path, requests_of, part):
    (tmp_path / "page.html").write_text(f"<p>{part}</p>")
    assert [found.split(":")[0] for found in requests_of(tmp_path)] == ["page.html"]


def test_links_and_files_of_its_own_are_no_requests(tmp_path, requests_of):
    own = '<a href="https://example">a</a><script src="a.js"></script><link href="a.css">'
    (tmp_path / "page.html").write_text(f"{own}<style>a {{ src: url(data:image/png) }}</style>")
    assert requests_of(tmp_path) == []
