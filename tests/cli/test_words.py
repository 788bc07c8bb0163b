"""Those who type are told what to type."""

import warnings

import numpy as np
import pytest

from relrbf import RBFNetworkClassifier, as_relation, inspect_relation
from relrbf.cli.words import command_words
from relrbf.exceptions import RelationError

PYTHON = ("as_relation", "symmetrize=", "similarities=", "metric=", "relrbf.", "n_clusters", "X[")


def said(work):
    """Return what the library says of something: an error, or warnings and a text."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = str(work())
        except (RelationError, ValueError) as error:
            found = str(error)
    return " ".join([found, *(str(warning.message) for warning in caught)])


ASYMMETRIC = np.array([[0.0, 1, 2], [3, 0, 1], [2, 1, 0]])
SIMILAR = np.array([[1.0, 0.2, 0.1], [0.2, 1, 0.4], [0.1, 0.4, 1]])
TREE = np.array(
    [[0, 2, 1, 1, 1], [2, 0, 1, 1, 1], [1, 1, 0, 2, 2], [1, 1, 2, 0, 2], [1, 1, 2, 2, 0.0]]
)


@pytest.mark.parametrize(
    ("work", "flag"),
    [
        (lambda: as_relation(ASYMMETRIC), "--symmetrize mean, min or max"),
        (lambda: as_relation(ASYMMETRIC, symmetrize="max"), "--symmetrize max changed"),
        (lambda: as_relation(SIMILAR, similarities="refuse"), "--similarities convert"),
        (lambda: as_relation(SIMILAR), "looks like similarities"),
        (lambda: inspect_relation(ASYMMETRIC), "--symmetrize mean, min or max"),
        (lambda: inspect_relation(SIMILAR), "--similarities convert"),
        (lambda: inspect_relation(TREE), "relrbf embed"),
        (lambda: RBFNetworkClassifier(n_prototypes=9).fit(TREE, list("aabbb")), "--prototypes"),
    ],
)
def test_flags_stand_where_the_library_names_keywords(work, flag):
    text = command_words(said(work))
    assert flag in text
    left = [word for word in PYTHON if word in text.replace("X[", "", 2)]
    assert not left
