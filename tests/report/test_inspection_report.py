"""The page on a relation describes it, fit for use or not."""

import numpy as np
import pytest

from relrbf import inspect_relation
from relrbf.exceptions import OptionError
from relrbf.report import write_inspection_report
from tests.report.made import made_classes
from tests.report.test_fit_report import Reader


def texts_of(path):
    return Reader(path.read_text()).texts


def test_a_sound_relation_is_shown(tmp_path, k23):
    told = []
    D, y = made_classes(n=30)
    found = write_inspection_report(
        tmp_path / "r.html", D, y, name="mine", progress=lambda *step: told.append(step)
    )
    texts = texts_of(tmp_path / "r.html")
    assert found.has_vector_dual[2]
    assert "vectors with these distances exist (exponent 2)" in texts[""]
    assert "mine: the relation" in texts[""]
    assert list(texts)[1:] == [
        "Map of the objects",
        "Cluster tendency",
        "The relation",
        "Next steps",
    ]
    assert "relrbf fit" in texts["Next steps"]
    assert told[-1] == ("writing the page", 3, 3)


def test_a_relation_without_vectors_says_what_helps(tmp_path, k23):
    write_inspection_report(tmp_path / "r.html", k23, ids=list("abcde"), command="relrbf inspect D")
    texts = texts_of(tmp_path / "r.html")
    assert "No vector dual exists under either exponent" in texts["The relation"]
    assert "of the spectrum is negative" in texts["The relation"]
    assert "relrbf embed" in texts["Next steps"]
    assert "relrbf cluster" in texts["Next steps"]
    assert "$ relrbf inspect D" in texts["Next steps"]


def test_what_was_found_before_is_not_looked_for_again(tmp_path, k23, monkeypatch):
    found = inspect_relation(k23, max_exact=3, random_state=7)
    monkeypatch.setattr("relrbf.report.reports.inspect_relation", None)
    told = write_inspection_report(tmp_path / "r.html", k23, ids=list("abcde"), found=found)
    assert told.n_triples == found.n_triples
    assert told.name_of(0) == "a"
    assert "of the spectrum is negative" in texts_of(tmp_path / "r.html")["The relation"]


def test_what_was_found_elsewhere_is_refused(tmp_path, k23):
    found = inspect_relation(k23[:4, :4])
    with pytest.raises(OptionError, match="found is about 4 objects and D about 5"):
        write_inspection_report(tmp_path / "r.html", k23, found=found)
    assert not (tmp_path / "r.html").exists()


def test_a_broken_matrix_is_described_without_pictures(tmp_path, k23):
    k23[0, 1] = np.nan
    k23[2, 3] += 1
    write_inspection_report(tmp_path / "r.html", k23)
    texts = texts_of(tmp_path / "r.html")
    assert "cannot be used as it is" in texts[""]
    assert "Entries are missing (1)" in texts["The relation"]
    assert list(texts)[1:] == ["The relation", "Next steps"]
    assert "inspect the matrix again" in texts["Next steps"]
