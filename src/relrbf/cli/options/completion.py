"""The words of ``relrbf completion``."""

from typing import Any

from relrbf.cli.options.shared import add_command


def add_completion(commands: Any) -> None:
    """Describe the command."""
    completion = add_command(
        commands,
        "completion",
        "print what lets a shell complete commands and options",
        "Print a script that makes the tab key complete the command's words and file names.",
        'eval "$(relrbf completion bash)"                  # now; in ~/.bashrc, always',
        'relrbf completion zsh > "${fpath[1]}/_relrbf"     # then start a new shell',
    )
    completion.add_argument("shell", choices=("bash", "zsh", "tcsh"))
