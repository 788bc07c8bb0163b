"""The lines that do it again run as they stand, and make the same network."""

import os

import numpy as np
import pytest

from relrbf import RBFNetworkClassifier, RBFNetworkRegressor
from relrbf.network import Gaussian, Polynomial, RationalQuadratic
from relrbf.report.about_model import again_section
from relrbf.report.again import Script
from relrbf.report.case import case_of_fit
from relrbf.training import LBFGS, GradientDescent
from tests.report.made import made_classes, made_regressor

HOW = {"n_splits": 2, "n_repeats": 1, "random_state": 0}


class Own(Gaussian):
    """A kernel of one's own."""


def run_again(model, D, y, given=None, n_lines=-1):
    """Run the lines shown, as far as the model; return what they leave behind."""
    lines = again_section(case_of_fit(model, D, y, None), "relrbf fit D y", HOW).code.splitlines()
    assert lines[0] == "$ relrbf fit D y"
    left = {"D": D, "y": y} | (given or {})
    exec("\n".join(lines[1:n_lines]), left)
    return left["model"]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {
            "n_prototypes": 4,
            "solver": GradientDescent(update="published", learning_rate="curvature"),
        },
        {"n_prototypes": 4, "solver": GradientDescent(validation=np.arange(4), checkpoint=None)},
        {"solver": LBFGS(), "kernel": RationalQuadratic(2.0)},
        {"kernel": Polynomial(0.5), "tol": np.float64(1e-4), "n_prototypes": np.int64(5)},
        {"class_weight": {f"kind <{k}>": 1.0 + k for k in range(3)}, "alpha": 1e-3},
        {"n_support": 0.5, "max_iter": 7, "space": "medoid", "exponent": 2, "init": "class"},
    ],
    ids=lambda options: "-".join(options) or "default",
)
def test_the_lines_run_and_make_the_same_network(options):
    D, y = made_classes(n=24)
    model = RBFNetworkClassifier(random_state=0, **options).fit(D, y)
    again = run_again(model, D, y)
    assert again is not model
    np.testing.assert_array_equal(again.predict_proba(D), model.predict_proba(D))


def test_the_report_itself_is_written_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    _, D, y = made_regressor(24)
    model = RBFNetworkRegressor(kernel=RationalQuadratic(1.5), random_state=0).fit(D, y)
    run_again(model, D, y, n_lines=None)
    assert os.listdir(tmp_path) == ["report.html"]


def test_lines_that_make_the_data_come_first_and_run():
    D, y = made_classes(n=24)
    model = RBFNetworkClassifier(random_state=0).fit(D, y)
    case = case_of_fit(model, D, y, None)
    loading = "from tests.report.made import made_classes\n\nD, y = made_classes(n=24)\n"
    code = again_section(case, "", HOW, loading).code
    assert code.startswith(loading)
    left = {}
    exec("\n".join(code.splitlines()[:-1]), left)
    np.testing.assert_array_equal(left["model"].predict_proba(D), model.predict_proba(D))
    assert "# D, y: the dissimilarities and labels as above" in again_section(case, "", HOW).code
    assert "as above" not in code


def test_what_no_line_can_make_is_asked_for():
    D, y = made_classes(n=24)
    given = {"kernel": Own(), "random_state": np.random.RandomState(3)}
    model = RBFNetworkClassifier(4, **given).fit(D, y)
    code = again_section(case_of_fit(model, D, y, None), "", HOW).code
    assert "# kernel: the one given\n# random_state: the one given\n" in code
    assert "RBFNetworkClassifier(n_prototypes=4, kernel=kernel, random_state=random_state)" in code
    assert run_again(model, D, y, given).kernel is given["kernel"]


@pytest.mark.parametrize(
    "value",
    [
        *(None, True, -3, 0.1, float("inf"), "it's", (1,), (1, 2.5), [1, "a"], {"a": (0.5,)}),
        *(np.float32(0.5), np.array([True, False]), np.array([1.5, 2.5], dtype=np.float32)),
    ],
    ids=repr,
)
def test_values_are_written_as_what_they_are(value):
    script = Script()
    text = script.value(value)
    made = eval(text, {"np": np})
    np.testing.assert_array_equal(made, value)
    assert script.imports == ({"import numpy as np"} if isinstance(value, np.ndarray) else set())
    assert getattr(made, "dtype", None) == (value.dtype if isinstance(value, np.ndarray) else None)
