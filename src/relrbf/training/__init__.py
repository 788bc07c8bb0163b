"""How a network learns: one trainer contract, one result type."""

from relrbf.training.base import History, InitialState, Result, Status, Trainer
from relrbf.training.gradient_descent import GradientDescent
from relrbf.training.lbfgs import LBFGS
from relrbf.training.problem import Problem

__all__ = [
    "LBFGS",
    "GradientDescent",
    "History",
    "InitialState",
    "Problem",
    "Result",
    "Status",
    "Trainer",
]
