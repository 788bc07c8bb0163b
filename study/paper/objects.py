"""Some objects in the plane, and what a network says of them: the matter of the illustrations."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.spatial.distance import cdist

from relrbf._typing import Array, Indices
from study.splits import Parts


@dataclass(frozen=True, eq=False)
class Objects:
    """Vectors (n × 2), classes and parts. Networks see the distances and never the vectors."""

    vectors: Array
    y: np.ndarray
    parts: Parts

    @cached_property
    def D(self) -> Array:
        """Distances among the objects: the relation."""
        distances: Array = cdist(self.vectors, self.vectors)
        return distances

    @property
    def targets(self) -> Array:
        """Desired responses (n × g): 1 of the own class, 0 of the others."""
        return np.eye(int(self.y.max()) + 1)[self.y]

    def __len__(self) -> int:
        return len(self.y)


@dataclass(frozen=True, eq=False)
class Snapshot:
    """A network at one moment of its training.

    Attributes
    ----------
    coefficients : ndarray of shape (c, n)
        The relational prototypes.
    distances_sq : ndarray of shape (c, n)
        Their squared distances to the objects, from the relation: equation 2.5.
    bandwidths : ndarray of shape (c,)
        Widths of the Gaussian kernels.
    weights, bias : ndarrays of shape (c, g) and (g,)
        The output layer.
    responses : ndarray of shape (n, g)
        Outputs for all objects, whether the network was trained on them or not.
    objective : float
        What training minimises.
    """

    coefficients: Array
    distances_sq: Array
    bandwidths: Array
    weights: Array
    bias: Array
    responses: Array
    objective: float

    def places(self, objects: Objects) -> Array:
        """Return where the prototypes lie in the plane (c × 2)."""
        return self.coefficients @ objects.vectors

    def wrong(self, objects: Objects) -> Indices:
        """Return the objects whose largest response is not that of their class."""
        return np.flatnonzero(self.responses.argmax(axis=1) != objects.y)

    def deviations(self, objects: Objects) -> Array:
        """Return the responses less the desired ones (n × g)."""
        return self.responses - objects.targets

    def respond(self, objects: Objects, points: Array) -> Array:
        """Return the responses (m × g) at points of the plane, where no object need be."""
        distances_sq = cdist(points, self.places(objects), "sqeuclidean")
        return np.exp(-distances_sq / (2 * self.bandwidths**2)) @ self.weights + self.bias

    def gap(self, objects: Objects) -> float:
        """Return the largest difference of the squared distances from those in the plane."""
        in_plane = cdist(self.places(objects), objects.vectors, "sqeuclidean")
        return float(np.abs(self.distances_sq - in_plane).max())
