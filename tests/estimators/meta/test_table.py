"""scikit-learn's tools on dissimilarities: which are right, which fail, which are silently wrong.

Every verdict compares a tool with slices of the matrix cut by hand; docs/scikit-learn.md shows them
all, and its table is compared with what is found here.
"""

import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sklearn
from numpy.testing import assert_allclose
from sklearn.model_selection import cross_val_predict

from tests.estimators.meta.combined import COMBINED, Combined
from tests.estimators.meta.functions import ALL, FUNCTIONS, Function
from tests.estimators.meta.kinds import FOLDS, KINDS, Kind, hands

PAGE = Path(__file__).parents[3] / "docs" / "scikit-learn.md"
SAME = 1e-8
RELATION = KINDS[-1]
TOOLS = [*FUNCTIONS, *COMBINED]
NAMES = list(dict.fromkeys(tool.name for tool in TOOLS))
of_this_version = pytest.mark.skipif(
    not sklearn.__version__.startswith("1.9."), reason="the page is about scikit-learn 1.9"
)
AN_EXCEPTION = "StackingClassifier(passthrough=True)"  # hands positions to another estimator


@cache
def fit_alone(tool: Combined, kind: Kind) -> np.ndarray:
    train, test = FOLDS[0]
    model = tool.make(kind, *kind.estimators(tool.is_regression))
    model.fit(kind.X(train, train), tool.y[train])
    return getattr(model, tool.method or kind.response)(kind.X(test, train))


@cache
def fit_in_folds(tool: Combined, kind: Kind) -> np.ndarray:
    model = tool.make(kind, *kind.estimators(tool.is_regression))
    X, method = kind.X(ALL, ALL), tool.method or kind.response
    return cross_val_predict(model, X, tool.y, cv=FOLDS, method=method)


@cache
def alone_by_hand(tool: Combined, kind: Kind) -> np.ndarray:
    return tool.by_hand(*hands(kind, tool.is_regression), *FOLDS[0])


@cache
def folds_by_hand(tool: Combined, kind: Kind) -> np.ndarray:
    both = hands(kind, tool.is_regression)
    parts = [(test, tool.by_hand(*both, train, test)) for train, test in FOLDS]
    whole = np.zeros((len(ALL), *parts[0][1].shape[1:]))
    for test, part in parts:
        whole[test] = part
    return whole


def verdict(run: Any, by_hand: Any) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            expected = by_hand()
        except (TypeError, AttributeError):  # a method or an argument that the estimator lacks
            return "—"
        except NotImplementedError:
            expected = np.nan
        try:
            found = run()
        except Exception:
            return "fails"
    return "right" if np.allclose(found, expected, rtol=0, atol=SAME) else "**wrong**"


def outcome(tool: Combined | Function, kind: Kind) -> str:
    if isinstance(tool, Function):
        (one, _), (hand, _) = kind.estimators(), hands(kind, False)
        return verdict(lambda: tool.run(kind, one, kind.X(ALL, ALL)), lambda: tool.by_hand(hand))
    alone = verdict(lambda: fit_alone(tool, kind), lambda: alone_by_hand(tool, kind))
    if alone == "—":
        return alone
    inside = verdict(lambda: fit_in_folds(tool, kind), lambda: folds_by_hand(tool, kind))
    return alone if inside == alone else f"{alone} / {inside}"


@cache
def row(name: str) -> str:
    """Return a row of the table."""
    cells = []
    for kind in KINDS:
        (cell,) = {outcome(tool, kind) for tool in TOOLS if tool.name == name}
        cells.append(cell)
    return f"| `{name}` | {' | '.join(cells)} |"


def rows_of_page() -> list[str]:
    lines = PAGE.read_text().split("## The table")[1].splitlines()
    return [line for line in lines if line.startswith("| `")]


@of_this_version
@pytest.mark.parametrize("name", NAMES)
def test_the_table_says_what_each_tool_does(name):
    assert row(name) in rows_of_page()


def test_the_table_holds_nothing_else():
    assert len(rows_of_page()) == len(NAMES)


COMPARED = [t for t in COMBINED if t.name not in (AN_EXCEPTION, "ClassifierChain")]


@pytest.mark.parametrize("tool", COMPARED, ids=lambda tool: tool.name)
def test_with_positions_a_tool_gives_what_slices_cut_by_hand_give(tool):
    for run, by_hand in [(fit_alone, alone_by_hand), (fit_in_folds, folds_by_hand)]:
        assert_allclose(run(tool, RELATION), by_hand(tool, RELATION), rtol=0, atol=SAME)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.name)
def test_with_positions_a_function_gives_what_slices_cut_by_hand_give(function):
    (one, _), (hand, _) = RELATION.estimators(), hands(RELATION, False)
    found = function.run(RELATION, one, RELATION.X(ALL, ALL))
    assert_allclose(found, function.by_hand(hand), rtol=0, atol=SAME)
