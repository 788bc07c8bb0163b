"""A place for a new object beside places that stay as they are."""

import numpy as np

from relrbf._typing import Array
from relrbf.embeddings.spectrum import Placement

HALVINGS = 60


def place_nearest(placement: Placement, coordinates: Array, S_new: Array) -> tuple[Array, Array]:
    """Return places (m × k) and heights (m) that change the squared dissimilarities least.

    A new object at z, and at a squared height h above all the training objects x_i, has the squared
    distances ``|x_i - z|^2 + h``. Where Gower's place leaves it a height that is not negative, no
    other has a smaller sum of squared changes. Elsewhere h is zero, and every coordinate shrinks
    towards the middle, by ``lambda_k / (lambda_k + mu)`` with lambda_k the sum of squares of the
    training objects' coordinates and mu the multiplier of ``h >= 0``.
    """
    places = placement.place(S_new)
    strengths = np.square(coordinates).sum(axis=0)
    room = (S_new - np.square(coordinates).sum(axis=1)).mean(axis=1)  # what |z|^2 + h should be
    multipliers = _multipliers(places, strengths, room, len(coordinates))
    places = places * (strengths / (strengths + multipliers[:, None]))
    return places, np.maximum(room - np.square(places).sum(axis=1), 0)


def _multipliers(places: Array, strengths: Array, room: Array, n_objects: int) -> Array:
    """Solve ``mu = n (|z(mu)|^2 - room) / 2``, whose right side falls; zero if it is negative."""

    def too_long(mu: Array) -> Array:
        shrunk = places * (strengths / (strengths + mu[:, None]))
        return n_objects * (np.square(shrunk).sum(axis=1) - room) / 2 - mu

    low = np.zeros(len(places))
    high = np.maximum(too_long(low), 0)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        longer = too_long(middle) > 0
        low, high = np.where(longer, middle, low), np.where(longer, high, middle)
    return high
