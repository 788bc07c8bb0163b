"""A computation that was killed, stopped or damaged goes on to the same bits."""

import json
import os
import signal
import subprocess
import sys
from functools import partial
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from relrbf.exceptions import RelationError, RelationWarning
from relrbf.io import load_matrix, save_matrix
from relrbf.measures import relate
from relrbf.measures.storage import fingerprint_function, fingerprint_objects
from relrbf.relations.on_disk import ids_path
from tests.measures import slow
from tests.waiting import wait_until

MODULE = import_module("relrbf.measures.relate")
N = slow.N_OBJECTS
STOP = 9  # blocks after which a run is stopped


class StoppedError(Exception):
    pass


def stop_after(n_blocks):
    seen = []

    def count(progress):
        seen.append(progress)
        if len(seen) == n_blocks:
            raise StoppedError

    return count


def begun(path, measure=slow.gap, **options):
    """Begin, and stop after some blocks."""
    with pytest.raises(StoppedError):
        relate(slow.OBJECTS, measure, path, block=5, progress=stop_after(STOP), **options)
    return path


def whole(dtype=None):
    return relate(slow.OBJECTS, slow.gap, block=5, dtype=dtype)


@pytest.fixture(params=["npy", "zarr"])
def path(request, tmp_path):
    if request.param == "zarr":
        pytest.importorskip("zarr")
    return tmp_path / f"D.{request.param}"


def test_after_a_kill_the_same_call_gives_the_same_bits(path):
    script = [sys.executable, slow.__file__, str(path)]
    process = subprocess.Popen([*script, "200"])  # pairs, then it waits
    log = path.with_name(path.name + ".progress")
    wait_until(lambda: log.exists() and log.read_bytes().count(b"\n") >= 4, process)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert not path.exists()
    n_before = log.read_bytes().count(b"\n") - 1
    assert 0 < n_before < 36
    subprocess.run([*script, "100000"], check=True)
    assert (np.asarray(relation_at(path)) == relate(slow.OBJECTS, slow.slow_gap, block=5)).all()
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def relation_at(path):
    if path.suffix == ".npy":
        return np.load(path)
    return pytest.importorskip("zarr").open_array(str(path), mode="r")[:]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_only_what_is_missing_is_computed(path, dtype):
    begun(path, dtype=dtype)
    assert not path.exists()
    seen = []
    D = relate(slow.OBJECTS, slow.gap, path, block=5, dtype=dtype, progress=seen.append)
    assert len(seen) == 36 - STOP
    assert seen[0].n_done > 20 * STOP  # the earlier run's count
    assert (np.asarray(D) == whole(dtype)).all()


def test_other_workers_may_go_on(path):
    begun(path)
    D = relate(slow.OBJECTS, slow.gap, path, block=5, n_jobs=2, backend="threads")
    assert (np.asarray(D) == whole()).all()


def test_a_measure_that_raises_loses_nothing(path, tmp_path_factory):
    broken = tmp_path_factory.mktemp("flag") / "broken"
    broken.touch()
    place = str(broken)

    def sometimes(x, y):
        if os.path.exists(place) and slow.OBJECTS[20] in (x, y):
            raise MemoryError("full")
        return slow.gap(x, y)

    with pytest.raises(RelationError, match=r"MemoryError: full .*object \d+ and object 20"):
        relate(slow.OBJECTS, sometimes, path, block=5, n_jobs=2, backend="threads")
    broken.unlink()
    seen = []
    D = relate(slow.OBJECTS, sometimes, path, block=5, progress=seen.append)
    assert len(seen) < 36
    assert (np.asarray(D) == whole()).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"measure": slow.slow_gap}, "begun with another measure;"),
        ({"measure": "cityblock", "objects": np.array(slow.OBJECTS)[:, None]}, "another objects"),
        ({"objects": slow.OBJECTS[::-1]}, "begun with another objects;"),
        ({"objects": slow.OBJECTS[1:]}, "another number of objects and another objects"),
        ({"dtype": "float32"}, "another dtype"),
        ({"block": 6}, "another block"),
        ({"measure": partial(slow.slow_gap, pause=0)}, "another measure"),
    ],
)
def test_another_computation_is_refused_and_overwrites_nothing(tmp_path, change, message):
    path = begun(tmp_path / "D.npy")
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    options = {"objects": slow.OBJECTS, "measure": slow.gap, "block": 5} | change
    with pytest.raises(RelationError, match=message):
        relate(options.pop("objects"), options.pop("measure"), path, **options)
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_another_computation_may_begin_anew(path):
    begun(path)
    D = relate(slow.OBJECTS[:9], slow.gap, path, resume=False)
    assert (np.asarray(D) == whole()[:9, :9]).all()


def test_a_run_that_computed_nothing_stands_in_nobodys_way(path):
    with pytest.raises(RelationError, match="ZeroDivisionError"):
        relate(slow.OBJECTS, lambda x, y: 1 / 0, path, block=5)
    D = relate(slow.OBJECTS, slow.gap, path, block=5)
    assert (np.asarray(D) == whole()).all()


def test_names_go_with_the_matrix_that_is_replaced(tmp_path):
    path, names = tmp_path / "D.npy", tmp_path / "D.ids.txt"
    relate([1, 2], slow.gap, path)
    relate([1, 2], slow.gap, path, ids=["a", "b"], resume=False)
    assert names.read_text() == "a\nb\n"
    relate([1, 2, 3], slow.gap, path, resume=False)
    assert not names.exists()


def test_who_may_read_a_matrix_and_its_names_stays_the_same_when_it_is_replaced(path):
    relate([1, 2], slow.gap, path, ids=["a", "b"])
    modes = {path: 0o700, ids_path(path): 0o600}
    for file, mode in modes.items():
        file.chmod(mode)
    relate([3, 5], slow.gap, path, ids=["c", "d"], resume=False)
    assert {file: file.stat().st_mode & 0o777 for file in modes} == modes


@pytest.mark.parametrize("ids", [None, ["a", "b"]])
def test_a_list_of_names_that_is_not_of_the_matrix_is_neither_replaced_nor_taken_over(
    tmp_path, ids
):
    names = tmp_path / "D.ids.txt"
    names.write_text("not ours\n")
    with pytest.raises(RelationError, match=r"D.ids.txt names other objects, .* of D.npy"):
        relate([1, 2], slow.gap, tmp_path / "D.npy", ids=ids)
    assert names.read_text() == "not ours\n"
    assert list(tmp_path.iterdir()) == [names]


@pytest.mark.parametrize("step", ["remove_older", "replacing", "finish"])
def test_a_kill_while_a_matrix_is_replaced_leaves_no_matrix_with_other_names(
    path, step, monkeypatch
):
    def killed(*_):
        raise StoppedError

    relate([1, 2], slow.gap, path, ids=["a", "b"])
    with monkeypatch.context() as patch:
        patch.setattr(MODULE if step == "replacing" else MODULE.MatrixStore, step, killed)
        with pytest.raises(StoppedError):
            relate([3, 5], slow.gap, path, ids=["c", "d"], resume=False)
    list_of_names = ids_path(path)
    if path.exists():
        assert relation_at(path)[0, 1] == slow.gap(1, 2)
        assert not list_of_names.exists()
    relate([3, 5], slow.gap, path, ids=["c", "d"])
    assert list_of_names.read_text().split() == ["c", "d"]
    assert {file.name for file in path.parent.iterdir()} == {path.name, list_of_names.name}


def test_a_whole_file_is_not_computed_again_unless_asked(path):
    relate(slow.OBJECTS, slow.gap, path)
    with pytest.raises(RelationError, match="exists already"):
        relate(slow.OBJECTS, slow.gap, path)
    D = relate(slow.OBJECTS[:4], slow.gap, path, resume=False)
    assert D.n_objects == 4


def test_until_it_is_replaced_a_whole_file_stays(tmp_path):
    path = tmp_path / "D.npy"
    relate(slow.OBJECTS[:4], slow.gap, path)
    begun(path, resume=False)
    assert np.load(path).shape == (4, 4)
    relate(slow.OBJECTS, slow.gap, path, block=5)
    assert (np.load(path) == whole()).all()


@pytest.mark.parametrize("harm", ["cut", "zeroed", "header"])
def test_damage_is_noticed_and_computed_again(tmp_path, harm):
    path = begun(tmp_path / "D.npy")
    part = Path(f"{path}.part")
    content = part.read_bytes()
    if harm == "cut":
        part.write_bytes(content[: 128 + 8 * N * 12])
    elif harm == "zeroed":
        part.write_bytes(content[:128] + bytes(8 * N) + content[128 + 8 * N :])
    else:
        part.write_bytes(b"x" * 128 + content[128:])
    if harm == "header":  # known anyway
        D = relate(slow.OBJECTS, slow.gap, path, block=5)
    else:
        with pytest.warns(RelationWarning, match=r"\d of 9 blocks .* damaged; .* again"):
            D = relate(slow.OBJECTS, slow.gap, path, block=5)
    assert (np.asarray(D) == whole()).all()


def test_a_zarr_chunk_that_is_cut_is_noticed_and_computed_again(tmp_path):
    pytest.importorskip("zarr")
    path = begun(tmp_path / "D.zarr")
    chunks = sorted(file for file in Path(f"{path}.part", "c").rglob("*") if file.is_file())
    chunks[0].write_bytes(chunks[0].read_bytes()[:-7])
    chunks[3].unlink()
    with pytest.warns(RelationWarning, match="2 of 9 blocks"):
        D = relate(slow.OBJECTS, slow.gap, path, block=5)
    assert (np.asarray(D) == whole()).all()


def test_what_a_kill_left_of_a_chunk_is_removed(tmp_path):
    pytest.importorskip("zarr")
    path = begun(tmp_path / "D.zarr")
    Path(f"{path}.part", "c", "0", "0.123.partial").write_bytes(b"half")
    relate(slow.OBJECTS, slow.gap, path, block=5)
    assert not list(path.rglob("*.partial"))


def test_a_part_that_was_removed_is_begun_anew(path):
    begun(path)
    part = Path(f"{path}.part")
    part.rename(path.parent / "elsewhere")
    D = relate(slow.OBJECTS, slow.gap, path, block=5)
    assert (np.asarray(D) == whole()).all()


def test_a_log_line_that_was_cut_off_does_not_count(tmp_path):
    path = begun(tmp_path / "D.npy")
    log = Path(f"{path}.progress")
    log.write_bytes(log.read_bytes()[:-5])
    seen = []
    D = relate(slow.OBJECTS, slow.gap, path, block=5, progress=seen.append)
    assert len(seen) == 36 - STOP + 1
    assert (np.asarray(D) == whole()).all()


def test_a_log_without_a_first_line_is_refused(tmp_path):
    path = begun(tmp_path / "D.npy")
    log = Path(f"{path}.progress")
    log.write_bytes(b"{x" + log.read_bytes())
    with pytest.raises(RelationError, match=r"D.npy.progress is damaged.*resume=False"):
        relate(slow.OBJECTS, slow.gap, path, block=5)


@pytest.mark.skipif(os.name != "posix", reason="there is no lock elsewhere")
def test_two_runs_do_not_write_to_one_file(tmp_path):
    path = tmp_path / "D.npy"

    def meddle(progress):
        with pytest.raises(RelationError, match="by another run"):
            relate(slow.OBJECTS, slow.gap, path, block=5)
        with pytest.raises(RelationError, match="by another run"):
            relate(slow.OBJECTS, slow.gap, path, block=5, resume=False)

    D = relate(slow.OBJECTS, slow.gap, path, block=5, progress=meddle)
    assert (np.asarray(D) == whole()).all()


@pytest.mark.skipif(not hasattr(os, "posix_fallocate"), reason="space is reserved by writing")
def test_a_full_disk_is_said_before_anything_is_computed(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    path = begun(tmp_path / "D.npy")
    with monkeypatch.context() as patch:
        patch.setattr(os, "posix_fallocate", full)
        with pytest.raises(OSError, match="No space left"):
            relate(slow.OBJECTS, slow.gap, path, block=5)
    assert (np.asarray(relate(slow.OBJECTS, slow.gap, path, block=5)) == whole()).all()


def test_space_is_reserved_where_the_system_cannot_promise_it(tmp_path, monkeypatch):
    monkeypatch.delattr(os, "posix_fallocate", raising=False)
    path = begun(tmp_path / "D.npy")
    assert Path(f"{path}.part").stat().st_size == 128 + 8 * N * N
    assert (np.asarray(relate(slow.OBJECTS, slow.gap, path, block=5)) == whole()).all()


def test_objects_that_cannot_be_recognised_can_still_be_related(tmp_path):
    objects = [(i for i in range(3)), (i for i in range(4))]

    def apart(a, b):
        return 0.0 if a is b else 1.0

    assert relate(objects, apart)[0, 1] == 1
    with pytest.raises(RelationError, match=r"objects\[0\] cannot be recognised after a kill"):
        relate(objects, apart, tmp_path / "D.npy")
    assert not list(tmp_path.iterdir())


FINGERPRINTS = """
import json
from functools import partial
from relrbf.measures.storage import fingerprint_function, fingerprint_objects
def near(a, b): return 0.5 if a in {"one", "two", "three"} else 1.0
class Scaled:
    def __init__(self, by): self.by = by
    def __call__(self, a, b): return self.by
    def method(self, a, b): return self.by
sets = [frozenset({"one", "two", "three"}), {"one", "two"}, {"b": 1, "a": {"x", "y", "z"}}]
functions = [near, partial(near, b=3), Scaled(2), Scaled(2).method, max]
prints = [fingerprint_objects(sets), *map(fingerprint_function, functions)]
print(json.dumps(prints))
"""


def test_fingerprints_are_the_same_in_another_run():
    runs = [
        subprocess.run(
            [sys.executable, "-c", FINGERPRINTS],
            env=os.environ | {"PYTHONHASHSEED": str(seed)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in (1, 2)
    ]
    assert runs[0] == runs[1]
    assert len(set(json.loads(runs[0]))) == 6


def test_fingerprints_tell_functions_apart():
    def scaled(by):
        return lambda a, b: by * abs(a - b)

    class Callable:
        def __init__(self, by):
            self.by = by

        def __call__(self, a, b):
            return self.by

        def method(self, a, b):
            return self.by

    functions = [
        scaled(1),
        scaled(2),
        lambda a, b: 1,
        lambda a, b: 2,
        lambda a, b, c=1: c,
        lambda a, b, c=2: c,
        lambda a, b, *, c=2: c,
        partial(scaled(1), b=1),
        partial(scaled(1), b=2),
        Callable(1),
        Callable(2),
        Callable(1).method,
        Callable(2).method,
        max,
        min,
    ]
    assert len({fingerprint_function(each) for each in functions}) == len(functions)


def test_fingerprints_tell_objects_apart():
    lists = [["a", "b"], ["ab"], ["b", "a"], [1, 2], ["1", "2"], [b"a", b"b"], [["a"], ["b"]]]
    arrays = [np.arange(4.0), np.arange(4), np.arange(4.0).reshape(2, 2)]
    assert len({fingerprint_objects(each) for each in [*lists, *arrays]}) == 10


# What relate has not written.


def test_names_of_columns_go_with_the_matrix_that_is_replaced(tmp_path):
    path = tmp_path / "T.npy"
    save_matrix(path, [[0.0, 1.0]], ["a"], ["b", "c"])
    relate([1, 2], slow.gap, path, ids=["b", "d"], resume=False)
    assert load_matrix(path).column_ids.tolist() == ["b", "d"]
    assert {file.name for file in tmp_path.iterdir()} == {"T.npy", "T.ids.txt"}


@pytest.mark.parametrize("name", ["", ".part", ".progress"])
@pytest.mark.parametrize("resume", [True, False])
def test_a_folder_that_is_no_matrix_is_not_deleted(path, name, resume):
    folder = path.with_name(path.name + name)
    (folder / "c").mkdir(parents=True)
    (folder / "zarr.json").write_text("{}")
    (folder / "c" / "thesis.txt").write_text("precious")
    with pytest.raises(RelationError, match="no matrix; nothing was overwritten"):
        relate([1, 2], slow.gap, path, resume=resume)
    assert (folder / "c" / "thesis.txt").read_text() == "precious"


def test_a_folder_that_is_no_matrix_is_not_replaced_by_a_saved_one(tmp_path):
    pytest.importorskip("zarr")
    (tmp_path / "D.zarr").mkdir()
    (tmp_path / "D.zarr" / "thesis.txt").write_text("precious")
    with pytest.raises(RelationError, match="no matrix; nothing was overwritten"):
        save_matrix(tmp_path / "D.zarr", np.eye(2))
    assert (tmp_path / "D.zarr" / "thesis.txt").read_text() == "precious"


@pytest.mark.parametrize("name", [".part", ".progress"])
@pytest.mark.parametrize("resume", [True, False])
def test_a_file_of_someone_else_is_not_written_over(path, name, resume):
    other = path.with_name(path.name + name)
    other.write_text("precious")
    with pytest.raises(RelationError, match="no matrix; nothing was overwritten"):
        relate([1, 2], slow.gap, path, resume=resume)
    assert other.read_text() == "precious"


@pytest.mark.parametrize("name", [".part", ".progress"])
def test_what_a_link_leads_to_is_not_written_to(path, name):
    other = path.with_name("important.txt")
    other.write_text("precious")
    path.with_name(path.name + name).symlink_to(other)
    for resume in (True, False):
        with pytest.raises(RelationError, match="is a link"):
            relate([1, 2], slow.gap, path, resume=resume)
    assert other.read_text() == "precious"
