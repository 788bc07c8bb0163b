"""What a reader sees of a figure."""

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text


def texts_of(figure):
    """Return all that is written."""
    found = figure.findobj(lambda part: isinstance(part, Text) and part.get_text())
    return [text for text in found if text.get_visible()]


def words_of(figure):
    return [text.get_text() for text in texts_of(figure)]


def assert_is_fit_to_print(figure):
    """Check that it is wide, not tall, that letters can be read and that none is cut off."""
    width, height = figure.get_size_inches()
    assert 10 <= width <= 11
    assert height < width
    FigureCanvasAgg(figure).draw()
    for text in texts_of(figure):
        assert text.get_fontsize() >= 6.5
        box = text.get_window_extent()
        assert figure.bbox.x0 <= box.x0
        assert figure.bbox.y0 <= box.y0
        assert box.x1 <= figure.bbox.x1
        assert box.y1 <= figure.bbox.y1


def panels_of(figure, n_columns=7):
    """Return the axes row by row."""
    own = figure.axes
    return [own[i : i + n_columns] for i in range(0, len(own), n_columns)]
