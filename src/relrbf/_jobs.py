"""Work that is shared out among processes or threads by joblib."""

import warnings
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

Item = TypeVar("Item")


@contextmanager
def closed(
    coming: Generator[Item, Any, Any],
) -> Iterator[Generator[Item, Any, Any]]:
    """Stop all workers at the end; who stops knows that what was asked for is cancelled."""
    try:
        yield coming
    finally:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", ".*tasks .*(been|not used)", UserWarning)
            coming.close()
