"""What was found, on one self-contained HTML page, or as Markdown for documentation."""

from relrbf.report.markdown import write_markdown
from relrbf.report.page import Picture, Section, Table, write_page

__all__ = ["Picture", "Section", "Table", "write_markdown", "write_page"]
