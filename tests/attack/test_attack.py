"""A small budget of every attack; ``make attack`` runs a long one."""

import numpy as np
import pytest

from tests.attack import (  # noqa: F401, registered when imported
    commands,
    files,
    fits,
    layouts,
    models,
    objects,
)
from tests.attack.kit import ATTACKS, READ, REFUSED, AttackError, attack, run, run_case

BUDGET = {
    **{"files": 500, "layouts": 300, "edge lists": 150, "round trips": 60},
    **{"models": 100, "checkpoints": 60},
    **{"classifiers": 100, "regressors": 100, "clusterers": 200, "embeddings": 200},
    **{"repairs": 100, "descriptions": 200, "vectors": 80, "commands": 40, "pages": 8},
    **{"objects": 60, "object relations": 60, "relate": 100, "graphs": 60, "splits": 60},
    **({"deep networks": 20} if "deep networks" in ATTACKS else {}),
}


@pytest.mark.parametrize("name", BUDGET)
def test_every_case_is_read_or_refused(name):
    counts = run(name, 0, BUDGET[name])
    assert counts.total() == BUDGET[name]
    assert min(counts[READ], counts[REFUSED]) > 0.01 * BUDGET[name]


def warn_of_overflow(rng, folder):
    np.float32(1e30) * np.float32(1e30)


def fail(rng, folder):
    raise ZeroDivisionError


def never_end(rng, folder):
    while True:
        pass


@pytest.mark.parametrize("wrong", [warn_of_overflow, fail, never_end])
def test_what_is_neither_ends_the_attack_with_the_case(wrong, tmp_path, monkeypatch):
    monkeypatch.setattr("tests.attack.kit.MAX_SECONDS", 0.1)
    monkeypatch.setitem(ATTACKS, "made", wrong)
    with pytest.raises(AttackError, match=r"tests.attack made --seed 3 --case 5"):
        run_case("made", 3, 5, tmp_path)


def test_a_case_can_be_run_again(tmp_path, monkeypatch):
    drawn = []
    monkeypatch.delitem(ATTACKS, "made", raising=False)
    attack("made")(lambda rng, folder: drawn.append(rng.random()))
    run("made", 1, 3)
    run("made", 1, 1, first=2)
    assert len(set(drawn)) == 3
    assert drawn[2] == drawn[3]
    del ATTACKS["made"]
