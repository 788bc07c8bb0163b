"""What was found, on one self-contained HTML page, or as Markdown for documentation."""

from relrbf.report.fit import write_fit_report
from relrbf.report.inspect import write_inspection_report
from relrbf.report.markdown import write_markdown
from relrbf.report.page import Drawing, Picture, Section, Table, write_page
from relrbf.report.summary import FitSummary

__all__ = [
    "Drawing",
    "FitSummary",
    "Picture",
    "Section",
    "Table",
    "write_fit_report",
    "write_inspection_report",
    "write_markdown",
    "write_page",
]
