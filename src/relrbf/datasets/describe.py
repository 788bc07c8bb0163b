"""The text that comes with a data set, and the container that all loaders return."""

from importlib import resources
from typing import Any

import numpy as np
from sklearn.utils import Bunch

from relrbf.datasets.entry import Entry

WHERE = """data_home : str, path or None, default=None
        Folder of data sets, in which to look and to which to download. None looks in the folder
        that ``RELRBF_DATA`` names, then in the cache (``RELRBF_CACHE``, or the user's).
    download_if_missing : bool, default=True
        Whether to fetch the data where they are not found. If not, an error says what to put
        where."""


def described(entry: Entry, **parts: Any) -> Bunch:
    """Return the parts of a data set together with its description."""
    return Bunch(DESCR=description(entry), **parts)


def description(entry: Entry) -> str:
    """Return what the data are, and their traps; then whom to cite, the licence, the addresses."""
    file = resources.files("relrbf.datasets") / "descriptions" / f"{entry.name}.md"
    public = [file for source in entry.sources if source.is_public for file in source.files]
    addresses = "".join(f"\nPublic address: {file.address}" for file in public)
    return (
        f"{file.read_text(encoding='utf-8')}\n"
        f"Citation: {entry.citation}\nLicence: {entry.licence}{addresses}\n"
    )


def numbered(word: str, n: int) -> np.ndarray:
    """Return names for objects that have none: a word and the row's number, from 1."""
    return np.array([f"{word}-{i:0{len(str(n))}d}" for i in range(1, n + 1)], dtype=object)
