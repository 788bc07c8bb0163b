"""The page is whole, escaped and alone."""

import re
from html.parser import HTMLParser

import pytest
from matplotlib.figure import Figure

from relrbf.report import Picture, Section, TextTable, write_page
from relrbf.report.page import count, prepare, unbroken, verb


def make_page(tmp_path):
    figure = Figure()
    figure.subplots().plot([0, 1])
    section = Section(
        "Title <1>",
        "text & more",
        facts=[("fact", "42")],
        tables=[TextTable(["head"], [["cell <2>"]], "about a table")],
        pictures=[Picture(figure, "caption")],
        code="x < y",
    )
    write_page(tmp_path / "deep" / "page.html", "A page", "lead", [section])
    return (tmp_path / "deep" / "page.html").read_text()


def test_the_page_needs_nothing_from_outside(tmp_path):
    page = make_page(tmp_path)
    assert not re.search(r'(src|href)="(?!data:|#)', page)
    assert '<svg class="plot"' in page


def test_text_is_escaped_and_shown(tmp_path):
    shown = []

    class Reader(HTMLParser):
        def handle_data(self, data):
            shown.append(data)

    Reader().feed(make_page(tmp_path))
    text = " ".join(shown)
    for part in (
        "Title <1>",
        "text & more",
        "fact",
        "42",
        "head",
        "cell <2>",
        "about a table",
        "caption",
        "x < y",
    ):
        assert part in text


def test_what_would_steer_a_terminal_or_turn_text_round_is_shown_as_escapes(tmp_path):
    write_page(tmp_path / "page.html", "A", "lead", [Section("é\x1b[2J\u202eß\0\xa0%")])
    page = (tmp_path / "page.html").read_text()
    assert r"é\x1b[2J\u202eß\x00" + "\xa0%" in page
    assert not set("\x1b\u202e\0") & set(page)


def test_nothing_half_written_is_left(tmp_path):
    make_page(tmp_path)
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["page.html"]


def test_a_folder_in_the_way_is_told_before_any_work(tmp_path):
    with pytest.raises(IsADirectoryError, match="name the file to write"):
        prepare(tmp_path)


def test_shades_points_and_legends_are_on_the_page(tmp_path):
    section = Section(
        "Title",
        "first\n\nsecond",
        points=["to <note>"],
        tables=[TextTable(["a", "b"], [["x", "1"]], shades=[[None, 0.5]], sortable=True)],
        legend=[("#123456", "blue")],
    )
    write_page(tmp_path / "page.html", "A page", "lead", [section])
    page = (tmp_path / "page.html").read_text()
    assert "<p>first</p>\n<p>second</p>" in page
    assert "<li>to &lt;note&gt;</li>" in page
    assert '<th scope="row">x</th>' in page
    assert '<td class="shaded" style="--shade: 50%">1</td>' in page
    assert 'style="fill: #123456"' in page
    assert "<nav" not in page  # one section needs no contents


def test_a_figure_takes_the_colours_of_the_page():
    figure = Figure()
    ax = figure.subplots()
    ax.plot([0, 1], color="#0072B2")
    ax.set_title("a title", color="#222222")
    svg = Picture(figure, 'a "picture"', "my figure").markup
    assert svg.startswith('<svg class="plot" role="img" aria-label="a &quot;picture&quot;"')
    assert "currentColor" in svg
    assert "var(--blue)" in svg
    for leak in ("<style", "<metadata", "#222222", "stroke: #000000", "white", "http://purl"):
        assert leak not in svg
    assert not re.search(r'id="(?!my-figure-)', svg)


def test_a_number_and_its_sign_of_per_cent_stay_on_one_line():
    assert unbroken("5% ± 2, 95 % of all") == "5\u00a0%\u00a0±\u00a02, 95\u00a0% of all"


def test_nouns_and_verbs_agree_with_their_number():
    assert count(1, "epoch") == "1 epoch"
    assert count(2000, "object") == "2,000 objects"
    assert [verb(number) for number in (0, 1, 2)] == ["are", "is", "are"]
