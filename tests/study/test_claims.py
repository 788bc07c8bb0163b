"""Every claim gets a outcome, and a reason with a number where it fails."""

import re

import pytest

from study.claims import check_claims
from study.claims import differences as reasons
from study.claims.differences import DROPS
from study.evidence import Evidence, Facts, Outcome, facts_of
from tests.study.invented import rows

FACTS = Facts(194, 30, 0.95, 0.136, 0.056, 10.1, (6.4, 1.08), 1e-15)
VARIANTS = ("original", "classical", "proximal", "landmark", "nearest-euclidean", "metric-learning")
MODELS = ("graph", "medoid", "svc", "forest", "default", "knn-1", "knn-3", "knn-12")


@pytest.fixture(autouse=True)
def no_files(monkeypatch):
    monkeypatch.setattr(reasons, "facts_of", lambda name: FACTS)


def everything(accuracy=0.9):
    """Rows of all models on all relations, none better than another."""
    vectors = [
        r
        for data in ("BC-569", "USC-435", "HD-303")
        for r in rows(f"{data}/original/graph", accuracy)
    ]
    relations = [
        r
        for data in ("HG-194", "HG-194-genes", "PC-102")
        for variant in VARIANTS
        for model in MODELS
        for r in rows(f"{data}/{variant}/{model}", *[accuracy] * 10)
    ]
    return vectors + relations


def claim_on(found, data, topic):
    [claim] = [each for each in found if each.data == data and each.topic.startswith(topic)]
    return claim


def test_there_are_all_claims_of_the_papers_text():
    found = check_claims(everything())
    counts = {data: sum(claim.data == data for claim in found) for data in DROPS}
    assert len(found) == 3 * 3 + sum(counts.values())
    assert counts == {"HG-194": 1 + 15 + 1 + 2, "PC-102": 3 + 15 + 1 + 2}


def test_what_was_not_run_is_left_out():
    assert check_claims([]) == []
    found = check_claims(rows("USC-435/original/graph", 0.96))
    assert {claim.data for claim in found} == {"USC-435"}
    assert len(found) == 3


def test_what_fails_says_why_with_a_number():
    for claim in check_claims(everything()):
        if claim.outcome is not Outcome.REPRODUCED:
            assert re.search(r"\d", claim.reason), claim


def test_equal_models_reproduce_no_drop():
    found = check_claims(everything())
    against = [claim for claim in found if "against" in claim.topic and "forest" not in claim.topic]
    assert len(against) == 32
    hg = {claim.outcome for claim in against if claim.data == "HG-194"}
    assert hg == {Outcome.FAILED}


def test_the_papers_own_numbers_reproduce():
    found = check_claims(
        [
            *rows("BC-569/original/graph", (0.9827, 0.9651, 0.9765)),
            *rows("HG-194/original/graph", *[1.0] * 19, 0.97),
            *rows("HG-194/classical/graph", *[0.88] * 19, 0.85),
            *rows("HG-194/original/medoid", *[0.96] * 20),
        ]
    )
    assert {claim.outcome for claim in found} == {Outcome.REPRODUCED}
    assert claim_on(found, "HG-194", "runs").ours == "1 of 20"
    assert (
        claim_on(found, "HG-194", "CMDS").ours == "-12.0 ± 0.0 (training -12.0, validation -12.0)"
    )


def test_an_accuracy_short_in_one_part_is_reproduced_in_part():
    found = check_claims(rows("BC-569/original/graph", (0.98, 0.94, 0.97), (0.98, 0.94, 0.97)))
    claim = claim_on(found, "BC-569", "accuracy")
    assert claim.outcome is Outcome.PARTLY
    assert claim.reason.startswith("Test: 2.51 ± 0.00 points short")


def test_the_printed_validation_accuracy_of_hd303_is_taken_for_a_slip():
    claim = claim_on(check_claims(rows("HD-303/original/graph", 0.85)), "HD-303", "accuracy")
    assert "93.35" in claim.paper
    assert "83.35" in claim.reason
    assert claim.outcome is Outcome.PARTLY  # 0.85 is short of training alone


def test_networks_whose_responses_differ_are_not_alike():
    found = check_claims(rows("BC-569/original/graph", 0.97, duality_gap=1e-5))
    claim = claim_on(found, "BC-569", "graph and vector")
    assert claim.outcome is Outcome.FAILED
    assert "1.0e-05" in claim.ours


def test_wide_deviations_are_not_the_papers():
    wide = {f"deviation_std_{part}": 0.3 for part in ("train", "test", "validation")}
    claim = claim_on(check_claims(rows("BC-569/original/graph", 0.97, **wide)), "BC-569", "dev")
    assert claim.outcome is Outcome.PARTLY
    assert claim.ours == "0.000 ± 0.30"
    assert "0.30 on the training part" in claim.reason


def test_genes_have_a_column_of_their_own():
    found = check_claims(everything())
    assert {bool(claim.by_genes) for claim in found if claim.data == "PC-102"} == {False}
    assert claim_on(found, "HG-194", "CMDS against the original").by_genes.startswith("0.0")


def test_a_worst_class_explains_medoids():
    text = reasons.few_to_choose(evidence_of_medoids(), "proximal")
    assert text.startswith("12 medoids among 30 distinct objects")
    assert "10 % of the objects), 0 % are right" in text


def evidence_of_medoids():
    counts = [[90, 0], [10, 0]]
    return Evidence(rows("HG-194/proximal/medoid", 0.9, confusion_test=counts))


@pytest.mark.parametrize(
    ("best", "outcome"), [(3, Outcome.REPRODUCED), (12, Outcome.FAILED), (1, Outcome.FAILED)]
)
def test_the_best_number_of_neighbours_is_compared(best, outcome):
    found = [
        r for k in (1, 3, 12) for r in rows(f"PC-102/original/knn-{k}", 0.9 if k == best else 0.8)
    ]
    claim = claim_on(check_claims(found), "PC-102", "best number")
    assert claim.ours.startswith(f"{best};")
    assert claim.outcome is outcome


def test_neighbours_within_half_a_point_count_in_part():
    found = [*rows("PC-102/original/knn-1", 0.9), *rows("PC-102/original/knn-3", 0.899)]
    assert check_claims(found)[0].outcome is Outcome.PARTLY


def test_the_facts_of_hg194_are_those_of_its_provenance(shared_data):
    facts = facts_of("HG-194")
    assert (facts.n_objects, facts.n_distinct) == (194, 30)
    assert facts.violated == pytest.approx(0.0558, abs=1e-4)
    assert facts.negative == pytest.approx(0.1358, abs=1e-4)
    assert facts.constant == pytest.approx(10.1, abs=0.01)
    assert 0.9 < facts.duplicates < 1
    assert facts.contrast[0] > 6 > 1.1 > facts.contrast[1] > 1
    assert facts.changed > 0.1


def test_scaling_leaves_pc102_as_it_is(shared_data):
    facts = facts_of("PC-102")
    assert facts.n_distinct == 102
    assert facts.negative == 0
    assert facts.duplicates == 0
    assert facts.changed < 1e-12


def test_runs_with_errors_are_explained_by_what_has_no_vectors():
    found = [*rows("HG-194/original/graph", 0.97, 0.97, 1.0), *rows("HG-194/classical/graph", 1.0)]
    text = reasons.more_errors_without_vectors(Evidence(found))
    assert text.startswith("In runs with errors 9.0 objects are wrong on average")
    assert text.endswith(
        "(13.6 % of its spectrum is negative); after CMDS, which has, 0 of 1 runs err."
    )


def test_what_scaling_leaves_as_it_is_cannot_test_scaling():
    found = check_claims(everything())
    for topic in ("CMDS against the original", "medoids after PMDS", "k-NN, best k after CMDS"):
        assert claim_on(found, "PC-102", topic).outcome is Outcome.OPEN
    for topic in ("LMDS", "CMDS against metric", "k-NN, best k against", "medoids against"):
        assert claim_on(found, "PC-102", topic).outcome is Outcome.FAILED


def test_medoids_that_spread_more_are_the_papers():
    wide = {f"deviation_std_{part}": 0.3 for part in ("train", "test", "validation")}
    kinds = [(v, m) for v in ("original", "classical", "proximal") for m in ("graph", "medoid")]
    found = [
        r
        for variant, model in kinds
        for r in rows(f"PC-102/{variant}/{model}", 0.9, **(wide if model == "medoid" else {}))
    ]
    claim = claim_on(check_claims(found), "PC-102", "spread of deviations")
    assert claim.outcome is Outcome.REPRODUCED
    assert claim.ours == " / ".join(["0.30 against 0.10"] * 3)


def test_wild_runs_are_counted_apart():
    found = [
        *rows("HG-194/original/graph", 0.9, 0.9),
        *rows("HG-194/original/svc", 0.9, deviation_std_test=None),
    ]
    found[1]["deviation_std_test"] = 200.0
    evidence = Evidence(found)
    assert evidence.wild() == {("HG-194", "original", "graph"): [found[1]]}
    assert evidence.deviation(("HG-194", "original", "graph")) == (0.0, pytest.approx(0.1))


@pytest.mark.parametrize(
    ("data", "points"),
    [
        ("HG-194", "10-14 44-48 5-30 3-7 27-40 6-9 30-42 2-6 18-61 18-61 4-12 5 15 7 13"),
        ("PC-102", "6-20 36-40 5-30 3-7 27-40 6-9 30-42 3-10 18-61 18-61 6-14 24 47 22 42"),
    ],
)
def test_the_papers_points_are_copied_rightly(data, points):
    printed = [drop.printed.replace(" to -", "-").lstrip("-") for drop in DROPS[data]]
    assert printed == points.split()
