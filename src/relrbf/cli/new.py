"""New objects beside those of a matrix, treated as these were."""

from argparse import Namespace

from relrbf.cli.errors import CommandError
from relrbf.cli.places import check_output
from relrbf.cli.reading import names_of, note, read_matrix
from relrbf.cli.screen import Screen
from relrbf.io import LoadedMatrix, match_columns
from relrbf.relations.base import Relation


def check_new(options: Namespace, *suffixes: str) -> None:
    """Refuse new objects without a place for what becomes of them, and the reverse."""
    if (options.new is None) != (options.new_output is None):
        raise CommandError("--new and --new-output go together: what is read, what is written.")
    check_output(options.new_output, *suffixes)


def read_new(relation: Relation, options: Namespace, screen: Screen) -> LoadedMatrix:
    """Read new objects, with the columns in the order of the relation."""
    columns = names_of(relation.ids, relation.n_objects)
    matched = match_columns(read_matrix(options.new, options, screen, columns), relation.ids)
    note(matched, screen)
    return matched
