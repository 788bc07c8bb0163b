"""A figure of matplotlib as SVG that takes ink and letters from the page it stands in."""

import re
from html import escape
from io import StringIO
from typing import TYPE_CHECKING

from relrbf.plotting.style import COLOURS, INK

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHARPNESS = 150  # dots per inch of images within a drawing
NO_METADATA = dict.fromkeys(["Creator", "Date", "Format", "Type"])


def drawn_in_ink(figure: "Figure", name: str, alt: str) -> str:
    """Return an SVG element: what is black is ``currentColor``, and there is no background.

    Names within it begin with the figure's, so that several may stand on one page.
    """
    from matplotlib import rc_context

    buffer = StringIO()
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "relrbf"}):
        figure.savefig(buffer, format="svg", transparent=True, dpi=SHARPNESS, metadata=NO_METADATA)
    svg = buffer.getvalue()
    svg = svg[svg.index("<svg") :]
    # a style sheet and metadata would be the page's, not the figure's
    svg = re.sub(r"<(style|metadata)\b.*?</\1>", "", svg, flags=re.DOTALL)
    svg = re.sub(rf"(?i)(fill|stroke): (#000000|#000|black|{INK})\b", r"\1: currentColor", svg)
    svg = re.sub(rf"(?i){COLOURS[0]}\b", "var(--blue)", svg)  # too dark for a dark page
    svg = re.sub(r"font: ([\d.]+)px[^;\"]*", r"font-size: \1px", svg)
    svg = _named(svg, re.sub(r"\W+", "-", name))
    opening = f'<svg class="plot" role="img" aria-label="{escape(alt)}"'
    return re.sub(r"^<svg\b( width=\"[^\"]*\")?( height=\"[^\"]*\")?", opening, _unsized(svg))


def _named(svg: str, name: str) -> str:
    svg = re.sub(r'\bid="', f'id="{name}-', svg)
    svg = re.sub(r'href="#', f'href="#{name}-', svg)
    return svg.replace("url(#", f"url(#{name}-")


def _unsized(svg: str) -> str:
    """Drop width and height: the page says how wide, the view box how high."""
    end = svg.index(">")
    return re.sub(r'\s(width|height)="[^"]*"', "", svg[:end]) + svg[end:]
