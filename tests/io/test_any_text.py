"""Any text is read, or refused with an error that says why."""

import warnings
from contextlib import suppress

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from relrbf.exceptions import OptionError, RelationError
from relrbf.io import load_labels, load_matrix

PIECES = st.sampled_from(
    [*'0123456789.,;|\t \n\r"#-?ab', "NA", "nan", "1e5", "\n", "\n", ",", "0", "3\n", "é", "inf"]
)
TEXTS = st.lists(PIECES, max_size=60).map("".join)
many = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def attempt(read, *args, **options):
    with warnings.catch_warnings(), suppress(RelationError, OptionError):
        warnings.simplefilter("ignore", UserWarning)
        read(*args, **options)


@many
@given(
    text=TEXTS,
    name=st.sampled_from(["D.csv", "D.tsv", "D.phy", "D.txt"]),
    graph=st.booleans(),
    header=st.sampled_from(["auto", True, False]),
    ids=st.sampled_from(["auto", True, False]),
    triangle=st.sampled_from(["auto", "full", "lower"]),
    columns=st.sampled_from([None, [], ["0", "1"], ["a"]]),
)
def test_any_text_is_a_matrix_or_refused(put, text, name, graph, header, ids, triangle, columns):
    options = {"header": header, "ids": ids, "triangle": triangle, "columns": columns}
    attempt(load_matrix, put(text, name), graph=graph, **options)


@many
@given(text=TEXTS, header=st.sampled_from(["auto", True, False]))
def test_any_text_is_labels_or_refused(put, text, header):
    attempt(load_labels, put(text, "y.csv"), header=header)


@many
@given(
    content=st.binary(max_size=200),
    start=st.sampled_from([b"", b"\x1f\x8b", b"PK\x03\x04", b"\x93NUMPY", b"\xff\xfe"]),
    name=st.sampled_from(["D.csv", "D.npy", "D.npz", "D.mtx", "D.phy", "D.csv.gz"]),
)
def test_any_bytes_are_a_matrix_or_refused(put, content, start, name):
    attempt(load_matrix, put(start + content, name))
