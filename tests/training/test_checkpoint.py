"""Training that was stopped, or killed, continues to the very result of one that was not."""

import signal
import subprocess
import sys
from contextlib import nullcontext
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.spatial.distance import cdist
from sklearn.base import clone

from relrbf import RBFNetworkClassifier, RBFNetworkRegressor
from relrbf.exceptions import CheckpointError, CheckpointWarning, OptionError
from relrbf.training import GradientDescent, Status

KINDS = {
    "protocol": {},
    "published": {"update": "published"},
    "unstable": {"stable": False},
    "momentum": {"acceleration": "momentum"},
    "conjugate": {"acceleration": "conjugate-gradients"},
    "curvature_scaled": None,
}


def make(kind, max_iter, checkpoint=None, **options):
    given = KINDS[kind]
    build = GradientDescent.curvature_scaled if given is None else GradientDescent
    solver = build(**(given or {}), checkpoint=checkpoint, checkpoint_every=1)
    options = {"max_prototypes": 12, "tol": 0, "random_state": 3, **options}
    if given is None:
        options["max_prototypes"] = None
    return RBFNetworkClassifier(6, solver=solver, max_iter=max_iter, **options)


@pytest.fixture
def noise(rng):
    X = rng.standard_normal((80, 3))
    return cdist(X, X), rng.integers(0, 2, 80)


def assert_same(model, whole):
    """To the last bit, in everything that training leaves."""
    for name in ("weights_", "bias_", "bandwidths_"):
        assert_array_equal(getattr(model, name), getattr(whole, name))
    assert_array_equal(model.prototypes_.coefficients, whole.prototypes_.coefficients)
    assert_array_equal(model.prototypes_.distances_sq, whole.prototypes_.distances_sq)
    assert model.history_ == whole.history_
    assert model.status_ is whole.status_


class Killed(BaseException):
    """What a kill looks like from inside."""


def killed_after(epochs):
    count = [0]

    class Stop:
        def __call__(self, *args):
            count[0] += 1
            if count[0] == epochs:
                raise Killed

    return Stop()


@pytest.mark.parametrize("epochs", [1, 23, 59])
@pytest.mark.parametrize("kind", KINDS)
def test_a_kill_at_any_epoch_and_a_resume_give_the_uninterrupted_result(
    noise, tmp_path, monkeypatch, kind, epochs
):
    D, y = noise
    whole = make(kind, 60).fit(D, y)
    path = tmp_path / "state"
    with monkeypatch.context() as patch:
        stop = killed_after(epochs)
        patch.setattr("relrbf.estimators.base.progress", lambda *args: nullcontext(stop))
        with pytest.raises(Killed):
            make(kind, 60, path).fit(D, y)
    resumed = make(kind, 60, path).fit(D, y)
    assert_same(resumed, whole)
    assert resumed.n_iter_ == whole.n_iter_


@pytest.mark.parametrize("space", ["relational", "medoid", "vector"])
def test_every_space_resumes(rng, tmp_path, space):
    X, y = rng.standard_normal((50, 3)), np.arange(50) % 2
    data = X if space == "vector" else cdist(X, X)
    options = {"space": space, "metric": "euclidean" if space == "vector" else "precomputed"}
    whole = make("momentum", 60, **options).fit(data, y)
    path = tmp_path / "state"
    make("momentum", 25, path, **options).fit(data, y)
    resumed = make("momentum", 60, path, **options).fit(data, y)
    assert_array_equal(resumed.weights_, whole.weights_)
    assert resumed.history_ == whole.history_


CODE = """
import os, signal, threading, time
import numpy as np
from scipy.spatial.distance import cdist
from sklearn.base import clone
from relrbf import RBFNetworkClassifier
from relrbf.training import GradientDescent
X = np.random.default_rng(0).standard_normal((200, 3))
y = (X[:, 0] * X[:, 1] > 0).astype(int)
solver = GradientDescent(checkpoint={path!r}, checkpoint_every=5, patience=10**6)
model = RBFNetworkClassifier(8, solver=solver, max_iter={n}, tol=0, random_state=0)
def kill():
    while not os.path.exists({path!r}):
        time.sleep(0.001)
    os.kill(os.getpid(), signal.SIGKILL)
if {killed}:
    threading.Thread(target=kill, daemon=True).start()
model.fit(cdist(X, X), y)
np.save({out!r}, np.append(model.weights_.ravel(), model.history_.objective))
"""


def test_a_killed_process_continues_where_it_was(tmp_path):
    """SIGKILL, which nothing can catch, at whatever epoch it meets."""
    path, out = tmp_path / "state", tmp_path / "out.npy"
    code = partial(CODE.format, path=str(path), out=str(out), n=300)
    killed = subprocess.run([sys.executable, "-c", code(killed=True)])
    assert killed.returncode == -signal.SIGKILL
    assert not out.exists()
    code = code(killed=False)
    subprocess.run([sys.executable, "-c", code], check=True)
    resumed = np.load(out)
    path.unlink()
    subprocess.run([sys.executable, "-c", code], check=True)
    assert_array_equal(resumed, np.load(out))


def test_a_finished_checkpoint_gives_the_result_at_once(noise, tmp_path):
    D, y = noise
    solver = GradientDescent(checkpoint=tmp_path / "state", patience=5)
    model = RBFNetworkClassifier(6, solver=solver, max_iter=3000, tol=0, random_state=3)
    first = clone(model).fit(D, y)
    assert first.status_ is Status.VALIDATION
    assert_same(model.fit(D, y), first)


def test_a_checkpoint_that_went_further_than_asked_is_refused(noise, tmp_path):
    D, y = noise
    make("protocol", 20, tmp_path / "state").fit(D, y)
    with pytest.raises(CheckpointError, match="holds 20 epochs of training, and max_iter is 10"):
        make("protocol", 10, tmp_path / "state").fit(D, y)


def test_a_folder_that_is_gone_is_an_error_that_says_so(noise, tmp_path):
    D, y = noise
    folder = tmp_path / "folder"
    folder.mkdir()
    model = make("protocol", 5, folder / "state")
    folder.rmdir()
    with pytest.raises(CheckpointError, match="lies in a folder that does not exist"):
        model.fit(D, y)


def test_a_checkpoint_that_cannot_be_written_costs_no_training(noise, tmp_path, monkeypatch):
    D, y = noise

    def full(*args, **options):
        raise OSError("No space left on device")

    monkeypatch.setattr("relrbf.training.checkpoint.replacing", full)
    with pytest.warns(CheckpointWarning, match="could not be written .No space left") as caught:
        model = make("protocol", 5, tmp_path / "state").fit(D, y)
    assert_same(model, make("protocol", 5).fit(D, y))
    assert caught[0].filename == __file__


def test_no_file_but_the_checkpoint_is_left(noise, tmp_path):
    """Also where a kill in the middle of a write had left one."""
    D, y = noise
    (tmp_path / ".state.abc.part").write_bytes(b"half of a")
    make("protocol", 5, tmp_path / "state").fit(D, y)
    assert [path.name for path in tmp_path.iterdir()] == ["state"]


def test_a_checkpoint_can_be_trained_further(noise, tmp_path):
    D, y = noise
    make("protocol", 20, tmp_path / "state").fit(D, y)
    assert_same(make("protocol", 50, tmp_path / "state").fit(D, y), make("protocol", 50).fit(D, y))


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"kernel": "multiquadric"}, "kernel"),
        ({"random_state": 4}, "first bandwidths"),
        ({"max_prototypes": 13}, "max_prototypes"),
        ({"alpha": 1.0}, "alpha"),
        ({"tol": 1e-3}, "tol"),
        ({"loss": "cross-entropy"}, "loss"),
        ({"space": "medoid"}, "space"),
    ],
)
def test_a_checkpoint_of_another_model_is_refused_and_kept(noise, tmp_path, change, named):
    D, y = noise
    path = tmp_path / "state"
    make("protocol", 5, path).fit(D, y)
    kept = path.read_bytes()
    with pytest.raises(CheckpointError, match=f"belongs to another training: .*{named}"):
        make("protocol", 5, path, **change).fit(D, y)
    assert path.read_bytes() == kept


def test_a_checkpoint_of_other_data_is_refused(noise, tmp_path):
    D, y = noise
    path = tmp_path / "state"
    make("protocol", 5, path).fit(D, y)
    bent = D.copy()
    bent[3, 7] = bent[7, 3] = 1.01 * D[3, 7]
    for data, labels in ((bent, y), (D, 1 - y), (D[:70, :70], y[:70])):
        with pytest.raises(CheckpointError, match="belongs to another training"):
            make("protocol", 5, path).fit(data, labels)
    with pytest.raises(CheckpointError, match="another acceleration"):
        make("momentum", 5, path).fit(D, y)


@pytest.mark.parametrize("damage", ["cut", "flip", "text", "empty", "npy", "keys"])
def test_a_damaged_checkpoint_is_refused_and_kept(noise, tmp_path, damage):
    D, y = noise
    path = tmp_path / "state"
    make("protocol", 5, path).fit(D, y)
    whole = path.read_bytes()
    if damage == "npy":
        with open(path, "wb") as file:
            np.save(file, np.arange(3))
    elif damage == "keys":
        with open(path, "wb") as file:
            np.savez(file, something=np.arange(3))
    else:
        middle = len(whole) // 2
        flipped = whole[:middle] + bytes([whole[middle] ^ 255]) + whole[middle + 1 :]
        texts = {"cut": whole[:middle], "flip": flipped, "text": b"weights,1,2\n", "empty": b""}
        path.write_bytes(texts[damage])
    kept = path.read_bytes()
    with pytest.raises(CheckpointError, match="is damaged, or no checkpoint"):
        make("protocol", 5, path).fit(D, y)
    assert path.read_bytes() == kept


@pytest.mark.parametrize("kind", KINDS)
def test_warm_start_continues_as_one_long_fit(noise, kind):
    D, y = noise
    model = make(kind, 40, warm_start=True).fit(D, y)
    model.fit(D, y)
    assert model.n_iter_ == 40
    assert_same(model, make(kind, 80).fit(D, y))


def test_warm_starts_and_a_checkpoint_go_together(noise, tmp_path):
    D, y = noise
    model = make("protocol", 20, tmp_path / "state", warm_start=True).fit(D, y).fit(D, y)
    assert_same(model, make("protocol", 40).fit(D, y))
    resumed = make("protocol", 60, tmp_path / "state").fit(D, y)  # 60 more than the first 20
    assert_same(resumed, make("protocol", 80).fit(D, y))


def test_warm_start_without_a_seed_keeps_its_validation_part(noise):
    D, y = noise
    model = make("protocol", 10, warm_start=True, random_state=None).fit(D, y)
    first = model.history_.validation_error
    assert model.fit(D, y).history_.validation_error[:11] == first


def test_warm_start_of_regression(noise):
    D, y = noise
    targets = D[:, 0] + y
    options = {"tol": 0, "random_state": 0}
    model = RBFNetworkRegressor(5, max_iter=15, warm_start=True, **options)
    model.fit(D, targets).fit(D, targets)
    whole = RBFNetworkRegressor(5, max_iter=30, **options).fit(D, targets)
    assert_array_equal(model.predict(D), whole.predict(D))


def test_warm_start_refuses_another_problem_and_loses_nothing(noise):
    D, y = noise
    model = make("protocol", 10, warm_start=True).fit(D, y)
    before = model.decision_function(D)
    with pytest.raises(OptionError, match=r"warm_start=True goes on .* another y"):
        model.fit(D, 1 - y)
    with pytest.raises(OptionError, match="another sample_weight"):
        model.fit(D, y, sample_weight=np.arange(1, 81))
    with pytest.raises(OptionError, match="another sample_weight"):
        model.fit(D, y, sample_weight=np.full(80, 2.0))
    with pytest.raises(OptionError, match="another X"):
        model.fit(D[:70, :70], y[:70])
    shuffled = np.roll(np.arange(80), 1)
    with pytest.raises(OptionError, match="another X"):
        model.fit(D[np.ix_(shuffled, shuffled)], y)
    for name, value in {
        "kernel": "multiquadric",
        "alpha": 1.0,
        "n_prototypes": 7,
        "init": "class",
        "loss": "cross-entropy",
        "class_weight": "balanced",
        "solver": GradientDescent(checkpoint_every=1, patience=31),
    }.items():
        kept = model.get_params()[name]
        with pytest.raises(OptionError, match=f"another {name}"):
            model.set_params(**{name: value}).fit(D, y)
        model.set_params(**{name: kept})
    model.set_params(solver=GradientDescent(checkpoint_every=1))  # another object, the same options
    assert_array_equal(model.decision_function(D), before)
    assert_same(model.fit(D, y), make("protocol", 20).fit(D, y))


def test_what_had_ended_gets_a_new_chance_by_warm_start(noise):
    D, y = noise
    solver = GradientDescent(patience=5)
    model = RBFNetworkClassifier(
        6, solver=solver, max_iter=3000, tol=0, random_state=3, warm_start=True
    ).fit(D, y)
    assert model.status_ is Status.VALIDATION
    assert model.fit(D, y).n_iter_ >= 5


def test_without_warm_start_nothing_of_training_is_kept(noise):
    D, y = noise
    assert not hasattr(make("protocol", 2).fit(D, y), "_last_fit")
    assert not hasattr(make("protocol", 2, warm_start=True).fit(D, y).compact(), "_last_fit")
