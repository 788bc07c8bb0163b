"""The report as text: what was found, what it means, what to do."""

import numpy as np
import pandas as pd
import pytest

from relrbf import inspect_relation


def conclusions(D, y=None, **options):
    return str(inspect_relation(D, y, **options)).split("conclusions:\n")[1]


def test_the_text_ends_in_a_conclusions(k23):
    assert str(inspect_relation(k23)).splitlines() == [
        "5 objects, all distinct",
        "entries: symmetric, zero on the diagonal, none negative, none missing",
        "triangles: 0.00% violated (0 of 60 ordered triples)",
        "read as distances (exponent 2): 21.05% of the spectrum is negative (smallest eigenvalue "
        "-1.6, largest 2)",
        "read as squared distances (exponent 1): 6.25% of the spectrum is negative (smallest "
        "eigenvalue -0.2, largest 1)",
        "intrinsic dimension: cannot be said (few distinct objects, many equally far apart, or "
        "some negative)",
        "conclusions:",
        "- No vector dual exists under either exponent: no vectors have these distances, nor these "
        "squared distances. Suggested is exponent=1. Under exponent=1 it would, with 0.4 added to "
        "every dissimilarity of two different objects.",
        "- A network trains on D all the same; for vectors near it see relrbf.embeddings (relrbf "
        "embed), for a matrix near it that has a dual relrbf.repair.spectrum_clip (relrbf repair "
        "--to clip).",
        "- D is a metric, which is not enough: a dual needs a spectrum that is not negative.",
    ]


def test_vectors_are_said_to_exist(blobs):
    text = str(inspect_relation(*blobs[1:]))
    assert "read as distances (exponent 2): vectors with these distances exist" in text
    assert "A vector dual exists under both exponents" in text
    assert "intrinsic dimension: about" in text
    assert "classes: 0 20, 1 20, 2 20; the nearest other object is of another class for" in text
    assert "not enough" not in text


def test_a_dual_under_one_exponent_is_said_to_be_one(blobs):
    text = conclusions(blobs[1] ** 2)
    assert "exists where D are read as squared distances (exponent=1), and not" in text
    assert "relrbf.repair.nearest_metric(D)" in text
    assert "added to every squared dissimilarity" in text


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda D: D.__setitem__((0, 1), np.nan), "Entries are missing (1): whether vectors"),
        (lambda D: D.__setitem__((0, 1), np.inf), "Entries are missing (1, 1 of them infinite)"),
        (lambda D: D.__setitem__((0, 1), -1), "Entries are negative (1): dissimilarities cannot"),
        (lambda D: D.__setitem__((0, 1), 3), "D[0, 1] and D[1, 0] differ by 1. as_relation(D, sym"),
        (lambda D: D.__setitem__((0, 1), 3), "The spectrum is that of (D + D') / 2"),
        (lambda D: D.__setitem__((2, 2), 1), "set the diagonal to 0"),
        (lambda D: np.subtract(3, D, out=D), "These are similarities"),
    ],
)
def test_the_conclusions_say_what_is_wrong_and_what_to_do(k23, spoil, words):
    spoil(k23)
    assert words in conclusions(k23)


def test_negative_entries_alone_are_read_as_they_are(k23):
    text = conclusions(-k23)
    assert "No vectors have the dissimilarities as they are." in text
    assert "(D + D')" not in text


def test_similarities_get_no_other_conclusions(k23):
    assert len(conclusions(3 - k23).splitlines()) == 1


def test_ids_name_the_worst(k23):
    names = list("vwxyz")
    k23[0, 1] = 5
    report = inspect_relation(pd.DataFrame(k23, index=names, columns=names))
    assert "D[v, w] exceeds D[v, x] + D[x, w] by 3" in str(report)
    assert "D[v, w] and D[w, v] differ by 3" in str(report)
    assert report.name_of(2) == "x"


def test_duplicates_come_with_advice():
    D = np.kron(1 - np.eye(3), np.ones((2, 2)))
    report = inspect_relation(D)
    assert str(report).startswith("6 objects, 3 of them duplicates of others\n")
    assert "keep them together" in conclusions(D)


def test_missing_entries_are_said_to_limit_what_is_known(k23):
    k23[0, 1] = np.nan
    text = str(inspect_relation(k23, list("aabbb")))
    assert text.startswith("5 objects\nentries (as far as known): symmetric")
    assert "classes: a 2, b 3\n" in text
    assert "spectrum" not in text


def test_a_small_share_is_not_called_zero(rng):
    X = rng.standard_normal((30, 2))
    D = np.linalg.norm(X[:, None] - X, axis=2)
    D[0, 1] = D[1, 0] = D[0, 1] * 1.0001
    report = inspect_relation(D)
    assert 0 < report.negative_eigenfraction[2] < 5e-5
    assert "less than 0.01% of the spectrum" in str(report)
