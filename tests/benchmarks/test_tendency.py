"""The benchmark of cluster tendency measures what it says, and draws the picture of the docs."""

import matplotlib as mpl
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist

from benchmarks import tendency
from relrbf.tendency import ivat, vat

mpl.use("Agg")


def test_the_matrix_holds_the_distances_of_the_vectors():
    D = tendency.make_relation(300)
    X = tendency.make_vectors(300)
    assert D.dtype == np.float32
    assert_allclose(D, cdist(X, X), atol=1e-4)


@pytest.mark.parametrize("assess", [vat, ivat])
def test_no_memory_is_taken_that_is_not_the_image_or_a_block(assess):
    D = tendency.make_relation(1500)
    assert D.nbytes <= tendency.peak_of(assess, D) <= D.nbytes + 2**23


def test_growth_is_shown_for_every_size(monkeypatch, capsys):
    monkeypatch.setattr(tendency, "SIZES", (100, 200))
    tendency.show_growth()
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()[-2:]] == ["100", "200"]


def test_the_picture_is_drawn(tmp_path, monkeypatch):
    monkeypatch.setattr("sys.argv", ["tendency", "--picture", str(tmp_path / "picture.png")])
    tendency.main()
    assert (tmp_path / "picture.png").stat().st_size > 10_000
