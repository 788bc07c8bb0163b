"""What a file cannot keep is refused, given again, or left out with a warning."""

from collections import OrderedDict
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

from relrbf import RBFNetworkClassifier, as_relation, load, save
from relrbf.clustering import RelationalKMeans
from relrbf.exceptions import ModelFileError, ModelFileWarning, OptionError
from relrbf.network import Gaussian
from relrbf.training import GradientDescent
from tests.models.made import X_NEW, D, X, Y, classifier, fitted

WORDS = ["ant", "bee", "beetle", "fly", "wasp", "hornet", "moth", "bumblebee"]
LONG = np.array([len(word) > 4 for word in WORDS])


def by_length(a, b, scale=1.0):
    return scale * abs(len(a) - len(b))


def apart(a, b):
    return float(np.abs(np.asarray(a) - np.asarray(b)).sum())


def overlap(a, b):
    return 1 - len(a & b) / len(a | b)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.relrbf"


@pytest.mark.filterwarnings("ignore:No vectors")
@pytest.mark.parametrize(
    ("objects", "metric"),
    [
        (WORDS, by_length),
        ([word.encode() for word in WORDS], by_length),
        ([tuple(word) for word in WORDS], by_length),
        ([list(word) for word in WORDS], by_length),
        ([set(word) for word in WORDS], overlap),
        ([frozenset(word) for word in WORDS], overlap),
        ([dict.fromkeys(word, 1.5) for word in WORDS], by_length),
        ([np.arange(float(len(word))) for word in WORDS], by_length),
        (np.arange(24.0).reshape(8, 3) % 7, apart),
        ([float(len(word)) for word in WORDS], apart),
        ([np.float32(len(word)) for word in WORDS], apart),
        (np.array(WORDS), by_length),
    ],
    ids=lambda value: "" if callable(value) else f"{type(value).__name__} of {type(value[0])}",
)
def test_a_model_of_any_objects_is_given_its_function_again(objects, metric, path):
    model = classifier(metric=metric, n_prototypes=3).fit(objects, LONG)
    save(model, path)
    again = load(path, metric=metric)
    assert_array_equal(again.predict_proba(objects), model.predict_proba(objects))
    first = path.read_bytes()
    save(again, path)
    assert path.read_bytes() == first


def test_the_functions_parameters_survive(path):
    options = {"metric": by_length, "metric_params": {"scale": 0.5}}
    model = RelationalKMeans(1, random_state=0, **options).fit(WORDS)
    save(model, path)
    again = load(path, metric=by_length)
    assert_array_equal(again.distances_sq(["bug"]), model.distances_sq(["bug"]))


def test_names_of_objects_survive(path):
    pd = pytest.importorskip("pandas")
    named = pd.Series(WORDS, index=[f"word {i}" for i in range(8)])
    model = classifier(metric=by_length, n_prototypes=3).fit(named, LONG)
    save(model, path)
    again = load(path, metric=by_length)
    assert again.prototypes_.nearest().tolist() == model.prototypes_.nearest().tolist()
    assert_array_equal(again._source.relation.ids, model._source.relation.ids)
    assert_array_equal(again.predict(named), model.predict(named))


def test_a_single_supporting_object_is_enough(path):
    model = classifier(metric=by_length, space="medoid", n_prototypes=1).fit(WORDS, LONG)
    assert len(model.support_) == 1
    save(model, path)
    assert_array_equal(load(path, metric=by_length).predict(WORDS), model.predict(WORDS))


def test_a_missing_function_is_asked_for_by_name(path):
    save(classifier(metric=by_length, n_prototypes=3).fit(WORDS, LONG), path)
    with pytest.raises(ModelFileError, match=r"function tests.*test_unkept.by_length.*metric="):
        load(path)
    with pytest.raises(OptionError, match="metric is 'by_length'; it must be the function"):
        load(path, metric="by_length")


def test_a_function_that_is_not_needed_is_refused(path):
    save(fitted("classifier")[0], path)
    with pytest.raises(ModelFileError, match="metric='precomputed', which needs no function"):
        load(path, metric=by_length)


class Word:
    def __init__(self, text):
        self.text = text

    def __len__(self):
        return len(self.text)


def test_objects_of_other_classes_are_refused(path):
    objects = [Word(word) for word in WORDS]
    model = classifier(metric=by_length, n_prototypes=3).fit(objects, LONG)
    with pytest.raises(ModelFileError, match=r"_source/relation/objects/0 holds a .*\.Word, which"):
        save(model, path)
    assert not path.exists()


def test_a_relation_as_metric_is_refused(path):
    model = classifier(metric=as_relation(D)).fit(np.arange(60)[:, None], Y)
    with pytest.raises(OptionError, match=r"metric=DenseRelation.*metric='precomputed'"):
        save(model, path)


@dataclass(frozen=True)
class MyKernel(Gaussian):
    """A kernel that relrbf does not know."""


@pytest.mark.parametrize(
    "options", [{"kernel": MyKernel()}, {"class_weight": OrderedDict(low=1, middle=1, high=1)}]
)
def test_classes_that_are_not_relrbfs_are_refused(options, path):
    model = classifier(**options).fit(D, Y)
    with pytest.raises(ModelFileError, match=r"MyKernel|OrderedDict"):
        save(model, path)


class MyClassifier(RBFNetworkClassifier):
    """An estimator that relrbf does not know."""


@pytest.mark.parametrize(
    "model",
    [make_pipeline(classifier()), MyClassifier(), None, RBFNetworkClassifier],
    ids=["pipeline", "subclass", "none", "class"],
)
def test_only_estimators_of_relrbfs_are_saved(model, path):
    with pytest.raises(OptionError, match="save takes one of"):
        save(model, path)


def test_a_model_that_is_not_fitted_is_refused(path):
    with pytest.raises(NotFittedError):
        save(classifier(), path)


def test_what_warm_start_goes_on_from_is_left_out(path):
    model = classifier(warm_start=True, solver="gradient-descent").fit(D, Y)
    with pytest.warns(ModelFileWarning, match=r"model.relrbf': what warm_start goes on from"):
        save(model, path)
    again = load(path)
    assert again.warm_start
    assert not hasattr(again, "_last_fit")
    assert_array_equal(again.fit(D, Y).predict(D), model.predict(D))


def test_a_checkpoints_path_is_left_out(path, tmp_path):
    solver = GradientDescent(checkpoint=tmp_path / "state")
    model = classifier(solver=solver).fit(D, Y)
    with pytest.warns(ModelFileWarning, match="params/solver.checkpoint"):
        save(model, path)
    again = load(path).solver
    assert again.checkpoint is None
    assert again.patience == solver.patience
    assert solver.checkpoint is not None


def test_attributes_that_a_user_added_are_left_out(path):
    model = classifier().fit(D, Y)
    model.note_ = "mine"
    with pytest.warns(ModelFileWarning, match="the attribute note_"):
        save(model, path)
    assert not hasattr(load(path), "note_")


def test_a_model_that_was_tampered_with_is_not_saved(path):
    model = classifier().fit(D, Y)
    save(model, path)
    before = path.read_bytes()
    model.weights_ = model.weights_[1:]
    with pytest.raises(ModelFileError, match=r"cannot be saved as it is: weights_ has a size of"):
        save(model, path)
    model.fit(D, Y).set_params(n_prototypes=-1)
    with pytest.raises(ModelFileError, match="n_prototypes is -1"):
        save(model, path)
    del model.weights_
    with pytest.raises(ModelFileError, match="no weights_"):
        save(model, path)
    assert path.read_bytes() == before


def test_points_are_kept_with_their_vectors(path):
    model = classifier(space="vector").fit(X, Y)
    save(model, path)
    again = load(path)
    assert_array_equal(again.prototypes_.distances_sq, model.prototypes_.distances_sq)
    assert_array_equal(again.compact().predict(X_NEW), model.predict(X_NEW))


def test_callbacks_are_left_out(path):
    from sklearn.callback import ProgressBar

    model = classifier().fit(D, Y)
    model.set_callbacks(ProgressBar())
    with pytest.warns(ModelFileWarning, match=": callbacks"):
        save(model, path)
    load(path)


def test_a_class_whose_name_steers_terminals_is_named(path):
    y = np.where(Y == "low", "low\x1b[2J", "high")
    with pytest.raises(ModelFileError, match=r"classes_ cannot be .*which has control characters"):
        save(classifier().fit(D, y), path)
    assert not path.exists()
