"""Warnings point at the user's line."""

import warnings

import numpy as np
import pytest
from sklearn.model_selection import cross_val_score

from relrbf import RBFNetworkClassifier, as_relation
from relrbf.clustering import RelationalKMeans
from relrbf.embeddings import ClassicalMDS, NearestEuclideanMDS
from relrbf.exceptions import warn

D = np.triu(np.random.default_rng(0).random((30, 30)), 1)
D += D.T
y = np.arange(30) % 2


@pytest.mark.parametrize(
    "act",
    [
        lambda: ClassicalMDS().fit(D),
        lambda: ClassicalMDS().fit_transform(D),
        lambda: ClassicalMDS(30).fit(D),
        lambda: NearestEuclideanMDS(max_iter=1).fit_transform(D),
        lambda: RelationalKMeans(2, random_state=0).fit_predict(D),
        lambda: RBFNetworkClassifier(random_state=0).fit(D, y),
        lambda: cross_val_score(RBFNetworkClassifier(random_state=0), D, y, cv=2),
        lambda: as_relation(np.eye(4)),
        lambda: as_relation(np.triu(D), symmetrize="max"),
        lambda: warn("!", UserWarning),
    ],
)
def test_a_warning_points_at_the_line_that_led_to_it(act):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        act()
    assert caught
    assert {warning.filename for warning in caught} == {__file__}
