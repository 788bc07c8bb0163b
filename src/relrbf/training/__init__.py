"""How a network learns: one trainer contract, one result type."""

from relrbf.training.base import History, Result, Status, Trainer
from relrbf.training.descent import Descent
from relrbf.training.problem import Problem
from relrbf.training.quasi_newton import QuasiNewton

__all__ = ["Descent", "History", "Problem", "QuasiNewton", "Result", "Status", "Trainer"]
