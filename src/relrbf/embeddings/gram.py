"""Inner products from squared dissimilarities, and back.

Symbols (theory, sections 1 and 8)
----------------------------------
S   squared dissimilarities (n × n)
J   I - 1 1'/n, which centres
B   -J S J / 2, the inner products of centred vectors, where such vectors exist
"""

import numpy as np

from relrbf._typing import Array


def centred(matrix: Array) -> Array:
    """Return J matrix J for a symmetric matrix."""
    means = matrix.mean(axis=0)
    return matrix - means - means[:, None] + means.mean()


def distances_sq_of(gram: Array) -> Array:
    """Return the squared distances between the vectors whose inner products these are."""
    own = np.diagonal(gram)
    distances_sq = own[:, None] + own - (gram + gram.T)  # symmetric to the last digit
    np.fill_diagonal(distances_sq, 0)
    return np.maximum(distances_sq, 0)  # no squared distance of vectors is negative but by rounding


def split(matrix: Array) -> tuple[Array, Array, Array]:
    """Return eigenvalues (ascending), eigenvectors, and the positive semidefinite part."""
    values, vectors = np.linalg.eigh(matrix)
    positive = values > 0
    part = (vectors[:, positive] * values[positive]) @ vectors[:, positive].T
    return values, vectors, part
