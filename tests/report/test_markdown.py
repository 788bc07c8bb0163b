"""Markdown says what the page says, and its pictures are files."""

from matplotlib.figure import Figure

from relrbf.report import Picture, Section, Table, write_markdown


def make(tmp_path):
    figure = Figure()
    figure.subplots().plot([0, 1])
    section = Section(
        "Title",
        "some text",
        points=["one", "two"],
        facts=[("fact", "42")],
        tables=[Table(["a", "b"], [["1|2", "two\nlines"]], "numbers")],
        pictures=[Picture(figure, "what is seen", "figure-1")],
        code="x < y",
    )
    write_markdown(tmp_path / "deep" / "page.md", "A page", "lead", [section])
    return (tmp_path / "deep" / "page.md").read_text()


def test_everything_is_said_in_order(tmp_path):
    text = make(tmp_path)
    parts = [
        "# A page",
        "lead",
        "## Title",
        "some text",
        "- one\n- two",
        "| fact | 42 |",
        "### numbers",
        "| a | b |",
    ]
    parts += ["what is seen", "```\nx < y\n```"]
    places = [text.index(part) for part in parts]
    assert places == sorted(places)


def test_a_cell_stays_in_its_cell(tmp_path):
    assert r"| 1\|2 | two lines |" in make(tmp_path)


def test_pictures_are_files_beside_it(tmp_path):
    assert "![figure-1](figure-1.png)" in make(tmp_path)
    assert (tmp_path / "deep" / "figure-1.png").read_bytes().startswith(b"\x89PNG")


def test_nothing_half_written_is_left(tmp_path):
    make(tmp_path)
    names = {path.name for path in (tmp_path / "deep").iterdir()}
    assert names == {"page.md", "figure-1.png"}
