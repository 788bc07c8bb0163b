"""A zarr store in which a chunk that is missing is an error, not a block of zeros.

zarr takes a chunk that is not there for one that holds nothing but the fill value. In a matrix of
dissimilarities that would be objects that do not differ.
"""

import re
from functools import cache
from typing import Any

METADATA = ("zarr.json", ".zarray", ".zattrs", ".zgroup", ".zmetadata")


LAST_TWO = re.compile(r"(\d+)[./](\d+)$")  # the row and the column of a chunk, in its name


def complete(store: Any, alone: tuple[int, int] | None = None) -> Any:
    """Return a store that reads from another, and raises where that has no such chunk.

    Parameters
    ----------
    store : zarr store
        The other.
    alone : (int, int) or None, default=None
        From which chunk to which those on the diagonal hold one object each: zero, and not written.
    """
    made = _kind()(store)
    made.alone = alone
    return made


def inner_store(store: Any) -> Any:
    """Return the store that a complete one reads from."""
    return getattr(store, "_store", store)


@cache
def _kind() -> Any:
    """Make the class when zarr is there."""
    from zarr.storage import WrapperStore

    class CompleteStore(WrapperStore[Any]):
        alone: tuple[int, int] | None = None

        async def get(self, key: str, *args: Any, **options: Any) -> Any:
            found = await super().get(key, *args, **options)
            if found is None and not key.endswith(METADATA) and not self._is_alone(key):
                raise FileNotFoundError(f"chunk {key} is missing")
            return found

        def _with_store(self, store: Any) -> Any:
            return complete(store, self.alone)

        def _is_alone(self, key: str) -> bool:
            place = LAST_TWO.search(key)
            if self.alone is None or place is None or place[1] != place[2]:
                return False
            return bool(self.alone[0] <= int(place[1]) <= self.alone[1])

        def __reduce__(self) -> tuple[Any, ...]:
            return complete, (self._store, self.alone)

    return CompleteStore
