"""The histogram of deviations shows shares."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from relrbf import RBFNetworkRegressor
from relrbf.exceptions import OptionError
from relrbf.plotting import plot_deviations


def test_shares_add_up_to_a_hundred_per_cent(ax):
    assert plot_deviations([1, 2, 5], [-1.5, -0.5, 0.5, 1.5], ax) is ax
    (stairs,) = ax.patches
    assert_allclose(stairs.get_data().values, [12.5, 25, 62.5])
    assert_allclose(stairs.get_data().edges, [-1.5, -0.5, 0.5, 1.5])
    assert ax.get_ylim()[0] == 0


def test_a_fitted_model_shows_its_deviations(ax, blobs):
    _, D, y = blobs
    model = RBFNetworkRegressor(random_state=0, max_iter=3).fit(D, y)
    deviations = model.predict(D) - y
    plot_deviations(*np.histogram(deviations, bins=21), ax=ax)
    values, edges, _ = ax.patches[0].get_data()
    share = 100 * np.mean(deviations < edges[10])
    assert values[:10].sum() == pytest.approx(share)


@pytest.mark.parametrize("edges", [[0, 1], [0, 1, 2, 3], [[0, 1, 2]]])
def test_there_is_one_edge_more_than_counts(ax, edges):
    with pytest.raises(OptionError, match="one edge more"):
        plot_deviations([1, 1], edges, ax)


def test_nothing_has_no_shares(ax):
    with pytest.raises(OptionError, match="counts adds up to nothing"):
        plot_deviations([0, 0], [0, 1, 2], ax)
