"""What the loaders return: the figures that PROVENANCE.txt states of every set."""

import doctest
import inspect
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import r2_score
from sklearn.model_selection import GroupShuffleSplit
from sklearn.neighbors import KNeighborsClassifier

from relrbf import RBFNetworkClassifier, datasets, inspect_relation
from relrbf.datasets import load_bc569, load_hd303, load_hg194, load_pc102, load_usc435
from relrbf.datasets.fetch import contents_checksum, read_registry
from relrbf.datasets.loaders import inseparable_groups, one_minus_pearson, varying_genes
from relrbf.exceptions import OptionError
from relrbf.relations import DenseRelation, VectorRelation

# largest and mean dissimilarity, sizes of the classes in order, leave-one-out 1-NN error; those of
# vectors were standardised there by a deviation that divides by n - 1
FIGURES = {
    "load_usc435": (8.46304, 5.4338, [267, 168], 0.0667),
    "load_hd303": (9.93967, 4.94911, [164, 139], 0.2475),
    "load_hg194": (1.0, 0.613034, [86, 21, 87], 0.0),
    "load_pc102": (1.16734, 0.345288, [50, 52], 0.1569),
    "load_protein213": (13.64, 10.3487, [30, 72, 72, 39], 0.0188),
    "load_yeast200": (1.0, 0.466509, [100, 100], 0.1050),
    "load_plaid1074": (
        7126.905,
        390.4390,
        [66, 175, 26, 115, 38, 156, 35, 114, 172, 139, 38],
        0.0829,
    ),
    "load_surnames3017": (
        1.0,
        0.874190,
        [
            251,
            127,
            251,
            153,
            251,
            131,
            251,
            120,
            251,
            101,
            251,
            251,
            38,
            77,
            25,
            251,
            25,
            132,
            34,
            46,
        ],
        0.5161,
    ),
}


@pytest.mark.usefixtures("shared_data")
@pytest.mark.parametrize("name", FIGURES)
def test_every_set_has_the_figures_of_its_provenance(name):
    largest, mean, sizes, error = FIGURES[name]
    data = getattr(datasets, name)()
    R, n = data.relation.block(), len(data.target)
    scale = np.sqrt((n - 1) / n) if isinstance(data.relation, VectorRelation) else 1
    np.testing.assert_allclose([R.max() * scale, R.mean() * scale], [largest, mean], rtol=1e-5)
    assert [np.count_nonzero(data.target == c) for c in data.target_names] == sizes
    others = np.round(R, 9) + np.diag(np.full(n, np.inf))  # equally far votes differ by rounding
    nearest = data.target[np.argmin(others, axis=1)]
    assert np.mean(nearest != data.target) == pytest.approx(error, abs=5e-5)


@pytest.mark.usefixtures("shared_data")
@pytest.mark.parametrize("name", datasets.__all__)
def test_every_set_comes_with_names_words_and_a_citation(name):
    data = getattr(datasets, name)()
    entry = next(e for e in read_registry().values() if e.name.replace("-", "").lower() == name[5:])
    assert data.relation.ids is not None
    assert data.relation.exponent_given
    assert data.relation.ids.tolist() == data.ids.tolist()
    assert len(set(data.ids)) == len(data.ids) == len(data.target) == len(data.relation)
    assert "target_names" not in data or data.target_names.tolist() == sorted(set(data.target))
    assert data.target.dtype.kind == ("U" if "target_names" in data else "f")
    assert data.DESCR.startswith(f"{entry.name}: ")
    assert "Traps: " in data.DESCR
    assert f"Citation: {entry.citation}\nLicence: {entry.licence}" in data.DESCR
    assert data.DESCR.count("Public address: https://") == sum(
        len(source.files) for source in entry.sources if source.is_public
    )


def test_bc569_is_scikit_learns_in_words():
    data, theirs = load_bc569(), load_breast_cancer()
    assert (
        contents_checksum({"X": theirs.data, "y": theirs.target.astype(np.int8)})
        == read_registry()["BC-569"].contents
    )
    np.testing.assert_array_equal(data.raw, theirs.data)
    np.testing.assert_array_equal(data.target == "benign", theirs.target == 1)
    assert data.feature_names.tolist() == theirs.feature_names.tolist()
    assert np.bincount(data.target == "malignant").tolist() == [357, 212]


def test_features_are_standardised_by_the_deviation_over_n():
    data = load_bc569()
    by_hand = (data.raw - data.raw.mean(axis=0)) / data.raw.std(axis=0)
    np.testing.assert_allclose(data.data, by_hand, atol=1e-12)
    far = np.linalg.norm(by_hand[3] - by_hand[7])
    assert data.relation.block()[3, 7] == pytest.approx(far)
    assert data.relation.exponent == 2


@pytest.mark.usefixtures("shared_data")
def test_a_vote_that_was_not_cast_is_a_third_value():
    data = load_usc435()
    assert [np.count_nonzero(data.raw == vote) for vote in (1, -1, 0)] == [3421, 3147, 392]
    assert len(np.unique(data.raw, axis=0)) == 342
    assert data.feature_names[[0, -1]].tolist() == [
        "handicapped-infants",
        "export-administration-act-south-africa",
    ]
    parties = {}
    for votes, party in zip(map(tuple, data.raw), data.target, strict=True):
        parties.setdefault(votes, set()).add(party)
    assert max(map(len, parties.values())) == 1  # as DESCR says of duplicates


def test_the_bills_are_named_as_in_the_shared_table(shared_data):
    with open(shared_data / "USC-435" / "house_votes_84.csv") as file:
        assert file.readline().strip().split(",")[1:] == load_usc435().feature_names.tolist()
    with open(shared_data / "HD-303" / "processed_cleveland.csv") as file:
        assert file.readline().strip().split(",")[:-1] == load_hd303().feature_names.tolist()


@pytest.mark.usefixtures("shared_data")
@pytest.mark.parametrize(("fill", "of"), [("median", np.median), ("mean", np.mean)])
def test_missing_heart_attributes_are_filled_from_their_column(fill, of):
    data = load_hd303(fill=fill)
    missing = np.argwhere(np.isnan(data.raw)).tolist()
    assert missing == [[87, 12], [166, 11], [192, 11], [266, 12], [287, 11], [302, 11]]
    for i, j in missing:
        column = data.raw[:, j]
        filled = np.where(np.isnan(column), of(column[~np.isnan(column)]), column)
        assert data.data[i, j] == pytest.approx((filled[i] - filled.mean()) / filled.std())
    assert np.isfinite(data.data).all()
    np.testing.assert_array_equal(data.target == "present", data.num > 0)
    assert sorted(set(data.num)) == [0, 1, 2, 3, 4]


def test_an_unknown_fill_is_refused():
    with pytest.raises(OptionError, match="fill='zero' does not exist"):
        load_hd303(fill="zero")


@pytest.mark.usefixtures("shared_data")
def test_hg194_has_thirty_distinct_rows_and_whole_genes_in_its_groups():
    data = load_hg194()
    R = data.relation.block()
    assert isinstance(data.relation, DenseRelation)
    assert data.relation.exponent == 1
    assert len(np.unique(R, axis=0)) == 30
    assert np.count_nonzero(R[np.triu_indices(194, 1)] == 0) == 1368
    assert (len(set(data.gene)), len(set(data.groups))) == (27, 24)
    duplicates = (R[:, None] == R).all(axis=2)
    for train, test in GroupShuffleSplit(5, random_state=0).split(R, groups=data.groups):
        assert not set(data.gene[train]) & set(data.gene[test])
        assert not duplicates[np.ix_(train, test)].any()


@pytest.mark.usefixtures("shared_data")
def test_hg194_names_its_objects_by_gene_and_lists_their_terms():
    data = load_hg194()
    assert data.ids[:4].tolist() == ["MTMR1-1", "MTMR1-2", "MTMR1-3", "MTMR2-1"]
    assert len(data.terms) == 194
    assert data.terms[0] == ["GO:0004722", "GO:0004725", "GO:0006470", "GO:0008372", "GO:0016787"]
    every = {term for terms in data.terms for term in terms}
    assert len(every) == 64
    assert all(term.startswith("GO:") and len(term) == 10 for term in every)
    same_terms = [[a == b for b in data.terms] for a in data.terms]
    assert (data.relation.block()[np.array(same_terms)] == 0).all()


def test_objects_of_one_gene_or_one_row_are_inseparable():
    R = np.array([[0, 1, 1, 2], [1, 0, 0, 2], [1, 0, 0, 2], [2, 2, 2, 0]], dtype=float)
    groups = inseparable_groups(np.array(["a", "a", "b", "c"]), R)
    assert groups.tolist() == [0, 0, 0, 1]


def test_pc102_keeps_the_genes_that_vary(shared_data):
    data = load_pc102()
    archive = np.load(shared_data / "PC-102" / "PC-102_raw12600.npz")
    np.testing.assert_array_equal(data.keep, archive["keep5966"])
    np.testing.assert_array_equal(data.data, archive["X"])
    assert data.data.dtype == np.float32
    assert inspect_relation(data.relation.block()).has_vector_dual == {2: False, 1: True}


def test_a_gene_varies_by_a_factor_and_a_difference_after_clipping():
    low, high = np.array([[10, 20, -900, 10, 3000]]), np.array([[61, 99, 59, 50, 90000]])
    X = np.concatenate([low, high]).astype(np.float32)
    assert varying_genes(X).tolist() == [True, False, False, False, True]


def test_one_minus_pearson_is_what_its_name_says(rng):
    X = 10 ** rng.uniform(0, 5, (6, 40)).astype(np.float32)
    D = one_minus_pearson(X)
    logs = np.log10(np.clip(X.astype(float), 10, 16000))
    assert D[1, 4] == pytest.approx(1 - np.corrcoef(logs[1], logs[4])[0, 1])
    np.testing.assert_array_equal(D, D.T)
    assert (np.diag(D) == 0).all()
    assert (one_minus_pearson(np.repeat(X[:1], 3, axis=0)) >= 0).all()


@pytest.mark.usefixtures("shared_data")
def test_yeast_dissimilarities_are_one_minus_the_similarities():
    data = datasets.load_yeast200()
    np.testing.assert_array_equal(data.relation.block(), 1 - data.similarities)
    assert (np.diag(data.similarities) == 1).all()


@pytest.mark.usefixtures("shared_data")
def test_five_neighbours_say_of_a_peptides_retention_what_its_provenance_says():
    data = datasets.load_peptides2500()
    R = data.relation.block()
    nearest = np.argsort(R + np.diag(np.full(2500, np.inf)), axis=1, kind="stable")[:, :5]
    found = data.target[nearest].mean(axis=1)
    assert r2_score(data.target, found) == pytest.approx(0.379, abs=0.01)  # ties: who comes first


def test_a_network_and_a_neighbour_take_what_a_loader_gives():
    data = load_bc569()
    part = data.relation.restrict(np.arange(0, 569, 4))
    model = RBFNetworkClassifier(5, random_state=0, max_iter=20).fit(part, data.target[::4])
    assert model.score(part, data.target[::4]) > 0.9
    assert KNeighborsClassifier().fit(data.data, data.target).score(data.data, data.target) > 0.9


def test_an_unknown_loader_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'load_iris'"):
        _ = datasets.load_iris
    assert "load_hg194" in dir(datasets)


def skipped_examples():
    """Yield the examples that are skipped where the data are not there: a docstring, the page."""
    yield "load_bc569", inspect.getdoc(datasets.load_bc569)
    page = Path(__file__).parents[2] / "docs" / "datasets.md"
    yield page.name, page.read_text(encoding="utf-8")


@pytest.mark.usefixtures("shared_data")
@pytest.mark.parametrize(("name", "text"), [*skipped_examples()])
def test_the_examples_that_need_the_data_are_true(name, text):
    text = text.replace("# doctest: +SKIP", "")
    example = doctest.DocTestParser().get_doctest(text, {}, name, name, 0)
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    assert example.examples
    assert doctest.DocTestRunner(optionflags=flags).run(example).failed == 0
