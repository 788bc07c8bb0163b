"""Relational clustering, the usual start of a network."""

from relrbf.clustering.kmeans import lloyd, seed_plus_plus

__all__ = ["lloyd", "seed_plus_plus"]
