"""Vectors for the objects of a relation, new objects included: transformers."""

from relrbf.embeddings.classical import ClassicalMDS
from relrbf.embeddings.landmark import LandmarkMDS
from relrbf.embeddings.metric_learning import MetricLearningMDS
from relrbf.embeddings.nearest import NearestEuclideanMDS
from relrbf.embeddings.proximal import ProximalMDS
from relrbf.embeddings.rows import DissimilarityRows

__all__ = [
    "ClassicalMDS",
    "DissimilarityRows",
    "LandmarkMDS",
    "MetricLearningMDS",
    "NearestEuclideanMDS",
    "ProximalMDS",
]
