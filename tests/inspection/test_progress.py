"""Progress, stopping, interrupting."""

import time
import tracemalloc

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from relrbf import inspect_relation
from relrbf.inspection import spectrum, triangles
from relrbf.inspection.report import StepProgress
from relrbf.relations import DenseRelation, blocks

STEPS = [
    "reading the entries",
    "looking for duplicates",
    "computing the spectrum for exponent 2",
    "computing the spectrum for exponent 1",
    "measuring the dimension",
    "comparing with the labels",
    "looking at every triangle",
]


@pytest.fixture
def noisy(rng):
    X = rng.standard_normal((60, 3))
    return cdist(X, X) ** 1.5, np.arange(60) % 2


def test_every_step_is_told_from_none_to_all(noisy):
    told = []
    inspect_relation(*noisy, progress=lambda what, done: told.append((what, done)))
    assert list(dict.fromkeys(what for what, _ in told)) == STEPS
    assert all(0 <= done <= 1 for _, done in told)
    for step in STEPS:
        shares = [done for what, done in told if what == step]
        assert shares[0] == 0
        assert shares == sorted(shares)
    assert told[-1] == (STEPS[-1], 1)


def test_progress_changes_nothing(noisy):
    told = inspect_relation(*noisy, progress=lambda what, done: None)
    assert str(told) == str(inspect_relation(*noisy))


KNOWN_AFTER = [
    ("is_symmetric", 0),
    ("n_duplicate_objects", 1),
    ("suggested_exponent", 3),
    ("intrinsic_dimension", 4),
    ("neighbour_error", 5),
    ("triangle_violation_fraction", 6),
]


@pytest.mark.parametrize("step", range(len(STEPS)))
def test_what_was_found_before_the_stop_is_kept(noisy, step):
    report = inspect_relation(*noisy, progress=lambda what, _: what == STEPS[step])
    assert report.stopped_at == STEPS[step]
    assert str(report).endswith(f"stopped while {STEPS[step]}; the rest is not known.")
    assert report.class_counts == {0: 30, 1: 30}
    for name, found_in in KNOWN_AFTER:
        assert (getattr(report, name) is not None) == (found_in < step)
    assert (report.negative_eigenfraction[2] is not None) == (step > 2)
    assert report.is_relation is (None if step == 0 else True)
    assert report.is_metric is None


def test_a_stop_amid_the_triangles_leaves_the_other_blocks_alone(noisy, monkeypatch):
    monkeypatch.setattr(triangles, "ROWS_AT_ONCE", 4)
    told = []

    def stop(what, done):
        told.append(done)
        return what == STEPS[-1] and done > 0

    report = inspect_relation(noisy[0], progress=stop)
    assert report.stopped_at == STEPS[-1]
    assert report.triangle_violation_fraction is None
    assert 0 < told[-1] < 0.1


@pytest.mark.parametrize("max_exact", [10, 3000])
def test_an_interrupt_passes_through(noisy, monkeypatch, max_exact):
    def interrupt(what, done):
        if done > 0:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        inspect_relation(noisy[0], max_exact=max_exact, progress=interrupt)
    assert not hasattr(blocks._MINE, "pool")


def test_products_are_told_too(noisy):
    told = []

    def stop(what, done):
        told.append((what, done))
        return done > 0.9 and "spectrum" in what

    report = inspect_relation(noisy[0], max_exact=10, progress=stop)
    assert report.stopped_at == STEPS[2]
    assert len([1 for what, _ in told if what == STEPS[2]]) > 50


def test_progress_is_told_during_a_long_call(monkeypatch):
    told = []
    progress = StepProgress(lambda what, done: told.append(done))
    monkeypatch.setattr("relrbf.inspection.report.SECONDS_BETWEEN_REPORTS", 0.01)

    def long_call():
        while len(told) < 3:
            time.sleep(0.01)
        return 7

    assert progress.wait_for(long_call, 0.5) == 7
    with pytest.raises(ZeroDivisionError):
        progress.wait_for(lambda: 1 / 0, 0.5)


def test_a_stop_does_not_wait_for_a_decomposition(noisy, monkeypatch):
    monkeypatch.setattr(spectrum, "weighted_spectrum", lambda *a: time.sleep(30))
    monkeypatch.setattr("relrbf.inspection.report.SECONDS_BETWEEN_REPORTS", 0.01)
    report = inspect_relation(noisy[0], progress=lambda what, done: done == 0.5)
    assert report.stopped_at == STEPS[2]


def test_blocks_not_begun_are_dropped_when_one_asks_to_stop(monkeypatch):
    monkeypatch.setattr(blocks, "_controller", TwoThreads)
    begun = []

    def fill(block):
        begun.append(block)
        time.sleep(0.01)

    def stop(done):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        blocks.for_each_block(fill, range(5000), stop)
    assert len(begun) < 5000


def test_shares_are_told_in_the_callers_thread_whatever_the_threads(monkeypatch):
    monkeypatch.setattr(blocks, "_controller", TwoThreads)
    told = []
    blocks.for_each_block(lambda block: None, range(4), told.append)
    assert told == [0.25, 0.5, 0.75, 1]


class TwoThreads:
    """BLAS of two threads, wherever the tests run."""

    def info(self):
        return [{"num_threads": 2}]

    def limit(self, limits):
        from contextlib import nullcontext

        return nullcontext()


def test_on_two_threads_the_findings_are_the_same(noisy, monkeypatch):
    alone = inspect_relation(*noisy)
    monkeypatch.setattr(blocks, "_controller", TwoThreads)
    monkeypatch.setattr(triangles, "ROWS_AT_ONCE", 7)
    assert str(inspect_relation(*noisy)) == str(alone)


def test_memory_stays_at_a_few_blocks(rng, monkeypatch):
    monkeypatch.setattr(triangles, "N_SAMPLED_TRIPLES", 10_000)
    X = rng.standard_normal((2500, 3)).astype(np.float32)
    D = cdist(X, X).astype(np.float32)
    inspect_relation(D[:60, :60])  # what is imported by then is not counted
    tracemalloc.start()
    inspect_relation(DenseRelation(D), np.arange(2500) % 2, max_exact=100)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.5 * D.nbytes
