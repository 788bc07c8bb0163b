"""The benchmark of reading measures what it says."""

from benchmarks.reading import READERS, measure, write
from relrbf.io import load_matrix


def test_the_file_that_is_measured_is_a_matrix_with_ids(tmp_path):
    size = write(tmp_path / "D.csv", 5)
    assert size == (tmp_path / "D.csv").stat().st_size
    matrix = load_matrix(tmp_path / "D.csv")
    assert matrix.shape == (5, 5)
    assert matrix.ids.tolist() == [f"object{i}" for i in range(5)]


def test_a_reader_runs_in_a_process_of_its_own(tmp_path):
    write(tmp_path / "D.csv", 5)
    seconds, memory = measure(next(iter(READERS)), tmp_path / "D.csv", 5, 1)
    assert seconds >= 0
    assert memory >= 0
