"""The study: a Monte-Carlo design, a runner that resumes, and one table of results."""

from study.data import PAPER, DataSet, Source
from study.design import Cell, Design
from study.measure import measure
from study.results import load_results, load_table, save_summary, save_table, summarise
from study.runner import Progress, print_progress, run

__all__ = [
    "PAPER",
    "Cell",
    "DataSet",
    "Design",
    "Progress",
    "Source",
    "load_results",
    "load_table",
    "measure",
    "print_progress",
    "run",
    "save_summary",
    "save_table",
    "summarise",
]
