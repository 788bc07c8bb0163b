"""One self-contained HTML page."""

from relrbf.report.page import Section, write_page

__all__ = ["Section", "write_page"]
