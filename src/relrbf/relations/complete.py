"""A zarr store in which a chunk that is missing is an error, not a block of zeros.

The only file that imports zarr; it is imported where a zarr array has come.
"""

from typing import Any

from zarr.storage import WrapperStore

METADATA = ("zarr.json", ".zarray", ".zattrs", ".zgroup", ".zmetadata")


class CompleteStore(WrapperStore[Any]):
    """Reads from another store, and raises where that has no such chunk.

    zarr takes a chunk that is not there for one that holds nothing but the fill value. In a matrix
    of dissimilarities that would be objects that do not differ.
    """

    async def get(self, key: str, *args: Any, **options: Any) -> Any:
        """Return what the other store has under a key."""
        found = await super().get(key, *args, **options)
        if found is None and not key.endswith(METADATA):
            raise FileNotFoundError(f"chunk {key} is missing")
        return found
