"""The report in a real browser: silent, alone, readable in the dark, on a phone, on paper."""

import csv
import os
import re
from pathlib import Path
from urllib.parse import unquote

import numpy as np
import pytest

from relrbf.report import (
    Section,
    TextTable,
    write_inspection_report,
    write_page,
)
from tests.report.chromium import Chromium, find_chromium
from tests.report.made import NASTY, made_classifier, made_regressor, nasty_ids, write_report

CONTRAST = """(() => {
  const read = (text) => (text.match(/[\\d.]+/g) || []).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
    .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  canvas.canvas.width = canvas.canvas.height = 1;
  const ground = (element) => {  // what lies under it, layer upon layer
    const layers = [];
    for (let e = element; e; e = e.parentElement)
      layers.unshift(getComputedStyle(e).backgroundColor);
    canvas.fillStyle = "#fff"; canvas.fillRect(0, 0, 1, 1);
    for (const layer of layers) { canvas.fillStyle = layer; canvas.fillRect(0, 0, 1, 1); }
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const poor = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim()) continue;
    if (element.closest("script, style, title, [hidden]")) continue;
    const style = getComputedStyle(element);
    const ink = element.closest("svg") ? style.fill : style.color;
    const [a, b] = [light(read(ink)), light(ground(element))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (!(ratio >= 4.5)) poor.push([walker.currentNode.data.trim().slice(0, 40), ratio, ink]);
  }
  return poor;
})()"""
FIGURES = """[...document.querySelectorAll("figure svg, figure img")]
  .map((e) => e.getBoundingClientRect()).map((box) => [box.width, box.height])"""
CLIPPED = """[...document.querySelectorAll("main *")].filter((e) => {
  if (e.closest("svg") || e.closest(".wide, pre") || e.matches(".wide, pre")) return false;
  const box = e.getBoundingClientRect();
  const outside = box.right > innerWidth + 1 || box.left < -1;
  const within = e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display !== "inline";
  return box.width && (outside || within);
}).map((e) => e.outerHTML.slice(0, 80))"""
TIP = """(() => {
  const tip = document.querySelector(".tip");
  return tip.hidden ? "" : tip.innerText;
})()"""


def look_for_chromium():
    if find_chromium() is None:
        if os.environ.get("RELRBF_BROWSER") == "required":
            pytest.fail("RELRBF_BROWSER=required, and there is no Chromium on the path")
        pytest.skip("no Chromium on the path: apt-get install chromium")


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    look_for_chromium()
    chromium = Chromium(tmp_path_factory.mktemp("profile"))
    yield chromium
    chromium.close()


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """A report on classes with markup in names, one on numbers, one on a relation."""
    folder = tmp_path_factory.mktemp("pages")
    model, D, y = made_classifier()
    ids = nasty_ids(len(y))
    write_report(folder / "classes.html", model, D, y, ids=ids, name=NASTY)
    model, D, y = made_regressor(40)
    write_report(folder / "numbers.html", model, D, y)
    write_inspection_report(folder / "relation.html", D)
    line = np.repeat(np.arange(3.0), 3)  # three objects in each of three places
    write_inspection_report(folder / "duplicates.html", np.abs(np.subtract.outer(line, line)))
    return {path.stem: path for path in folder.glob("*.html")}


@pytest.fixture(autouse=True)
def as_it_was(browser):
    browser.media("", "light")
    browser.messages.clear()
    browser.requests.clear()


@pytest.mark.parametrize("name", ["classes", "numbers", "relation"])
def test_the_page_is_silent_and_alone(browser, pages, name):
    browser.open(pages[name])
    browser.value("scrollTo(0, document.body.scrollHeight)")
    assert browser.messages == []
    assert [url for url in browser.requests if not url.startswith("data:")] == [
        pages[name].as_uri()
    ]


@pytest.mark.parametrize("name", ["classes", "numbers", "relation"])
def test_every_figure_has_a_size(browser, pages, name):
    browser.open(pages[name])
    sizes = browser.value(FIGURES)
    assert len(sizes) >= 4
    assert all(width > 10 and height > 10 for width, height in sizes)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["classes", "numbers", "relation"])
def test_every_text_can_be_read(browser, pages, name, scheme):
    browser.media("", scheme)
    browser.open(pages[name])
    dark = browser.value("getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)"
    assert dark == (scheme == "dark")
    assert browser.value(CONTRAST) == []


@pytest.mark.parametrize("name", ["classes", "numbers", "relation"])
def test_a_phone_shows_all_and_scrolls_code_alone(browser, pages, name):
    browser.open(pages[name], width=400)
    assert browser.value("document.documentElement.scrollWidth") == 400
    assert browser.value(CLIPPED) == []
    if name != "relation":
        assert "why" in browser.value("""
            getComputedStyle(document.querySelector('.sortable td:last-child'), '::before')
            .content""")
        line = "getComputedStyle(document.querySelector('.sortable tbody tr')).borderBottomWidth"
        assert browser.value(line) == "1px"  # between one object and the next
        wide = (
            "[...document.querySelectorAll('.wide:has(.stacked)')].filter((e) => "
            "e.scrollWidth > e.clientWidth).map((e) => e.innerText.slice(0, 60))"
        )
        assert browser.value(wide) == []  # cells below each other, none of them cut
        code = "[...document.querySelectorAll('pre')].some((e) => e.scrollWidth > e.clientWidth)"
        assert browser.value(code)  # words of code stay whole


def test_words_in_the_table_of_mistakes_stay_whole(browser, tmp_path):
    row = ["short", "malignant", "0.98", *["many words that go on, and on"] * 2, "and why. " * 20]
    table = TextTable(["object", "true", "probability", "a", "near", "why"], [row], sortable=True)
    write_page(tmp_path / "page.html", "A page", "lead", [Section("Title", tables=[table])])
    browser.open(tmp_path / "page.html", width=1100)
    lines = """[...document.querySelectorAll('tbody :is(th, td):nth-child(-n+3)')].map((e) => {
      const range = document.createRange();
      range.selectNodeContents(e);
      return new Set([...range.getClientRects()].map((box) => Math.round(box.bottom))).size;
    })"""
    assert set(browser.value(lines)) == {1}
    wide = "document.querySelector('.wide')"
    assert browser.value(f"{wide}.scrollWidth <= {wide}.clientWidth")


def place_of(browser, selector):
    browser.value(f"document.querySelector({selector!r}).scrollIntoView({{block: 'center'}})")
    box = f"document.querySelector({selector!r}).getBoundingClientRect()"
    x, y = browser.value(
        f"(() => {{ const b = {box}; return [b.x + b.width/2, b.y + b.height/2] }})()"
    )
    return x, y


def test_pointing_at_an_object_shows_its_details(browser, pages):
    browser.open(pages["classes"])
    browser.point(*place_of(browser, ".mark.wrong"))
    told = browser.value(TIP)
    assert NASTY.strip() in " ".join(told.split())
    assert re.search(r"class kind <\d>", told)
    assert re.search(r"predicted kind <\d> \(0\.\d\d\): (wrong|correct)", told)
    browser.point(2, 2)
    assert browser.value(TIP) == ""


def test_a_prototype_shows_its_weights_and_bandwidth(browser, pages):
    browser.open(pages["classes"])
    browser.point(*place_of(browser, ".field .mark.prototype"))
    told = r"prototype \d+: kind <\d>, \d+ of 10 nearest\nweights kind <\d>: [+-].*\nbandwidth"
    assert re.search(told, browser.value(TIP))


def test_the_keyboard_goes_from_object_to_object(browser, pages):
    browser.open(pages["classes"])
    browser.value("document.querySelector('.field .mark[tabindex=\"0\"]').focus()")
    first = browser.value(TIP)
    assert "class kind" in first
    told = {first}
    for key in ("ArrowRight", "ArrowLeft", "ArrowLeft"):
        browser.press(key)
        told.add(browser.value(TIP))
    assert len(told) > 1
    assert browser.value("document.activeElement.getAttribute('aria-label')") == browser.value(
        "document.querySelector('.tip').textContent"
    )
    browser.press("Escape")
    assert browser.value(TIP) == ""


def test_the_table_of_mistakes_can_be_ordered_and_searched(browser, pages):
    browser.open(pages["classes"])
    table = "document.querySelector('.sortable')"
    cells = f"[...{table}.querySelectorAll('tbody tr:not([hidden]) td:nth-child(4)')]"
    cells += ".map((e) => +e.textContent)"
    before = browser.value(cells)
    assert before == sorted(before, reverse=True)
    browser.value("document.querySelectorAll('.sortable th button')[3].click()")
    assert browser.value(cells) == sorted(before)
    search_for(browser, "no such thing")
    assert browser.value(cells) == []


@pytest.mark.parametrize("column", [2, 3, 4])
def test_numbers_are_ordered_by_their_size(browser, pages, column):
    browser.open(pages["numbers"])
    cells = "[...document.querySelector('.sortable').tBodies[0].rows]"
    cells += f".map((row) => row.cells[{column - 1}])"
    shown = f"{cells}.map((e) => parseFloat(e.textContent))"
    click = f"document.querySelectorAll('.sortable th button')[{column - 1}].click()"
    before = browser.value(shown)
    browser.value(click)
    assert browser.value(shown) == sorted(before) != before
    browser.value(click)
    assert browser.value(shown) == sorted(before, reverse=True)


def test_signs_and_names_have_their_order_too(browser, pages, tmp_path):
    texts = ["b2", "0.9", "+0.12", "\u22121.5", "b10", "-0.2", "0.5 ± 0.1", "1e+03", "± 0.3"]
    table = TextTable(["one", "two"], [["x", text] for text in texts], sortable=True)
    write_page(tmp_path / "page.html", "A page", "lead", [Section("Title", tables=[table])])
    browser.open(tmp_path / "page.html")
    browser.value("document.querySelectorAll('.sortable th button')[1].click()")
    shown = browser.value("[...document.querySelectorAll('td')].map((e) => e.textContent)")
    assert [text.replace("\xa0", " ") for text in shown] == [
        *("\u22121.5", "-0.2", "+0.12", "± 0.3", "0.5 ± 0.1", "0.9", "1e+03", "b2", "b10")
    ]


def shown_along(browser, key, steps):
    told = [browser.value(TIP).splitlines()[0]]
    for _ in range(steps):
        browser.press(key)
        told.append(browser.value(TIP).splitlines()[0])
    return told


def test_arrows_meet_every_object_in_the_same_place(browser, pages):
    browser.open(pages["duplicates"])
    browser.value("document.querySelector('.field .mark[tabindex=\"0\"]').focus()")
    shown_along(browser, "ArrowLeft", 9)  # to the end
    there = shown_along(browser, "ArrowRight", 8)
    assert sorted(there) == [str(i) for i in range(9)]
    assert shown_along(browser, "ArrowLeft", 8) == there[::-1]


def test_page_down_goes_through_all_objects_and_prototypes(browser, pages):
    browser.open(pages["classes"])
    browser.value("document.querySelector('.field .mark').focus()")
    count = browser.value("document.querySelectorAll('.field .mark').length")
    there = shown_along(browser, "PageDown", count - 1)
    assert len(set(there)) == count
    assert shown_along(browser, "PageDown", 1) == [there[-1]] * 2
    assert shown_along(browser, "PageUp", count - 1) == there[::-1]


def test_every_row_of_a_table_has_a_name(browser, pages):
    browser.open(pages["classes"])
    rows = "[...document.querySelectorAll('tbody tr')]"
    assert browser.value(f"{rows}.length") > 20
    assert browser.value(f"{rows}.every((row) => row.cells[0].matches('th[scope=row]'))")


def test_paper_is_white_and_nothing_on_it_is_cut(browser, pages):
    browser.media("print", "dark")
    browser.open(pages["classes"], width=720)
    ground = "getComputedStyle(document.body).backgroundColor"
    assert browser.value(ground) == "rgb(255, 255, 255)"
    assert browser.value(CONTRAST) == []
    assert browser.value("getComputedStyle(document.querySelector('.wide')).overflowX") == "visible"
    sizes = "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    needed, there = browser.value(sizes)
    assert needed <= there
    assert browser.value("getComputedStyle(document.querySelector('nav')).display") == "none"
    assert not browser.value("document.querySelector('details').open")
    assert browser.printed().startswith(b"%PDF")
    assert browser.value("[...document.querySelectorAll('details')].every((e) => e.open)")


def test_without_script_every_object_still_has_a_title(browser, pages):
    browser.ask("Emulation.setScriptExecutionDisabled", value=True)
    try:
        browser.open(pages["classes"])
        assert browser.value("document.querySelector('.tip') === null")
        assert browser.value("document.querySelectorAll('.field .mark title').length") > 60
    finally:
        browser.ask("Emulation.setScriptExecutionDisabled", value=False)


SELECTED = """({
  ring: getComputedStyle(document.querySelector('.ring')).display !== 'none',
  lit: [...document.querySelectorAll('tr.lit')].map((e) => e.dataset.key),
  near: [...document.querySelectorAll('tr.near')].map((e) => e.dataset.key),
  marks: [...document.querySelectorAll('.mark.near')].map((e) => e.dataset.key),
})"""
MISTAKE = "tr[data-key^='o']"
KEYS = '[...document.querySelectorAll("{}")].map((e) => e.dataset.key)'


def related_of(browser, selector):
    element = f"document.querySelector({selector!r}).dataset"
    return browser.value(f"[{element}.key, {element}.related.split(' ')]")


def test_pointing_at_a_mistake_marks_its_row_and_its_prototypes(browser, pages):
    browser.open(pages["classes"])
    key, related = related_of(browser, MISTAKE)
    mark = f".mark[data-key={key}]"
    browser.point(*place_of(browser, mark))
    found = browser.value(SELECTED)
    assert found["ring"]
    assert found["lit"] == [key]
    listed = browser.value(KEYS.format("tr[data-key]"))
    assert set(found["near"]) == {other for other in related if other in listed}
    assert any(other.startswith("p") for other in found["near"])
    assert set(found["marks"]) == set(related)
    browser.point(2, 2)
    assert browser.value(SELECTED) == {"ring": False, "lit": [], "near": [], "marks": []}


def test_a_row_that_is_clicked_stays_selected(browser, pages):
    browser.open(pages["classes"])
    key, related = related_of(browser, MISTAKE)
    browser.click(*place_of(browser, f"{MISTAKE} td"))
    browser.point(2, 2)
    found = browser.value(SELECTED)
    assert found["lit"] == [key]
    assert set(found["marks"]) == set(related)
    assert NASTY.strip() in " ".join(browser.value(TIP).split())
    assert browser.value("document.querySelector('.pick[aria-pressed=true]') !== null")
    browser.press("Escape")
    assert browser.value(SELECTED)["lit"] == []


def test_a_prototype_marks_the_mistakes_that_are_near_it(browser, pages):
    browser.open(pages["classes"])
    key, related = related_of(browser, MISTAKE)
    prototype = next(other for other in related if other.startswith("p"))
    browser.point(*place_of(browser, f"tr[data-key={prototype}] td"))
    found = browser.value(SELECTED)
    assert found["lit"] == [prototype]
    assert key in found["near"]


def test_a_finger_selects_on_the_map_and_in_the_list(browser, pages):
    browser.open(pages["classes"], width=400)
    browser.ask("Emulation.setTouchEmulationEnabled", enabled=True)
    try:
        key, _ = related_of(browser, MISTAKE)
        browser.touch([place_of(browser, f".mark[data-key={key}]")])
        assert browser.value(SELECTED)["lit"] == [key]
        assert browser.value(TIP) != ""
        other = "tr[data-key^='p']"
        browser.touch([place_of(browser, f"{other} td")])
        assert browser.value(SELECTED)["lit"] == [related_of(browser, other)[0]]
    finally:
        browser.ask("Emulation.setTouchEmulationEnabled", enabled=False)


def test_keys_select_in_the_list_and_on_the_map(browser, pages):
    browser.open(pages["classes"])
    rows = browser.value(KEYS.format(MISTAKE))
    browser.value(f'document.querySelector("{MISTAKE} .pick").focus()')
    assert browser.value(SELECTED)["lit"] == [rows[0]]
    browser.press("ArrowDown")
    assert browser.value(SELECTED)["lit"] == [rows[1]]
    browser.press("Enter")
    browser.value("document.activeElement.blur()")
    assert browser.value(SELECTED)["lit"] == [rows[1]]  # it stays
    browser.value(f"document.querySelector('.mark[data-key={rows[0]}]').focus()")
    assert browser.value(SELECTED)["lit"] == [rows[0]]
    browser.press("Enter")
    browser.value("document.activeElement.blur()")
    assert browser.value(SELECTED)["lit"] == [rows[0]]


PLACES = """[...document.querySelectorAll('.field .mark')].map((e) =>
  e.getAttribute('transform').match(/[-\\d.]+/g).slice(0, 2).map(Number))"""


def test_the_map_zooms_by_button_key_and_two_fingers(browser, pages):
    browser.open(pages["classes"])
    at_first = browser.value(PLACES)

    def width():
        xs = [x for x, _ in browser.value(PLACES)]
        return max(xs) - min(xs)

    first = width()
    browser.value("document.querySelector('.tools button').click()")
    assert width() == pytest.approx(1.5 * first, rel=1e-3)  # places have one decimal
    browser.value("document.querySelectorAll('.tools button')[2].click()")
    assert browser.value(PLACES) == at_first
    browser.value("document.querySelector('.field .mark[tabindex=\"0\"]').focus()")
    browser.press("+")
    assert width() == pytest.approx(1.5 * first, rel=1e-3)
    browser.value("document.querySelectorAll('.tools button')[2].click()")
    browser.ask("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=2)
    try:
        x, y = place_of(browser, ".field")
        browser.touch([(x - 20, y), (x + 20, y)], [(x - 20, y), (x + 60, y)])
        assert width() == pytest.approx(2 * first, rel=0.05)  # the fingers are at whole pixels
    finally:
        browser.ask("Emulation.setTouchEmulationEnabled", enabled=False)


def test_the_legend_hides_and_shows_a_class(browser, pages):
    browser.open(pages["classes"])
    shown = "[...document.querySelectorAll('.field .mark')].filter((e) => !e.style.display).length"
    before = browser.value(shown)
    of_class = browser.value("document.querySelectorAll('.mark[data-group~=\"0\"]').length")
    click = "document.querySelector('.legend button').click()"
    browser.value(click)
    assert browser.value(shown) == before - of_class
    pressed = "document.querySelector('.legend button').getAttribute('aria-pressed')"
    assert browser.value(pressed) == "false"
    browser.value(click)
    assert browser.value(shown) == before
    browser.value("document.querySelector('.legend .all').click()")
    assert browser.value(shown) == browser.value(
        "document.querySelectorAll('.field .mark.prototype').length"
    )


def search_for(browser, text):
    browser.value(
        f"{{const s = document.querySelector('.search'); s.value = {text!r}; "
        "s.dispatchEvent(new Event('input'))}"
    )


def test_the_search_finds_objects_on_the_map_and_in_the_lists(browser, pages):
    browser.open(pages["numbers"])
    search_for(browser, "target")
    n = browser.value("document.querySelectorAll('.mark:not(.prototype)').length")
    assert browser.value("document.querySelectorAll('.mark.found').length") >= n
    search_for(browser, "no such thing")
    assert browser.value("document.querySelectorAll('.mark.found').length") == 0
    assert browser.value("document.querySelectorAll('tr[data-key]:not([hidden])').length") == 0
    search_for(browser, "")
    assert browser.value("document.querySelector('.searching') === null")
    assert browser.value("document.querySelectorAll('tr[data-key][hidden]').length") == 0


def test_a_phone_can_order_a_table_too(browser, pages):
    browser.open(pages["classes"], width=400)
    assert browser.value("document.querySelector('.order').getBoundingClientRect().height") > 20
    cells = "[...document.querySelectorAll('.sortable')[0].tBodies[0].rows]"
    shown = f"{cells}.map((row) => +row.cells[3].textContent)"
    before = browser.value(shown)
    browser.value(
        "{const s = document.querySelector('.order'); s.value = '3 1'; "
        "s.dispatchEvent(new Event('change'))}"
    )
    assert browser.value(shown) == sorted(before) != before


def test_details_open_where_a_link_leads_to_them(browser, pages):
    browser.open(pages["classes"])
    is_open = "document.getElementById('the-relation').closest('details').open"
    assert not browser.value(is_open)
    browser.value(
        "new Promise((done) => { addEventListener('hashchange', () => setTimeout(done)); "
        "document.querySelector('nav a[href=\"#the-relation\"]').click(); })"
    )
    assert browser.value(is_open)


def test_mistakes_are_offered_as_a_file_that_no_spreadsheet_runs(browser, pages):
    browser.open(pages["classes"])
    link = "document.querySelector('.download a')"
    assert browser.value(f"{link}.download") == "mistakes.csv"
    text = unquote(browser.value(f"{link}.href").partition(",")[2])
    header, *rows = list(csv.reader(text.splitlines()))
    assert header[:4] == ["object", "true", "predicted", "probability"]
    assert len(rows) == len(browser.value(KEYS.format(MISTAKE)))
    assert NASTY.strip() in " ".join(rows[0][0].split())


def find_axe():
    path = os.environ.get("RELRBF_AXE")
    if path is None:
        pytest.skip("no axe-core: npm install axe-core, and let RELRBF_AXE name its axe.min.js")
    return Path(path)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1200])
@pytest.mark.parametrize("name", ["classes", "numbers", "relation"])
def test_axe_finds_no_serious_violation(browser, pages, name, width, scheme):
    source = find_axe().read_text("utf-8")
    browser.media("", scheme)
    browser.open(pages[name], width=width)
    browser.value("for (const part of document.querySelectorAll('details')) part.open = true")
    browser.value(f"{source}; 0")
    found = browser.value(
        "axe.run().then((found) => found.violations.map((v) => "
        "[v.impact, v.id, v.nodes[0].html.slice(0, 200), v.nodes[0].failureSummary]))"
    )
    assert [each for each in found if each[0] in ("serious", "critical")] == []


def test_a_browser_that_is_required_is_missed(monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("RELRBF_BROWSER", "required")
    with pytest.raises(pytest.fail.Exception, match="no Chromium"):
        look_for_chromium()
    monkeypatch.delenv("RELRBF_BROWSER")
    with pytest.raises(pytest.skip.Exception, match="apt-get install chromium"):
        look_for_chromium()
