"""What can go wrong, by name. Every message says what came, what is needed and what to do."""

import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

WRAPPERS = ("relrbf", "sklearn", "joblib", "functools")  # whose lines are not the user's


class RelationError(ValueError):
    """The dissimilarities cannot be used as they are.

    Parameters
    ----------
    problem : str
        What is wrong, as a sentence.
    advice : str, default=""
        What to do, as a sentence. ``{name}`` in it stands for an option of that name.
    options : dict or None, default=None
        The options that the advice is about, with the values to pass; ``...`` leaves a value open.
    """

    def __init__(
        self, problem: str, advice: str = "", options: dict[str, Any] | None = None
    ) -> None:
        super().__init__(problem, advice, options)
        self.problem, self.advice, self.options = printable(problem), advice, options or {}

    def message(self, spell: Callable[[str, Any], str] | None = None) -> str:
        """Return the whole message, its options spelled as keywords or as ``spell`` does."""
        advice = self.advice
        for name, value in self.options.items():
            advice = advice.replace(f"{{{name}}}", (spell or _as_keyword)(name, value))
        return f"{self.problem} {advice}".rstrip()

    def __str__(self) -> str:
        return self.message()


class OptionError(ValueError):
    """An option has a value that does not exist, fits no other, or is not available yet.

    Parameters
    ----------
    message : str
        What came and what is needed.
    name : str or None, default=None
        The argument, where there is one to name.
    """

    def __init__(self, message: str, name: str | None = None) -> None:
        super().__init__(message)
        self.name = name


class FileFormatError(RelationError):
    """A file cannot be read as what it should be.

    Parameters
    ----------
    path : str
        The file, or "standard input".
    problem : str
        What is wrong, as a clause.
    advice : str, default=""
        What to do, as a sentence. ``{name}`` in it stands for an option of that name.
    options : dict or None, default=None
        The options that the advice names, with the values to pass; ``...`` leaves the value open.
    line : int or None, default=None
        Where in the file, counted from 1.
    column : str or None, default=None
        Which cell of the line.
    """

    def __init__(
        self,
        path: str,
        problem: str,
        advice: str = "",
        options: dict[str, Any] | None = None,
        line: int | None = None,
        column: str | None = None,
    ) -> None:
        where = f"{path}, line {line}" if line else path
        where = f"{where}, {column}" if column else where
        super().__init__(f"{where}: {problem}.", advice, options)
        self.path, self.line, self.column = path, line, column
        self.args = (path, problem, advice, options, line, column)  # for pickle


class RelationWarning(UserWarning):
    """The dissimilarities were changed on request, or are probably not what they are taken for."""


class NotEuclideanWarning(RelationWarning):
    """No vectors have these dissimilarities: training works, without a vector equivalent."""


class MismatchWarning(RelationWarning):
    """New objects are unlike those of training as a whole: another scale, or similarities."""


class CheckpointWarning(UserWarning):
    """The state of training could not be written; training goes on without."""


class CheckpointError(ValueError):
    """A file that should hold the state of this training holds something else."""


class ModelFileError(ValueError):
    """A file is no model that this version can load, or a model cannot be put in a file."""


class ModelFileWarning(UserWarning):
    """A part of a model was left out of its file."""


class DatasetError(OSError):
    """A data set is not there, cannot be fetched, or is not what it should be."""


def printable(text: str) -> str:
    """Return a text that may quote a file, with what a terminal would obey as escapes."""
    return "".join(c if c.isprintable() or c in "\n\t" else ascii(c)[1:-1] for c in text)


def warn(message: str, category: type[Warning]) -> None:
    """Warn at the line of the user's that led here, however many of ours lie between."""
    depth = 1 + next((i for i, name in enumerate(_callers()) if name not in WRAPPERS), 0)
    warnings.warn(message, category, stacklevel=depth + 1)


def _as_keyword(name: str, value: Any) -> str:
    return f"{name}=" if value is ... else f"{name}={value!r}"


def _callers() -> Iterator[str]:
    """Yield the top-level package of each caller of ``warn``, nearest first."""
    frame = sys._getframe(2).f_back
    while frame is not None:
        yield str(frame.f_globals.get("__name__", "")).split(".")[0]
        frame = frame.f_back
