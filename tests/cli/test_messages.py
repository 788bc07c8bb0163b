"""Errors of the library name the options of the command line."""

import numpy as np
import pytest

from relrbf import RBFNetworkClassifier, as_relation
from relrbf.cli.command import as_flag, error_message
from relrbf.cli.main import main
from relrbf.exceptions import FileFormatError, OptionError, RelationError

ASYMMETRIC = np.array([[0.0, 1, 2], [3, 0, 1], [2, 1, 0]])
SIMILAR = np.array([[1.0, 0.2, 0.1], [0.2, 1, 0.4], [0.1, 0.4, 1]])


def message_of(call):
    with pytest.raises(ValueError) as caught:  # noqa: PT011  # what it says is asserted
        call()
    return error_message(caught.value)


@pytest.mark.parametrize(
    ("call", "flag"),
    [
        (lambda: as_relation(ASYMMETRIC), "--symmetrize mean, min or max"),
        (lambda: as_relation(SIMILAR, similarities="refuse"), "--similarities convert"),
        (lambda: RBFNetworkClassifier(n_prototypes=0).fit(ASYMMETRIC, [0, 1, 1]), "--prototypes"),
    ],
)
def test_flags_stand_where_the_library_names_arguments(call, flag):
    text = message_of(call)
    assert flag in text
    assert not [word for word in ("as_relation", "symmetrize=", "similarities=") if word in text]


@pytest.mark.parametrize(
    ("name", "value", "flag"),
    [
        ("header", True, "--header"),
        ("header", False, "--no-header"),
        ("delimiter", ..., "--delimiter"),
        ("decimal", ",", "--decimal ,"),
        ("delimiter", ";", "--delimiter ';'"),
        ("n_prototypes", ..., "--prototypes"),
        ("disconnected", "far", "--graph-option disconnected=far"),
    ],
)
def test_an_argument_has_a_flag(name, value, flag):
    assert as_flag(name, value) == flag


def test_advice_is_given_in_flags():
    error = FileFormatError("D.csv", "is not text", "Try {encoding}.", {"encoding": "cp1252"}, 3)
    assert error_message(error) == "D.csv, line 3: is not text. Try --encoding cp1252."
    assert str(error) == "D.csv, line 3: is not text. Try encoding='cp1252'."
    assert error_message(RelationError("no\n  way")) == "no way"
    error = OptionError("n_clusters is 9. Use n_clusters=3.", "n_clusters")
    assert error_message(error) == "--clusters is 9. Use --clusters=3."


def test_a_seed_that_no_generator_takes_is_refused_by_its_flag(capsys):
    assert main(["cluster", "D.csv", "-k", "2", "-o", "y.csv", "--seed", str(2**32)]) == 2
    assert "'--seed'" in capsys.readouterr().err
