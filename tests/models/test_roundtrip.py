"""What is loaded is what was saved."""

import subprocess
import sys
from dataclasses import fields, is_dataclass
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone

from relrbf import load, save
from relrbf.exceptions import MismatchWarning
from relrbf.network import GeneralizedGaussian, LocallyScaledNetwork
from relrbf.prototypes import ObjectPrototypes, Prototypes
from relrbf.training import Status
from tests.models.made import D_NEW, MADE, X_NEW, D, T, answers, classifier, fitted

SCRATCH = {"_means", "_spreads"}


@pytest.fixture(params=list(MADE))
def made(request):
    return fitted(request.param)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.relrbf"


def assert_same(one, other):
    """Compare values of any kind, to the bit."""
    assert type(one) is type(other) or isinstance(one, Prototypes)
    if isinstance(one, np.ndarray):
        assert one.dtype == other.dtype
        assert one.flags.f_contiguous == other.flags.f_contiguous
        assert_array_equal(one, other)
    elif isinstance(one, Prototypes):
        for name in ("coefficients", "support", "ids"):
            assert_same(getattr(one, name), getattr(other, name))
        assert_array_equal(one.nearest(5), other.nearest(5))
    elif isinstance(one, np.random.RandomState):
        assert_array_equal(one.get_state()[1], other.get_state()[1])
    elif is_dataclass(one):
        for field in fields(one):
            assert_same(getattr(one, field.name), getattr(other, field.name))
    elif isinstance(one, dict):
        assert list(one) == list(other)
        for key in one:
            assert_same(one[key], other[key])
    elif hasattr(one, "__dict__") and type(one).__module__.startswith("relrbf.relations"):
        assert_same(dict(sorted(vars(one).items())), dict(sorted(vars(other).items())))
    else:
        assert one == other


def test_models_of_every_kind_of_network_are_among_those_made():
    whole, far = fitted("whole teacher")[0], fitted("locally scaled")[0]
    assert isinstance(whole.prototypes_, ObjectPrototypes)
    assert whole.status_ is far.status_ is Status.WHOLE_TEACHER
    for model in (far, fitted("points over decades")[0]):
        assert isinstance(model._network, LocallyScaledNetwork)
    powers = [fitted(name)[0]._network.kernel for name in ("whole teacher", "float32")]
    assert any(isinstance(kernel, GeneralizedGaussian) for kernel in powers)
    for name in ("student", "student of numbers"):
        assert fitted(name)[0].status_ is Status.DISTILLED
    assert not fitted("constant")[0].weights_.any()


def test_a_loaded_regressor_keeps_to_the_range(path):
    model, new = fitted("student of numbers")
    save(model, path)
    with pytest.warns(MismatchWarning, match="times as large"):
        found = load(path).predict(100 * new)
    with pytest.warns(MismatchWarning):
        assert_array_equal(found, model.predict(100 * new))
    assert np.ptp(found) == pytest.approx(1.2 * np.ptp(T))  # a tenth beyond, on either side


def test_a_loaded_model_answers_the_same_bits(made, path):
    model, new = made
    save(model, path)
    again = load(path)
    expected = answers(model, new)
    for name, answer in answers(again, new).items():
        assert_array_equal(answer, expected.pop(name))
    assert not expected


def test_a_loaded_model_has_all_options_and_attributes(made, path):
    model, _ = made
    save(model, path)
    again = load(path)
    assert_same(model.get_params(deep=False), again.get_params(deep=False))
    public = {name for name in vars(model) if name not in SCRATCH}
    assert set(vars(again)) == public
    for name in public - {"_source"}:
        assert_same(getattr(model, name), getattr(again, name))
    if hasattr(model, "explain_choices"):
        assert again.explain_choices() == model.explain_choices()
    clone(again)


def test_saving_changes_nothing_and_gives_the_same_bytes(made, path):
    model, _ = made
    before = dict(vars(model))
    save(model, path)
    assert vars(model) == before or all(vars(model)[name] is before[name] for name in before)
    first = path.read_bytes()
    save(load(path), path)
    assert path.read_bytes() == first


@pytest.mark.parametrize(
    "name",
    [
        *("classifier", "few support", "medoids", "landmarks", "published"),
        *("whole teacher", "locally scaled", "student"),
    ],
)
def test_compact_models_agree_and_are_saved_as_well(name, path):
    model, new = fitted(name)
    small, columns = model.compact(), new[:, model.support_]
    expected = answers(small, columns)
    save(model, path)
    for method, answer in answers(load(path).compact(), columns).items():
        assert_array_equal(answer, expected[method])
    save(small, path)
    for method, answer in answers(load(path), columns).items():
        assert_array_equal(answer, expected[method])


def test_another_process_answers_the_same_bits(tmp_path):
    for name in MADE:
        model, new = fitted(name)
        save(model, tmp_path / f"{name}.relrbf")
        np.save(tmp_path / f"{name}.npy", new)
    run = [sys.executable, "-m", "tests.models.answering", str(tmp_path)]
    subprocess.run(run, check=True, cwd=Path(__file__).parents[2])
    for name in MADE:
        found = np.load(tmp_path / f"{name}.npz")
        for method, answer in answers(*fitted(name)).items():
            assert_array_equal(found[method], answer, err_msg=f"{name} {method}")


@pytest.mark.parametrize(
    "labels",
    [
        np.array([3, 1]),
        np.array([2.0, -1.0]),
        np.array([True, False]),
        np.array(["é", "long label"]),
        np.array(["a", "b"], dtype=object),
        np.array([1, 2], dtype=np.uint8),
    ],
    ids=lambda labels: f"{labels.dtype}-{labels[0]}",
)
def test_labels_of_every_type_survive(labels, path):
    y = labels[np.arange(60) % 2]
    model = classifier(n_prototypes=4, max_iter=2).fit(D, y)
    save(model, path)
    again = load(path)
    assert again.classes_.dtype == model.classes_.dtype
    assert list(map(type, again.classes_)) == list(map(type, model.classes_))
    assert_array_equal(again.predict(D_NEW), model.predict(D_NEW))


def test_names_survive_and_are_checked(path):
    pd = pytest.importorskip("pandas")
    names = [f"object {i}" for i in range(60)]
    y = np.arange(60) % 2
    model = classifier(n_prototypes=4, max_iter=2).fit(pd.DataFrame(D, names, names), y)
    save(model, path)
    again = load(path)
    assert again.prototypes_.nearest().tolist() == model.prototypes_.nearest().tolist()
    assert_array_equal(again.feature_names_in_, names)
    frame = pd.DataFrame(D_NEW, columns=names)
    assert_array_equal(again.predict(frame), model.predict(frame))
    with pytest.raises(ValueError, match="order"):
        again.predict(frame[names[::-1]])


def test_the_unit_of_similarities_survives(path):
    from relrbf.exceptions import RelationWarning

    similar = np.exp(-D)
    with pytest.warns(RelationWarning, match="similarit"):
        model = classifier(n_prototypes=4, max_iter=2).fit(similar, np.arange(60) % 2)
    save(model, path)
    new = np.exp(-D_NEW)
    assert_array_equal(load(path).decision_function(new), model.decision_function(new))


def test_a_loaded_model_can_be_fitted_again(path):
    model, new = fitted("classifier")
    save(model, path)
    y = np.arange(60) % 2
    again = load(path).fit(D, y)
    assert_array_equal(again.predict(new), clone(model).fit(D, y).predict(new))


def test_what_set_output_was_told_survives(path):
    pytest.importorskip("pandas")
    model, new = fitted("points")
    found = clone(model).set_output(transform="pandas").fit(*MADE["points"][1:3])
    save(found, path)
    assert_array_equal(load(path).transform(X_NEW).columns, found.transform(new).columns)
