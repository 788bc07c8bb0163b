"""A bar on the terminal while a file comes; nothing where no one looks."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

WIDTH = 30


@contextmanager
def progress_bar(name: str) -> Iterator[Callable[[int, int], None]]:
    """Give a function of the bytes so far and in all, which draws on stderr if it is a terminal."""
    stream = sys.stderr
    if stream is None or not stream.isatty():
        yield lambda done, total: None
        return
    try:
        yield lambda done, total: print(f"\r{bar(name, done, total)}", end="", file=stream)
    finally:
        print(file=stream)


def bar(name: str, done: int, total: int) -> str:
    """Return one line; where the total is not known, only what has come."""
    if total <= 0:
        return f"{name}  {done / 1024:,.0f} kB"
    share = min(done / total, 1.0)
    filled = "#" * round(share * WIDTH)
    return f"{name}  [{filled:<{WIDTH}}] {share:4.0%} of {total / 1024:,.0f} kB"
