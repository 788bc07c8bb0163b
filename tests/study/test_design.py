"""Cells, their keys and their seeds."""

import re
from dataclasses import replace

import pytest

from study import PAPER, Cell, Design
from study.models import MODELS
from tests.study.made import INDEFINITE, VECTORS

BOTH = Design([VECTORS, INDEFINITE], ["knn", "svc"], repetitions=3)


def test_a_design_is_every_model_on_every_variant_of_every_set_in_every_repetition():
    cells = list(BOTH.cells())
    assert len(cells) == len({cell.key for cell in cells}) == (1 + 4) * 2 * 3
    assert cells[0].key == "vectors/original/knn/0"


def test_whole_repetitions_come_first():
    repetitions = [cell.repetition for cell in BOTH.cells()]
    assert repetitions == sorted(repetitions)


def test_every_model_has_a_seed_of_its_own_which_all_variants_share():
    seeds = {(c.data.name, c.model, c.repetition, c.seed) for c in Design(repetitions=20).cells()}
    assert len(seeds) == len({seed for *_, seed in seeds}) == 6 * 6 * 20


def test_a_seed_does_not_depend_on_other_cells():
    key = "indefinite/classical/svc/1"
    alone = Design([INDEFINITE], ["svc"], repetitions=2).cell(key)
    assert alone.seed == BOTH.cell(key).seed
    assert alone.fingerprint == BOTH.cell(key).fingerprint


def test_a_split_depends_on_data_and_repetition_only():
    seeds = {(c.data.name, c.repetition, c.split_seed) for c in BOTH.cells()}
    assert len(seeds) == 2 * 3
    assert len({seed for *_, seed in seeds}) == 6


def test_another_root_gives_other_seeds():
    one, other = Cell(VECTORS, "original", "knn", 0, 0), Cell(VECTORS, "original", "knn", 0, 1)
    assert one.seed != other.seed
    assert one.split_seed != other.split_seed
    assert one.fingerprint != other.fingerprint


@pytest.mark.parametrize("change", [{"max_iter": 61}, {"n_prototypes": 5}, {"max_prototypes": 9}])
def test_other_settings_are_another_fingerprint(change):
    one = Cell(VECTORS, "original", "graph", 0)
    assert one.fingerprint != replace(one, data=replace(VECTORS, **change)).fingerprint


def test_more_variants_leave_the_fingerprints_of_the_others():
    one = Cell(VECTORS, "original", "graph", 0)
    more = replace(VECTORS, variants=("original", "classical"))
    assert one.fingerprint == replace(one, data=more).fingerprint


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"models": ["perceptron"]}, "models='perceptron' does not exist"),
        ({"repetitions": 0}, "repetitions is 0"),
        ({"seed": -1}, "seed is -1"),
        ({"data": [VECTORS, VECTORS]}, "a name twice"),
        ({"data": [replace(VECTORS, variants=("isomap",))]}, "variants='isomap' does not exist"),
        ({"data": [replace(VECTORS, variants=("original@known",))]}, "variants='original'"),
    ],
)
def test_a_design_that_cannot_be_run_is_refused(options, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        Design(**options)


def test_an_unknown_cell_is_refused_with_an_example():
    with pytest.raises(ValueError, match="such as 'vectors/original/knn/0'"):
        BOTH.cell("vectors/original/knn/3")


def test_the_default_design_is_the_paper_and_all_models():
    design = Design()
    assert tuple(design.data) == PAPER
    assert tuple(design.models) == tuple(MODELS)
    documented = ", ".join(f'"{name}"' for name in MODELS)
    assert f"default=({documented})" in Design.__doc__
    assert "default=100" in Design.__doc__
    assert design.repetitions == 100


def test_the_prototype_limits_are_the_papers():
    limits = {data.name: (data.n_prototypes, data.max_prototypes) for data in PAPER}
    assert limits == {
        "BC-569": (10, 45),
        "USC-435": (10, 35),
        "HD-303": (10, 30),
        "HG-194": (15, 30),
        "HG-194-genes": (15, 30),
        "PC-102": (12, 32),
    }
