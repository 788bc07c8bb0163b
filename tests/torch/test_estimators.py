"""The deep estimators: scikit-learn's checks, the teacher that is kept, files."""

import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from relrbf import RBFNetworkClassifier, RBFNetworkRegressor, as_relation, load, save
from relrbf.exceptions import ModelFileError, OptionError
from relrbf.torch import DeepRBFClassifier, DeepRBFRegressor
from relrbf.torch.estimators import DeepNetwork
from relrbf.torch.fitting import choose_epochs

QUICK = {"max_iter": 3, "hidden_layer_sizes": (8,)}
# with another kernel than the Gaussian a teacher has no exponentials of distances to compare
CHECKED = [
    estimator(**options, **QUICK)
    for estimator in (DeepRBFClassifier, DeepRBFRegressor)
    for options in [
        {"kernel": "inverse-multiquadric"},
        {"metric": "euclidean", "start": "k-means"},
    ]
]


# One check passes a kernel matrix to every pairwise classifier; relrbf takes it and says so.
@pytest.mark.filterwarnings("ignore:X looks like similarities")
@pytest.mark.filterwarnings("ignore:No vectors have these dissimilarities")
@parametrize_with_checks(CHECKED)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.fixture
def shells(rng):
    """Two classes, one around the other, in three dimensions: D, y."""
    X = rng.standard_normal((80, 3))
    return cdist(X, X), (np.square(X).sum(axis=1) > 2).astype(int)


def test_the_teacher_is_kept_where_nothing_helps(rng):
    """Labels that no object knows anything of."""
    X, y = rng.standard_normal((40, 3)), np.arange(40) % 2
    D = cdist(X, X)
    model = DeepRBFClassifier(max_iter=4, random_state=0).fit(D, y)
    teacher = RBFNetworkClassifier(random_state=0).fit(D, y)
    assert model.best_epoch_ == 0
    assert_allclose(model.predict_proba(D), teacher.predict_proba(D), rtol=1e-9)


def test_a_regressor_keeps_its_teacher_as_well(rng):
    X = rng.standard_normal((40, 3))
    y, D = X[:, 0], cdist(X, X)
    model = DeepRBFRegressor(max_iter=2, learning_rate=1.0, random_state=0).fit(D, y)
    assert model.best_epoch_ == 0
    scaled = (y - y.mean()) / y.std()
    teacher = RBFNetworkRegressor(random_state=0).fit(D, scaled[:, None])
    assert_allclose(model.predict(D), teacher.predict(D)[:, 0] * y.std() + y.mean(), rtol=1e-7)


def test_epochs_that_help_by_less_than_a_standard_error_are_not_taken():
    losses, same = np.array([[1.0, 1.0, 1.0, 1.0], [0.0, 0.5, 1.9, 1.5]]), np.ones(4)
    assert choose_epochs(losses, same, must_help=True) == 0
    assert choose_epochs(losses, same, must_help=False) == 1
    assert choose_epochs(losses[::-1] + 1, same, must_help=False) == 0
    clear = np.array([[1.0, 1.1, 0.9], [0.5, 0.5, 0.4]])
    assert choose_epochs(clear, np.ones(3), must_help=True) == 1
    assert choose_epochs(losses, np.array([0.1, 0.1, 5, 5]), must_help=False) == 0


@pytest.mark.parametrize("start", ["teacher", "k-means"])
@pytest.mark.parametrize("estimator", [DeepRBFClassifier, DeepRBFRegressor])
def test_a_weight_counts_as_so_many_copies(rng, estimator, start):
    """And nothing depends on how objects are numbered; five epochs multiply no rounding error."""
    X, counts = rng.standard_normal((40, 3)), np.arange(40) % 3
    y = (np.square(X).sum(axis=1) > 2).astype(int)
    options = {"start": start, "early_stopping": False, "max_iter": 5, "random_state": 0}
    copies, mixed = np.repeat(np.arange(40), counts), rng.permutation(40)
    found = []
    for some, weights in [(copies, None), (mixed, counts[mixed]), (np.arange(40), None)]:
        model = estimator(metric="euclidean", **options).fit(X[some], y[some], weights)
        found.append(model._respond(X))
    assert_allclose(found[1], found[0], rtol=1e-6, atol=1e-6)
    assert np.abs(found[2] - found[0]).max() > 1e-3


def test_labels_and_weights_in_another_order_are_matched_by_name(shells):
    D, y = shells
    names = [f"object {k}" for k in range(80)]
    frame, labels = pd.DataFrame(D, names, names), pd.Series(y, names)
    weights = pd.Series(np.arange(80.0), names)
    options = {"start": "k-means", "early_stopping": False, "max_iter": 1, "random_state": 0}
    first, *others = (
        DeepRBFClassifier(**options).fit(frame, *each).predict_proba(frame)
        for each in [(labels, weights), (labels[::-1], weights), (labels, weights[::-1])]
    )
    for other in others:
        assert_array_equal(other, first)


def test_more_epochs_lower_the_loss_and_change_the_answers(shells):
    D, y = shells
    model = DeepRBFClassifier(
        start="k-means", early_stopping=False, max_iter=40, random_state=0
    ).fit(D, y)
    assert model.best_epoch_ == len(model.loss_curve_) == 40
    assert model.loss_curve_[-1] < 0.7 * model.loss_curve_[0]
    assert model.score(D, y) > 0.9


@pytest.mark.parametrize("start", ["teacher", "k-means"])
def test_the_same_seed_gives_the_same_network_and_leaves_torch_alone(shells, start):
    D, y = shells
    torch.manual_seed(5)
    state = torch.random.get_rng_state()
    models = [
        DeepRBFClassifier(start=start, early_stopping=False, max_iter=3, random_state=k).fit(D, y)
        for k in (0, 0, 1)
    ]
    assert torch.equal(state, torch.random.get_rng_state())
    found = [model.predict_proba(D) for model in models]
    assert_array_equal(found[0], found[1])
    assert np.abs(found[0] - found[2]).max() > 0


def test_a_relation_positions_and_vectors_give_the_same_answers(rng, shells):
    X = rng.standard_normal((50, 3))
    D, y = cdist(X, X), (X[:, 0] * X[:, 1] > 0).astype(int)
    options = {"early_stopping": False, "max_iter": 3, "random_state": 0}
    whole = as_relation(D)
    train, test = np.arange(35), np.arange(35, 50)
    found = [
        DeepRBFClassifier(**options)
        .fit(D[np.ix_(train, train)], y[train])
        .predict_proba(D[np.ix_(test, train)]),
        DeepRBFClassifier(metric=whole, **options)
        .fit(train[:, None], y[train])
        .predict_proba(test[:, None]),
        DeepRBFClassifier(metric="euclidean", **options)
        .fit(X[train], y[train])
        .predict_proba(X[test]),
    ]
    assert_array_equal(found[0], found[1])
    assert_allclose(found[0], found[2], atol=1e-8)


def test_float32_stays_float32(shells):
    D, y = shells
    model = DeepRBFClassifier(
        start="k-means", early_stopping=False, max_iter=2, random_state=0
    ).fit(D.astype(np.float32), y)
    assert model._deep.parameters.dtype == model._deep.own.dtype == np.float32


def test_cross_validation_cuts_both_axes(shells):
    D, y = shells
    model = DeepRBFClassifier(start="k-means", max_iter=3, random_state=0)
    assert cross_val_score(model, D, y, cv=3, error_score="raise").shape == (3,)


def test_too_few_objects_leave_the_teacher_alone():
    D = np.array([[0, 1, 5, 6], [1, 0, 6, 5], [5, 6, 0, 1], [6, 5, 1, 0]], dtype=float)
    model = DeepRBFClassifier(exponent=1, random_state=0).fit(D, ["a", "b", "b", "b"])
    assert model.best_epoch_ == 0
    assert len(model.validation_curve_) == 0


@pytest.mark.parametrize("start", ["teacher", "k-means"])
@pytest.mark.parametrize("estimator", [DeepRBFClassifier, DeepRBFRegressor])
def test_a_saved_model_predicts_the_same_bits(shells, start, estimator, tmp_path):
    D, y = shells
    model = estimator(start=start, early_stopping=False, max_iter=2, random_state=0).fit(D, y)
    save(model, tmp_path / "model.relrbf")
    assert_array_equal(load(tmp_path / "model.relrbf").predict(D), model.predict(D))
    assert_array_equal(pickle.loads(pickle.dumps(model)).predict(D), model.predict(D))


def test_a_forged_deep_part_is_refused(shells, tmp_path):
    D, y = shells
    model = DeepRBFClassifier(start="k-means", early_stopping=False, max_iter=1).fit(D, y)
    other = clone(model).fit(D, np.arange(80) % 3)
    model._deep = other._deep
    with pytest.raises(ModelFileError, match="_deep cannot be"):
        save(model, tmp_path / "model.relrbf")
    deep = other._deep
    with pytest.raises(ValueError, match="ask for other arrays"):
        DeepNetwork(
            deep.kernel, deep.own, deep.halves, deep.bandwidths, deep.sizes, deep.parameters[1:]
        )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"start": "nothing"}, "start='nothing' does not exist"),
        ({"hidden_layer_sizes": 64}, "a tuple of widths"),
        ({"hidden_layer_sizes": (0,)}, "hidden_layer_sizes is 0"),
        ({"n_prototypes": 0}, "n_prototypes is 0"),
        ({"dropout": 1.0}, "dropout is 1.0"),
        ({"learning_rate": -1.0}, "learning_rate is -1.0"),
        ({"early_stopping": 3}, "early_stopping is 3"),
        ({"kernel": "cubic"}, "kernel='cubic'"),
        ({"device": 0}, "device is 0"),
        ({"device": "tpu"}, "device is 'tpu', where torch cannot compute here"),
        ({"device": "meta"}, "device is 'meta', where torch cannot compute here"),
    ],
)
def test_options_are_checked(shells, options, message):
    D, y = shells
    with pytest.raises(OptionError, match=message):
        DeepRBFClassifier(**options).fit(D, y)


@pytest.mark.parametrize("batch_size", [np.int64(80), 80, 2**63])
def test_a_batch_is_any_integer_and_at_most_all_objects(shells, batch_size):
    D, y = shells
    options = {"start": "k-means", "early_stopping": False, "max_iter": 2, "random_state": 0}
    found = DeepRBFClassifier(batch_size=batch_size, **options).fit(D, y).loss_curve_
    assert_array_equal(found, DeepRBFClassifier(batch_size=80, **options).fit(D, y).loss_curve_)


def test_progress_is_printed(shells, capsys):
    D, y = shells
    options = {"start": "k-means", "early_stopping": False, "max_iter": 2}
    DeepRBFClassifier(verbose=2, **options).fit(D, y)
    assert [line.split(":")[0] for line in capsys.readouterr().out.splitlines()] == [
        "epoch 1",
        "epoch 2",
    ]


def test_torch_is_imported_when_it_is_used():
    code = "import sys, relrbf.io, relrbf.torch.estimators; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_without_torch_the_error_says_what_to_install():
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "import relrbf.torch\n"
        "try:\n    relrbf.torch.RelationalRBFLayer\n"
        "except ValueError as error:\n    assert 'relrbf[torch]' in str(error)\n"
        "else:\n    raise SystemExit(1)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
