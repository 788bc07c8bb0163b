"""Reading a data set from its files, and refusing what is not what it should be."""

from pathlib import Path

from relrbf.datasets.entry import Arrays, Entry, File, Source, checksum, contents
from relrbf.exceptions import DatasetError


def read_verified(entry: Entry, source: Source, folder: Path) -> Arrays:
    """Return the arrays of a data set; a file with another checksum is not even opened."""
    paths = source.paths(folder)
    for file, path in zip(source.files, paths, strict=True):
        _check_file(entry, file, path)
    try:
        arrays = source.read(*paths)
    except Exception as error:  # whatever a reader stumbles over, the file is not what it reads
        raise _refusal(entry, paths, f"it cannot be read ({error})") from error
    found = contents(arrays)
    if found != entry.contents:
        what = f"the sha256 of what is in it is {found}, not {entry.contents}"
        raise _refusal(entry, paths, what)
    return arrays


def _check_file(entry: Entry, file: File, path: Path) -> None:
    if file.sha256 is None:
        return
    found = checksum(path)
    if found != file.sha256:
        size = f"{path.stat().st_size:,} bytes of {file.size:,}; "
        raise _refusal(entry, [path], f"{size}its sha256 is {found}, not {file.sha256}")


def _refusal(entry: Entry, paths: list[Path], what: str) -> DatasetError:
    return DatasetError(
        f"{entry.name}: {' with '.join(map(str, paths))} is damaged or another file of that name: "
        f"{what}. It was left as it is and is not used. Delete it, or put the right one in its "
        "place; where none is found, the public one is fetched."
    )
