"""Examples without the blank line at their end: doctest needs it, readers do not."""

from typing import Any

from docutils import nodes


def trim(_app: Any, page: nodes.document) -> None:
    """Strip every block of code of a page."""
    for block in page.findall(nodes.literal_block):
        if block.rawsource == block.astext():  # else it has markup of its own
            block.rawsource = block.astext().rstrip()
            block.children = [nodes.Text(block.rawsource)]


def setup(app: Any) -> dict[str, Any]:
    """Trim each page once it is read."""
    app.connect("doctree-read", trim)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
