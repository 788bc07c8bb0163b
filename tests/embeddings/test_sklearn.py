"""scikit-learn's own checks of the embeddings, and its tools on a matrix."""

import pickle
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from relrbf import as_relation
from relrbf.embeddings import (
    ClassicalMDS,
    LandmarkMDS,
    MetricLearningMDS,
    NearestEuclideanMDS,
    ProximalMDS,
)
from relrbf.exceptions import NotEuclideanWarning

EMBEDDINGS = [ClassicalMDS, ProximalMDS, LandmarkMDS, NearestEuclideanMDS, MetricLearningMDS]
CHECKED = [
    *(embedding(metric=metric) for embedding in EMBEDDINGS for metric in ("precomputed", "l2")),
    MetricLearningMDS(target="labels"),
]


@pytest.mark.filterwarnings("ignore::relrbf.exceptions.NotEuclideanWarning")
@parametrize_with_checks(CHECKED)
def test_scikit_learns_checks(estimator, check):
    check(estimator)
