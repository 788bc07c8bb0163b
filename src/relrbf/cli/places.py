"""Where results go, judged before anything is computed."""

from argparse import Namespace
from pathlib import Path

from relrbf.cli.errors import CommandError

INPUTS = ("matrix", "labels", "model", "objects", "new")
OUTPUTS = ("output", "report", "html", "order", "new_output", "needed")


def check_places(options: Namespace) -> None:
    """Refuse to write over what is read, to one place twice, and to what is no file."""
    inputs = _named(options, INPUTS)
    outputs = _named(options, OUTPUTS)
    if sum(str(path) == "-" for path in inputs) > 1:
        raise CommandError("two files are '-'; only one can come from standard input.")
    for at, path in enumerate(outputs):
        if path.exists() and not (path.is_file() or path.is_dir()):
            raise CommandError(f"{path} is a device or a pipe; name a file.")
        for other in [*inputs, *outputs[:at]]:
            if _is_same(path, other):
                raise CommandError(
                    f"{path} is named twice, and would be written over; name another file."
                )


def check_output(path: Path | None, *suffixes: str) -> None:
    """Refuse a place that cannot be written to."""
    if path is None:
        return
    if suffixes and path.suffix.lower() not in suffixes:
        raise CommandError(f"{path}: the name must end in {', '.join(suffixes)}.")
    if path.is_dir() and path.suffix.lower() != ".zarr":
        raise CommandError(f"{path} is a folder; name a file.")
    folder = path.absolute().parent
    if not folder.is_dir():
        raise CommandError(f"{folder} does not exist; create it, or write elsewhere.")


def _named(options: Namespace, names: tuple[str, ...]) -> list[Path]:
    paths = (getattr(options, name, None) for name in names)
    return [path for path in paths if isinstance(path, Path)]


def _is_same(path: Path, other: Path) -> bool:
    if path.absolute() == other.absolute():
        return True
    return path.exists() and other.exists() and path.samefile(other)
