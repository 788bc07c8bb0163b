"""The study: a Monte-Carlo design, a runner that can be killed, and one table of results."""

from relrbf.experiments.design import Cell, Design
from relrbf.experiments.measure import measure
from relrbf.experiments.results import load_results, save_summary, summarise
from relrbf.experiments.runner import Progress, print_progress, run
from relrbf.experiments.sets import PAPER, DataSet, Source
from relrbf.experiments.table import load_table, save_table

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
