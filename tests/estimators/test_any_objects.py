"""A callable metric and objects of any kind: few pairs are compared, the network is the same."""

import pickle

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from rapidfuzz.distance import Levenshtein
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score

from relrbf import RBFNetworkClassifier, RBFNetworkRegressor
from relrbf.clustering import RelationalKMeans
from relrbf.exceptions import RelationError
from relrbf.relations import ObjectRelation, VectorRelation, as_relation
from relrbf.relations.metrics import complete_params
from relrbf.training import LBFGS, GradientDescent

pytestmark = pytest.mark.filterwarnings("ignore::relrbf.exceptions.NotEuclideanWarning")


def edits(a, b):
    return Levenshtein.distance(a, b)


def model(**options):
    return RBFNetworkClassifier(**{"metric": edits, "exponent": 1, "random_state": 0, **options})


@pytest.fixture
def words(rng):
    stems = ["banana", "cherrypie", "quince"]
    kinds = rng.integers(0, 3, 240)
    letters = np.array(list("abcdefghij"))
    made = []
    for kind in kinds:
        word = list(stems[kind])
        for _ in range(3):
            word[rng.integers(len(word))] = rng.choice(letters)
        made.append("".join([*word, *rng.choice(letters, rng.integers(0, 3))]))
    return made, np.array(["fruit", "cake", "tree"])[kinds]


def matrix(some, others):
    return np.array([[float(edits(a, b)) for b in others] for a in some])


def test_words_are_their_matrix(words):
    objects, y = words
    D = matrix(objects, objects)
    found = model(n_support=30).fit(objects[:200], y[:200])
    dense = model(n_support=30, metric="precomputed").fit(D[:200, :200], y[:200])
    assert_array_equal(found.support_, dense.support_)
    assert_allclose(
        found.decision_function(objects[200:]), dense.decision_function(D[200:, :200]), atol=1e-8
    )
    assert found.score(objects[200:], y[200:]) > 0.9


def test_only_the_pairs_with_the_support_are_compared(words):
    objects, y = words
    fitted = model(n_support=30).fit(objects, y)
    assert 0.8 * 240 * 30 < fitted.n_evaluations_ < 1.4 * 240 * 30
    given = ObjectRelation(objects, edits, exponent=1)
    again = model(n_support=30, metric="precomputed").fit(given, y)
    assert again.n_evaluations_ == given.n_evaluations == fitted.n_evaluations_
    more = model(n_support=30, metric="precomputed").fit(given, y)
    assert more.n_evaluations_ == 0  # it was all known
    assert model(metric="precomputed").fit(given.block(), y).n_evaluations_ == 0


def test_a_prediction_compares_with_the_support(words):
    objects, y = words
    calls = []

    def counted(a, b):
        calls.append((a, b))
        return edits(a, b)

    fitted = model(n_support=30, metric=counted).fit(objects[:200], y[:200])
    calls.clear()
    fitted.predict(objects[200:])
    assert len(calls) == 40 * 30
    support = {objects[i] for i in fitted.support_}
    assert all(a in support or b in support for a, b in calls)


def test_without_memory_little_more_is_computed(words):
    objects, y = words
    counts = []
    for memory in (0, 1e9):
        relation = ObjectRelation(objects, edits, exponent=1, memory=memory)
        counts.append(model(n_support=40, metric="precomputed").fit(relation, y).n_evaluations_)
    assert counts[0] < 1.5 * counts[1]


def test_a_model_of_objects_is_cloned_pickled_and_compacted(words):
    objects, y = words
    fitted = model(n_support=20).fit(objects[:200], y[:200])
    expected = fitted.predict_proba(objects[200:])
    assert not hasattr(fitted, "n_features_in_")
    for other in (
        pickle.loads(pickle.dumps(fitted)),
        fitted.compact(),
        clone(fitted).fit(objects[:200], y[:200]),
    ):
        assert_allclose(other.predict_proba(objects[200:]), expected, atol=1e-12)
    assert len(pickle.dumps(fitted.compact()._source)) < 4000  # the support's words, no others


def test_scikit_learn_slices_lists_of_objects(words):
    objects, y = words
    assert cross_val_score(model(n_support=20), objects, y, cv=3).mean() > 0.9
    search = GridSearchCV(model(n_support=20), {"n_prototypes": [3, 6]}, cv=2).fit(objects, y)
    assert search.predict(objects[:5]).shape == (5,)


def test_series_of_unequal_length_and_frames_and_series_objects(rng):
    def gap(a, b):
        return abs(float(np.mean(a)) - float(np.mean(b)))

    t = rng.uniform(0, 6, 150)
    series = [level + rng.uniform(-1, 1, rng.integers(5, 20)) for level in t]
    fitted = RBFNetworkRegressor(metric=gap, n_support=30, random_state=0).fit(
        series[:120], t[:120]
    )
    assert fitted.score(series[120:], t[120:]) > 0.8
    frame = pd.DataFrame({"name": [f"n{i}" for i in range(150)], "level": t})

    def rows_apart(a, b):
        return abs(a["level"] - b["level"])

    fitted = RBFNetworkRegressor(metric=rows_apart, n_support=30, random_state=0)
    assert fitted.fit(frame[:120], t[:120]).score(frame[120:], t[120:]) > 0.95


def test_feature_vectors_are_still_checked(blobs):
    X, D, y = blobs
    fitted = model(metric=lambda a, b: float(np.linalg.norm(a - b)), exponent=2).fit(X, y)
    expected = model(metric="precomputed", exponent=2).fit(D, y).predict_proba(D[:7])
    assert_allclose(fitted.predict_proba(X[:7]), expected, atol=1e-8)
    assert fitted.n_features_in_ == X.shape[1]
    with pytest.raises(ValueError, match="features"):
        fitted.predict(X[:, :2])


@pytest.mark.parametrize("metric", ["cityblock", "cosine", "mahalanobis"])
def test_a_named_metric_is_computed_for_the_support_only(rng, metric):
    X = rng.standard_normal((300, 4))
    y = (X[:, 0] > 0).astype(int)
    new = rng.standard_normal((20, 4))
    options = {"n_support": 30, "random_state": 0, "exponent": 2}
    fitted = RBFNetworkClassifier(metric=metric, **options).fit(X, y)
    relation = as_relation(X, metric)
    dense = RBFNetworkClassifier(**options).fit(relation, y)
    D_new = as_relation(np.r_[X, new], metric, metric_params=complete_params(X, metric, None))
    assert_allclose(
        fitted.decision_function(new), dense.decision_function(D_new[300:, :300]), atol=1e-8
    )
    assert fitted.n_evaluations_ < 1.4 * 300 * 30


def test_clusters_of_words(words):
    objects, _ = words
    found = RelationalKMeans(3, metric=edits, random_state=0).fit(objects[:60])
    assert_array_equal(found.predict(objects[:60]), found.labels_)


@pytest.mark.parametrize(
    ("answer", "message"),
    [(lambda a, b: "far", "returned 'far'"), (lambda a, b: 1 / 0, "ZeroDivisionError")],
)
def test_a_bad_measure_is_named(words, answer, message):
    objects, y = words
    with pytest.raises(RelationError, match=message):
        model(metric=answer).fit(objects, y)


def test_no_objects_or_one_object(words):
    for few in ([], ["alone"]):
        with pytest.raises(ValueError, match=r"at least two|class"):
            model().fit(few, ["a"] * len(few))


@pytest.mark.parametrize(
    "solver", [LBFGS(early_stopping="validation"), GradientDescent(validation_fraction=0.2)]
)
def test_objects_that_watch_are_not_of_the_support(rng, solver):
    X = rng.standard_normal((400, 3))
    y = (X[:, 0] > 0).astype(int)
    fitted = RBFNetworkClassifier(
        metric=VectorRelation(X), n_support=60, random_state=0, warm_start=True, solver=solver
    )
    fitted.fit(np.arange(400)[:, None], y)
    validating = fitted._last_fit.validation_mask
    assert 0.08 * 400 < validating.sum() < 0.25 * 400
    assert not validating[fitted.support_].any()
    assert len(fitted.support_) == 60


def test_copies_and_weights_are_the_same_with_few_of_many(rng):
    X = rng.standard_normal((300, 3))
    y = (np.sin(2 * X[:, 0]) + X[:, 1] > 0).astype(int)
    counts = rng.integers(1, 4, 300)
    copies = np.repeat(np.arange(300), counts)
    options = {"metric": "euclidean", "n_support": 40, "random_state": 0}
    once = RBFNetworkClassifier(**options).fit(X, y, sample_weight=counts)
    often = RBFNetworkClassifier(**options).fit(X[copies], y[copies])
    new = rng.standard_normal((50, 3))
    assert_allclose(often.predict_proba(new), once.predict_proba(new), atol=1e-7)


@pytest.mark.parametrize("n_support", [None, "auto", 40])
def test_objects_without_weight_are_as_if_they_were_not_there(rng, n_support):
    X, others = rng.standard_normal((130, 3)), rng.standard_normal((250, 3))
    y = (np.sin(2 * X[:, 0]) + X[:, 1] > 0).astype(int)
    options = {"metric": "euclidean", "n_support": n_support, "random_state": 0}
    alone = RBFNetworkClassifier(**options).fit(X, y)
    weights = np.r_[np.ones(130), np.zeros(250)]
    together = RBFNetworkClassifier(**options)
    together.fit(np.r_[X, others], np.r_[y, np.zeros(250, int)], sample_weight=weights)
    new = rng.standard_normal((30, 3))
    assert_allclose(together.predict_proba(new), alone.predict_proba(new), atol=1e-7)


def test_of_few_distinct_objects_all_count_however_many_copies(rng):
    X = rng.standard_normal((300, 3))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    copies = np.tile(np.arange(300), 6)
    new = rng.standard_normal((30, 3))
    relation = ObjectRelation(X[copies], cdist, pairwise=True)
    often = RBFNetworkClassifier(random_state=0).fit(relation, y[copies])
    once = RBFNetworkClassifier(random_state=0, metric="euclidean").fit(X, y, np.full(300, 6))
    assert len(often.support_) == 300
    assert_allclose(often.predict_proba(relation.to(new)), once.predict_proba(new), atol=1e-7)
    assert often.n_evaluations_ < 1800 * 530  # the support's and the distinct objects' rows


@pytest.mark.parametrize("n_support", [0.1, 95, 99])
def test_copies_leave_enough_objects_to_watch(rng, n_support):
    X = np.repeat(rng.standard_normal((100, 3)), 10, axis=0)
    y = (X[:, 0] > 0).astype(int)
    options = {"metric": "euclidean", "n_support": n_support, "random_state": 0, "max_iter": 5}
    fitted = RBFNetworkClassifier(
        **options, solver=GradientDescent(validation_fraction=0.2), warm_start=True
    ).fit(X, y)
    assert np.count_nonzero(fitted._last_fit.validation_mask) >= 18


@pytest.mark.parametrize(("n_support", "n_copies"), [(0.1, 2), (30, 2), ("auto", 6)])
def test_a_fit_of_copies_goes_on(rng, n_support, n_copies):
    X = np.repeat(rng.standard_normal((300, 3)), rng.integers(1, 2 * n_copies, 300), axis=0)
    y = (X[:, 0] > 0).astype(int)
    options = {"metric": "euclidean", "n_support": n_support, "random_state": 0, "tol": 0}
    parts = RBFNetworkClassifier(**options, max_iter=3, warm_start=True).fit(X, y).fit(X, y)
    whole = RBFNetworkClassifier(**options, max_iter=6).fit(X, y)
    assert_array_equal(parts.decision_function(X), whole.decision_function(X))


def test_lists_stay_lists_whatever_is_in_them(rng):
    seen = []

    def gap(a, b):
        seen.extend([(type(a), a[0]), (type(b), b[0])])
        return float(abs(a[0] - b[0]))

    pairs = [(2**60 + i, 1) for i in range(40)]
    y = np.arange(40) // 20
    RBFNetworkClassifier(metric=gap, exponent=2, random_state=0).fit(pairs, y)
    assert {kind for kind, _ in seen} == {tuple}
    assert {value - 2**60 for _, value in seen} == set(range(40))


def test_messages_speak_of_x_and_of_the_metric(words):
    objects, y = words
    fitted = model(n_support=20).fit(objects, y)
    with pytest.raises(RelationError, match="X is empty"):
        fitted.predict([])
    with pytest.raises(RelationError, match=r"X is a str.*pass \[X\]"):
        fitted.predict("banana")
    with pytest.raises(RelationError, match="X is a table of numbers"):
        fitted.predict(np.ones((3, 20)))
    with pytest.raises(RelationError, match="Pass the new objects themselves"):
        fitted.predict(ObjectRelation(objects, edits).to(["banana"]))
    with pytest.raises(RelationError, match=r"X is a generator.*list\(X\)"):
        model().fit((word for word in objects), y)
    with pytest.raises(RelationError, match=r"metric is not symmetric.*Wrap it.*metric\(b, a\)"):
        model(metric=lambda a, b: float(a > b)).fit(objects, y)


def test_a_refit_on_objects_forgets_features(words):
    objects, y = words
    frame = pd.DataFrame({"length": [float(len(word)) for word in objects]})
    fitted = model(metric=lambda a, b: abs(float(a[0] - b[0])), exponent=2).fit(frame, y)
    assert fitted.feature_names_in_.tolist() == ["length"]
    fitted.set_params(metric=edits).fit(objects, y)
    assert not hasattr(fitted, "feature_names_in_")
    assert not hasattr(fitted, "n_features_in_")


def test_predictions_in_parts_are_those_of_the_whole(rng, monkeypatch):
    X = rng.standard_normal((200, 3))
    y = (X[:, 0] > 0).astype(int)
    D_new = cdist(rng.standard_normal((90, 3)), X)
    fitted = RBFNetworkClassifier(random_state=0).fit(cdist(X, X), y)
    expected = fitted.predict_proba(D_new)
    monkeypatch.setattr("relrbf.relations.queries.PART_BYTES", 7 * 8 * 200)
    assert len(list(fitted._query(D_new).row_blocks())) == 13
    assert_allclose(fitted.predict_proba(D_new), expected, atol=1e-12)
    assert fitted.transform(D_new).shape == (90, len(fitted.prototypes_))
