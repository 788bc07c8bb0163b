"""A file is there as a whole or not at all."""

import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from relrbf._utils import replacing


def test_the_file_is_put_in_place_when_all_went_well(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    with replacing(path) as file:
        file.write(b"new")
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["a"]


def test_what_fails_leaves_what_was_there_and_nothing_else(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    with pytest.raises(TypeError), replacing(path) as file:
        file.writelines([b"half", None])
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a"]


def test_an_error_of_the_disk_names_the_file_that_was_meant(tmp_path):
    with pytest.raises(OSError, match="No space") as error, replacing(tmp_path / "a"):
        raise OSError(28, "No space left on device")
    assert error.value.filename == str(tmp_path / "a")


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "a").write_bytes(b"old")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    with replacing(tmp_path / "link") as file:
        file.write(b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "a").read_bytes() == b"new"


def test_a_link_to_itself_is_replaced_and_not_waited_for(tmp_path):
    (tmp_path / "a").symlink_to(tmp_path / "a")
    with replacing(tmp_path / "a") as file:
        file.write(b"new")
    assert (tmp_path / "a").read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["a"]


def test_two_writers_do_not_meet(tmp_path):
    with replacing(tmp_path / "a") as one, replacing(tmp_path / "a") as two:
        one.write(b"first")
        two.write(b"second")
    assert (tmp_path / "a").read_bytes() == b"first"


def test_folders_pipes_and_missing_folders_are_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path, message in [
        (tmp_path, "is a folder"),
        (tmp_path / "pipe", "device or a pipe"),
        (tmp_path / "none" / "a", "does not exist"),
    ]:
        with pytest.raises(OSError, match=message), replacing(path):
            pass
    assert (tmp_path / "pipe").is_fifo()


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="files have names all the time")
@pytest.mark.parametrize("is_there", [True, False])
def test_what_a_kill_left_beside_is_removed_by_the_next_writer(tmp_path, is_there):
    (tmp_path / ".a.relrbf.part").write_bytes(b"of a killed process")
    if is_there:
        (tmp_path / "a").write_bytes(b"old")
    with replacing(tmp_path / "a") as file:
        file.write(b"new")
    assert (tmp_path / "a").read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["a"]


def test_processes_that_write_at_once_leave_one_whole_file(tmp_path):
    def write(content):
        for _ in range(200):
            with replacing(tmp_path / "a") as file:
                file.write(content)

    contents = [bytes([65 + i]) * 1000 for i in range(4)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, contents))
    assert (tmp_path / "a").read_bytes() in contents
    assert os.listdir(tmp_path) == ["a"]
