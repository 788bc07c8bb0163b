"""With metric=relation, X is a column of positions: any relation, in any shape a column has."""

import contextlib

import joblib
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import BaggingClassifier, StackingClassifier, VotingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict, cross_val_score
from sklearn.multioutput import ClassifierChain
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from relrbf import RBFNetworkClassifier, RBFNetworkRegressor, as_relation
from relrbf.clustering import RelationalFuzzyCMeans, RelationalKMeans
from relrbf.embeddings import (
    ClassicalMDS,
    DissimilarityRows,
    LandmarkMDS,
    NearestEuclideanMDS,
    ProximalMDS,
)
from relrbf.exceptions import RelationError
from relrbf.relations import GraphRelation, ObjectRelation
from tests.estimators.meta.combined import COMBINED, calibrated
from tests.estimators.meta.kinds import (
    FOLDS,
    INNER,
    KINDS,
    LABELS,
    OTHER_LABELS,
    VALUES,
    VECTORS,
    D,
    K,
    N,
    fit_once,
)
from tests.estimators.meta.test_table import fit_alone, fit_in_folds, of_this_version

TRAIN, TEST = FOLDS[0]
BAG = np.random.default_rng(1).choice(TRAIN, len(TRAIN))  # with replacement
SAME = 1e-8


RING = [*((i, (i + 1) % N) for i in range(N)), (0, 20), (5, 30), (9, 27)]


def length(a, b):
    return float(np.sqrt(np.square(a - b).sum()))


def on_disk(folder):
    np.save(folder / "D.npy", D)
    return as_relation(np.load(folder / "D.npy", mmap_mode="r"))


RELATIONS = {
    "dense": lambda folder: as_relation(D),
    "dense with exponent 1": lambda folder: as_relation(D, exponent=1),
    "memmap": on_disk,
    "vectors": lambda folder: as_relation(VECTORS, "euclidean"),
    "objects": lambda folder: ObjectRelation(list(VECTORS), length),
    "objects, few kept": lambda folder: ObjectRelation(list(VECTORS), length, memory=8 * N * 3),
    "objects by blocks": lambda folder: ObjectRelation(VECTORS, cdist, pairwise=True),
    "paths": lambda folder: GraphRelation(RING),
    "resistances": lambda folder: GraphRelation(RING, distance="resistance"),
}


@pytest.fixture(params=RELATIONS)
def relation(request, tmp_path):
    return RELATIONS[request.param](tmp_path)


ESTIMATORS = {
    "classifier": (RBFNetworkClassifier(4, random_state=0, max_iter=10), LABELS, "predict_proba"),
    "medoids": (
        RBFNetworkClassifier(4, space="medoid", random_state=0, max_iter=10),
        LABELS,
        "predict_proba",
    ),
    "few support": (
        RBFNetworkClassifier(4, n_support=9, random_state=0, max_iter=10),
        LABELS,
        "predict_proba",
    ),
    "regressor": (RBFNetworkRegressor(4, random_state=0, max_iter=10), VALUES, "predict"),
    "k-means": (RelationalKMeans(3, random_state=0), None, "distances_sq"),
    "fuzzy c-means": (
        RelationalFuzzyCMeans(3, fuzzifier=1.3, random_state=0),
        None,
        "predict_memberships",
    ),
    "rows": (DissimilarityRows(), None, "transform"),
    "classical": (ClassicalMDS(2), None, "transform"),
    "landmarks": (LandmarkMDS(2), None, "transform"),
}


@pytest.mark.filterwarnings("ignore::relrbf.exceptions.NotEuclideanWarning")
@pytest.mark.parametrize("name", ESTIMATORS)
@pytest.mark.parametrize("train", [TRAIN, BAG], ids=["some objects", "a bag with repeats"])
def test_positions_are_slices_of_the_matrix(relation, name, train):
    estimator, y, method = ESTIMATORS[name]
    matrix = relation.block().copy()
    exponent = relation.exponent if relation.exponent_given else None
    sliced = as_relation(matrix[np.ix_(train, train)], exponent=exponent)
    targets = None if y is None else y[train]
    by_hand = fit_once(estimator, sliced, targets)
    model = clone(estimator).set_params(metric=relation).fit(train[:, None], targets)
    found = getattr(model, method)(TEST[:, None])
    expected = getattr(by_hand, method)(matrix[np.ix_(TEST, train)])
    if name in ("classical", "landmarks"):  # axes have no sign
        found, expected = np.abs(found), np.abs(expected)
    assert_allclose(found, expected, rtol=0, atol=SAME)


@pytest.mark.parametrize("embedding", [ProximalMDS(2), NearestEuclideanMDS(2)])
def test_other_embeddings_take_positions_too(embedding):
    by_hand = clone(embedding).fit(D[np.ix_(TRAIN, TRAIN)])
    model = embedding.set_params(metric=as_relation(D)).fit(TRAIN[:, None])
    assert_allclose(model.embedding_, by_hand.embedding_, atol=SAME)
    assert_allclose(
        model.transform(TEST[:, None]), by_hand.transform(D[np.ix_(TEST, TRAIN)]), atol=SAME
    )


@pytest.mark.parametrize("solver", ["lbfgs", "auto"])
@pytest.mark.parametrize("space", ["relational", "medoid"])
def test_a_bag_with_repeats_counts_them_as_weights(solver, space):
    model = RBFNetworkClassifier(
        5, metric=as_relation(D), space=space, solver=solver, random_state=0, max_iter=10
    )
    counts = np.bincount(BAG, minlength=N)
    distinct = np.flatnonzero(counts)
    repeated = clone(model).fit(BAG[:, None], LABELS[BAG])
    weighted = clone(model).fit(distinct[:, None], LABELS[distinct], counts[distinct])
    with_zeros = clone(model).fit(np.arange(N)[:, None], LABELS, counts)
    expected = weighted.predict_proba(TEST[:, None])
    assert_allclose(repeated.predict_proba(TEST[:, None]), expected, atol=SAME)
    assert_allclose(with_zeros.predict_proba(TEST[:, None]), expected, atol=SAME)


@pytest.mark.parametrize(
    "options", [{"max_features": 0.3}, {"bootstrap_features": True}, {"max_samples": 0.5}]
)
def test_a_bag_keeps_the_one_column(options):
    model = RBFNetworkClassifier(3, metric=as_relation(D), max_iter=5)
    bags = BaggingClassifier(model, 3, random_state=0, **options).fit(TRAIN[:, None], LABELS[TRAIN])
    assert all(features.tolist() == [0] for features in bags.estimators_features_)
    by_hand = [
        RBFNetworkClassifier(3, max_iter=5, random_state=member.random_state)
        .fit(D[np.ix_(TRAIN[bag], TRAIN[bag])], LABELS[TRAIN[bag]])
        .predict_proba(D[np.ix_(TEST, TRAIN[bag])])
        for bag, member in zip(bags.estimators_samples_, bags.estimators_, strict=True)
    ]
    found = bags.predict_proba(TEST[:, None])
    assert_allclose(found, np.mean(by_hand, axis=0), atol=SAME)


@pytest.mark.filterwarnings("ignore::relrbf.exceptions.NotEuclideanWarning")
def test_threads_share_the_relation(relation):
    model = RBFNetworkClassifier(3, metric=relation, max_iter=5)
    X = TRAIN[:, None]
    alone = BaggingClassifier(model, 4, random_state=0).fit(X, LABELS[TRAIN])
    with joblib.parallel_config("threading", n_jobs=2):
        bags = BaggingClassifier(model, 4, random_state=0).fit(X, LABELS[TRAIN])
    assert all(member.metric is relation for member in bags.estimators_)
    found, expected = (each.predict_proba(TEST[:, None]) for each in (bags, alone))
    assert_allclose(found, expected, atol=SAME)


NAMES = np.array([f"patient {i}" for i in range(N)], dtype=object)
COLUMNS = {
    "int64": lambda i: i[:, None],
    "uint8": lambda i: i[:, None].astype(np.uint8),
    "float32": lambda i: i[:, None].astype(np.float32),
    "float64": lambda i: i[:, None].astype(np.float64),
    "objects": lambda i: i[:, None].astype(object),
    "lists": lambda i: [[int(k)] for k in i],
    "frame": lambda i: pd.DataFrame({"patient": i}, index=NAMES[i]),
    "names": lambda i: NAMES[i][:, None],
    "frame of names": lambda i: pd.DataFrame({"patient": NAMES[i]}),
    "lists of names": lambda i: [[str(name)] for name in NAMES[i]],
}


@pytest.mark.parametrize("kind", COLUMNS)
def test_a_column_is_a_column_however_it_comes(kind):
    relation = as_relation(D, ids=NAMES)
    model = RBFNetworkClassifier(4, metric=relation, random_state=0, max_iter=10)
    expected = clone(model).fit(TRAIN[:, None], LABELS[TRAIN]).predict_proba(TEST[:, None])
    X_train, X_test = COLUMNS[kind](TRAIN), COLUMNS[kind](TEST)
    found = model.fit(X_train, LABELS[TRAIN]).predict_proba(X_test)
    assert_array_equal(found, expected)
    assert model.n_features_in_ == 1
    if "frame" in kind:
        assert model.feature_names_in_.tolist() == ["patient"]


TAKES_NAMES = RBFNetworkClassifier(4, metric=as_relation(D, ids=NAMES), random_state=0, max_iter=10)


@pytest.mark.parametrize(
    "tool",
    [
        TAKES_NAMES,
        BaggingClassifier(TAKES_NAMES, 3, random_state=0),
        CalibratedClassifierCV(TAKES_NAMES, cv=INNER),
        VotingClassifier([("one", TAKES_NAMES), ("same", TAKES_NAMES)], voting="soft"),
    ],
    ids=lambda tool: type(tool).__name__,
)
def test_tools_pass_a_column_of_names_on(tool):
    by_position, *others = (
        cross_val_predict(
            tool, COLUMNS[kind](np.arange(N)), LABELS, cv=FOLDS, method="predict_proba"
        )
        for kind in ("int64", "frame", "names", "frame of names")
    )
    for found in others:
        assert_array_equal(found, by_position)


def test_activations_come_as_a_frame_with_the_rows_of_the_frame():
    X = pd.DataFrame({"patient": TRAIN}, index=NAMES[TRAIN])
    model = RBFNetworkClassifier(4, metric=as_relation(D), random_state=0, max_iter=10)
    frame = model.set_output(transform="pandas").fit(X, LABELS[TRAIN]).transform(X)
    assert frame.index.tolist() == X.index.tolist()
    assert frame.columns.tolist() == [f"rbfnetworkclassifier{i}" for i in range(4)]


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([["patient 3"], ["nobody"]], "X names 'nobody', which is not one of the ids"),
        ([["3"], ["4"]], "X names '3', which is not one of the ids"),
        ([0, 1], r"shape \(2,\).*must be one column"),
        ([[0, 1], [1, 0]], r"shape \(2, 2\).*must be one column.*ColumnTransformer"),
        ([[np.nan], [1]], "X contains 1 NaN"),
        (as_relation(D), "X is a DenseRelation, and metric is a relation as well"),
    ],
)
def test_a_column_that_means_no_objects(X, message):
    y = np.arange(len(X)) % 2
    with pytest.raises(RelationError, match=message):
        RBFNetworkClassifier(metric=as_relation(D, ids=NAMES)).fit(X, y)


def test_digits_in_text_are_names_and_not_positions():
    with pytest.raises(RelationError, match="holds the name '3', and metric=relation has no ids"):
        RBFNetworkClassifier(metric=as_relation(D)).fit([["3"], ["4"]], [0, 1])


def test_positions_that_were_scaled_are_refused():
    model = make_pipeline(StandardScaler(), RBFNetworkClassifier(metric=as_relation(D)))
    with pytest.raises(RelationError, match="which nothing may scale"):
        model.fit(np.arange(N)[:, None], LABELS)


def test_the_whole_relation_is_not_copied():
    relation = as_relation(D)
    model = RBFNetworkClassifier(4, metric=relation, max_iter=5)
    assert model._validate_relation(np.arange(N)[:, None]) is relation


@pytest.mark.parametrize("method", ["sigmoid", "isotonic", "temperature"])
def test_a_frozen_network_is_calibrated_on_other_objects(method):
    half, other = TRAIN[::2], TRAIN[1::2]
    model = RBFNetworkClassifier(4, metric=as_relation(D), random_state=0, max_iter=10)
    frozen = FrozenEstimator(clone(model).fit(half[:, None], LABELS[half]))
    found = CalibratedClassifierCV(frozen, method=method, cv=2).fit(other[:, None], LABELS[other])
    by_hand = clone(model).set_params(metric="precomputed").fit(D[np.ix_(half, half)], LABELS[half])
    responses, asked = (by_hand.decision_function(D[np.ix_(i, half)]) for i in (other, TEST))
    expected = calibrated(responses, LABELS[other], asked, method)
    assert_allclose(found.predict_proba(TEST[:, None]), expected, atol=SAME)


def test_calibration_uses_one_response_before_and_after_fit():
    """A matrix that is calibrated without an ensemble is calibrated as its positions are."""
    model = RBFNetworkClassifier(4, random_state=0, max_iter=10)
    options = {"ensemble": False, "cv": INNER}
    by_matrix = CalibratedClassifierCV(model, **options).fit(D, LABELS).predict_proba(D)
    positions = np.arange(N)[:, None]
    model = clone(model).set_params(metric=as_relation(D))
    by_position = CalibratedClassifierCV(model, **options).fit(positions, LABELS)
    assert_allclose(by_position.predict_proba(positions), by_matrix, atol=SAME)


def test_neighbours_stand_beside_a_network():
    relation, neighbours = as_relation(D), KNeighborsClassifier(3, metric="precomputed")
    network = RBFNetworkClassifier(4, random_state=0, max_iter=10)
    stack = StackingClassifier(
        [
            ("network", clone(network).set_params(metric=relation)),
            ("neighbours", make_pipeline(DissimilarityRows(relation), neighbours)),
        ],
        LogisticRegression(),
        cv=INNER,
    ).fit(TRAIN[:, None], LABELS[TRAIN])
    inner, across = D[np.ix_(TRAIN, TRAIN)], D[np.ix_(TEST, TRAIN)]
    y, both = LABELS[TRAIN], (network, neighbours)
    known = [cross_val_predict(m, inner, y, cv=INNER, method="predict_proba") for m in both]
    asked = [clone(m).fit(inner, y).predict_proba(across) for m in both]
    final = LogisticRegression().fit(np.hstack(known), y)
    expected = final.predict_proba(np.hstack(asked))
    assert_allclose(stack.predict_proba(TEST[:, None]), expected, atol=SAME)


def test_a_chain_takes_coordinates_beside_the_labels():
    Y = np.column_stack([OTHER_LABELS, LABELS == 1]).astype(int)
    place = ColumnTransformer(
        [("place", ClassicalMDS(3, metric=as_relation(D)), [0])], remainder="passthrough"
    )
    chain = ClassifierChain(make_pipeline(place, LogisticRegression()))
    found = chain.fit(TRAIN[:, None], Y[TRAIN]).predict_proba(TEST[:, None])
    mds = ClassicalMDS(3).fit(D[np.ix_(TRAIN, TRAIN)])
    known, asked = mds.embedding_, mds.transform(D[np.ix_(TEST, TRAIN)])
    first = LogisticRegression().fit(known, Y[TRAIN, 0])
    second = LogisticRegression().fit(np.column_stack([known, Y[TRAIN, 0]]), Y[TRAIN, 1])
    said = second.predict_proba(np.column_stack([asked, first.predict(asked)]))
    expected = np.column_stack([first.predict_proba(asked)[:, 1], said[:, 1]])
    assert_allclose(found, expected, atol=1e-6)


def test_passthrough_hands_positions_to_the_final_estimator():
    """Right for nobody: a position is no feature. The page says so."""
    stack = StackingClassifier(
        [("network", RBFNetworkClassifier(4, metric=as_relation(D), random_state=0, max_iter=10))],
        LogisticRegression(),
        cv=INNER,
        passthrough=True,
    ).fit(TRAIN[:, None], LABELS[TRAIN])
    assert stack.final_estimator_.n_features_in_ == 3 + 1


MATRIX = KINDS[2]
RESCUED = [
    tool
    for tool in COMBINED
    if tool.name not in ("ClassifierChain", "CalibratedClassifierCV(ensemble=False)")
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("tool", RESCUED, ids=lambda tool: tool.name)
def test_where_a_matrix_fails_the_error_says_what_to_do(tool):
    for run in (fit_alone, fit_in_folds):
        with contextlib.suppress(Rescue), told_what_to_do():
            run(tool, MATRIX)


class Rescue(Exception):  # noqa: N818
    """An error that named the remedy."""


@contextlib.contextmanager
def told_what_to_do():
    try:
        yield
    except RelationError as error:
        if "use metric=as_relation(D)" in str(error):
            raise Rescue from error
        raise


def test_positions_without_their_relation():
    with pytest.raises(RelationError, match="positions of objects in a relation, use metric="):
        RBFNetworkClassifier().fit(np.arange(N)[:, None], LABELS)


def test_too_many_columns_say_what_to_do():
    model = RBFNetworkClassifier(3, max_iter=5).fit(D[np.ix_(TRAIN, TRAIN)], LABELS[TRAIN])
    with pytest.raises(RelationError, match=r"expecting 30 .*metric=as_relation\(D\)"):
        model.predict(D)


@of_this_version
def test_a_kernel_matrix_with_weights_of_zero_is_beyond_scikit_learn():
    """Why bags of SVC(kernel="precomputed") are wrong; when this fails, correct the page."""
    weights = np.bincount(BAG, minlength=N)
    some = np.flatnonzero(weights)
    part = SVC(kernel="precomputed").fit(K[np.ix_(some, some)], LABELS[some], weights[some])
    whole = SVC(kernel="precomputed").fit(K, LABELS, weights)
    gap = whole.decision_function(K) - part.decision_function(K[:, some])
    assert np.abs(gap).max() > 0.1


def test_cross_validation_is_that_of_the_matrix():
    model = RBFNetworkRegressor(4, random_state=0, max_iter=10)
    positions = np.arange(N)[:, None]
    assert_array_equal(
        cross_val_score(clone(model).set_params(metric=as_relation(D)), positions, VALUES),
        cross_val_score(model, D, VALUES),
    )
