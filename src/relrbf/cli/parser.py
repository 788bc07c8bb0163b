"""A parser whose errors take two lines."""

import argparse
from typing import NoReturn


class Parser(argparse.ArgumentParser):
    """Says what it did not understand, and the shortest usage; --help has all of it."""

    def error(self, message: str) -> NoReturn:
        """End the process with what is wrong."""
        words = [str(action.metavar or action.dest) for action in self._get_positional_actions()]
        usage = " ".join([self.prog, "[OPTIONS]", *words])
        self.exit(2, f"{self.prog}: {message}\nusage: {usage} ({self.prog} --help says more)\n")
