"""What all commands have in common: groups of options, safe paths, errors in a line, exit codes."""

import os
import re
import shlex
import sys
import traceback
from collections.abc import Callable
from concurrent.futures import BrokenExecutor
from dataclasses import fields
from functools import wraps
from importlib.machinery import ExtensionFileLoader
from inspect import Parameter, Signature, signature
from pathlib import Path
from threading import Timer
from typing import Any

from typer import TyperException

from relrbf.cli.console import Console, as_typed
from relrbf.cli.options import OptionGroup, OutputOptions
from relrbf.exceptions import OptionError, RelationError

FAILED, SIGNALLED = 1, 128  # exit codes; the number of the signal is added to the second
received: list[int] = []  # signals
SECONDS_TO_NEXT_TRY = 0.05  # of a signal while a compiled module starts
INPUT_PATHS = ("matrix", "labels", "groups", "model", "objects", "new", "to")
OUTPUT_PATHS = ("output", "report", "html", "order", "new_output", "needed")
GRAPH_OPTIONS = ("directed", "disconnected", "distance", "duplicates", "weights", "zeros")
FIT_FLAGS = {"--symmetrize", "--similarities", "--unlabelled"}  # that advice is often about
ADVICE = {  # where the library's own advice is a line of Python
    "symmetrize": "Use --symmetrize mean, min or max to say what is meant.",
    "similarities": "Use --similarities convert to take the kernel's distances.",
}


class CommandError(ValueError):
    """A command cannot do what it was asked for."""


def command(*examples: str) -> Callable[[Callable[..., None]], Any]:
    """Turn a function of a console and of options into a command that returns an exit code.

    A parameter that is an ``OptionGroup`` becomes one option for each of its fields.
    """

    def decorate(function: Callable[..., None]) -> Any:
        _, *own = signature(function).parameters.values()
        keyword, groups = Parameter.KEYWORD_ONLY, {}
        parameters = []
        for p in own:
            if isinstance(p.annotation, type) and issubclass(p.annotation, OptionGroup):
                groups[p.name] = p.annotation
            else:
                parameters.append(p.replace(kind=keyword))
        for group in (*groups.values(), OutputOptions):
            for field in fields(group):
                option: Any = field.default
                option.rich_help_panel = str(group.__doc__).rstrip(".")
                p = Parameter(field.name, keyword, default=option, annotation=field.type)
                parameters.append(p)

        @wraps(function)
        def run(**values: Any) -> int:
            return _run(function, groups, values)

        run.__dict__ |= {"__signature__": Signature(parameters), "examples": examples}
        run.__annotations__ = {p.name: p.annotation for p in parameters}
        return run

    return decorate


def _run(function: Callable[..., None], groups: dict[str, Any], values: dict[str, Any]) -> int:
    def take(group: Any) -> Any:
        return group(**{field.name: values.pop(field.name) for field in fields(group)})

    output = take(OutputOptions)
    options = {name: take(group) for name, group in groups.items()}
    try:
        check_paths(values)
        console = Console(as_json=output.json, quiet=output.quiet)
        with console.session():
            function(console, **values, **options)
    except (TyperException, BrokenPipeError):
        raise
    except Exception as error:
        if received:  # which compiled code can make another error of
            raise KeyboardInterrupt from error
        if output.debug:
            traceback.print_exc()
        own = _flags(function, groups)
        print(f"relrbf: {_for_command(error_message(error), own)}", file=sys.stderr)
        return FAILED
    return 0


def _flags(function: Callable[..., None], groups: dict[str, Any]) -> set[str]:
    """Return the options that a command has."""
    names = set(signature(function).parameters)
    for group in (*groups.values(), OutputOptions):
        names |= {field.name for field in fields(group)}
    flags = {f"--{name.removeprefix('n_').replace('_', '-')}" for name in names}
    return flags | {f"--no-{flag[2:]}" for flag in flags}


def _for_command(message: str, own: set[str]) -> str:
    """Say where an option belongs that this command does not have."""
    others = {flag for flag in re.findall(r"(?<![\w-])--[a-z][a-z-]*", message) if flag not in own}
    for flag in others & FIT_FLAGS:
        message = re.sub(rf"(?<![\w-]){flag}\b", f"relrbf fit {flag}", message)
    return message


def stop(number: int, frame: Any) -> None:
    """Handle a signal: end as by Ctrl-C, after what is half-written was removed.

    While a compiled module starts it comes again a little later: raising there can abort all.
    """
    received.append(number)
    owners = [each.f_locals.get("self") for each, _ in traceback.walk_stack(frame)]
    if not any(isinstance(owner, ExtensionFileLoader) for owner in owners):
        raise KeyboardInterrupt
    again = Timer(SECONDS_TO_NEXT_TRY, os.kill, (os.getpid(), number))
    again.daemon = True
    again.start()


def error_message(error: BaseException) -> str:
    """Return what went wrong and what to do, in one line."""
    match error:
        case ImportError():
            extra = "" if "pip install" in str(error) else "; try: pip install 'relrbf[cli]'"
            return f"{error}{extra}"
        case MemoryError():
            return f"not enough memory. {error}".strip()
        case BrokenExecutor():
            return "a process of --jobs was killed, often for lack of memory; use fewer."
        case OSError(filename=str() | Path() as path, strerror=str() as reason):
            return f"{path}: {reason}"
        case OSError(strerror=str() as reason):
            return f"{reason}, for what is printed or for a file"
        case RelationError():
            advice = next((ADVICE[name] for name in error.options if name in ADVICE), None)
            text = f"{error.problem} {advice}" if advice else error.message(as_flag)
        case OptionError(name=str() as name) if str(error).startswith(name):
            text = str(error).replace(name, as_flag(name, ...), -1 if "_" in name else 1)
        case ValueError() | TypeError() | OSError():
            text = str(error)
        case _:
            kind = type(error).__name__
            return f"{kind}: {error} (an error of relrbf's own; --debug shows where it arose)"
    return " ".join(as_typed(text).split())


def as_flag(name: str, value: Any, prefix: str = "") -> str:
    """Return a keyword of the library as it is typed; ``...`` leaves the value open."""
    if not prefix and name in GRAPH_OPTIONS:
        return f"--graph-option {name}={value}"
    flag = prefix + name.removeprefix("n_").replace("_", "-")
    if isinstance(value, bool):
        return f"--{flag}" if value else f"--no-{flag}"
    return f"--{flag}" if value is ... else f"--{flag} {shlex.quote(str(value))}"


def check_paths(values: dict[str, Any]) -> None:
    """Refuse to write over what is read, to write one file twice, and to write to a device."""
    inputs = [values[name] for name in INPUT_PATHS if isinstance(values.get(name), Path)]
    outputs = [values[name] for name in OUTPUT_PATHS if values.get(name) is not None]
    if [str(path) for path in inputs].count("-") > 1:
        raise CommandError("two files are '-'; only one can come from standard input.")
    known = {file for path in inputs for file in _files_of(path)}
    for path in outputs:
        if path.exists() and not (path.is_file() or path.is_dir()):
            raise CommandError(f"{path} is a device or a pipe; name a file.")
        for file in (files := _files_of(path)):
            if file in known:
                named = "named twice" if file == files[0] else f"to be written beside {path}"
                problem = f"{file.name} is {named}, and would be written over; name another file."
                raise CommandError(problem)
        known.update(files)


def _files_of(path: Path) -> list[Path]:
    """Return a file, and those that are read or written beside it."""
    from relrbf.relations.on_disk import ids_path

    files = [path]
    if path.suffix in (".npy", ".zarr"):
        ids = ids_path(path)
        files += [ids, ids.with_name(ids.name.replace(".ids.", ".columns."))]
        files += [path.with_name(f"{path.name}{suffix}") for suffix in (".part", ".progress")]
    return [file.resolve() for file in files]


def check_output(path: Path | None, *suffixes: str) -> None:
    """Refuse a path that cannot be written to, or that has another suffix."""
    if path is None:
        return
    if suffixes and path.suffix.lower() not in suffixes:
        raise CommandError(f"{path}: the name must end in {', '.join(suffixes)}.")
    if path.is_dir():
        raise CommandError(f"{path} is a folder; name a file.")
    folder = path.absolute().parent
    if not folder.is_dir():
        raise CommandError(f"{folder} does not exist; create it, or write elsewhere.")
