"""Figures 2.1 to 2.3: complete, legible, within the page, and the same every time."""

import ast
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

from study.figures import illustrations
from study.figures.drawing import SUPPORT
from study.figures.networks import rings

# graph, matrix, realisation and legend; the errors but for 2.1; two columns
N_AXES = {"figure_2_1": 4 + 2 * 3, "figure_2_2": 5 + 2 * 4, "figure_2_3": 5 + 2 * 5}
FILES = sorted(Path(illustrations.__file__).parent.glob("*.py"))


def drawn(name):
    """Return a figure on a canvas, drawn."""
    canvas = FigureCanvasAgg(getattr(illustrations, name)())
    canvas.draw()
    return canvas


known = cache(drawn)  # for tests that only look


@pytest.fixture(params=N_AXES)
def name(request):
    return request.param


def written(figure):
    """Return all texts."""
    return [text for text in figure.findobj(Text) if text.get_text().strip()]


def test_a_figure_has_three_columns_and_all_their_pictures(name):
    figure = known(name).figure
    assert len(figure.axes) == N_AXES[name]
    titles = " ".join(text.get_text() for text in written(figure))
    assert all(letter in titles for letter in ("(a)", "(b)", "(c)"))
    assert 7 <= figure.get_figwidth() <= 7.5


def test_a_figure_is_the_same_twice(name):
    one, other = (np.asarray(canvas.buffer_rgba()) for canvas in (known(name), drawn(name)))
    np.testing.assert_array_equal(one, other)


def test_everything_is_on_the_page_and_every_text_is_legible(name):
    canvas = known(name)
    width, height = canvas.figure.get_size_inches()
    box = canvas.figure.get_tightbbox(canvas.get_renderer())
    assert 0 <= box.x0 < box.x1 <= width
    assert 0 <= box.y0 < box.y1 <= height
    assert min(text.get_fontsize() for text in written(canvas.figure)) >= 6.5


def test_every_object_is_named_in_the_graph_and_in_both_planes(name):
    texts = [text.get_text() for text in written(known(name).figure)]
    n = 16 if name == "figure_2_2" else 20
    assert all(texts.count(f"$o_{{{number}}}$") >= 3 for number in range(1, n + 1))


def test_captions_are_plain_sentences(name):
    caption = getattr(illustrations, name.replace("figure", "CAPTION"))
    assert "\n" not in caption
    assert all(letter in caption for letter in ("(a)", "(b)", "(c)"))
    assert 2 <= caption.count(". ") + 1 <= 4


def test_the_crosses_of_figure_2_1_lie_on_objects_7_and_9():
    planes = [ax for ax in known("figure_2_1").figure.axes if "(b)" in ax.get_title(loc="left")]
    (cross,) = [line for line in planes[0].lines if line.get_marker() == "x"]
    np.testing.assert_array_equal(cross.get_xydata(), rings().vectors[[6, 8]])


def test_a_support_holds_90_percent_of_a_gaussian(rng):
    sample = rng.standard_normal((100_000, 2))
    assert np.mean(np.linalg.norm(sample, axis=1) < SUPPORT) == pytest.approx(0.9, abs=0.003)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_matplotlib_is_imported_only_when_something_is_drawn(path):
    for node in ast.parse(path.read_text()).body:
        assert not (isinstance(node, ast.ImportFrom) and "matplotlib" in node.module)
        assert not (isinstance(node, ast.Import) and "matplotlib" in node.names[0].name)
