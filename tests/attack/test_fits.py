"""What attacks on fits found, one case each: it must not come again."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist

from relrbf import RBFNetworkClassifier, RBFNetworkRegressor
from relrbf.clustering import RelationalFuzzyCMeans, RelationalKMeans
from relrbf.embeddings import ClassicalMDS, DissimilarityRows, ProximalMDS
from relrbf.estimators.classifier import fit_softmax
from relrbf.exceptions import OptionError, RelationError
from relrbf.network import KERNELS, Kernel, Polynomial
from relrbf.relations import GraphRelation
from relrbf.repair import nearest_euclidean, spectrum_clip, spectrum_flip, spectrum_shift
from relrbf.torch import DeepRBFClassifier
from relrbf.training import GradientDescent
from tests.attack.fits import reloaded

pytestmark = pytest.mark.filterwarnings("ignore::relrbf.exceptions.RelationWarning")


@pytest.fixture
def groups(rng):
    """Two groups far apart: dissimilarities, classes."""
    y = np.repeat([0, 1], 30)
    X = rng.standard_normal((60, 2)) + 8 * y[:, None]
    return cdist(X, X), y


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"n_prototypes": 1},
        {"solver": "gradient-descent"},
        {"space": "medoid"},
        {"solver": "lbfgs", "n_prototypes": 1},
    ],
)
def test_a_support_of_one_object_is_learned_from_at_every_scale(groups, options):
    D, y = groups
    for scale in (1e6, 1, 1e-6):
        model = RBFNetworkClassifier(n_support=1, random_state=0, max_iter=30, **options)
        assert model.fit(scale * D, y).score(scale * D, y) > 0.9


@pytest.mark.parametrize("n_support", [1, 2, 4])
def test_a_support_of_copies_is_the_same_at_every_scale(rng, n_support):
    X = np.repeat(rng.standard_normal((4, 2)), 12, axis=0)
    D, y = cdist(X, X), np.arange(48) % 3
    model = RBFNetworkClassifier(n_support=n_support, random_state=0)
    expected = model.fit(D, y).predict_proba(D)
    for scale in (1e6, 1e-6):
        assert_allclose(model.fit(scale * D, y).predict_proba(scale * D), expected, atol=1e-9)


@pytest.mark.parametrize("options", [{"space": "medoid"}, {"n_support": 1}, {}])
def test_one_object_beside_a_validation_set_is_learned_from_alike_at_every_scale(options):
    D, y = np.array([[0.0, 3], [3, 0]]), [0.0, 1]
    options = {"solver": "gradient-descent", "random_state": 0, **options}
    expected = RBFNetworkRegressor(**options).fit(D, y).predict(D)
    for scale in (2.0**30, 2.0**-30):
        found = RBFNetworkRegressor(**options).fit(scale * D, y).predict(scale * D)
        assert_allclose(found, expected, atol=1e-9)


@pytest.mark.parametrize(
    "options",
    [{}, {"n_prototypes": 3}, {"n_prototypes": "all"}, {"n_support": 5}, {"n_support": 0.5}],
)
@pytest.mark.parametrize("make", [RBFNetworkClassifier, RBFNetworkRegressor])
@pytest.mark.parametrize("n", [6, 20, 40])
def test_where_all_are_equally_far_apart_the_order_does_not_matter(rng, make, options, n):
    D, new = 1 - np.eye(n), np.ones((1, n))
    y = (np.arange(n) < n // 3).astype(int)
    model = make(random_state=0, **options)
    ask = "predict_proba" if make is RBFNetworkClassifier else "predict"
    expected = [getattr(model.fit(D, y), ask)(of) for of in (D, new)]
    for _ in range(3):
        order = rng.permutation(n)
        found = [getattr(model.fit(D, y[order]), ask)(of) for of in (D, new)]
        assert_allclose(found[0], expected[0][order], atol=1e-9)
        assert_allclose(found[1], expected[1], atol=1e-9)


def test_where_all_are_equally_far_apart_equal_classes_tie_in_every_order(rng):
    n = 12
    for _ in range(8):
        y = rng.permutation(np.arange(n) % 2)
        model = RBFNetworkClassifier(random_state=0).fit(1 - np.eye(n), y)
        assert model.decision_function(np.ones((1, n))) == 0


@pytest.mark.parametrize("options", [{}, {"positive": True}, {"n_support": 10}, {"alpha": 1.0}])
@pytest.mark.parametrize("n", [3, 12, 100, 400])
def test_where_all_are_equally_far_apart_weights_tell_nothing(rng, options, n):
    """Left-out responses were means that gave away each object's own class: 0.89 for a third."""
    D, new, y = 1 - np.eye(n), np.ones((1, n)), (np.arange(n) < (n + 1) // 3).astype(int)
    for w in (np.where(rng.random(n) < 0.3, 5.0, 1.0), rng.exponential(size=n) ** 2):
        model = RBFNetworkClassifier(random_state=0, **options).fit(D, y, sample_weight=w)
        share = model.predict_proba(new)[0, 1]
        smoothed = 1 / (min(n, options.get("n_support", n)) + 2)  # one label is taken as wrong
        assert abs(share - np.average(y, weights=w)) <= smoothed
        options = {name: value for name, value in options.items() if name != "positive"}
        model = RBFNetworkRegressor(random_state=0, **options).fit(D, y, sample_weight=w)
        assert_allclose(model.predict(new), np.average(y, weights=w), rtol=1e-9)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("scale", [1e-160, 1e-150, 1e-140, 1e60, 1e100, 1e140, 1e147])
@pytest.mark.parametrize("n_prototypes", [3, "all"])
def test_extreme_scales_are_fitted_or_refused(groups, kernel, scale, n_prototypes):
    """LinAlgError, OverflowError, IndexError and RuntimeWarnings of our own were not."""
    D, y = groups
    model = RBFNetworkClassifier(n_prototypes, kernel=kernel, max_iter=3, random_state=0)
    try:
        model.fit(scale * D, y)
    except RelationError as error:
        assert "Rescale" in str(error)  # noqa: PT017, or it is fitted
        assert not hasattr(model, "weights_")
    else:
        assert np.isfinite(model.weights_).all()
        assert np.isfinite(model.predict_proba(scale * D)).all()


@pytest.mark.parametrize(
    "make",
    [
        lambda: RBFNetworkClassifier(random_state=0),
        lambda: RelationalKMeans(2, random_state=0),
        lambda: RelationalFuzzyCMeans(2, random_state=0),
        lambda: ClassicalMDS(2),
        lambda: ProximalMDS(2),
    ],
)
def test_an_object_far_out_of_range_of_the_others_is_fitted_or_refused(groups, make):
    D, y = groups
    D[0, 1:] = D[1:, 0] = 1e120
    model = make()
    try:
        model.fit(D, y)
    except RelationError as error:
        assert "Rescale" in str(error)  # noqa: PT017, or it is fitted
    else:
        (model.predict if hasattr(model, "predict") else model.transform)(D)


@pytest.mark.parametrize("alpha", [0, 1e-300, 1e150])
@pytest.mark.parametrize("make", [RBFNetworkClassifier, RBFNetworkRegressor])
def test_a_penalty_of_any_size_is_kept_and_explained(groups, make, alpha):
    D, y = groups
    model = make(n_prototypes="all", alpha=alpha, random_state=0).fit(np.round(D), y)
    assert model.alpha_ == alpha
    assert np.isfinite(model.weights_).all()
    assert "nan" not in model.explain_choices()


@pytest.mark.parametrize("options", [{}, {"n_support": 20}, {"n_prototypes": "all"}])
@pytest.mark.parametrize("make", [RBFNetworkClassifier, RBFNetworkRegressor])
def test_a_penalty_that_is_infinite_beside_the_weights_is_kept(groups, make, options):
    D, y = groups
    model = make(alpha=1e150, random_state=0, **options).fit(D, y, np.full(60, 1e-90))
    assert model.alpha_ == 1e150
    assert np.isfinite(model.predict(D).astype(float)).all()


@pytest.mark.parametrize("make", [RBFNetworkClassifier, RBFNetworkRegressor])
def test_a_penalty_out_of_the_range_of_single_precision_is_fitted(groups, make):
    D, y = groups
    for solver in (GradientDescent(), GradientDescent.curvature_scaled()):
        model = make(3, alpha=1e150, solver=solver, max_iter=3, random_state=0)
        assert np.isfinite(model.fit(D.astype(np.float32), y).weights_).all()


@pytest.mark.parametrize("make", [RBFNetworkClassifier, RBFNetworkRegressor])
def test_weights_far_apart_and_of_any_scale_leave_all_finite(groups, make):
    D, y = groups
    for w in (np.where(np.arange(60) == 3, 1e25, 1.0), np.full(60, 1e-90), np.full(60, 1e90)):
        model = make(random_state=0).fit(D, y, sample_weight=w)
        assert np.isfinite(model.alpha_)
        assert np.isfinite(model.weights_).all()
        assert not {"nan", "inf"} & set(model.explain_choices().split())


def test_probabilities_of_many_classes_take_little_memory(rng):
    n = 500
    responses, Y = rng.standard_normal((n, n)), np.eye(n)
    tracemalloc.start()
    try:
        fit_softmax(responses, Y, np.full(n, 1 / n), float(n))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 10 * responses.nbytes


def test_a_fit_to_many_classes_takes_little_memory(rng, monkeypatch):
    n = 400
    monkeypatch.setattr("relrbf.autotune.leave_one_out.MAX_SOLVED_ENTRIES", n * n // 6)
    monkeypatch.setattr("relrbf.autotune.teacher.N_COMPARED_OBJECTS", (120, 120))
    D = cdist(*[rng.standard_normal((n, 5))] * 2)
    tracemalloc.start()
    try:
        with pytest.warns(UserWarning, match="number of unique classes"):
            RBFNetworkClassifier(random_state=0).fit(D, np.arange(n))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 18 * D.nbytes


def test_warnings_in_a_users_measure_are_left_to_the_user():
    def ratio(a, b):
        np.divide(1.0, np.zeros(1))
        return abs(a[0] - b[0])

    X = np.arange(6.0)[:, None]
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        RelationalKMeans(2, metric=ratio, random_state=0).fit(X)


REPAIRS = [spectrum_clip, spectrum_flip, spectrum_shift, nearest_euclidean]


@pytest.mark.parametrize("repair", REPAIRS)
@pytest.mark.parametrize("far", [1e-8, 1e90, 1e106])
def test_new_objects_out_of_range_of_a_repair_are_repaired_or_refused(repair, far):
    found = repair(2e23 * (1 - np.eye(2)))
    try:
        extended = found.extend([[far, 1e-3 * far]])
    except RelationError as error:
        assert "Rescale" in str(error)  # noqa: PT017, or it is repaired
    else:
        assert np.isfinite(extended).all()


class Overflowing(Kernel):
    """A kernel whose values are finite, and whose derivative is not."""

    def value(self, u):
        return 1 / (1 + u)

    def derivative(self, u, value):
        return np.exp(1e3 + u)

    def curvature_ratio(self, u):
        return np.ones_like(u)


def test_a_fit_that_leaves_the_range_of_numbers_is_refused_and_leaves_no_trace(groups):
    D, y = groups
    model = RBFNetworkClassifier(3, kernel=Overflowing(), solver="gradient-descent")
    with pytest.raises(RelationError, match="leave the range of floating point"):
        model.fit(D, y)
    assert not hasattr(model, "classes_")


def test_what_is_too_much_for_single_precision_is_fitted_in_double():
    D = 3 * (1 - np.eye(4))
    weights = [1.5e-4, 6.1e4, 7.8e-6, 4.1e-6]
    model = RBFNetworkClassifier(kernel=Polynomial(degree=3), space="medoid", max_iter=3)
    with pytest.raises(RelationError, match="float64 has a wider range than float32"):
        model.fit(D.astype(np.float32), [1, 0, 0, 0], sample_weight=weights)
    model.fit(D, [1, 0, 0, 0], sample_weight=weights)
    assert np.isfinite(model.predict_proba(D)).all()


@pytest.mark.parametrize("metric", ["correlation", "cosine"])
def test_first_prototypes_among_copies_are_found_where_others_have_no_weight(rng, metric):
    """Of two features all correlations are 1 or -1; the validation set has no weight."""
    X = rng.standard_normal((20, 2)).astype(np.float32)
    y = np.arange(20) % 2
    for seed in range(8):
        model = RBFNetworkClassifier(max_prototypes=2, metric=metric, random_state=seed, max_iter=3)
        assert np.isfinite(model.fit(X, y).weights_).all()


def test_a_random_partition_has_no_more_clusters_than_a_class_has_objects():
    X, y = np.array([[1, 1], [1, 0], [0, 1]]), [True, False, True]
    options = {"init": "random-partition", "positive": True, "space": "vector"}
    model = RBFNetworkClassifier(random_state=4, max_iter=8, **options)
    assert np.isfinite(model.fit(X, y).weights_).all()


@pytest.mark.parametrize(
    "X",
    [
        [[1.0], [2.0, 3.0]],
        [np.zeros(2), np.zeros((2, 3))],
        [["a"], [{}]],
        np.array([[1.0], [{}]]),
        np.array([[1.0], [np.zeros(2)]], dtype=object),
        pd.DataFrame(),
    ],
)
def test_what_is_no_table_of_numbers_is_refused_in_our_words(X):
    with pytest.raises((RelationError, TypeError), match="X holds something that is not a number"):
        ClassicalMDS(metric="cosine").fit(X)


def test_haversine_says_what_it_takes():
    with pytest.raises(RelationError, match="two columns: latitude, longitude"):
        ClassicalMDS(metric="haversine").fit(np.eye(4))


@pytest.mark.parametrize("X", ["ab", {"a": 1, "b": 2}, {"a", "b"}, None, 3, np.array("ab")])
def test_what_has_no_order_is_no_list_of_objects_for_a_measure_by_name(X):
    pytest.importorskip("rapidfuzz")
    model = DissimilarityRows("levenshtein")
    with pytest.raises(RelationError, match="must be a sequence of objects"):
        model.fit(X)
    with pytest.raises(RelationError, match="must be a sequence of objects"):
        model.fit(["a", "b"]).transform(X)


@pytest.mark.parametrize("scale", [1e-200, 1e-150])
def test_a_measure_whose_squares_vanish_is_refused_as_such_a_matrix_is(scale):
    def tiny(a, b):
        return scale * abs(a - b)

    for metric, X in (("precomputed", scale * (1 - np.eye(6))), (tiny, list(range(6)))):
        with pytest.raises(RelationError, match="whose square is out of the range"):
            RelationalKMeans(2, metric=metric).fit(X)


def test_a_number_that_is_an_object_twice_can_be_saved():
    one, two = np.float32(1), np.float64(2)
    model = RelationalKMeans(2, metric=lambda a, b: abs(float(a) - float(b)), random_state=0)
    model.fit([one, two, one, two])
    again = reloaded(model)
    assert again.predict([one, two]).tolist() == model.predict([one, two]).tolist()
    assert [type(each) for each in again._source.relation.objects[:2]] == [np.float32, np.float64]


@pytest.mark.parametrize("short", [1e-20, 3e-15, 3e-12])
def test_resistances_that_are_lost_in_rounding_are_refused(short):
    """They were far off, negative, or an error of scipy's."""
    wires = [(0, 1, short), (1, 2, 0.7), (2, 3, short)]
    with pytest.raises(RelationError, match="resistances are lost in rounding"):
        GraphRelation(wires, distance="resistance").block()
    D = GraphRelation([(0, 1, 1e-8), (1, 2, 0.7), (2, 3, 1e-8)], distance="resistance").block()
    assert_allclose(D[0, 2:], 0.7, rtol=1e-6)


@pytest.mark.parametrize(
    ("dtype", "far"), [(np.float64, 1e200), (np.float32, 1e30), (float, 1e-200)]
)
def test_parts_of_a_graph_are_put_at_a_distance_that_can_be_squared(dtype, far):
    A = np.kron(np.eye(2), 1 - np.eye(2)).astype(dtype)
    with pytest.raises(OptionError, match=r"far is .*; it must be from"):
        GraphRelation(A, disconnected="far", far=far)


def test_ids_of_a_graph_that_are_no_names_are_refused():
    with pytest.raises(RelationError, match="none of the 1 nodes that ids names"):
        GraphRelation([(0, 1)], ids=3)


@pytest.mark.parametrize("start", ["teacher", "k-means"])
def test_deep_training_that_diverges_is_not_chosen_and_never_kept(groups, start):
    pytest.importorskip("torch")
    D, y = groups
    y = np.where(np.arange(60) % 7, y, 1 - y)
    options = {"start": start, "learning_rate": 1e3, "max_iter": 4, "random_state": 0}
    try:
        model = DeepRBFClassifier(**options).fit(D, y)
    except OptionError as error:
        assert "learning_rate is 1000.0" in str(error)  # noqa: PT017, or none of it is kept
    else:
        assert np.isfinite(model.validation_curve_).all()
        assert np.isfinite(model.predict_proba(D)).all()
    with pytest.raises(OptionError, match="training has diverged"):
        DeepRBFClassifier(early_stopping=False, **options).fit(D, y)


@pytest.mark.parametrize("options", [{}, {"n_prototypes": 5}, {"space": "vector"}, {"alpha": 1e-3}])
@pytest.mark.parametrize("ratio", [3, 1000])
def test_weights_that_follow_the_targets_leave_no_bias(options, ratio):
    """Mean activations were taken without the weights, and the targets' mean with them."""
    x = np.linspace(0, 1, 60)
    X = x[:, None] if "space" in options else abs(x[:, None] - x)
    model = RBFNetworkRegressor(random_state=0, **options)
    model.fit(X, x, sample_weight=np.where(x < 0.5, 1, ratio))
    assert model.score(X, x) > 0.98


def test_repeated_objects_leave_no_bias():
    x = np.repeat(np.linspace(0, 1, 60), np.where(np.arange(60) < 30, 1, 3))
    D = abs(x[:, None] - x)
    assert RBFNetworkRegressor(random_state=0).fit(D, x).score(D, x) > 0.99


def test_the_order_of_classes_does_not_matter_where_copies_have_several(rng):
    """Of copies with as many labels of one class as of another, none is wrong."""
    D = np.abs(np.subtract.outer(np.arange(8) % 3, np.arange(8) % 3)).clip(max=1).astype(float)
    for _ in range(10):
        y = rng.permutation(np.arange(8) % 2)
        model = RBFNetworkClassifier(n_prototypes="all", random_state=0)
        expected = model.fit(D, y).predict_proba(D)
        assert_allclose(model.fit(D, 1 - y).predict_proba(D), expected[:, ::-1], atol=1e-9)


def test_where_all_scales_are_alike_the_order_of_objects_does_not_choose_one(rng):
    """A relation of two values has one network, whatever the bandwidth."""
    D = np.triu(rng.random((32, 32)) < 0.5, 1).astype(float)
    D += D.T
    y = (D[0] + 0.3 * rng.random(32) > 0.6).astype(int)
    w = rng.integers(1, 4, 32)
    model = RBFNetworkClassifier(exponent=1, random_state=0)
    chosen = set()
    for _ in range(6):
        p = rng.permutation(32)
        model.fit(D[np.ix_(p, p)], y[p], sample_weight=w[p])
        chosen.add(tuple(np.unique(model._evidence.layers)))
    assert len(chosen) == 1


@pytest.mark.parametrize("make", [RBFNetworkClassifier, RBFNetworkRegressor])
def test_objects_whose_squares_are_lost_beside_one_far_out_are_fitted_and_saved(rng, make):
    X = rng.standard_normal((17, 3))
    D = 1e-155 * np.linalg.norm(X[:, None] - X, axis=2)
    D[0, 1:] = D[1:, 0] = 1e-55
    model = make(random_state=0).fit(D, (X[:, 0] > 0).astype(float))
    assert np.array_equal(reloaded(model).predict(D), model.predict(D))


@pytest.mark.parametrize("exponent", [0.5, 1, 1.5, 2])
def test_what_rounding_leaves_below_zero_is_zero_under_every_exponent(exponent, rng, tmp_path):
    """One less a cosine is so between copies; powers, k-NN and trees of a page know no such."""
    X = np.repeat(rng.standard_normal((20, 2)), 2, axis=0)
    y, zero = (X[:, 0] > 0).astype(int), cdist(X, X)
    below = np.where((zero == 0) & ~np.eye(40, dtype=bool), -1e-17, zero)
    model = RBFNetworkClassifier(exponent=exponent, random_state=0)
    expected = model.fit(zero, y).predict_proba(zero)
    assert_allclose(model.fit(below, y).predict_proba(below), expected, atol=1e-6)
    model.report(below, y, tmp_path / "page.html")
    model = RBFNetworkRegressor(exponent=exponent, random_state=0).fit(below, X[:, 0])
    model.report(below, X[:, 0], tmp_path / "page.html")
    assert nearest_euclidean(below, exponent=exponent).relation.block().min() >= 0
