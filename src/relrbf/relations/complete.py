"""A zarr store in which a chunk that is missing is an error, not a block of zeros.

zarr takes a chunk that is not there for one that holds nothing but the fill value. In a matrix of
dissimilarities that would be objects that do not differ.
"""

from functools import cache
from typing import Any

METADATA = ("zarr.json", ".zarray", ".zattrs", ".zgroup", ".zmetadata")


def complete(store: Any) -> Any:
    """Return a store that reads from another, and raises where that has no such chunk."""
    return _kind()(store)


def inner_store(store: Any) -> Any:
    """Return the store that a complete one reads from."""
    return getattr(store, "_store", store)


@cache
def _kind() -> Any:
    """Make the class when zarr is there."""
    from zarr.storage import WrapperStore

    class CompleteStore(WrapperStore[Any]):
        async def get(self, key: str, *args: Any, **options: Any) -> Any:
            found = await super().get(key, *args, **options)
            if found is None and not key.endswith(METADATA):
                raise FileNotFoundError(f"chunk {key} is missing")
            return found

        def __reduce__(self) -> tuple[Any, ...]:
            return complete, (self._store,)

    return CompleteStore
