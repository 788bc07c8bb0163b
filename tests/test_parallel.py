"""Threads and processes: how many there may be, and that they end with who started them."""

import os
import signal
import subprocess
import sys
from functools import partial

import numpy as np
import pytest
from joblib import cpu_count

from relrbf.exceptions import OptionError
from relrbf.parallel import MAX_JOBS_PER_CORE, check_jobs, in_threads
from tests.waiting import PATIENCE

listen = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)  # also in a shell's background


@pytest.mark.parametrize("n_jobs", [None, 1, -1, np.int64(2), MAX_JOBS_PER_CORE * cpu_count()])
def test_as_many_jobs_as_the_machine_can_run_are_taken(n_jobs):
    check_jobs(n_jobs)


@pytest.mark.parametrize("n_jobs", [0, True, 1.5, "2", MAX_JOBS_PER_CORE * cpu_count() + 1])
def test_other_numbers_of_jobs_are_refused(n_jobs):
    with pytest.raises(OptionError, match="n_jobs is"):
        check_jobs(n_jobs)


def test_threads_take_tasks_a_few_ahead_and_yield_every_result():
    taken = []
    tasks = ((taken.append(number) or number,) for number in range(50))
    results = in_threads(lambda number: -number, tasks, 2)
    first = next(results)
    assert len(taken) <= 5
    assert sorted([first, *results]) == sorted(-number for number in range(50))


SLEEPING = """
import os, time
from joblib import delayed
from relrbf.parallel import worker_pool
def sleep(_):
    print(os.getpid(), flush=True)
    time.sleep(3600)
worker_pool(2)(delayed(sleep)(k) for k in range(2))
"""


@pytest.mark.skipif(os.name != "posix", reason="a process has another parent only there")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_processes_end_with_the_one_that_started_them(number):
    command = [sys.executable, "-c", SLEEPING]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    workers = {int(running.stdout.readline()) for _ in range(2)}
    assert len(workers) == 2
    running.send_signal(number)
    running.communicate(timeout=PATIENCE)  # returns when nobody has the other end of the pipe


COMPILED = """
from relrbf import relate
words = ["ACGT" * 100 + str(number) for number in range(2000)]
relate(words, "levenshtein", block=200, n_jobs=2, progress=lambda state: print(state, flush=True))
"""


def test_an_interrupt_under_compiled_code_in_threads_is_no_crash():
    pytest.importorskip("rapidfuzz")
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    running = subprocess.Popen([sys.executable, "-c", COMPILED], preexec_fn=listen, **pipes)
    running.stdout.readline()
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=PATIENCE)
    assert running.returncode == -signal.SIGINT
    assert said.rstrip().endswith("KeyboardInterrupt")
