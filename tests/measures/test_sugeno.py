import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq

from relrbf.exceptions import OptionError
from relrbf.measures import fuzzy_measure, sugeno_lambda

densities_lists = st.lists(st.floats(0.001, 0.999), min_size=2, max_size=12)


def root_by_bisection(g):
    """λ by brackets on the equation as it is written, in logarithms."""
    g = np.asarray(g)

    def excess(lam):
        return np.log1p(lam * g).sum() - np.log1p(lam)

    if g.sum() > 1:
        return brentq(excess, -1 + 1e-16, -1e-9, xtol=1e-15)
    top = 1.0
    while excess(top) < 0:
        top *= 2
    return brentq(excess, 1e-9, top, xtol=1e-15, rtol=1e-14)


@given(densities_lists)
@settings(max_examples=200)
def test_the_whole_set_weighs_one(densities):
    assert fuzzy_measure(densities, sugeno_lambda(densities)) == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize(
    "densities",
    [[0.2, 0.3, 0.1], [0.9, 0.8], [0.05, 0.05], [0.3, 0.3, 0.3, 0.3], [0.5] * 20, [0.01, 0.7, 0.2]],
)
def test_lambda_is_the_root_that_bisection_finds(densities):
    assert sugeno_lambda(densities) == pytest.approx(root_by_bisection(densities), rel=1e-9)


@given(st.floats(0.001, 0.999), st.floats(0.001, 0.999))
def test_lambda_of_two_terms_is_the_closed_form(a, b):
    assert sugeno_lambda([a, b]) == pytest.approx((1 - a - b) / (a * b), rel=1e-7, abs=1e-9)


@given(densities_lists)
def test_lambda_is_negative_just_where_densities_exceed_one_in_all(densities):
    lam = sugeno_lambda(densities)
    assert lam >= -1
    if abs(sum(densities) - 1) > 1e-9:
        assert np.sign(lam) == np.sign(1 - sum(densities))


@given(densities_lists, st.data())
def test_a_larger_set_weighs_no_less(densities, data):
    lam = sugeno_lambda(densities)
    size = data.draw(st.integers(0, len(densities) - 1))
    smaller = fuzzy_measure(densities[:size], lam)
    assert -1e-12 <= smaller <= fuzzy_measure(densities[: size + 1], lam) + 1e-12


@given(densities_lists, st.data())
def test_disjoint_parts_combine_by_sugenos_rule(densities, data):
    lam = sugeno_lambda(densities)
    cut = data.draw(st.integers(1, len(densities) - 1))
    a, b = fuzzy_measure(densities[:cut], lam), fuzzy_measure(densities[cut:], lam)
    assert a + b + lam * a * b == pytest.approx(1, abs=1e-9)


def test_densities_that_add_up_to_one_are_additive():
    assert sugeno_lambda([0.1] * 10) == 0
    assert fuzzy_measure([0.25, 0.5], 0) == 0.75


@pytest.mark.parametrize("gap", [1e-6, 1e-9, 1e-12, -1e-6, -1e-9, -1e-12])
def test_lambda_fades_into_zero_as_densities_approach_one_in_all(gap):
    a, b = 0.3, 0.7 - gap
    assert sugeno_lambda([a, b]) == pytest.approx(gap / (a * b), rel=1e-3)


def test_a_density_of_zero_changes_nothing():
    assert sugeno_lambda([0.2, 0.0, 0.3, 0.1]) == pytest.approx(sugeno_lambda([0.2, 0.3, 0.1]))


def test_a_density_of_one_gives_the_limit():
    lam = sugeno_lambda([1.0, 0.4])
    assert lam == -1
    assert fuzzy_measure([1.0, 0.4], lam) == 1
    assert fuzzy_measure([0.4, 0.5], lam) == pytest.approx(1 - 0.6 * 0.5)
    assert sugeno_lambda([1 - 1e-12, 0.4]) == pytest.approx(-1, abs=1e-9)


@pytest.mark.parametrize("densities", [[0.4], [0.0, 0.4], [0.0], []])
def test_fewer_than_two_terms_leave_nothing_to_combine(densities):
    assert sugeno_lambda(densities) == 0
    assert fuzzy_measure(densities, 0) == sum(densities)


def test_hundreds_of_strong_or_faint_terms_have_a_lambda():
    assert sugeno_lambda([0.9] * 500) == -1  # to rounding
    assert fuzzy_measure([1e-80, 1e-80], sugeno_lambda([1e-80, 1e-80])) == pytest.approx(1)


@pytest.mark.parametrize("bad", [-0.1, 1.1, np.nan, np.inf, 1e-200])
def test_a_number_that_is_no_density_is_named(bad):
    with pytest.raises(OptionError, match=r"densities\[1\] is .* between 1e-100 and 1"):
        sugeno_lambda([0.5, bad])


@pytest.mark.parametrize("bad", [0.5, "ab", [[0.5]], ["a"], [True], None])
def test_what_is_no_sequence_of_numbers_is_refused(bad):
    with pytest.raises(OptionError, match="flat sequence of numbers"):
        sugeno_lambda(bad)


@pytest.mark.parametrize("lam", [-1.1, np.nan, "a", None, True])
def test_a_lambda_below_minus_one_is_refused(lam):
    with pytest.raises(OptionError, match=r"lam is .* at least -1"):
        fuzzy_measure([0.5], lam)
