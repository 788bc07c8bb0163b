"""The paper's own sets, one repetition of a few cells."""

import numpy as np
import pytest

from study import PAPER, Design, measure
from study.data import bc569, loaded, split

BY_NAME = {data.name: data for data in PAPER}


def test_bc569_needs_nothing_but_scikit_learn():
    source = bc569()
    assert source.D.shape == (569, 569)
    assert source.vectors.shape == (569, 30)
    assert source.exponent == 2


@pytest.mark.parametrize(
    ("name", "n_objects", "exponent", "has_vectors"),
    [
        ("USC-435", 435, 2, True),
        ("HD-303", 303, 2, True),
        ("HG-194", 194, 1, False),
        ("HG-194-genes", 194, 1, False),
        ("PC-102", 102, 1, False),
    ],
)
def test_the_sets_are_the_papers(shared_data, name, n_objects, exponent, has_vectors):
    related = loaded(BY_NAME[name])
    assert related.D.shape == (n_objects, n_objects)
    assert related.exponent == exponent
    assert (related.realisation is not None) == has_vectors
    assert (related.groups is not None) == (name == "HG-194-genes")


def test_no_gene_straddles_a_split(shared_data):
    genes = loaded(BY_NAME["HG-194-genes"])
    for seed in range(20):
        parts = split(genes.y, genes.groups, seed)
        assert not set(genes.groups[parts.known]) & set(genes.groups[parts.test])
        for part in (parts.train, parts.test, parts.validation):
            assert len(np.unique(genes.y[part])) == 3


def test_the_protocol_runs_on_the_small_relations(shared_data):
    design = Design(repetitions=1)
    for key in ("HG-194/original/graph/0", "PC-102/proximal/medoid/0", "HD-303/original/graph/0"):
        for row in measure(design.cell(key)):
            assert row["status"] == "ok"
            assert (row["duality_gap"] or 0) <= 1e-6
