"""The benchmark of many objects runs, on few."""

import pytest

from benchmarks.scale import many

pytestmark = pytest.mark.filterwarnings("ignore::relrbf.exceptions.NotEuclideanWarning")


@pytest.mark.parametrize("kind", ["vectors", "nodes"])
def test_a_fit_of_many_is_timed_beside_scipy_and_scored(kind, monkeypatch):
    monkeypatch.setattr(many, "SUPPORT", 60)
    monkeypatch.setattr(many, "PROTOTYPES", 12)
    seconds, floor, accuracy = many.FITS[kind](600)
    assert seconds > 0
    assert floor > 0
    assert accuracy > 0.6


def test_growth_is_reported_between_sizes(monkeypatch, capsys):
    monkeypatch.setattr(many, "alone", lambda kind, n: (n * 1e-3, n**1.5 * 1e-6, 0.9, 0.1))
    many.report("vectors", (100, 10_000))
    *_, last, in_all, _ = capsys.readouterr().out.splitlines()
    assert last.split() == ["10000", "10.0", "1.00", "1.0", "1.50", "0.10", "0.9000"]
    assert in_all.split() == ["in", "all", "1.00", "1.50"]
