"""Formulas as MathML: the page needs neither a script nor the network to show them."""

from typing import Any

from docutils import nodes
from latex2mathml.converter import convert


def show_inline(writer: Any, node: nodes.math) -> None:
    """Write a formula within a line."""
    writer.body.append(convert(node.astext(), display="inline"))
    raise nodes.SkipNode


def show_block(writer: Any, node: nodes.math_block) -> None:
    """Write a formula on lines of its own, which scrolls where the screen is narrow."""
    writer.body.append(writer.starttag(node, "div", CLASS="math-block"))
    writer.body.append(convert(node.astext(), display="block"))
    writer.body.append("</div>\n")
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, Any]:
    """Offer the renderer to Sphinx under the name ``mathml``."""
    app.add_html_math_renderer("mathml", (show_inline, None), (show_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
