"""How a network learns: one trainer contract, one result type."""

from relrbf.training.base import History, Result, Status, Trainer
from relrbf.training.descent import Descent
from relrbf.training.problem import Problem

__all__ = ["Descent", "History", "Problem", "Result", "Status", "Trainer"]
