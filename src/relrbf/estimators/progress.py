"""Progress of training: scikit-learn's callbacks, and lines of text with ``verbose``."""

from types import TracebackType
from typing import Any, Self

LINES = 10  # printed per fit with verbose=1


class Progress:
    """Called once per epoch; tells scikit-learn's callbacks and returns whether one says stop."""

    def __init__(
        self, estimator: Any, X: Any, task: str = "epoch", measure: str = "objective"
    ) -> None:
        self.estimator = estimator
        self.X = X
        self.task = task
        self.measure = measure
        self.epoch = 0
        self.every = -(-estimator.max_iter // LINES) if estimator.verbose == 1 else 1

    def __enter__(self) -> Self:
        self.context = self.estimator._init_callback_context(max_subtasks=self.estimator.max_iter)
        self.context.call_on_fit_task_begin(estimator=self.estimator, X=self.X)
        return self

    def __call__(self, objective: float) -> bool:
        """Report the end of an epoch."""
        self.epoch += 1
        if self.estimator.verbose and self.epoch % self.every == 0:
            print(f"{self.task} {self.epoch}: {self.measure} {objective:.6g}")
        if not hasattr(self.estimator, "_skl_callbacks"):
            return False
        task = self.context.subcontext(task_name=self.task)
        task.call_on_fit_task_begin(estimator=self.estimator, X=self.X)
        return task.call_on_fit_task_end(estimator=self.estimator, X=self.X)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            self.context.call_on_fit_task_end(estimator=self.estimator, X=self.X)
