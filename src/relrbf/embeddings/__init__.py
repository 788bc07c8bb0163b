"""Vectors for the objects of a relation, new objects included: transformers."""

from relrbf.embeddings.base import SearchStatus
from relrbf.embeddings.classical import ClassicalMDS, ProximalMDS
from relrbf.embeddings.landmark import LandmarkMDS
from relrbf.embeddings.metric_learning import MetricLearningMDS
from relrbf.embeddings.nearest_euclidean import NearestEuclideanMDS
from relrbf.embeddings.rows import DissimilarityRows

__all__ = [
    "ClassicalMDS",
    "DissimilarityRows",
    "LandmarkMDS",
    "MetricLearningMDS",
    "NearestEuclideanMDS",
    "ProximalMDS",
    "SearchStatus",
]
