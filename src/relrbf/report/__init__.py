"""Self-contained HTML pages about a relation or a fitted network, and its evaluation."""

from relrbf.report.evaluation import EvaluationResult, evaluate
from relrbf.report.page import Picture, Section, TextTable, write_page
from relrbf.report.reports import write_fit_report, write_inspection_report

__all__ = [
    "EvaluationResult",
    "Picture",
    "Section",
    "TextTable",
    "evaluate",
    "write_fit_report",
    "write_inspection_report",
    "write_page",
]
