"""The study: a Monte-Carlo design, a runner that can be killed, and one table of results."""

from study.design import Cell, Design
from study.measure import measure
from study.results import load_results, save_summary, summarise
from study.runner import Progress, print_progress, run
from study.sets import PAPER, DataSet, Source
from study.table import load_table, save_table

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
