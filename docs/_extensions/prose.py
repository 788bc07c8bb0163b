"""Docstrings of attributes as they are: "Names: one for each object" has no type called Names."""

from typing import Any

BEFORE_NAPOLEON = 400


def begin_with_a_comment(
    _app: Any, what: str, _name: str, _obj: Any, _options: Any, lines: list[str]
) -> None:
    """Hide the first line from napoleon, which takes what stands before a colon for a type."""
    if what in {"attribute", "property", "data"}:
        lines[:0] = ["..", ""]


def setup(app: Any) -> dict[str, Any]:
    """See docstrings before napoleon does."""
    app.connect("autodoc-process-docstring", begin_with_a_comment, priority=BEFORE_NAPOLEON)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
