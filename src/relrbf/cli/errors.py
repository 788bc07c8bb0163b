"""What went wrong, in a line, in the words of the command."""

import re
from argparse import Namespace

from relrbf.cli.words import command_words

STOPPED = 130  # the exit code of what a user interrupts
FAILED = 1


class CommandError(ValueError):
    """A command cannot do what it was asked for."""


def exit_code(error: BaseException) -> int:
    """Return what the shell is told."""
    return STOPPED if isinstance(error, KeyboardInterrupt) else FAILED


def in_words(error: BaseException, options: Namespace) -> str:
    """Return what went wrong and what to do, in one line."""
    if isinstance(error, KeyboardInterrupt):
        return "stopped"
    if isinstance(error, ImportError):
        extra = "" if "pip install" in str(error) else "; try: pip install 'relrbf[cli]'"
        return f"{error}{extra}"
    if isinstance(error, MemoryError):
        return f"not enough memory. {error}".strip()
    if isinstance(error, OSError) and error.filename is not None and error.strerror is not None:
        return f"{error.filename}: {error.strerror}"
    if isinstance(error, ValueError | TypeError | OSError):
        return _about_file(command_words(" ".join(str(error).split())), options)
    kind = type(error).__name__
    return f"{kind}: {error} (an error of relrbf's own; --debug shows where it arose)"


def _about_file(text: str, options: Namespace) -> str:
    """Say it with the file's name instead of an argument's."""
    matrix = getattr(options, "matrix", None)
    if matrix is None:
        return text
    return re.sub(r"^((?:the [\w ]+ of )?)[XD](?= )", lambda found: f"{found[1]}{matrix}", text)
