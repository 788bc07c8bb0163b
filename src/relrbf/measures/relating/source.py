"""What a user calls objects and a measure, judged and made ready to be asked."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
from scipy import sparse

from relrbf.exceptions import OptionError, RelationError
from relrbf.measures.named import NAMED
from relrbf.measures.named.entry import FAST, SLOW
from relrbf.measures.relating.mark import mark_of_function, mark_of_value
from relrbf.relations.measure_evaluation import Measure

ANY = float(np.finfo(np.float64).max)  # a number; a precision with less room says so itself


@dataclass(frozen=True)
class Source:
    """Objects, a measure to ask about them, and how that is best done.

    Attributes
    ----------
    objects : ndarray or list
        What the measure takes; it can be sliced.
    measure : Measure
        What to ask.
    mark : callable
        Returns by what the measure and its parameters are known again.
    side : int
        Objects on a side of a block, if the user does not say.
    backend : {"threads", "processes"}
        Where to compute, if the user does not say.
    """

    objects: Any
    measure: Measure
    mark: Callable[[], str]
    side: int
    backend: str

    @property
    def n_objects(self) -> int:
        """Number of objects."""
        return len(self.objects)

    def side_for(self, block: int | None) -> int:
        """Return the side of a block: a few dozen blocks at least, however few objects."""
        return min(self.side, -(-self.n_objects // 8)) if block is None else int(block)


def source_of(objects: Any, measure: Any, pairwise: bool, params: dict[str, Any] | None) -> Source:
    """Return objects and their measure, or say what is wrong with either."""
    if params is not None and not isinstance(params, dict):
        raise OptionError(f"measure_params is {params!r:.80}; it must be a dict or None.")
    given, params = _as_objects(objects), params or {}
    if isinstance(measure, str):
        return _by_name(given, measure, params)
    if not callable(measure):
        raise OptionError(
            f"measure is {measure!r:.80}; it must be a function of two objects, or one of the "
            f"names {sorted(NAMED)}."
        )

    def mark() -> str:
        return f"{mark_of_function(measure)} {mark_of_value(params)}"

    asked = Measure(measure, params, bool(pairwise), None, ANY)
    if pairwise:
        return Source(given, asked, mark, FAST, "threads")
    return Source(given, asked, mark, SLOW, "processes")


def _by_name(given: Any, name: str, params: dict[str, Any]) -> Source:
    if name not in NAMED:
        raise OptionError(
            f"measure={name!r} does not exist; it must be a function of two objects, or one of "
            f"the names {sorted(NAMED)}."
        )
    entry = NAMED[name]
    objects, params = entry.prepare(given, params)

    def mark() -> str:
        return f"{name} of {entry.package} {_version(entry.package)} {mark_of_value(params)}"

    return Source(
        objects, Measure(entry.between, params, True, None, ANY), mark, entry.side, entry.backend
    )


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "of unknown version"


def _as_objects(objects: Any) -> Any:
    """Return an array with one object per row, or a list."""
    if sparse.issparse(objects):
        raise TypeError("objects is sparse; dense data is required. Pass objects.toarray().")
    if hasattr(objects, "to_numpy"):
        objects = objects.to_numpy()
    is_array = isinstance(objects, np.ndarray)
    is_sequence = objects.ndim > 0 if is_array else isinstance(objects, Iterable)
    if not is_sequence or isinstance(objects, str | bytes | Mapping):
        raise RelationError(f"objects is {objects!r:.80}; give a sequence of objects.")
    # a flat array of anything but numbers is a list of objects
    has_rows = is_array and (objects.ndim > 1 or objects.dtype.kind in "fiub")
    given = objects if has_rows else list(objects)
    if len(given) == 0:
        raise RelationError("objects is empty; give at least one object.")
    return given
