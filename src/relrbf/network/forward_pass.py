"""What a pass through the network leaves for the way back.

Of many objects it is made again when asked for, part by part, rather than kept: arrays of c × n
entries cost more to fetch from main memory than to compute.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Self, TypeAlias

import numpy as np

from relrbf._typing import Array

if TYPE_CHECKING:
    from relrbf.network.model import Network

PART = 2**18  # entries, which fit in a processor's cache
LONG = 2**22  # entries, which do not


@dataclass(frozen=True)
class Forward:
    """Squared distances over squared bandwidths, activations (c × n), responses (n × g)."""

    scaled_sq: Array
    activations: Array
    responses: Array

    def parts(self) -> Iterator[tuple[slice, "Forward"]]:
        """Return the objects part by part: which ones, and their pass."""
        for cols in column_parts(*self.activations.shape):
            arrays = self.scaled_sq[:, cols], self.activations[:, cols], self.responses[cols]
            yield cols, Forward(*arrays)

    def answered_by(self, network: "Network") -> Self:
        """Return the pass through a network that differs in its output layer only."""
        return replace(self, responses=network.respond(self.activations))


class ChunkedForward:
    """A pass of many objects, of which only the responses are kept.

    Parameters
    ----------
    network : Network
        The network.
    n_objects : int
        How many pass.
    read : callable
        Returns the squared distances (c × k) of some objects, a slice of them.
    """

    def __init__(self, network: "Network", n_objects: int, read: Callable[[slice], Array]) -> None:
        self.network = network
        self.n_objects = n_objects
        self.read = read

    @cached_property
    def responses(self) -> Array:
        """Responses (n × g)."""
        network = self.network
        shape = self.n_objects, len(network.bias)
        responses = np.empty(shape, dtype=network.weights.dtype)
        for cols, distances_sq in self._distances():
            responses[cols] = network.respond(network.activate(distances_sq)[1])
        return responses

    @property
    def scaled_sq(self) -> Array:
        """Squared distances over squared bandwidths (c × n), all of them."""
        return self.network.activate(self.read(slice(None)))[0]

    @property
    def activations(self) -> Array:
        """Activations (c × n), all of them."""
        return self.network.activate(self.read(slice(None)))[1]

    def parts(self) -> Iterator[tuple[slice, Forward]]:
        """Pass the objects part by part; the parts hold no responses that are not there yet."""
        known = self.__dict__.get("responses")
        for cols, distances_sq in self._distances():
            arrays = self.network.activate(distances_sq)
            yield cols, Forward(*arrays, np.empty(0) if known is None else known[cols])

    def answered_by(self, network: "Network") -> "ChunkedForward":
        """Return the pass through a network that differs in its output layer only."""
        return ChunkedForward(network, self.n_objects, self.read)

    def _distances(self) -> Iterator[tuple[slice, Array]]:
        for cols in column_parts(len(self.network.bandwidths), self.n_objects):
            yield cols, self.read(cols)


ForwardPass: TypeAlias = Forward | ChunkedForward


def column_parts(n_rows: int, n_columns: int) -> Iterator[slice]:
    """Cut the columns of an array so that a part has PART entries; of few there is one part."""
    step = max(1, PART // max(n_rows, 1))
    return (slice(at, min(at + step, n_columns)) for at in range(0, n_columns, step))
