"""Tables of the study say what the rows say."""

import pytest

from study import page
from study.evidence import Claim, Evidence, Facts, Outcome
from study.page import tally, wild_runs
from tests.study.invented import rows

REPRODUCED = Claim("HG-194", "one", "5", "5", Outcome.REPRODUCED, by_genes="7")
FAILED = Claim("HG-194", "two", "5", "9", Outcome.FAILED, "because of 4")


def test_claims_have_a_column_for_genes_only_where_there_are_some():
    table = page.claim_table("HG-194", [REPRODUCED, FAILED])
    assert table.header == ["claim", "paper", "ours", "ours, by genes", "outcome", "why"]
    assert table.rows[0] == ["one", "5", "5", "7", "reproduced", ""]
    table = page.claim_table("PC-102", [FAILED])
    assert table.header == ["claim", "paper", "ours", "outcome", "why"]
    assert table.rows == [["two", "5", "9", "not reproduced", "because of 4"]]


def test_outcomes_are_counted():
    assert (
        tally([REPRODUCED, FAILED, FAILED])
        == "1 reproduced, 0 in part, 2 not reproduced, 0 cannot be tested"
    )


@pytest.mark.parametrize(
    ("accuracies", "mark"),
    [
        ((0.95, 0.98), "96.50 ± 1.50: yes"),
        ((0.94, 0.95), "94.50 ± 0.50: no, but within chance"),
        ((0.90, 0.90), "90.00 ± 0.00: no"),
    ],
)
def test_targets_are_met_missed_or_missed_by_chance(accuracies, mark):
    found = Evidence(
        [*rows("BC-569/original/graph", *accuracies), *rows("BC-569/original/default", 0.97, 0.97)]
    )
    _, table = page.targets_table(found)
    [[name, wanted, protocol, default, gap]] = table.rows
    assert (name, wanted, protocol) == ("BC-569", "95.01", mark)
    assert default == "97.00 ± 0.00: yes"
    assert gap == "1.0e-14: yes"


def test_a_default_behind_the_protocol_is_reported():
    found = Evidence(
        [*rows("BC-569/original/graph", 0.97, 0.98), *rows("BC-569/original/default", 0.9, 0.91)]
    )
    assert page.targets_table(found)[1].rows[0][3].endswith(": no")


def test_every_model_has_its_column():
    found = [
        *rows("HD-303/original/graph", 0.8, 0.9),
        *rows("HD-303/original/knn-1", 0.5, 0.5),
        *rows("HD-303/original/knn-4", 0.7, 0.7),
        *rows("HD-303/original/svc", 0.6, status="failed"),
    ]
    _, table = page.models_table(found, Evidence(found))
    assert len(table.header) == 7
    assert table.rows == [["HD-303, original", "85.0 ± 7.1", "", "", "70.0 ± 0.0 (4)", "", ""]]


def test_relations_are_described_where_they_were_run(monkeypatch):
    facts = Facts(194, 30, 0.95, 0.136, 0.0558, 10.1, (6.4, 1.08), 0.5)
    monkeypatch.setattr(page, "facts_of", lambda name: facts)
    _, table = page.relations_table(Evidence(rows("HG-194/original/graph", 1.0)))
    assert table.rows == [["HG-194", "194", "30", "95.0 %", "5.6 %", "13.6 %"]]
    assert len(table.header) == 6


def test_wild_runs_are_reported_where_there_are_some():
    tame = rows("HG-194/original/graph", 0.9, 0.9)
    assert wild_runs(tame) == []
    wild = rows("HG-194/classical/graph", 0.9, deviation_std_validation=295.0)
    [section] = wild_runs([*tame, *wild])
    assert section.tables[0].rows == [["HG-194/classical/graph", "1", "295"]]
