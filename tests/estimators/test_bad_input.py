"""Every bad input has its own message, which names the argument and the remedy."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist

from relrbf import RBFNetworkClassifier, RBFNetworkRegressor, as_relation
from relrbf.exceptions import OptionError, RelationError, RelationWarning
from relrbf.network import Polynomial, RationalQuadratic
from relrbf.training import GradientDescent

BOTH = pytest.mark.parametrize("estimator", [RBFNetworkClassifier, RBFNetworkRegressor])


def quick(estimator=RBFNetworkClassifier, **options):
    return estimator(**{"random_state": 0, "max_iter": 3, **options})


def frozen(D):
    D.flags.writeable = False
    return D


@BOTH
@pytest.mark.parametrize(
    ("spoil", "error", "message"),
    [
        (lambda D: D[:, :7], RelationError, r"shape \(60, 7\).*metric='euclidean'"),
        (lambda D: np.where(D > 4, np.nan, D), RelationError, r"NaN and 0 inf entries"),
        (lambda D: np.where(D > 4, np.inf, D), RelationError, r"0 NaN and \d+ inf entries"),
        (lambda D: D - 1 + np.eye(60), RelationError, r"Negative values in data: X has"),
        (lambda D: D + 0.1 * np.diag(np.arange(60)), RelationError, r"X\[59, 59\] is 5.9"),
        (lambda D: np.triu(D), RelationError, "X is not symmetric"),
        (lambda D: sparse.csr_array(D), TypeError, "X is sparse; dense data is required"),
        (lambda D: D + 0j, ValueError, "Complex data not supported"),
        (lambda D: np.full((60, 60), "a", dtype=object), RelationError, "not a number"),
        (lambda D: D[0], RelationError, "one-dimensional.*as_relation"),
        (lambda D: D * 1e160, RelationError, "largest entry of X.*Rescale X"),
        (lambda D: D * 1e-160, RelationError, "largest entry of X.*Rescale X"),
        (lambda D: np.ma.masked_greater(D, 4), RelationError, "masked entries"),
        (lambda D: as_relation(D)[:60, :50], RelationError, r"shape \(60, 50\)"),
    ],
)
def test_a_matrix_that_is_no_relation(blobs, estimator, spoil, error, message):
    _, D, y = blobs
    frozen(D)
    with pytest.raises(error, match=message):
        quick(estimator).fit(spoil(D), y)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda D: D[:, :50], r"X has 50 features, but .* is expecting 60.*metric='precomputed'"),
        (lambda D: np.where(D > 4, np.nan, D), "NaN"),
        (lambda D: D - 3, "Negative values in data"),
        (lambda D: D * 1e160, "Rescale X"),
        (lambda D: as_relation(D)[:5, :50], "X has 50 features"),
    ],
)
def test_new_objects_that_do_not_fit(blobs, change, message):
    _, D, y = blobs
    fitted = quick().fit(D, y)
    with pytest.raises(RelationError, match=message):
        fitted.predict(change(D))


@pytest.mark.parametrize("kind", [str, int])
def test_new_objects_under_other_names(blobs, kind):
    _, D, y = blobs
    names = [kind(100 + i) for i in range(60)]
    frame = pd.DataFrame(D, index=names, columns=names)
    fitted = quick().fit(frame, y)
    np.testing.assert_array_equal(fitted.predict(frame), fitted.predict(frame.iloc[:, :]))
    shuffled = frame[names[::-1]]
    with pytest.raises(ValueError, match=r"(same order|another order)"):
        fitted.predict(shuffled)
    with pytest.raises(ValueError, match=r"(lacks 100|seen at fit time, yet now missing)"):
        fitted.predict(frame.rename(columns={names[0]: kind(999)}))


def test_numbers_as_names_are_names(blobs):
    """Rows and columns labelled 0..n-1 in another order are matched by label, not by place."""
    _, D, y = blobs
    order = np.random.default_rng(0).permutation(60)
    frame = pd.DataFrame(D)
    fitted = quick().fit(frame.loc[order, order], y[order])
    np.testing.assert_array_equal(fitted.predict(frame[order]), fitted.predict(D[:, order]))
    with pytest.raises(RelationError, match="another order"):
        fitted.predict(frame)
    with pytest.raises(RelationError, match="another order"):
        quick().fit(frame, y).predict(frame[order])


def test_relations_under_other_names(blobs):
    _, D, y = blobs
    names = [f"o{i}" for i in range(60)]
    relation = as_relation(D, ids=names)
    fitted = quick().fit(relation, y)
    cut = relation[np.ix_(range(5), range(60))]
    np.testing.assert_array_equal(fitted.predict(cut), fitted.predict(relation)[:5])
    with pytest.raises(RelationError, match="another order"):
        fitted.predict(relation[np.ix_(range(5), range(59, -1, -1))])
    with pytest.raises(RelationError, match="lacks 'o0'"):
        fitted.predict(as_relation(D, ids=[f"p{i}" for i in range(60)]))


def test_a_response_that_overflows_is_no_answer(blobs):
    _, D, y = blobs
    fitted = quick(kernel="polynomial").fit(D, y)
    with pytest.raises(RelationError, match="object 1 of X is so far"):
        fitted.predict(np.array([D[0], np.full(60, 1e120)]))


def test_names_hold_whatever_the_order_of_a_frames_columns(blobs):
    """Columns in another order than the rows are matched by name, in fit and in predict."""
    _, D, y = blobs
    names = [f"o{i}" for i in range(60)]
    frame = pd.DataFrame(D, index=names, columns=names)
    straight = quick().fit(frame, y).decision_function(frame)
    turned = quick().fit(frame[names[::-1]], y)
    np.testing.assert_array_equal(turned.decision_function(frame), straight)


def test_feature_vectors_as_if_they_were_distances(rng):
    X, y = rng.standard_normal((20, 20)), np.arange(20) % 2
    with pytest.raises(RelationError, match="metric='euclidean'"):
        quick().fit(X, y)
    with pytest.raises(RelationError, match="metric='euclidean'"):
        quick().fit(np.abs(X), y)
    with pytest.raises(RelationError, match="metric='euclidean'"):
        quick().fit(X[:, :5], y)


@pytest.mark.parametrize(
    "options", [{"metric": "euclidean"}, {"space": "vector"}, {"metric": "cityblock"}]
)
def test_distances_as_if_they_were_feature_vectors(blobs, options):
    _, D, y = blobs
    with pytest.raises(RelationError, match=r"these are dissimilarities.*metric='precomputed'"):
        quick(**options).fit(D, y)


def test_a_relation_where_vectors_are_needed(blobs):
    _, D, y = blobs
    with pytest.raises(RelationError, match="needs feature vectors"):
        quick(space="vector").fit(as_relation(D), y)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (np.zeros(60), "y holds 1 class"),
        (np.arange(50) % 2, "y has 50 entries for 60 objects"),
        (np.array([0, "a"] * 30, dtype=object), "(cannot be ordered|Unknown label type)"),
        (np.linspace(0, 1, 60), "Unknown label type"),
        (np.where(np.arange(60) > 5, 1.0, np.nan), "NaN"),
        (None, "requires y to be passed"),
    ],
)
def test_labels_that_cannot_be_learned(blobs, labels, message):
    _, D, _ = blobs
    with pytest.raises(ValueError, match=message):
        quick().fit(D, labels)


@pytest.mark.parametrize(
    ("targets", "message"),
    [
        (np.arange(50.0), "y has 50 entries for 60 objects"),
        (np.full(60, np.nan), "NaN"),
        (np.zeros((60, 2, 2)), "dim"),
        (np.array(["a"] * 60), "(could not convert|dtype)"),
        (np.full(60, 1e200), "Rescale y"),
        (None, "requires y to be passed"),
    ],
)
def test_targets_that_cannot_be_learned(blobs, targets, message):
    _, D, _ = blobs
    with pytest.raises(ValueError, match=message):
        quick(RBFNetworkRegressor).fit(D, targets)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.zeros(60), "at least one non-zero"),
        (-np.ones(60), "Negative values"),
        (np.full(60, np.nan), "NaN"),
        (np.ma.masked_equal(np.arange(60.0), 3), "masked"),
        (np.nan, "sample_weight"),
        (np.ones(50), "sample_weight"),
        (np.r_[np.ones(20), np.zeros(40)], "leave 1 class"),
        (np.full(60, 1e307), r"from 1e-100 to 1e\+100"),
        (np.full(60, 1e160), "from 1e-100 to 1e"),
        (np.where(np.arange(60) == 3, 1e-40, 1.0), "lost in rounding. Make it 0"),
    ],
)
def test_weights_that_leave_nothing(blobs, weights, message):
    _, D, y = blobs
    with pytest.raises(ValueError, match=message):
        quick().fit(D, y, sample_weight=weights)


def test_class_weights_that_are_no_weights(blobs):
    _, D, y = blobs
    with pytest.raises(OptionError, match="class_weight is"):
        quick(class_weight=[1, 2, 3]).fit(D, y)
    with pytest.raises(ValueError, match="class_weight"):
        quick(class_weight={0: -1, 1: 1, 2: 1}).fit(D, y)


@BOTH
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kernel": "cubic"}, r"kernel='cubic' does not exist.*'gaussian'.*'polynomial'"),
        ({"solver": "adam"}, r"solver='adam' does not exist.*'gradient-descent'"),
        ({"solver": "newton"}, r"does not exist.*'lbfgs'"),
        ({"exponent": -3}, "exponent is -3; it must be 2"),
        ({"exponent": "two"}, "exponent is 'two'"),
        ({"space": "graph"}, r"space='graph' does not exist.*'medoid'"),
        ({"metric": "hausdorf"}, r"metric='hausdorf' does not exist.*'euclidean'"),
        ({"metric_params": {"p": 3}}, "computes no metric"),
        ({"init": "means"}, r"init='means' does not exist.*'k-means'"),
        ({"init": 5}, r"init is 5; it must be one of"),
        ({"init": np.ones(60) / 60}, "one row per prototype"),
        ({"init": np.ones((2, 60))}, "row 0 of init sums to 60.*affine"),
        ({"init": np.ones((2, 50)) / 50}, "one column for each of the 60 objects"),
        ({"init": np.ones((2, 60)) / 60, "n_prototypes": 3}, "make them agree"),
        ({"n_prototypes": 0}, "n_prototypes is 0; it must be an integer, at least 1"),
        ({"n_prototypes": 2.5}, "n_prototypes is 2.5"),
        ({"n_prototypes": True}, "n_prototypes is True"),
        ({"n_prototypes": 61}, "n_prototypes is 61 and there are 60 objects"),
        ({"max_prototypes": 0}, "max_prototypes is 0; it must be an integer, at least 1"),
        (
            {"n_prototypes": 9, "max_prototypes": 8},
            "max_prototypes is 8 and training starts from 9",
        ),
        ({"init": np.full((3, 60), 1 / 60), "max_prototypes": 2}, "max_prototypes is 2"),
        ({"warm_start": "yes"}, "warm_start is 'yes'"),
        (
            {"solver": GradientDescent},
            r"solver is the class GradientDescent; pass one: GradientDescent\(\)",
        ),
        ({"n_support": 0}, r"n_support is 0.*at least 1"),
        ({"n_support": 1.5}, "between 0 and 1"),
        ({"n_support": True}, "n_support is True"),
        ({"n_support": "all"}, "n_support is 'all'"),
        ({"n_support": 3, "n_prototypes": 5}, "too few for 5 prototypes"),
        ({"alpha": -1}, "alpha is -1"),
        ({"alpha": np.inf}, "alpha is inf"),
        ({"max_iter": 0}, "max_iter is 0"),
        ({"max_iter": ""}, "max_iter is ''"),
        ({"tol": ""}, "tol is ''"),
        ({"tol": -1}, "tol is -1"),
        ({"verbose": "loud"}, "verbose is 'loud'"),
        ({"n_prototypes": np.array([3, 4])}, "n_prototypes is array"),
        ({"metric": "cityblock", "metric_params": [1]}, "metric_params is"),
        ({"space": "vector", "metric": "cityblock"}, "space='vector' measures Euclidean"),
        ({"space": "vector", "exponent": 1}, "space='vector' has exponent 2"),
    ],
)
def test_options_that_do_not_exist_or_do_not_fit(blobs, estimator, options, message):
    _, D, y = blobs
    with pytest.raises(OptionError, match=message):
        quick(estimator, **options).fit(D, y)


def test_class_prototypes_need_classes(blobs):
    _, D, y = blobs
    with pytest.raises(OptionError, match="needs classes"):
        quick(RBFNetworkRegressor, init="class").fit(D, y)
    with pytest.raises(OptionError, match="n_prototypes is 5 for 3 classes"):
        quick(init="class", n_prototypes=5).fit(D, y)


@pytest.mark.parametrize(
    "make",
    [
        lambda: RationalQuadratic(0),
        lambda: RationalQuadratic(float("nan")),
        lambda: Polynomial(-2),
        lambda: Polynomial("cubic"),
        lambda: GradientDescent(min_bandwidth=-1),
        lambda: GradientDescent(min_bandwidth=float("nan")),
    ],
)
def test_parts_with_impossible_parameters(make):
    with pytest.raises(OptionError, match="it must be a"):
        make()


def test_more_prototypes_than_distinct_objects_is_said(rng):
    X = np.repeat(rng.standard_normal((8, 2)), 5, axis=0)
    with pytest.warns(RelationWarning, match="only 8 objects are distinct"):
        fitted = quick(n_prototypes=20).fit(cdist(X, X), np.arange(40) % 2)
    assert len(fitted.prototypes_) == 8


@pytest.mark.parametrize(
    ("positions", "message"),
    [
        ([[0], [60]], "holds the position 60.*from 0 to 59"),
        ([[0.5], [1]], "holds the position 0.5"),
        ([[-1], [1]], "holds the position -1"),
        ([[0, 1], [1, 2]], r"shape \(2, 2\).*one column"),
    ],
)
def test_positions_that_are_in_no_relation(blobs, positions, message):
    _, D, _ = blobs
    with pytest.raises(RelationError, match=message):
        quick(metric=as_relation(D)).fit(positions, [0, 1])


def test_a_metric_that_is_not_symmetric(blobs):
    X, _, y = blobs
    with pytest.raises(RelationError, match="metric is not symmetric: from object"):
        quick(metric=lambda a, b: float(a[0] > b[0])).fit(X, y)


def test_a_metric_that_fails_on_new_objects(blobs):
    X, _, y = blobs
    calls = []

    def metric(a, b):
        calls.append(1)
        return np.nan if fitted_once else abs(a - b).sum()

    fitted_once = False
    fitted = quick(metric=metric).fit(X, y)
    fitted_once = True
    with pytest.raises(RelationError, match=r"metric returned nan.*new object 0"):
        fitted.predict(X[:2])


@pytest.mark.parametrize("kind", ["zeros", "constant", "two"])
def test_degenerate_relations_give_finite_answers(kind):
    D = {"zeros": np.zeros((10, 10)), "constant": 1 - np.eye(10), "two": 1 - np.eye(2)}[kind]
    y = np.arange(len(D)) % 2
    P = quick().fit(D, y).predict_proba(D)
    assert np.isfinite(P).all()
