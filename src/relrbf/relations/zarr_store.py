"""A zarr store in which a chunk that is missing is an error, not a block of zeros.

zarr takes a chunk that is not there for one that holds nothing but the fill value. In a matrix of
dissimilarities that would be objects that do not differ.
"""

import re
from functools import cache
from typing import Any

METADATA = ("zarr.json", ".zarray", ".zattrs", ".zgroup", ".zmetadata")
CHUNK_POSITION = re.compile(r"(\d+)[./](\d+)$")  # its row and its column, in its name


def strict_store(store: Any, shape: tuple[int, ...], chunks: tuple[int, ...]) -> Any:
    """Return a store that reads an array from another, and raises where a chunk is missing."""
    return _make_store(store, _single_entries(shape, chunks))


def inner_store(store: Any) -> Any:
    """Return the store that a strict one reads from."""
    return getattr(store, "_store", store)


def _single_entries(shape: tuple[int, ...], chunks: tuple[int, ...]) -> range:
    """Return which chunks of the diagonal hold one object's zero each, which is not written."""
    if len(shape) != 2 or shape[0] != shape[1] or chunks[0] != chunks[1]:
        return range(0)
    last = (shape[0] - 1) // chunks[0]
    if chunks[0] == 1:
        return range(last + 1)
    return range(last, last + 1) if shape[0] % chunks[0] == 1 else range(0)


def _make_store(store: Any, may_lack: range) -> Any:
    made = _store_class()(store)
    made.may_lack = may_lack
    return made


@cache
def _store_class() -> Any:
    """Make the class when zarr is there."""
    from zarr.storage import WrapperStore

    class StrictStore(WrapperStore[Any]):
        may_lack = range(0)  # chunks on the diagonal

        async def get(self, key: str, *args: Any, **options: Any) -> Any:
            found = await super().get(key, *args, **options)
            if found is None and not key.endswith(METADATA) and not self._may_lack(key):
                raise FileNotFoundError(f"chunk {key} is missing")
            return found

        def _with_store(self, store: Any) -> Any:
            return _make_store(store, self.may_lack)

        def _may_lack(self, key: str) -> bool:
            at = CHUNK_POSITION.search(key)
            return at is not None and at[1] == at[2] and int(at[1]) in self.may_lack

        def __reduce__(self) -> tuple[Any, ...]:
            return _make_store, (self._store, self.may_lack)

    return StrictStore
