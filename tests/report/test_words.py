"""One is, two are."""

from relrbf.report.words import count, verb


def test_one_is_and_many_are():
    assert count(1, "epoch") == "1 epoch"
    assert count(2000, "object") == "2,000 objects"
    assert count(2, "class", "classes") == "2 classes"
    assert [verb(number) for number in (0, 1, 2)] == ["are", "is", "are"]
