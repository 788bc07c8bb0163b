"""What a fit with no options promises: the same whatever the scale, order and copies."""

from importlib import import_module

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine, make_classification
from sklearn.metrics import log_loss, r2_score
from sklearn.model_selection import KFold
from sklearn.preprocessing import StandardScaler

from relrbf import RBFNetworkClassifier, RBFNetworkRegressor
from relrbf.exceptions import NotEuclideanWarning, OptionError
from relrbf.prototypes import ObjectPrototypes
from relrbf.training import LBFGS, GradientDescent, Status

FEW, MANY = 400, 500  # objects that a network may be distilled from here, and that it may not
BOUND = 1e-9  # relative to the largest response: a condition of 1e6 times rounding, and ten steps


def model(**options):
    return RBFNetworkClassifier(**{"random_state": 0, **options})


def made(n, seed=0, **options):
    X, y = make_classification(
        n + 200, 8, n_informative=4, n_classes=3, random_state=seed, flip_y=0.05, **options
    )
    return X[:n], y[:n], X[n:], y[n:]


def assert_near(found, expected, bound=BOUND):
    assert_allclose(found, expected, rtol=0, atol=bound * np.abs(expected).max())


@pytest.fixture(autouse=True)
def distillation_of_few(monkeypatch):
    monkeypatch.setattr("relrbf.estimators.distillation.MAX_DISTILLED_OBJECTS", FEW)


@pytest.fixture(params=[90, MANY])
def data(request):
    return made(request.param)


def test_the_scale_of_the_dissimilarities_does_not_matter(data):
    X, y, X_new, _ = data
    D, D_new = cdist(X, X), cdist(X_new, X)
    expected = model().fit(D, y).decision_function(D_new)
    for scale, tolerance in ((1024.0, 0.0), (2.0**-30, 0.0), (1e-3, 1e-8), (7e5, 1e-8)):
        found = model().fit(scale * D, y).decision_function(scale * D_new)
        assert_allclose(found, expected, rtol=0, atol=tolerance)


def test_the_order_of_the_objects_does_not_matter(data, rng):
    X, y, X_new, _ = data
    order = rng.permutation(len(y))
    expected = model().fit(cdist(X, X), y).decision_function(cdist(X_new, X))
    X, y = X[order], y[order]
    found = model().fit(cdist(X, X), y).decision_function(cdist(X_new, X))
    assert_allclose(found, expected, atol=1e-7)


def test_copies_of_objects_are_weights(rng):
    X, y, X_new, _ = made(60)
    weights = rng.integers(1, 4, 60)
    copies = np.repeat(np.arange(60), weights)
    D_new = cdist(X_new, X)
    often = model().fit(cdist(X, X)[np.ix_(copies, copies)], y[copies])
    once = model().fit(cdist(X, X), y, sample_weight=weights)
    assert_allclose(
        often.predict_proba(D_new[:, copies]), once.predict_proba(D_new), rtol=0, atol=1e-8
    )


def test_a_few_copies_hardly_change_predictions():
    X, y, X_new, y_new = made(120)
    copies = np.r_[np.arange(120), 3, 3, 3, 50]
    plain = model().fit(cdist(X, X), y).score(cdist(X_new, X), y_new)
    copied = model().fit(cdist(X[copies], X[copies]), y[copies])
    assert copied.score(cdist(X_new, X[copies]), y_new) > plain - 0.03


@pytest.mark.parametrize("kernel", ["gaussian", "multiquadric", "inverse-multiquadric"])
def test_the_vector_twin_is_the_same_network(data, kernel):
    X, y, X_new, _ = data
    graph = model(kernel=kernel).fit(cdist(X, X), y)
    vector = model(kernel=kernel, space="vector").fit(X, y)
    assert graph.n_iter_ == vector.n_iter_
    expected = vector.decision_function(X_new)
    assert_allclose(graph.decision_function(cdist(X_new, X)), expected, rtol=0, atol=1e-8)
    assert_allclose(
        graph.predict_proba(cdist(X_new, X)), vector.predict_proba(X_new), rtol=0, atol=1e-8
    )


@pytest.mark.parametrize("n_prototypes", ["auto", "all"])
@pytest.mark.parametrize("load", [load_wine, load_breast_cancer])
def test_the_twin_on_real_data(load, n_prototypes):
    X, y = load(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    graph = model(n_prototypes=n_prototypes).fit(cdist(X, X), y)
    vector = model(n_prototypes=n_prototypes, space="vector").fit(X, y)
    assert graph.status_ is vector.status_
    X_new = X + 0.1 * np.random.default_rng(0).standard_normal(X.shape)
    assert_near(graph.decision_function(cdist(X_new, X)), vector.decision_function(X_new))
    assert_near(graph.decision_function(cdist(X, X)), vector.decision_function(X))


@pytest.mark.parametrize("n_support", [40, 0.2, "auto", None])
@pytest.mark.parametrize("is_euclidean", [True, False])
def test_a_prediction_needs_the_support_only(n_support, is_euclidean):
    X, y, X_new, _ = made(200)
    metric = "euclidean" if is_euclidean else "chebyshev"
    D, D_new = cdist(X, X, metric), cdist(X_new, X, metric)
    fitted = model(n_support=n_support, exponent=2)
    if is_euclidean:
        fitted.fit(D, y)
    else:
        with pytest.warns(NotEuclideanWarning):
            fitted.fit(D, y)
    assert len(fitted.support_) == {40: 40, 0.2: 40}.get(n_support, 200)
    spoiled = np.full_like(D_new, 99.0)
    spoiled[:, fitted.support_] = D_new[:, fitted.support_]
    expected = fitted.predict_proba(D_new)
    assert_array_equal(fitted.predict_proba(spoiled), expected)
    small = fitted.compact()
    assert_allclose(small.predict_proba(D_new[:, fitted.support_]), expected, atol=1e-12)


def test_many_objects_get_a_support_that_grew_by_evidence(monkeypatch):
    resolving = import_module("relrbf.autotune.resolve")  # which a function hides
    monkeypatch.setattr(resolving, "MAX_WHOLE_OBJECTS", 2500)  # as of more than 10,000
    X, y, X_new, y_new = made(2600)
    D, D_new = cdist(X, X), cdist(X_new, X)
    fitted = model().fit(D, y)
    assert fitted.status_ is Status.WHOLE_TEACHER
    assert len(fitted.support_) in (500, 1000, 2000)
    assert f"n_support    {len(fitted.support_)} " in fitted.explain_choices()
    small = model(n_support=60).fit(D, y)
    assert len(small.support_) == 60
    assert fitted.score(D_new, y_new) >= small.score(D_new, y_new)


def test_up_to_a_limit_all_objects_carry_prototypes():
    X, y, _, _ = made(MANY)
    fitted = model().fit(cdist(X, X), y)
    assert len(fitted.support_) == MANY
    assert "all distinct objects" in fitted.explain_choices()


@pytest.mark.parametrize(
    "solver", ["gradient-descent", GradientDescent.curvature_scaled(), LBFGS(early_stopping=None)]
)
@pytest.mark.parametrize("init", ["k-means", "fuzzy", "random", "class", "random-partition"])
def test_every_solver_and_start_keeps_to_the_support(blobs, solver, init):
    _, D, y = blobs
    n_prototypes = 3 if init == "class" else 5
    fitted = model(n_prototypes=n_prototypes, n_support=25, solver=solver, init=init, max_iter=8)
    fitted.fit(D, y)
    assert len(fitted.support_) == 25
    outside = np.setdiff1d(np.arange(60), fitted.support_)
    assert not fitted.prototypes_.coefficients[:, outside].any()
    assert_allclose(fitted.prototypes_.coefficients.sum(axis=1), 1)


def test_given_coefficients_must_lie_on_the_support(blobs):
    _, D, y = blobs
    with pytest.raises(OptionError, match=r"init has coefficients on .* outside the support"):
        model(init=np.full((2, 60), 1 / 60), n_support=20, n_prototypes=2).fit(D, y)


def test_medoids_are_of_the_support(blobs):
    _, D, y = blobs
    wide = model(space="medoid", n_prototypes=6, n_support=15).fit(D, y)
    assert len(wide.support_) <= 6


def test_probabilities_are_calibrated():
    """Of objects given probability p of their class, about a share p belongs to it."""
    sure, right = [], []
    for seed in range(4):
        X, y = make_classification(1400, 8, n_informative=5, flip_y=0.3, random_state=seed)
        fitted = model().fit(cdist(X[:400], X[:400]), y[:400])
        P = fitted.predict_proba(cdist(X[400:], X[:400]))
        assert log_loss(y[400:], P) < 0.6
        sure.append(P.max(axis=1))
        right.append(P.argmax(axis=1) == y[400:])
    sure, right = np.concatenate(sure), np.concatenate(right)
    assert np.mean(sure > 0.93) < 0.05  # no more than 0.85 are right, however clear the case
    for low, high in ((0.5, 0.65), (0.65, 0.8), (0.8, 1.0)):
        chosen = (sure >= low) & (sure < high)
        assert chosen.sum() > 300
        assert abs(right[chosen].mean() - sure[chosen].mean()) < 0.07


def test_balanced_weights_find_the_rare_class():
    X, y = make_classification(1400, 6, weights=[0.93], class_sep=0.7, random_state=2)
    D, D_new = cdist(X[:400], X[:400]), cdist(X[400:], X[:400])
    rare = y[400:] == 1
    recall = {
        weight: (model(class_weight=weight).fit(D, y[:400]).predict(D_new)[rare] == 1).mean()
        for weight in (None, "balanced")
    }
    assert recall["balanced"] > recall[None] + 0.15


def test_several_outputs_are_as_good_as_each_alone():
    X, y = load_diabetes(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    Y = np.c_[y, X[:, 2] * 3 + 1, 1e6 * X[:, 3]]
    D, D_new = cdist(X[:300], X[:300]), cdist(X[300:], X[:300])
    together = RBFNetworkRegressor(random_state=0).fit(D, Y[:300]).predict(D_new)
    for k in range(3):
        alone = RBFNetworkRegressor(random_state=0).fit(D, Y[:300, k]).score(D_new, Y[300:, k])
        rest = np.square(Y[300:, k] - together[:, k]).sum()
        score = 1 - rest / np.square(Y[300:, k] - Y[300:, k].mean()).sum()
        assert score > alone - 0.1


def test_choices_are_explained(blobs):
    _, D, y = blobs
    fitted = model().fit(D, y)
    text = fitted.explain_choices()
    names = ("exponent", "n_support", "teacher", "n_prototypes", "bandwidths", "alpha", "training")
    assert [line.split()[0] for line in text.splitlines()] == list(names)
    assert "vectors with these dissimilarities exist" in text
    assert f"{fitted.alpha_:.3g}" in text
    assert fitted.status_.value in text
    given = model(exponent=1, alpha=0.5, n_prototypes=4).fit(D, y).explain_choices()
    assert given.count("given") == 3
    descent = model(solver="gradient-descent", max_iter=3).fit(D, y).explain_choices()
    assert "given" not in descent
    assert "the solver learns the targets themselves" in descent


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"solver": LBFGS(teacher_tolerance=0.9)}, "the fewest tried that answer as the teacher"),
        ({"solver": LBFGS(teacher_tolerance=0)}, "the teacher's, on every object of the support"),
        ({"n_prototypes": "all"}, "all of the teacher's, as asked for"),
    ],
)
def test_the_number_of_prototypes_is_explained(blobs, options, text):
    _, D, y = blobs
    fitted = model(**options).fit(D, y)
    [line] = [x for x in fitted.explain_choices().splitlines() if x.startswith("n_prototypes")]
    assert text in line
    assert f" {len(fitted.prototypes_)} " in line


def test_a_teacher_that_learned_nothing_is_explained(rng):
    X = rng.standard_normal((100, 3))
    fitted = RBFNetworkRegressor(random_state=0).fit(cdist(X, X), rng.standard_normal(100))
    assert "a constant" in fitted.explain_choices()


def test_negative_squared_distances_are_reported(rng):
    noise = np.triu(rng.uniform(0, 1, (60, 60)), 1)
    with pytest.warns(NotEuclideanWarning):
        fitted = model(n_prototypes=6, exponent=2).fit(noise + noise.T, rng.integers(0, 2, 60))
    share = np.mean(fitted.prototypes_.distances_sq < 0)
    assert share > 0
    assert f"{share:.1%} < 0" in fitted.explain_choices()


def test_where_neither_reading_has_vectors_the_nearer_is_used(rng):
    noise = np.triu(rng.uniform(0.5, 1.5, (80, 80)), 1)
    X = rng.standard_normal((80, 3))
    D = cdist(X, X) * (noise + noise.T)
    with pytest.warns(NotEuclideanWarning):
        fitted = model().fit(D, (X[:, 0] > 0).astype(int))
    negative = fitted.relation_report_.negative_eigenfraction
    assert fitted.exponent_ == min(negative, key=negative.get)
    line = fitted.explain_choices().splitlines()[0]
    assert f"{min(negative.values()):.1%} of the spectrum is negative" in line


def test_a_given_penalty_is_kept_and_smooths(blobs):
    """Of numbers; logits have a scale of their own, which makes up for a penalty."""
    X, D, _ = blobs
    spreads = []
    for alpha in (1e-3, 1e2, 1e6):
        fitted = RBFNetworkRegressor(alpha=alpha, random_state=0).fit(D, X[:, 0])
        assert fitted.alpha_ == pytest.approx(alpha)
        spreads.append(np.ptp(fitted.predict(D)))
    assert spreads[0] > spreads[1] > spreads[2]


def test_a_given_penalty_counts_less_where_objects_count_more(blobs):
    """As that of ridge regression, it is not relative to the weights."""
    X, D, _ = blobs
    weighted, plain = (
        RBFNetworkRegressor(alpha=0.5, random_state=0, n_prototypes="all").fit(
            D, X[:, 0], sample_weight=w
        )
        for w in (np.full(60, 3.0), None)
    )
    assert weighted.alpha_ == plain.alpha_ == pytest.approx(0.5)
    assert np.square(X[:, 0] - weighted.predict(D)).sum() < (
        np.square(X[:, 0] - plain.predict(D)).sum()
    )


def test_hard_targets_get_more_prototypes(rng):
    X = rng.uniform(0, 1, (200, 1))
    D, wave = cdist(X, X), np.sin(60 * X[:, 0])
    easy = RBFNetworkRegressor(random_state=0).fit(D, X[:, 0] + 0.3 * rng.standard_normal(200))
    hard = RBFNetworkRegressor(random_state=0).fit(D, wave)
    assert len(hard.prototypes_) > len(easy.prototypes_)
    assert hard.score(D, wave) > 0.95


def relation_of_many(rng):
    X = rng.standard_normal((MANY, 3))
    return X, cdist(X, X), (X[:, 0] > 0).astype(int)


@pytest.mark.filterwarnings("ignore::relrbf.exceptions.NotEuclideanWarning")
@pytest.mark.parametrize("case", ["gaps", "zeros", "binary", "singleton", "classes", "outlier"])
def test_many_odd_objects_are_learnt_too(rng, case):
    _, D, y = relation_of_many(rng)
    if case == "gaps":
        D = np.maximum(0, D - 1)
    elif case == "zeros":
        D = 0 * D
    elif case == "binary":
        D = (D > 2).astype(float)
    elif case == "singleton":
        y = np.arange(MANY) // (MANY - 1)
    elif case == "classes":
        y = np.arange(MANY) // 2
    else:
        D[0, 1:] = D[1:, 0] = 1e8
    fitted = model(max_iter=3).fit(D, y)
    assert np.isfinite(fitted.predict_proba(D[:20])).all()
    assert fitted.score(D, y) >= np.bincount(y).max() / MANY - 0.02


@pytest.mark.parametrize("options", [{}, {"n_support": 50}, {"random_state": None}])
def test_a_warm_start_keeps_its_support(options):
    X, y, X_new, _ = made(MANY if not options else 200)
    D = cdist(X, X)
    fitted = model(warm_start=True, max_iter=2, **options).fit(D, y).fit(D, y)
    if options.get("random_state", 0) == 0:
        whole = model(max_iter=4, **options).fit(D, y)
        D_new = cdist(X_new, X)
        assert_array_equal(fitted.decision_function(D_new), whole.decision_function(D_new))


def test_a_constant_output_leaves_the_others_alone(rng):
    X = rng.standard_normal((80, 2))
    D, w = cdist(X, X), rng.random(80) + 0.5
    t = np.sin(X[:, 0]) + 0.2 * rng.standard_normal(80)
    found = [
        RBFNetworkRegressor(random_state=0)
        .fit(D, np.c_[t, np.full(80, level)], sample_weight=w)
        .predict(D)
        for level in (0.0, 0.1)
    ]
    assert_allclose(found[0][:, 0], found[1][:, 0], atol=1e-9)
    assert_allclose(found[1][:, 1], 0.1, atol=1e-12)


def test_only_distinct_objects_with_a_weight_count(rng):
    _, D, y = relation_of_many(rng)
    few = np.arange(FEW)
    again = np.r_[few, 0, 0]
    once = model().fit(D[np.ix_(few, few)], y[few], sample_weight=np.r_[3, np.ones(FEW - 1)])
    often = model().fit(D[np.ix_(again, again)], y[again])
    assert len(often.support_) == FEW
    new = slice(FEW, MANY)
    assert_allclose(
        often.predict_proba(D[new][:, again]), once.predict_proba(D[new][:, few]), atol=1e-8
    )
    barred = model().fit(D, y, sample_weight=(np.arange(MANY) < FEW).astype(float))
    plain = model().fit(D[np.ix_(few, few)], y[few])
    assert_allclose(barred.predict_proba(D[new]), plain.predict_proba(D[new][:, few]), atol=1e-8)


@pytest.mark.parametrize("n", [6, 20])
def test_ties_do_not_make_the_order_matter(rng, n):
    X = np.array([[i, j] for i in range(n) for j in range(n)], dtype=float)
    y = (rng.standard_normal(n * n) + X[:, 0] > n / 2).astype(int)
    order = rng.permutation(n * n)
    new = cdist(rng.uniform(0, n, (30, 2)), X)
    expected = model().fit(cdist(X, X), y).decision_function(new)
    found = model().fit(cdist(X[order], X[order]), y[order]).decision_function(new[:, order])
    assert_allclose(found, expected, atol=1e-7)


def test_the_first_epoch_raises_nothing_either():
    rng = np.random.default_rng(55)
    X = np.r_[rng.standard_normal((59, 2)), [[1e6, 0]]]
    fitted = model(
        n_prototypes=30,
        alpha=0,
        kernel="multiquadric",
        solver=LBFGS(early_stopping=None),
        max_iter=5,
    ).fit(cdist(X, X), (X[:, 1] > 0).astype(int))
    assert (np.diff(fitted.history_.objective) <= 0).all()


def test_probabilities_of_many_objects_follow_the_validation_part():
    X, y = make_classification(4000, 20, n_informative=6, n_classes=4, flip_y=0.2, random_state=0)
    n = 1100
    fitted = model().fit(cdist(X[:n], X[:n]), y[:n])
    P = fitted.predict_proba(cdist(X[n:], X[:n]))
    assert abs(P.max(axis=1).mean() - (P.argmax(axis=1) == y[n:]).mean()) < 0.08


@pytest.mark.parametrize(
    "options", [{"n_support": 0.1}, {"n_support": 5, "max_prototypes": 5}, {"n_support": 3}]
)
def test_prototypes_left_to_auto_fit_the_support(blobs, options):
    _, D, y = blobs
    fitted = model(**options).fit(D, y)
    assert len(fitted.prototypes_) <= len(fitted.support_)


@pytest.mark.parametrize("seed", range(5))
def test_targets_without_signal_are_predicted_by_their_mean(seed):
    D = cdist(*2 * [load_diabetes().data[:100]])
    y = np.random.default_rng(seed).normal(50, 15, 100)
    predictions = np.empty(100)
    for train, new in KFold(5, shuffle=True, random_state=seed).split(y):
        fitted = RBFNetworkRegressor(random_state=0).fit(D[np.ix_(train, train)], y[train])
        predictions[new] = fitted.predict(D[np.ix_(new, train)])
        margin = 0.1 * np.ptp(y[train])
        assert predictions[new].min() >= y[train].min() - margin
        assert predictions[new].max() <= y[train].max() + margin
    assert r2_score(y, predictions) >= -0.15


def test_no_prediction_leaves_the_range_by_more_than_a_tenth(rng):
    X = rng.uniform(0, 1, (80, 1))
    y = np.c_[10 * X[:, 0], -X[:, 0]]
    fitted = RBFNetworkRegressor(kernel="multiquadric", random_state=0).fit(cdist(X, X), y)
    far = fitted.predict(cdist([[-5.0], [9.0]], X))
    margin = 0.1 * np.ptp(y, axis=0)
    assert_allclose(far.max(axis=0)[0], y[:, 0].max() + margin[0])  # it would go on growing
    assert (far >= y.min(axis=0) - margin - 1e-12).all()
    assert (far <= y.max(axis=0) + margin + 1e-12).all()


def test_all_prototypes_are_the_whole_teacher(blobs):
    _, D, y = blobs
    fitted = model(n_prototypes="all").fit(D, y)
    assert fitted.status_ is Status.WHOLE_TEACHER
    assert isinstance(fitted.prototypes_, ObjectPrototypes)
    assert_array_equal(np.sort(fitted.support_), np.arange(60))
    assert len(fitted.prototypes_) % 60 == 0
    assert len(fitted.prototypes_) == len(fitted.weights_) == len(fitted.bandwidths_)
    small = fitted.compact()
    D_new = D[:7, fitted.support_]
    assert_array_equal(small.decision_function(D_new), fitted.decision_function(D[:7]))


def groups_of_many_spreads(rng, n=150):
    """Pairs of groups whose spreads differ by 10 ** 5; the two of a pair lie side by side."""
    y, decade = np.arange(n) % 2, np.arange(n) // 2 % 6
    X = rng.standard_normal((n, 4)) + np.where(y[:, None], 4.0, 0.0) * [1, 0, 0, 0]
    return 1e3 * rng.standard_normal((6, 4))[decade] + X * 10.0 ** decade[:, None], y


def test_where_dissimilarities_span_decades_neighbours_are_the_unit(rng):
    X, y = groups_of_many_spreads(rng)
    D = cdist(X, X)
    train, new = np.arange(120), np.arange(120, 150)
    fitted = model().fit(D[np.ix_(train, train)], y[train])
    assert "locally scaled" in fitted.explain_choices()
    assert fitted.score(D[np.ix_(new, train)], y[new]) > 0.85
    whole = fitted.decision_function(D[np.ix_(train, train)])
    rows = [fitted.decision_function(D[[i]][:, train])[0] for i in train]
    assert_near(rows, whole)  # an object's own row tells all, whatever else is asked for
    assert (np.sign(whole) == np.where(y[train], 1, -1)).mean() > 0.95


@pytest.mark.parametrize("made_of", ["groups", "decades"])
def test_a_copy_of_a_training_object_is_predicted_as_that_object(blobs, rng, made_of):
    X, y = (blobs[0], blobs[2]) if made_of == "groups" else groups_of_many_spreads(rng)
    fitted = model().fit(cdist(X, X), y)
    copies = np.array([3, 3, 50, 3])
    found = fitted.decision_function(cdist(X[copies], X))
    assert_near(found, fitted.decision_function(cdist(X, X))[copies])


@pytest.mark.parametrize("options", [{}, {"n_prototypes": "all"}])
def test_single_precision_stays(blobs, options):
    _, D, y = blobs
    D32 = D.astype(np.float32)
    fitted = model(**options).fit(D32, y)
    expected = model(**options).fit(D, y).predict_proba(D)
    for found in (fitted.predict_proba(D32), fitted.decision_function(D32), fitted.transform(D32)):
        assert found.dtype == np.float32
    assert fitted.weights_.dtype == np.float32
    assert np.abs(fitted.predict_proba(D32) - expected).max() < 0.01


def test_probabilities_rank():
    X, y = load_wine(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    D = cdist(X, X)
    top = model().fit(D[::2, ::2], y[::2]).predict_proba(D[1::2, ::2]).max(axis=1)
    assert len(np.unique(top)) > len(top) / 2


def test_a_class_between_two_others_is_found(rng):
    x = rng.uniform(-1.5, 1.5, (300, 1))
    y = np.digitize(x[:, 0], [-0.5, 0.5])
    fitted = model().fit(cdist(x[:150], x[:150]), y[:150])
    found = fitted.predict(cdist(x[150:], x[:150]))
    assert (found == y[150:])[y[150:] == 1].mean() > 0.9
