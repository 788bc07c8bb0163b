import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import multivariate_normal, norm

from relrbf import inspect_relation
from relrbf.exceptions import OptionError, RelationError, RelationWarning
from relrbf.measures import (
    CommonSource,
    common_source_dissimilarities,
    common_source_log_odds,
    estimate_common_source,
)


@pytest.fixture
def profiles(rng):
    """Twenty profiles of four sources over six genes, on different scales."""
    sources = rng.standard_normal((4, 6)) * [1, 2, 3, 4, 5, 6] + 10
    return np.repeat(sources, 5, axis=0) + rng.standard_normal((20, 6)) * [3, 1, 1, 0.3, 9, 2]


def log_odds_by_integration(x, y, mean, variance, share):
    """One gene: the integral over the source, by quadrature."""
    source = norm(mean, np.sqrt(variance * (1 - share)))
    noise = np.sqrt(variance * share)
    middle, reach = (x + y) / 2, 12 * noise

    def integrand(z):
        return norm.pdf(x, z, noise) * norm.pdf(y, z, noise) * source.pdf(z)

    joint = quad(integrand, middle - reach, middle + reach, epsabs=0, epsrel=1e-11)[0]
    marginal = norm(mean, np.sqrt(variance))
    return np.log(joint) - marginal.logpdf(x) - marginal.logpdf(y)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_the_log_odds_are_the_integral_over_the_source(share):
    model = CommonSource(np.array([2.0]), np.array([3.0]), np.array([share]), np.array([True]))
    values = np.array([[0.5], [2.1], [4.0]])
    expected = [[log_odds_by_integration(x[0], y[0], 2, 3, share) for y in values] for x in values]
    np.testing.assert_allclose(model.log_odds(values, values), expected, rtol=1e-8)


def test_the_log_odds_are_those_of_a_joint_normal_density(profiles):
    model = estimate_common_source(profiles)
    found = common_source_log_odds(profiles)
    for i, j in [(0, 0), (0, 1), (3, 17)]:
        expected = 0.0
        for g, (mean, v, share) in enumerate(
            zip(model.means, model.variances, model.noise_shares, strict=True)
        ):
            pair = profiles[[i, j], g]
            covariance = v * np.array([[1, 1 - share], [1 - share, 1]])
            expected += multivariate_normal([mean, mean], covariance).logpdf(pair)
            expected -= norm(mean, np.sqrt(v)).logpdf(pair).sum()
        assert found[i, j] == pytest.approx(expected)


def test_own_log_odds_are_the_diagonal_and_positive(profiles):
    model = estimate_common_source(profiles)
    own = model.own_log_odds(profiles)
    np.testing.assert_allclose(own, np.diag(model.log_odds(profiles, profiles)))
    assert (own > 0).all()


def test_both_forms_follow_from_the_log_odds(profiles):
    s = common_source_log_odds(profiles)
    own = np.diag(s)
    kernel = common_source_dissimilarities(profiles, form="kernel")
    np.testing.assert_allclose(kernel, own[:, None] + own - 2 * s, atol=1e-10)
    relative = common_source_dissimilarities(profiles)
    np.testing.assert_allclose(relative, 1 - 2 * s / (own[:, None] + own), atol=1e-10)


@pytest.mark.parametrize("form", ["relative", "kernel"])
def test_dissimilarities_are_a_relation(profiles, form):
    D = common_source_dissimilarities(profiles, form=form)
    assert (D == D.T).all()
    assert (np.diag(D) == 0).all()
    assert (D + np.eye(len(D)) > 0).all()


def test_the_kernel_form_is_a_squared_euclidean_distance(profiles):
    report = inspect_relation(common_source_dissimilarities(profiles, form="kernel"))
    assert report.has_vector_dual[1]


def test_the_relative_form_has_a_vector_dual_where_all_genes_are_alike(profiles):
    D = common_source_dissimilarities(profiles, noise_share=0.2)
    assert inspect_relation(D).has_vector_dual[1]


def test_the_relative_form_has_none_for_some_shares_per_gene():
    model = CommonSource(np.zeros(2), np.ones(2), np.array([0.07, 0.69]), np.ones(2, dtype=bool))
    X = [[-4.2, 9.2], [1.9, 3.1], [-2.6, 1.8], [0.9, 0.9], [-0.8, -5.0], [0.6, 6.0], [-0.2, 0.1]]
    D = common_source_dissimilarities(X, model=model)
    assert inspect_relation(D).negative_eigenfraction[1] > 0.01


def test_the_log_odds_are_no_positive_definite_kernel():
    far = np.array([[-1.0], [-1.0], [2.0]])
    s = common_source_log_odds(far, noise_share=0.1)
    assert np.linalg.eigvalsh(s)[0] < -0.1


def test_profiles_of_one_source_are_nearest(profiles):
    D = common_source_dissimilarities(profiles) + np.diag(np.full(20, np.inf))
    assert (D.argmin(axis=1) // 5 == np.arange(20) // 5).mean() >= 0.9


def test_agreement_on_a_rare_level_says_more():
    s = common_source_log_odds([[0.0], [0.0], [0.1], [5.0], [5.0], [0.2], [0.1]], noise_share=0.5)
    assert s[3, 4] > s[0, 1]


def test_new_profiles_do_not_change_the_estimates(profiles):
    training, new = profiles[:15], profiles[15:]
    model = estimate_common_source(training)
    together = common_source_dissimilarities(new, training)
    for row, profile in zip(together, new, strict=True):
        alone = common_source_dissimilarities(profile[None], training, model=model)[0]
        np.testing.assert_allclose(alone, row)
    D = common_source_dissimilarities(training)
    np.testing.assert_allclose(common_source_dissimilarities(training[:3], training), D[:3])
    block = common_source_log_odds(training[:3], training[5:], model=model)
    np.testing.assert_allclose(block, model.log_odds(training, training)[:3, 5:])
    among_new = common_source_log_odds(new, model=model)
    np.testing.assert_allclose(among_new, model.log_odds(new, new))


def test_scale_and_offset_of_a_gene_do_not_matter(profiles):
    moved = profiles * [1, 10, 0.1, 3, 2, 5] + [0, 7, -3, 1, 1, 1]
    np.testing.assert_allclose(
        common_source_dissimilarities(moved), common_source_dissimilarities(profiles), atol=1e-9
    )


# What is estimated


def test_mean_and_variance_are_those_of_the_profiles(profiles):
    model = estimate_common_source(profiles)
    np.testing.assert_allclose(model.means, profiles.mean(axis=0))
    np.testing.assert_allclose(model.variances, profiles.var(axis=0, ddof=1))


def test_noise_is_half_the_squared_difference_of_nearest_profiles(profiles):
    t = (profiles - profiles.mean(axis=0)) / profiles.std(axis=0, ddof=1)
    total = np.zeros(6)
    for i in range(20):
        others = [j for j in range(20) if j != i]
        nearest = min(others, key=lambda j: np.sum((t[i] - t[j]) ** 2))
        total += (t[i] - t[nearest]) ** 2 / 2 / 20
    shares = estimate_common_source(profiles).noise_shares
    np.testing.assert_allclose(shares, np.clip(total, 0.05, 0.95))


def test_neighbors_find_the_share_of_noise(rng):
    true = np.tile([0.1, 0.3, 0.6, 0.8], 100)
    sources = np.repeat(rng.standard_normal((30, 400)), 4, axis=0) * np.sqrt(1 - true)
    X = sources + rng.standard_normal((120, 400)) * np.sqrt(true)
    shares = estimate_common_source(X).noise_shares
    means = [shares[true == share].mean() for share in (0.1, 0.3, 0.6, 0.8)]
    # a little low for noisy genes, since the nearest of several is the one that happens to agree
    np.testing.assert_allclose(means, [0.1, 0.3, 0.6, 0.75], atol=0.05)


def test_shares_of_noise_stay_within_bounds():
    X = np.array([[0.0, 0.0, 1.0], [0.0, 0.0, -1.0], [9.0, 9.0, 1.0], [9.0, 9.0, -1.0]])
    assert estimate_common_source(X).noise_shares.tolist() == [0.05, 0.05, 0.95]


def test_a_share_may_be_given_for_all_genes_or_for_each(profiles):
    for_all = common_source_dissimilarities(profiles, noise_share=0.3)
    for_each = common_source_dissimilarities(profiles, noise_share=[0.3] * 6)
    np.testing.assert_array_equal(for_all, for_each)
    other = common_source_dissimilarities(profiles, noise_share=np.linspace(0.1, 0.9, 6))
    assert not np.allclose(for_all, other)


def test_constant_genes_are_left_out_and_counted(profiles):
    with_constant = np.insert(profiles, [2, 4], 1.0, axis=1)
    with pytest.warns(RelationWarning, match="2 of 8 genes do not vary"):
        D = common_source_dissimilarities(with_constant)
    np.testing.assert_array_equal(D, common_source_dissimilarities(profiles))
    with pytest.warns(RelationWarning):
        model = estimate_common_source(with_constant, noise_share=np.linspace(0.1, 0.8, 8))
    assert np.flatnonzero(~model.used).tolist() == [2, 5]
    np.testing.assert_allclose(model.noise_shares, np.delete(np.linspace(0.1, 0.8, 8), [2, 5]))


def test_float32_stays_float32(profiles):
    single = profiles.astype(np.float32)
    D = common_source_dissimilarities(single)
    assert D.dtype == common_source_log_odds(single).dtype == np.float32
    np.testing.assert_allclose(D, common_source_dissimilarities(profiles), rtol=1e-4, atol=1e-6)


def test_single_precision_is_summed_in_double(profiles):
    single = (profiles + 3000).astype(np.float32)
    expected = common_source_dissimilarities(single.astype(float))
    np.testing.assert_allclose(common_source_dissimilarities(single), expected, rtol=3e-7)


# Bad input


def test_profiles_that_are_all_the_same_are_refused():
    with pytest.raises(RelationError, match="none of the 3 genes varies"):
        common_source_dissimilarities(np.ones((4, 3)))


def test_one_profile_is_too_few_to_estimate_from():
    with pytest.raises(RelationError, match="X holds 1 profile"):
        common_source_dissimilarities([[1.0, 2.0]])
    with pytest.raises(RelationError, match="Y holds 1 profile"):
        common_source_log_odds([[1.0, 2.0]], [[1.0, 3.0]])


def test_missing_values_are_refused(profiles):
    profiles[3, 2] = np.nan
    with pytest.raises(RelationError, match=r"1 NaN .*\(3, 2\)"):
        common_source_dissimilarities(profiles)
    with pytest.raises(RelationError, match="Y contains 1 NaN"):
        common_source_dissimilarities(profiles[:2], profiles)


def test_profiles_of_different_lengths_are_refused(profiles):
    with pytest.raises(RelationError, match="from 1 to 2"):
        common_source_dissimilarities([[1.0, 2.0], [3.0]])
    with pytest.raises(RelationError, match=r"X has 5 genes.* have 6"):
        common_source_dissimilarities(profiles[:, :5], profiles)
    with pytest.raises(RelationError, match=r"X has 5 genes.* have 6"):
        common_source_log_odds(profiles[:, :5], model=estimate_common_source(profiles))


@pytest.mark.parametrize("share", [0, 1, -0.5, np.nan, "no", True, None, [0.5, 0.5], [["a"]]])
def test_a_share_that_is_none_is_refused(profiles, share):
    with pytest.raises(OptionError, match=r"noise_share is .*strictly between"):
        estimate_common_source(profiles, noise_share=share)


def test_a_form_that_does_not_exist_is_refused(profiles):
    with pytest.raises(OptionError, match="form='odds' does not exist"):
        common_source_dissimilarities(profiles, form="odds")


def test_a_model_that_is_none_is_refused(profiles):
    with pytest.raises(OptionError, match="estimate_common_source makes one"):
        common_source_log_odds(profiles, model=0.5)
