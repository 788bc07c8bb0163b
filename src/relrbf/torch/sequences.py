"""Sequences: a relational layer at every step, then time-delay or recurrent layers.

The objects of the relation are frames, the steps of sequences. A sequence of t frames comes as its
frames' squared dissimilarities to m support frames (t × m); sequences of unequal length are padded,
and ``lengths`` says how many frames of each are its own.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

from relrbf.exceptions import OptionError, RelationError
from relrbf.torch.layers import RBFLayer
from relrbf.torch.networks import InputLayers


def squared_distances_to_frames(
    sequences: Sequence[Any],
    support: Any,
    measure: Callable[[Any, Any], Any] | None = None,
    dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, Tensor]:
    """Return what a network on sequences takes.

    Parameters
    ----------
    sequences : sequence of arrays of shape (t, k), or of sequences of frames of any kind
        Lengths t may differ.
    support : array of shape (m, k), or sequence of m frames
        The support frames.
    measure : callable or None, default=None
        Of two frames, their squared dissimilarity. None: of arrays, the squared Euclidean distance.
    dtype : torch.dtype, default=torch.float32
        Of the result.

    Returns
    -------
    query_sq : Tensor of shape (n, longest, m)
        Squared dissimilarities of the frames to the support; zeros after the end of a sequence.
    lengths : Tensor of int of shape (n,)
        Frames of each sequence.
    """
    if not len(sequences) or min(map(len, sequences)) == 0:
        raise RelationError("sequences holds none, or one without frames; each needs at least one.")
    if measure is None:
        known = np.asarray(support, dtype=float)
        rows = [_squares(np.asarray(each, dtype=float), known) for each in sequences]
    else:
        rows = [
            np.array([[float(measure(frame, other)) for other in support] for frame in each])
            for each in sequences
        ]
    lengths = torch.tensor([len(each) for each in rows])
    padded = pad_sequence([torch.as_tensor(each, dtype=dtype) for each in rows], batch_first=True)
    return padded, lengths


def _squares(frames: np.ndarray, support: np.ndarray) -> np.ndarray:
    if frames.ndim != 2 or frames.shape[1] != support.shape[1]:
        raise RelationError(
            f"a sequence has shape {frames.shape}; it needs one row per frame, of "
            f"{support.shape[1]} features as the support has."
        )
    return np.square(frames[:, None] - support[None]).sum(axis=-1)


class SequenceNetwork(InputLayers):
    """What networks on sequences share: masked activations, pooling over time, linear outputs."""

    output: nn.Linear

    def activate_frames(self, queries: Sequence[Tensor], lengths: Tensor) -> tuple[Tensor, Tensor]:
        """Return activations (n × t × c), zero after the end, and the mask (n × t × 1)."""
        found = self.activate(*queries)
        n, longest = found.shape[:2]
        is_meta = lengths.device.type == "meta"
        if lengths.shape != (n,) or not (is_meta or 1 <= lengths.min() <= lengths.max() <= longest):
            raise OptionError(
                f"lengths must hold, for each of the {n} sequences, its number of frames, from 1 "
                f"to {longest}.",
                "lengths",
            )
        steps = torch.arange(longest, device=found.device)
        mask = (steps < lengths.to(found.device)[:, None]).unsqueeze(-1)
        return found * mask.to(found.dtype), mask

    def pool(self, features: Tensor, mask: Tensor) -> Tensor:
        """Return responses (n × g) from the mean and the maximum over each sequence's frames."""
        inside = mask.to(features.dtype)
        mean = (features * inside).sum(dim=1) / inside.sum(dim=1)
        largest = features.masked_fill(~mask, -torch.inf).amax(dim=1)
        return self.output(torch.cat([mean, largest], dim=-1))


class RelationalTDNN(SequenceNetwork):
    """Time-delay network: each unit sees a window of frames, by their prototypes' activations.

    Parameters
    ----------
    layers : RBFLayer or sequence of them
        The input layers, one for each relation of frames.
    n_outputs : int
        Responses per sequence.
    hidden : sequence of int, default=(64, 64)
        Units of the time-delay layers.
    width : int, default=5
        Frames that a unit sees; odd. The next layer's windows are spread twice as far.
    dropout : float, default=0.0
        Probability with which a unit is left out of a training batch.

    Examples
    --------
    >>> import torch
    >>> from relrbf.torch import RelationalRBFLayer, RelationalTDNN, squared_distances_to_frames
    >>> frames = torch.tensor([[0.0], [1.0], [2.0]])
    >>> sequences = [frames, frames[:2]]
    >>> query_sq, lengths = squared_distances_to_frames(sequences, frames)
    >>> layer = RelationalRBFLayer(query_sq[0], torch.eye(3))
    >>> RelationalTDNN(layer, n_outputs=4)(query_sq, lengths=lengths).shape
    torch.Size([2, 4])
    """

    def __init__(
        self,
        layers: RBFLayer | Sequence[RBFLayer],
        n_outputs: int,
        *,
        hidden: Sequence[int] = (64, 64),
        width: int = 5,
        dropout: float = 0.0,
    ) -> None:
        if width < 1 or width % 2 == 0 or not hidden:
            raise OptionError(
                f"width is {width!r} and hidden {hidden!r}; a window has an odd number of frames, "
                "and there must be a time-delay layer.",
                "width",
            )
        super().__init__(layers)
        sizes = [self.n_activations, *hidden]
        self.delays = nn.ModuleList(
            nn.Conv1d(a, b, width, dilation=2**k, padding=2**k * (width // 2))
            for k, (a, b) in enumerate(pairwise(sizes))
        )
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(2 * hidden[-1], n_outputs)

    def forward(self, *queries: Tensor, lengths: Tensor) -> Tensor:
        """Return responses (n × g).

        Parameters
        ----------
        *queries : Tensors of shape (n, t, m)
            Squared dissimilarities of the frames to the support of each layer.
        lengths : Tensor of int of shape (n,)
            Frames of each sequence; what follows is padding, and changes nothing.
        """
        found, mask = self.activate_frames(queries, lengths)
        features, inside = found.transpose(1, 2), mask.transpose(1, 2)
        for delay in self.delays:
            features = torch.relu(delay(self.dropout(features))) * inside.to(features.dtype)
        return self.pool(features.transpose(1, 2), mask)


class RelationalGRU(SequenceNetwork):
    """Recurrent network of gated units, whose input at each step is the prototypes' activations.

    Parameters
    ----------
    layers, n_outputs
        As of ``RelationalTDNN``.
    hidden : int, default=64
        Gated units, in each direction.
    n_layers : int, default=1
        Recurrent layers.
    bidirectional : bool, default=True
        Whether sequences are read from both ends.
    dropout : float, default=0.0
        Probability with which an activation is left out of a training batch.
    """

    def __init__(
        self,
        layers: RBFLayer | Sequence[RBFLayer],
        n_outputs: int,
        *,
        hidden: int = 64,
        n_layers: int = 1,
        bidirectional: bool = True,
        dropout: float = 0.0,
    ) -> None:
        super().__init__(layers)
        self.recurrent = nn.GRU(
            self.n_activations, hidden, n_layers, batch_first=True, bidirectional=bidirectional
        )
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(2 * hidden * (1 + bidirectional), n_outputs)

    def forward(self, *queries: Tensor, lengths: Tensor) -> Tensor:
        """Return responses (n × g), as ``RelationalTDNN`` does."""
        found, mask = self.activate_frames(queries, lengths)
        packed = pack_padded_sequence(
            self.dropout(found), lengths.cpu(), batch_first=True, enforce_sorted=False
        )
        states, _ = pad_packed_sequence(
            self.recurrent(packed)[0], batch_first=True, total_length=found.shape[1]
        )
        return self.pool(states, mask)
