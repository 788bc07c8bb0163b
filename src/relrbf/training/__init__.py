"""How a network learns: one trainer contract, one result type."""

from collections.abc import Callable

from relrbf.training.base import History, InitialState, Problem, Result, Status, Trainer
from relrbf.training.gradient_descent import GradientDescent
from relrbf.training.lbfgs import LBFGS

SOLVERS: dict[str, Callable[[], Trainer]] = {"lbfgs": LBFGS, "gradient-descent": GradientDescent}

__all__ = [
    "LBFGS",
    "SOLVERS",
    "GradientDescent",
    "History",
    "InitialState",
    "Problem",
    "Result",
    "Status",
    "Trainer",
]
