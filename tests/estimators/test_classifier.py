"""What the classifier promises: labels, probabilities, weights, ids, compact models."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import NotFittedError
from sklearn.preprocessing import StandardScaler

from relrbf import RBFNetworkClassifier, as_relation
from relrbf.exceptions import NotEuclideanWarning, RelationError, RelationWarning
from relrbf.network import KERNELS, RationalQuadratic


def model(**options):
    return RBFNetworkClassifier(**{"random_state": 0, "max_iter": 30, **options})


@pytest.fixture
def held_out(blobs, rng):
    """New objects: X_new, D_new."""
    X, _, _ = blobs
    X_new = rng.standard_normal((9, 5)) + 0.5
    return X_new, cdist(X_new, X)


def assert_near(found, expected, rtol):
    """Compare numbers, relative to the largest: weights of hundreds nearly cancel."""
    assert_allclose(found, expected, rtol=0, atol=rtol * np.abs(expected).max())


# The teacher solves systems of condition 1e6 at most (its smallest penalties, relative to the
# largest eigenvalue, are 1e-6 in K² and 1e-5 in K): rounding of 1e-16 becomes 1e-10. A student
# takes ten steps from there. Polynomials grow without bound, and activations of prototypes are
# alike: the normal equations of the output layer, which every step solves, are worse by 100.
TWIN_BOUNDS = {name: 1e-7 if name == "polynomial" else 1e-9 for name in KERNELS}


@pytest.mark.parametrize("n_prototypes", ["auto", "all", 6])
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("epochs", [1, 1000])
def test_the_estimators_are_twins(blobs, held_out, kernel, epochs, n_prototypes):
    X, D, y = blobs
    X_new, D_new = held_out
    options = {"kernel": kernel, "max_iter": epochs, "tol": 0, "exponent": 2}
    graph = model(n_prototypes=n_prototypes, **options).fit(D, y)
    vector = model(n_prototypes=n_prototypes, **options, space="vector").fit(X, y)
    bound = TWIN_BOUNDS[kernel]
    assert graph.status_ is vector.status_
    for name in ("weights_", "bandwidths_", "bias_"):
        assert_near(getattr(graph, name), getattr(vector, name), bound)
    assert_near(graph.prototypes_.coefficients @ X, vector.prototypes_.points, bound)
    assert_near(graph.decision_function(D_new), vector.decision_function(X_new), bound)


def test_breast_cancer_twins_agree_on_held_out_objects():
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    train, test = np.arange(0, 569, 2), np.arange(1, 569, 2)
    D = cdist(X, X)
    graph = model(max_iter=200, tol=0).fit(D[np.ix_(train, train)], y[train])
    vector = model(max_iter=200, tol=0, space="vector").fit(X[train], y[train])
    responses = graph.decision_function(D[np.ix_(test, train)])
    assert_near(responses, vector.decision_function(X[test]), 1e-9)
    assert graph.score(D[np.ix_(test, train)], y[test]) > 0.95


def test_votes_with_duplicates_and_ties_are_twins(shared_data):
    data = np.load(shared_data / "USC-435" / "USC-435.npz")
    X = StandardScaler().fit_transform(data["X"].astype(float))
    graph = model(max_iter=200, tol=0).fit(cdist(X, X), data["y"])
    vector = model(max_iter=200, tol=0, space="vector").fit(X, data["y"])
    assert_near(graph.decision_function(cdist(X, X)), vector.decision_function(X), 1e-9)
    assert graph.relation_report_.n_duplicate_objects == 93


@pytest.mark.parametrize(
    "classes",
    [
        ["a", "b", "c"],
        [True, False],
        [-1, 0, 7],
        [10, 20],
        list(map(np.str_, "xyz")),
    ],
)
def test_labels_of_any_type_come_back(blobs, classes):
    _, D, y = blobs
    labels = np.array(classes, dtype=object if isinstance(classes[0], str) else None)[
        y % len(classes)
    ]
    fitted = model().fit(D, labels)
    assert set(fitted.predict(D)) <= set(classes)
    assert_array_equal(fitted.classes_, np.unique(labels))


def test_pandas_labels_and_strings(blobs):
    _, D, y = blobs
    names = pd.Series(np.array(["low", "mid", "high"])[y], dtype="category")
    by_number = model().fit(D, names.cat.codes).predict(D)
    assert_array_equal(model().fit(D, names).predict(D), names.cat.categories[by_number])


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("kernel", KERNELS)
def test_probabilities_are_probabilities_and_agree_with_predictions(blobs, n_classes, kernel):
    _, D, y = blobs
    fitted = model(kernel=kernel).fit(D, y % n_classes)
    P = fitted.predict_proba(D)
    assert P.shape == (60, n_classes)
    assert (P >= 0).all()
    assert_allclose(P.sum(axis=1), 1)
    assert_array_equal(fitted.classes_[P.argmax(axis=1)], fitted.predict(D))


def test_probabilities_are_sure_of_far_groups_and_unsure_of_noise(rng):
    y = np.repeat([0, 1], 50)
    far, noise = rng.standard_normal((100, 2)) + 50 * y[:, None], rng.standard_normal((100, 2))
    sure = [
        model().fit(cdist(X, X), y).predict_proba(cdist(X, X)).max(axis=1).mean()
        for X in (far, noise)
    ]
    assert sure[0] > 0.97
    assert sure[1] < 0.8


@pytest.mark.parametrize("alpha", ["auto", 0.3])
def test_sample_weights_count_as_copies(blobs, rng, alpha):
    _, D, y = blobs
    counts = rng.integers(0, 4, 60)
    copies = np.repeat(np.arange(60), counts)
    weighted = model(alpha=alpha).fit(D, y, sample_weight=counts)
    repeated = model(alpha=alpha).fit(D[np.ix_(copies, copies)], y[copies])
    assert_allclose(
        weighted.decision_function(D), repeated.decision_function(D[:, copies]), atol=1e-8
    )


def test_the_scale_of_sample_weights_does_not_matter(blobs):
    _, D, y = blobs
    w = 1.0 + y
    responses = [
        model(alpha="auto").fit(D, y, sample_weight=w * s).decision_function(D) for s in (1, 1e-90)
    ]
    assert_allclose(*responses, atol=1e-9)


def test_balanced_classes_help_the_rare_one(rng):
    y = (np.arange(300) % 15 == 0).astype(int)
    X = rng.standard_normal((300, 2)) + 1.2 * y[:, None]
    D = cdist(X, X)
    found = [
        (model(class_weight=w).fit(D, y).predict(D)[y == 1] == 1).mean() for w in (None, "balanced")
    ]
    assert found[1] > found[0] + 0.3


def test_balanced_classes_are_the_sample_weights_they_stand_for(blobs):
    _, D, y = blobs
    y = np.minimum(y, 1)
    weights = np.where(y == 0, 60 / (2 * 20), 60 / (2 * 40))
    given = model().fit(D, y, sample_weight=weights)
    assert_allclose(
        model(class_weight="balanced").fit(D, y).decision_function(D),
        given.decision_function(D),
        atol=1e-10,
    )


@pytest.mark.parametrize("space", ["relational", "medoid"])
@pytest.mark.parametrize("kind", ["array", "relation"])
def test_the_order_of_the_objects_does_not_matter(blobs, held_out, rng, space, kind):
    _, D, y = blobs
    D_new = held_out[1]
    order = rng.permutation(60)
    make = np.asarray if kind == "array" else as_relation
    straight = model(space=space).fit(make(D), y)
    shuffled = model(space=space).fit(make(D[np.ix_(order, order)]), y[order])
    assert_allclose(
        straight.decision_function(D_new), shuffled.decision_function(D_new[:, order]), atol=1e-8
    )


@pytest.mark.parametrize("scale", [1e-6, 1e3])
def test_the_unit_of_the_dissimilarities_does_not_matter(blobs, held_out, scale):
    _, D, y = blobs
    D_new = held_out[1]
    plain, scaled = model().fit(D, y), model().fit(scale * D, y)
    assert_allclose(
        plain.decision_function(D_new), scaled.decision_function(scale * D_new), atol=1e-8
    )
    assert_allclose(scaled.bandwidths_, scale * plain.bandwidths_)


def test_an_object_without_weight_carries_nothing(blobs):
    _, D, y = blobs
    weights = np.ones(60)
    weights[[3, 30]] = 0
    fitted = model().fit(D, y, sample_weight=weights)
    assert not fitted.prototypes_.coefficients[:, [3, 30]].any()
    assert {3, 30}.isdisjoint(fitted.support_)


@pytest.mark.parametrize("space", ["relational", "medoid"])
def test_a_compact_model_needs_only_the_supports_columns(shared_data, space):
    data = np.load(shared_data / "HG-194" / "HG-194.npz")
    D, y = data["R"], data["y"]
    with pytest.warns(NotEuclideanWarning):
        fitted = model(space=space).fit(D, y)
    assert len(fitted.support_) <= 30  # the distinct ones
    small = fitted.compact()
    assert small.n_features_in_ == len(fitted.support_)
    assert_array_equal(small.predict_proba(D[:, fitted.support_]), fitted.predict_proba(D))
    assert_array_equal(small.prototypes_.nearest(1), fitted.prototypes_.nearest(1))
    assert_array_equal(
        small.prototypes_.distances_sq, fitted.prototypes_.distances_sq[:, fitted.support_]
    )


@pytest.mark.parametrize(
    ("space", "metric"),
    [("relational", "euclidean"), ("medoid", "sqeuclidean"), ("vector", "euclidean")],
)
def test_a_compact_model_on_vectors_takes_vectors(blobs, held_out, space, metric):
    X, _, y = blobs
    fitted = model(space=space, metric=metric).fit(X, y)
    assert_array_equal(fitted.compact().predict(held_out[0]), fitted.predict(held_out[0]))


def test_a_relation_as_metric_takes_positions(blobs):
    _, D, y = blobs
    train, test = np.arange(0, 60, 2), np.arange(1, 60, 2)
    by_position = model(metric=as_relation(D)).fit(train[:, None], y[train])
    by_matrix = model().fit(D[np.ix_(train, train)], y[train])
    assert_array_equal(
        by_position.decision_function(test[:, None]),
        by_matrix.decision_function(D[np.ix_(test, train)]),
    )


@pytest.mark.parametrize("metric", ["cityblock", "seuclidean", lambda a, b: abs(a - b).sum()])
def test_vectors_and_a_metric_are_their_matrix(blobs, held_out, metric):
    X, _, y = blobs
    X_new, _ = held_out
    name, options = (metric, {}) if isinstance(metric, str) else ("cityblock", {})
    if name == "seuclidean":
        options = {"V": X.var(axis=0, ddof=1)}
    by_metric = model(metric=metric).fit(X, y)
    by_matrix = model().fit(cdist(X, X, name, **options), y)
    assert_allclose(
        by_metric.decision_function(X_new),
        by_matrix.decision_function(cdist(X_new, X, name, **options)),
        atol=1e-9,
    )


def test_vectors_far_from_the_origin_lose_nothing(blobs, held_out):
    X, D, y = blobs
    X_new, D_new = held_out
    far = model(metric="euclidean").fit(X + 1e7, y).decision_function(X_new + 1e7)
    assert_allclose(far, model().fit(D, y).decision_function(D_new), atol=1e-4)


def test_float32_stays_float32(blobs, held_out):
    _, D, y = blobs
    fitted = model().fit(D.astype(np.float32), y)
    assert fitted.weights_.dtype == fitted.bandwidths_.dtype == np.float32
    assert fitted.prototypes_.coefficients.dtype == np.float32
    assert fitted.predict_proba(held_out[1].astype(np.float32)).dtype == np.float32


def test_frames_give_the_prototypes_their_names(blobs):
    _, D, y = blobs
    names = np.array([f"gene{i}" for i in range(60)])
    fitted = model().fit(pd.DataFrame(D, index=names, columns=names), y)
    positions = model().fit(D, y).prototypes_.nearest(2)
    assert_array_equal(fitted.prototypes_.nearest(2), names[positions])
    assert_array_equal(fitted.feature_names_in_, names)
    assert_array_equal(fitted.compact().feature_names_in_, names[fitted.support_])


def test_k23_is_handled_and_reported(k23):
    with pytest.warns(NotEuclideanWarning, match="the spectrum is negative"):
        fitted = model(exponent=2).fit(k23, [0, 0, 1, 1, 1])
    assert np.isfinite(fitted.predict_proba(k23)).all()
    assert not fitted.relation_report_.has_vector_dual[2]
    objective = np.array(fitted.history_.objective)
    assert (np.diff(objective) <= 1e-12).all()
    assert objective[-1] < objective[0]


def test_the_exponent_is_chosen_by_which_reading_is_nearer_to_vectors(blobs):
    _, D, y = blobs
    assert model().fit(D, y).exponent_ == 2
    assert model().fit(D**2, y).exponent_ == 1
    assert_allclose(
        model().fit(D, y).decision_function(D),
        model().fit(D**2, y).decision_function(D**2),
        atol=1e-8,
    )


def test_a_relations_own_exponent_is_respected(blobs):
    _, D, y = blobs
    assert model().fit(as_relation(D, exponent=1), y).exponent_ == 1
    assert model().fit(as_relation(D**2), y).exponent_ == 1  # assumed only: "auto" decides
    assert model(metric=as_relation(D**2)).fit(np.arange(60)[:, None], y).exponent_ == 1
    assert model(exponent=2).fit(as_relation(D, exponent=1), y).exponent_ == 2


@pytest.mark.filterwarnings("ignore::relrbf.exceptions.NotEuclideanWarning")  # of cubes
@pytest.mark.parametrize("exponent", [0.5, 1.5, 3])
@pytest.mark.parametrize("options", [{}, {"n_support": 20}, {"solver": "gradient-descent"}])
def test_any_power_may_be_given(blobs, held_out, exponent, options):
    (_, D, y), D_new = blobs, held_out[1]
    fitted = model(exponent=exponent, **options).fit(D, y)
    assert fitted.exponent_ == exponent
    assert fitted.relation_report_.has_vector_dual[exponent] == (exponent < 2)  # Schoenberg 1938
    of_powers = model(exponent=1, **options).fit(D**exponent, y)
    assert_allclose(
        fitted.decision_function(D_new), of_powers.decision_function(D_new**exponent), atol=1e-8
    )
    own = model(**options).fit(as_relation(D, exponent=exponent), y)
    assert_array_equal(own.decision_function(D_new), fitted.decision_function(D_new))


def test_a_power_that_vanishes_is_refused(blobs):
    _, D, y = blobs
    with pytest.raises(RelationError, match=r"power of exponent=5 are zero.*Rescale"):
        model(exponent=5).fit(1e-80 * D, y)
    with pytest.raises(RelationError, match="leave the range"):
        model(exponent=5).fit(1e80 * D, y)


@pytest.mark.parametrize("init", ["k-means", "random-partition", "fuzzy", "class", "random"])
def test_every_start_trains(blobs, init):
    _, D, y = blobs
    assert model(init=init).fit(D, y).score(D, y) > 0.75  # chance is 0.33


def test_given_coefficients_are_the_start(blobs):
    _, D, y = blobs
    A = np.eye(60)[[0, 20, 40]]
    fitted = model(init=A, max_iter=1).fit(D, y)
    assert len(fitted.prototypes_) == 3
    assert_array_equal(fitted.prototypes_.nearest(1).ravel(), [0, 20, 40])


def test_a_kernel_object_is_used_as_given(blobs):
    _, D, y = blobs
    named = model(kernel="rational-quadratic").fit(D, y).decision_function(D)
    assert_array_equal(model(kernel=RationalQuadratic()).fit(D, y).decision_function(D), named)
    other = model(kernel=RationalQuadratic(9.0)).fit(D, y).decision_function(D)
    assert np.abs(other - named).max() > 1e-4


def test_similarities_are_converted_alike_in_fit_and_predict(blobs, held_out):
    _, D, y = blobs
    D_new = held_out[1]
    K, K_new = np.exp(-(D**2) / 8), np.exp(-(D_new**2) / 8)
    with pytest.warns(RelationWarning, match="looks like similarities"):
        converted = model().fit(K, y)
    by_hand = model().fit(np.sqrt(2 - 2 * K), y)
    assert_allclose(
        converted.decision_function(K_new), by_hand.decision_function(np.sqrt(2 - 2 * K_new))
    )
    with pytest.warns(RelationWarning, match="looks like similarities"):
        relation = as_relation(K)
    assert_allclose(
        model().fit(relation, y).decision_function(relation),
        by_hand.decision_function(np.sqrt(2 - 2 * K)),
    )


@pytest.mark.filterwarnings("ignore::relrbf.exceptions.NotEuclideanWarning")
@pytest.mark.filterwarnings("ignore::relrbf.exceptions.MismatchWarning")
def test_powers_that_overflow_are_said_by_transform_as_by_predict(blobs):
    _, D, y = blobs
    fitted = model(exponent=20, kernel="multiquadric").fit(D, y)
    for method in ("predict", "transform"):
        with pytest.raises(RelationError, match="so far from the training objects"):
            getattr(fitted, method)(1e20 * D)


def test_asking_too_early_says_so(blobs):
    _, D, _ = blobs
    for method in ("predict", "predict_proba", "decision_function", "transform"):
        with pytest.raises(NotFittedError):
            getattr(model(), method)(D)
    with pytest.raises(NotFittedError):
        model().compact()


def test_a_failed_fit_leaves_the_model_as_it_was(blobs):
    _, D, y = blobs
    fitted = model().fit(D, y)
    before = fitted.predict_proba(D)
    with pytest.raises(ValueError, match="not symmetric"):
        fitted.fit(np.triu(D), np.array(["a", "b", "c"])[y])
    assert_array_equal(fitted.predict_proba(D), before)
    assert_array_equal(fitted.classes_, [0, 1, 2])


def test_a_first_fit_that_fails_leaves_no_trace(blobs):
    _, D, y = blobs
    fresh = model()
    before = dict(vars(fresh))
    with pytest.raises(ValueError, match="not symmetric"):
        fresh.fit(np.triu(D), y)
    assert vars(fresh) == before


def test_a_new_similarity_cannot_exceed_an_objects_own(blobs):
    _, D, y = blobs
    K = np.exp(-D)
    with pytest.warns(RelationWarning, match="looks like similarities"):
        fitted = model().fit(K, y)
    assert np.isfinite(fitted.decision_function(K + 1e-16)).all()
    with pytest.raises(ValueError, match="nothing can be more similar"):
        fitted.predict(2 * K)


def test_mahalanobis_uses_the_training_covariance_for_one_new_object(blobs, held_out):
    X, _, y = blobs
    fitted = model(metric="mahalanobis").fit(X, y)
    together = fitted.decision_function(held_out[0])
    alone = [fitted.decision_function(row[None])[0] for row in held_out[0]]
    assert_allclose(alone, together, atol=1e-10)


def test_weights_of_the_objects_count_in_the_probabilities(rng):
    """Two indistinguishable classes: the probabilities are the classes' shares of the weight."""
    X = rng.standard_normal((200, 2))
    y = np.arange(200) % 2
    D = cdist(X, X)
    P = model(alpha=1e6).fit(D, y, sample_weight=1.0 + 8 * y).predict_proba(D)
    assert_allclose(P.mean(axis=0), [0.1, 0.9], atol=0.02)
