"""Objects in a table; more is told where ``relrbf relate`` reads them."""

import pytest

from relrbf.exceptions import RelationError
from relrbf.files.objects import load_objects


def test_semicolons_are_found_in_the_header(put):
    objects, ids = load_objects(put("id;x;y\na;1;2\nb;3;4\n"), "vectors")
    assert objects.tolist() == [[1, 2], [3, 4]]
    assert ids == ["a", "b"]


def test_semicolons_within_text_are_left_alone(put):
    objects, ids = load_objects(put("id,word\nk1,a; b\nk2,c\n"), "strings")
    assert objects == ["a; b", "c"]
    assert ids == ["k1", "k2"]


def test_a_missing_table_is_refused_in_words(tmp_path):
    with pytest.raises(RelationError, match="does not exist"):
        load_objects(tmp_path / "none.csv", "vectors")
