"""What relrbf knows about a measure that has a name."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, TypeAlias

from relrbf._typing import Array
from relrbf.exceptions import OptionError

Params: TypeAlias = dict[str, Any]
FAST, SLOW = 512, 128  # objects on a side of a block: where a pair takes nanoseconds, or longer


@dataclass(frozen=True)
class Named:
    """A measure of some library's.

    Attributes
    ----------
    name, description, package : str
        What it is called, what it measures, and what has to be installed.
    kind : {"vectors", "strings", "series", "molecules"}
        The objects it takes.
    prepare : callable
        Judges the objects, turns them into what ``between`` takes, and completes the parameters.
    between : callable
        Returns the dissimilarities of some prepared objects (rows) to others (columns).
    side : int
        Objects on a side of a block.
    backend : {"threads", "processes"}
        What makes it run faster on several cores.
    """

    name: str
    description: str
    package: str
    kind: str
    prepare: Callable[[Any, Params], tuple[Any, Params]]
    between: Callable[..., Array]
    side: int = FAST
    backend: str = "threads"


def library(module: str, package: str, what: str) -> Any:
    """Import a library, or say what needs it and how to install it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise OptionError(
            f"{what} needs {package}, which cannot be imported ({error}). Install it with: "
            f"pip install {package}"
        ) from error
