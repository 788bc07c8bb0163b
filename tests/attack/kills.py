"""Kills at random moments: what is written is whole, what was begun goes on, nothing is left."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp

import numpy as np
from scipy.spatial.distance import cdist

from relrbf.io import save_matrix, save_rows
from tests.waiting import PATIENCE

ROOT = Path(__file__).parents[2]
SECONDS_TO_END = 5.0  # for all processes of a job that was killed
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
COMMAND = "import sys\nfrom relrbf.cli.main import run\nsys.argv[1:] = {words}.split()\nrun()"
RELATE = "relate words.csv --measure levenshtein -o D.npy --jobs 2 --block 50 --quiet"
# Python's own Ctrl-C within the start of a compiled module of another library can abort; the
# system's ends the process at once.
IMPORTS = """
import signal
signal.signal(signal.SIGINT, signal.SIG_DFL)
import scipy.fft, scipy.optimize, scipy.spatial.distance, sklearn.metrics
import relrbf.estimators
signal.signal(signal.SIGINT, signal.default_int_handler)
"""
PROCESSES = """
from relrbf import relate
from tests.attack.kills import apart
relate([[float(i)] for i in range(60)], apart, "D.zarr", ids=range(60), n_jobs=2, block=6)
"""
CHECKPOINTS = """
import numpy as np
import relrbf
from relrbf.training import GradientDescent
solver = GradientDescent(checkpoint="state", checkpoint_every=1, patience=10**6)
model = relrbf.RBFNetworkClassifier(6, solver=solver, max_iter=150, tol=0, random_state=0)
D = relrbf.io.load_matrix("D.csv").relation()
relrbf.save(model.fit(D, np.arange(len(D)) % 2), "model.relrbf")
"""
REPORT = "fit D.csv y.csv -o model.relrbf --report page.html --folds 2 --jobs 2 --quiet"
SAVE = """
import numpy as np
import relrbf
D = relrbf.io.load_matrix("D.csv").relation()
model = relrbf.RBFNetworkClassifier(3, max_iter=3, random_state=0).fit(D, np.arange(len(D)) % 2)
for _ in range(40):
    relrbf.save(model, "model.relrbf")
    relrbf.io.save_matrix("copy.npy", D.block(), D.ids)
    relrbf.io.save_matrix("copy.zarr", D.block(), D.ids)
    relrbf.io.save_matrix("copy.csv", D.block(), D.ids)
"""
STUDY = """
import signal
from study import DataSet, Design, run
from tests.study import made
signal.signal(signal.SIGTERM, signal.default_int_handler)  # as python -m study has it
data = DataSet("vectors", made.vectors, 4, 8, max_iter=40)
run(Design([data], ["graph", "knn"], repetitions=4), ".", n_jobs=2)
"""


def apart(a, b):
    time.sleep(0.0003)
    return abs(a[0] - b[0])


@dataclass(frozen=True)
class Job:
    """Code to run in a folder; logs are files that need not be whole before it is done."""

    code: str
    logs: tuple[str, ...] = ()


JOBS = {
    "relate": Job(COMMAND.format(words=repr(RELATE)), ("D.npy.part", "D.npy.progress")),
    "processes": Job(IMPORTS + PROCESSES, ("D.zarr.part", "D.zarr.progress")),
    "checkpoints": Job(IMPORTS + CHECKPOINTS, ("state",)),
    "report": Job(COMMAND.format(words=repr(REPORT))),
    "save": Job(IMPORTS + SAVE),
    "study": Job(IMPORTS + STUDY, ("rows.jsonl",)),
}


@cache
def inputs():
    """Return a folder with the files that the jobs read."""
    folder, rng = Path(mkdtemp(prefix="relrbf-kills-")), np.random.default_rng(0)
    X = rng.standard_normal((80, 3))
    names = [f"o{i}" for i in range(80)]
    save_matrix(folder / "D.csv", cdist(X, X), names)
    labels = np.where(X[:, 0] > 0, "a", "b").tolist()
    save_rows(folder / "y.csv", ["id", "label"], zip(names, labels, strict=True))
    words = ["".join(rng.choice(list("ACGT"), 400)) for _ in range(600)]
    (folder / "words.csv").write_text("\n".join(["word", *words]))
    return folder


@cache
def reference(name):
    """Return the files that a job writes when nothing happens to it, and how long it takes."""
    with TemporaryDirectory() as folder:
        prepare(Path(folder))
        began = time.monotonic()
        done = start(name, Path(folder))
        said = said_at_end(done)
        assert done.returncode == 0, f"{name}: {said}"
        return written(Path(folder), JOBS[name].logs), time.monotonic() - began


def prepare(folder):
    shutil.copytree(inputs(), folder, dirs_exist_ok=True)
    (folder / "tmp").mkdir()


def start(name, folder):
    """Start a job in a session of its own, with its temporary files in a folder of their own."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
        "TMPDIR": str(folder / "tmp"),
        "JOBLIB_TEMP_FOLDER": str(folder / "tmp"),
    }
    return subprocess.Popen(
        [sys.executable, "-c", JOBS[name].code],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        # where the tests run in the background, Ctrl-C is ignored, and this is inherited
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def said_at_end(running):
    """Return what a job printed as errors; one that does not end is killed, and fails."""
    try:
        return running.communicate(timeout=PATIENCE)[1].decode()
    except subprocess.TimeoutExpired:
        os.killpg(running.pid, signal.SIGKILL)
        raise AssertionError(f"it has not ended in {PATIENCE} seconds") from None


def written(folder, logs=()):
    """Return what is in a folder, by path; of logs only that they are there."""
    own = {path.name for path in inputs().iterdir()}
    found = {}
    for path in sorted(folder.rglob("*")):
        top = path.relative_to(folder).parts[0]
        if path.is_file() and top not in own:
            found[str(path.relative_to(folder))] = b"" if top in logs else content(path)
    return found


def content(path):
    """Return the bytes of a file, without the date of a page and the seconds of the study."""
    if path.suffix == ".html":
        return re.sub(rb"\d{4}-\d\d-\d\d \d\d:\d\d", b"", path.read_bytes())
    if path.name != "results.csv":
        return path.read_bytes()
    header, *rows = (line.split(",") for line in path.read_text().splitlines())
    return [row[: header.index("seconds")] for row in rows]


def alive(session):
    """Return the processes of a session that have not ended."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, _, of = path.read_text().rpartition(")")[2].split()[:4]
        except OSError:
            continue
        if int(of) == session and state != "Z":
            found.append(int(path.parent.name))
    return found


def kill_once(rng, folder, name=None, seconds=SECONDS_TO_END):
    """Kill a job at some moment, look at what is there, and let it go on to the same end."""
    name = name or list(JOBS)[rng.integers(len(JOBS))]
    number, to_all = SIGNALS[rng.integers(len(SIGNALS))], rng.random() < 0.5
    whole, duration = reference(name)
    prepare(folder)
    running = start(name, folder)
    time.sleep(rng.uniform(0, duration))
    (os.killpg if to_all else os.kill)(running.pid, number)
    killed = time.monotonic()
    while alive(running.pid) and time.monotonic() < killed + seconds:
        running.poll()
        time.sleep(0.02)
    what = f"{name}, {number.name}{' to all' if to_all else ''}"
    left = alive(running.pid)
    for process in left:
        os.kill(process, signal.SIGKILL)
    assert not left, f"{what}: processes are left"
    said = said_at_end(running)
    assert running.returncode != -signal.SIGABRT, f"{what}: {said}"
    if running.returncode == 128 + number:  # by a command
        assert said == "relrbf: stopped\n", f"{what}: {said}"
    for path, bytes_found in written(folder, JOBS[name].logs).items():
        if path in whole:
            assert bytes_found == whole[path], f"{what}: {path}"
    if written(folder, JOBS[name].logs) != whole:
        again = start(name, folder)
        said = said_at_end(again)
        assert again.returncode == 0, f"{what}: {said}"
    found = written(folder, JOBS[name].logs)
    assert found.keys() == whole.keys(), f"{what}: {sorted(found.keys() ^ whole.keys())}"
    assert found == whole, f"{what}: {[path for path in whole if found[path] != whole[path]]}"
    return name, number.name


def attack_kills(seed, seconds):
    """Kill jobs until the time is over; print how many of each by each signal, and what failed."""
    counts, n_failures, end = Counter(), 0, time.monotonic() + seconds
    while time.monotonic() < end:
        rng = np.random.default_rng([seed, counts.total() + n_failures])
        with TemporaryDirectory() as folder:
            try:
                counts[" by ".join(kill_once(rng, Path(folder)))] += 1
            except AssertionError as error:
                n_failures += 1
                print(error, flush=True)
    text = ", ".join(f"{what} {n}" for what, n in sorted(counts.items()))
    print(f"{counts.total()} kills: {text}; {n_failures} failures", flush=True)
    return n_failures == 0
