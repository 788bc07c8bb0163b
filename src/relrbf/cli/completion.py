"""``relrbf completion``: a script for the shell, made from the words of the command."""

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from relrbf.cli.screen import Screen


def run(options: Namespace, screen: Screen) -> None:
    """Print the script."""
    import shtab

    from relrbf.cli.main import make_parser

    parser = make_parser()
    _complete_files(parser, shtab.FILE)
    script = shtab.complete(parser, shell=options.shell)
    screen.tell(shell=options.shell, script=script)
    screen.say(script)


def _complete_files(parser: ArgumentParser, files: Any) -> None:
    """Let every argument that is a path be completed by file names."""
    actions: list[Any] = parser._actions  # which shtab looks at for an attribute of its own
    for action in actions:
        if action.type is Path:
            action.complete = files
        if isinstance(action.choices, dict):
            for command in action.choices.values():
                _complete_files(command, files)
