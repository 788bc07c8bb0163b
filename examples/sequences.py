"""
Sequences, frame by frame: who is speaking?
===========================================

You have recordings of different lengths, and a measure between their *frames*, the short moments
that they consist of. A time-delay network whose input layer holds prototype frames reads them.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
import torch
from aeon.datasets import load_japanese_vowels
from aeon.distances import dtw_pairwise_distance
from torch import nn

from relrbf.clustering import RelationalKMeans
from relrbf.plotting.style import COLOURS
from relrbf.torch import (
    LatentAdam,
    RelationalRBFLayer,
    RelationalTDNN,
    squared_distances_to_frames,
    train_network,
)

torch.manual_seed(0)
torch.set_num_threads(1)

# %%
# JapaneseVowels: nine men say /ae/. A recording is 7 to 29 frames of twelve cepstral coefficients,
# and the question is who speaks. 270 recordings are for learning, 370 for the test.
(X, y), (X_new, y_new) = (load_japanese_vowels(split=part) for part in ("train", "test"))
frames = np.vstack([each.T for each in X])
mean, spread = frames.mean(axis=0), frames.std(axis=0)
known, new = ([(each.T - mean) / spread for each in part] for part in (X, X_new))
labels, labels_new = torch.tensor(y.astype(int) - 1), y_new.astype(int) - 1
print(f"{len(known)} recordings of {min(map(len, known))} to {max(map(len, known))} frames")

# %%
# The relation is among frames. A few of them are the support; everything the network learns of a
# frame is its squared dissimilarities to these, so that any measure between frames would do. The
# first prototypes are means of relational k-means clusters.
rng = np.random.default_rng(0)
support = np.vstack(known)[rng.choice(len(frames), 120, replace=False)]
S = squared_distances_to_frames([support], support)[0][0]
clusters = RelationalKMeans(40, exponent=1, random_state=0).fit(S.numpy().astype(float))
first = torch.tensor(clusters.prototypes_.coefficients, dtype=torch.float32)
layer = RelationalRBFLayer(S, first, bandwidths=0.5 * float(S.mean()) ** 0.5)
net = RelationalTDNN(layer, n_outputs=9, dropout=0.3)

# %%
# Recordings are padded to the longest; ``lengths`` says where each ends. ``LatentAdam`` moves the
# prototypes among the frames as Adam would move points, without points.
T, lengths = squared_distances_to_frames(known, support)
T_new, new_lengths = squared_distances_to_frames(new, support)


def loss(batch):
    """Return the mean cross-entropy of some recordings."""
    found = net(T[batch], lengths=lengths[batch])
    return nn.functional.cross_entropy(found, labels[batch], label_smoothing=0.05)


curve = train_network(
    net,
    loss,
    torch.arange(len(known)),
    optimizer=LatentAdam(net, lr=0.003, weight_decay=0.01),
    batch_size=16,
    max_epochs=30,
)
with torch.no_grad():
    found = net(T_new, lengths=new_lengths).argmax(dim=1).numpy()
print(f"RelationalTDNN accuracy {np.mean(found == labels_new):.3f}")
steps = (layer.prototypes - layer.anchor).detach()
moved = float(layer.norms_sq(steps).max().sqrt() / layer.unit)
print(f"the prototype that moved most went {moved:.2f} times the spread of the frames")

# %%
# What this field measures everything against: the nearest recording under dynamic time warping.
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # a remark of numba about aeon's integers
    D = dtw_pairwise_distance([each.T for each in new], [each.T for each in known])
print(f"1-NN-DTW       accuracy {np.mean(labels.numpy()[D.argmin(axis=1)] == labels_new):.3f}")

# %%
# Left, how training went. Right, what the input layer makes of a recording each of two men: which
# prototype frames they come near, and when.
fig, (left, *panels) = plt.subplots(1, 3, figsize=(11, 3.6), layout="constrained")
left.plot(curve.training, color=COLOURS[0])
left.set_xlabel("epoch")
left.set_ylabel("loss")
for ax, speaker in zip(panels, (0, 4), strict=True):
    k = int(np.flatnonzero(labels_new == speaker)[0])
    with torch.no_grad():
        activations = layer(T_new[k, : new_lengths[k]])
    ax.imshow(activations.T, aspect="auto", cmap="Greys", vmin=0, vmax=1)
    ax.set_title(f"speaker {speaker + 1}", fontsize=10)
    ax.set_xlabel("frame")
panels[0].set_ylabel("prototype")
plt.show()
