"""Sequences on official splits: RelationalTDNN, RelationalGRU, 1-NN-DTW and an Inception network.

Run ``make bench NAME=sequences`` (about an hour on one core). JapaneseVowels, BasicMotions and
PickupGestureWiimoteZ come with aeon. What frames are, and whether their differences are a second
relation, was chosen by ``python -m benchmarks sequences --choose``, on the training parts alone.
"""

import argparse
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from aeon.classification.distance_based import KNeighborsTimeSeriesClassifier
from aeon.datasets import (
    load_basic_motions,
    load_japanese_vowels,
    load_pickup_gesture_wiimoteZ,
)
from sklearn.cluster import KMeans
from sklearn.model_selection import StratifiedKFold
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from relrbf.torch import (
    LatentAdam,
    RelationalGRU,
    RelationalRBFLayer,
    RelationalTDNN,
    squared_distances_to_frames,
    train_network,
)

SETS = {
    "JapaneseVowels": load_japanese_vowels,
    "BasicMotions": load_basic_motions,
    "PickupGestureWiimoteZ": load_pickup_gesture_wiimoteZ,
}
N_SUPPORT, N_PROTOTYPES, BANDWIDTH = 150, 64, 0.5  # the last in units of the mean dissimilarity
SMOOTHING = 0.05  # of labels
Sequences = list[np.ndarray]


@dataclass(frozen=True)
class Frames:
    """How frames are made of a sequence: windows of steps, every so many steps.

    Their differences in time may be a second relation.
    """

    window: int = 1
    hop: int = 1
    differences: bool = False

    def of(self, sequence: np.ndarray) -> Sequences:
        """Return the frames (t × k) of each relation."""
        found = [self._windows(sequence)]
        if self.differences:
            found.append(self._windows(np.gradient(sequence, axis=0)))
        return found

    def _windows(self, sequence: np.ndarray) -> np.ndarray:
        side = self.window // 2
        padded = np.pad(sequence, ((side, side), (0, 0)), mode="edge")
        steps = [padded[k : k + len(sequence)] for k in range(self.window)]
        return (np.hstack(steps) / np.sqrt(self.window))[:: self.hop]


CANDIDATES = {
    "JapaneseVowels": [Frames(), Frames(3), Frames(differences=True)],
    "PickupGestureWiimoteZ": [
        *(Frames(9, 3), Frames(21, 3), Frames(21, 3, differences=True), Frames(45, 3)),
        Frames(75, 3),
    ],
}
CHOSEN = {  # by the highest accuracy of one network; BasicMotions had nothing to choose
    "JapaneseVowels": Frames(differences=True),
    "BasicMotions": Frames(),
    "PickupGestureWiimoteZ": Frames(45, 3),
}
N_FOLDS = {"JapaneseVowels": 3, "PickupGestureWiimoteZ": 5}
ENSEMBLE = 5  # networks on one support


def load(name: str) -> tuple[Sequences, np.ndarray, Sequences, np.ndarray]:
    """Return training and test sequences (t × k), standardised by the training frames."""
    parts = [SETS[name](split=split) for split in ("train", "test")]
    classes = np.unique(parts[0][1])
    known = [[known_steps(np.asarray(each).T) for each in X] for X, _ in parts]
    frames = np.vstack(known[0])
    mean, spread = frames.mean(axis=0), frames.std(axis=0)
    (X, y), (X_new, y_new) = (
        ([(each - mean) / spread for each in own], np.searchsorted(classes, labels))
        for own, (_, labels) in zip(known, parts, strict=True)
    )
    return X, y, X_new, y_new


def known_steps(sequence: np.ndarray) -> np.ndarray:
    return sequence[~np.isnan(sequence).any(axis=1)]


def relational(
    kind: Callable[..., nn.Module],
    frames: Frames,
    X: Sequences,
    y: np.ndarray,
    X_new: Sequences,
    seeds: Sequence[int],
) -> Tensor:
    """Return the probabilities of new sequences by a network for each seed (seeds × n × g).

    They share support frames, which the first seed draws.
    """
    relations = zip(*map(frames.of, X), strict=True), zip(*map(frames.of, X_new), strict=True)
    supports, known, new = [], [], []
    for own, others in zip(*relations, strict=True):
        rng, every = np.random.default_rng(seeds[0]), np.vstack(own)
        support = every[rng.choice(len(every), N_SUPPORT, replace=False)]
        supports.append(support)
        T, lengths = squared_distances_to_frames(own, support)
        T_new, new_lengths = squared_distances_to_frames(others, support)
        known.append(T)
        new.append(T_new)
    found = []
    for seed in seeds:
        layers = [first_layer(support, seed) for support in supports]
        torch.manual_seed(seed)
        net = kind(layers, int(y.max()) + 1, dropout=0.3)
        fit(net, lambda batch: net(*(T[batch] for T in known), lengths=lengths[batch]), y, seed)  # noqa: B023
        with torch.no_grad():
            found.append(net(*new, lengths=new_lengths).softmax(dim=1))
    return torch.stack(found)


def first_layer(support: np.ndarray, seed: int) -> RelationalRBFLayer:
    """Return a layer whose prototypes are means of clusters of support frames."""
    labels = KMeans(N_PROTOTYPES, random_state=seed).fit_predict(support)
    A = torch.from_numpy(np.eye(N_PROTOTYPES)[labels].T / np.bincount(labels)[:, None]).float()
    S = squared_distances_to_frames([support], support)[0][0]
    return RelationalRBFLayer(S, A, bandwidths=BANDWIDTH * float(S.mean()) ** 0.5)


def fit(net: nn.Module, respond: Callable[[Tensor], Tensor], y: np.ndarray, seed: int) -> None:
    targets = torch.from_numpy(y)

    def loss(batch: Tensor) -> Tensor:
        return nn.functional.cross_entropy(
            respond(batch), targets[batch], label_smoothing=SMOOTHING
        )

    train_network(
        net,
        loss,
        torch.arange(len(y)),
        optimizer=LatentAdam(net, lr=0.002, weight_decay=0.01),
        batch_size=16,
        max_epochs=80,
        generator=torch.Generator().manual_seed(seed),
    )


class Inception(nn.Module):
    """One block of InceptionTime's kind: convolutions of several widths, batch normalisation."""

    def __init__(self, n_in: int, n_filters: int = 16) -> None:
        super().__init__()
        self.narrow = nn.Conv1d(n_in, n_filters, 1, bias=False)
        self.wide = nn.ModuleList(
            nn.Conv1d(n_filters, n_filters, width, padding=width // 2, bias=False)
            for width in (5, 11, 21)
        )
        self.pooled = nn.Conv1d(n_in, n_filters, 1, bias=False)
        self.norm = nn.BatchNorm1d(4 * n_filters)

    def forward(self, x: Tensor) -> Tensor:
        narrow = self.narrow(x)
        pooled = self.pooled(nn.functional.max_pool1d(x, 3, stride=1, padding=1))
        return torch.relu(self.norm(torch.cat([*(f(narrow) for f in self.wide), pooled], dim=1)))


class InceptionNet(nn.Module):
    """Three blocks with a shortcut around them, and the mean over time."""

    def __init__(self, n_channels: int, n_outputs: int) -> None:
        super().__init__()
        self.blocks = nn.Sequential(Inception(n_channels), Inception(64), Inception(64))
        self.shortcut = nn.Sequential(nn.Conv1d(n_channels, 64, 1), nn.BatchNorm1d(64))
        self.output = nn.Linear(64, n_outputs)

    def forward(self, X: Tensor, lengths: Tensor) -> Tensor:
        x = X.transpose(1, 2)
        features = torch.relu(self.blocks(x) + self.shortcut(x))
        mask = (torch.arange(x.shape[2]) < lengths[:, None]).unsqueeze(1).to(x.dtype)
        return self.output((features * mask).sum(dim=2) / mask.sum(dim=2))


def inception(X: Sequences, y: np.ndarray, X_new: Sequences, seeds: Sequence[int]) -> Tensor:
    """Return the same of Inception networks."""
    (own, lengths), (new, new_lengths) = (_padded(each) for each in (X, X_new))
    found = []
    for seed in seeds:
        torch.manual_seed(seed)
        net = InceptionNet(X[0].shape[1], int(y.max()) + 1)
        fit(net, lambda batch: net(own[batch], lengths[batch]), y, seed)  # noqa: B023
        with torch.no_grad():
            found.append(net(new, new_lengths).softmax(dim=1))
    return torch.stack(found)


def _padded(X: Sequences) -> tuple[Tensor, Tensor]:
    return (
        pad_sequence([torch.from_numpy(each).float() for each in X], batch_first=True),
        torch.tensor([len(each) for each in X]),
    )


def one_nearest_neighbour(X: Sequences, y: np.ndarray, X_new: Sequences) -> np.ndarray:
    model = KNeighborsTimeSeriesClassifier(n_neighbors=1, distance="dtw")
    return model.fit([each.T for each in X], y).predict([each.T for each in X_new])


def networks(frames: Frames) -> dict[str, Callable[..., Tensor]]:
    """Return what is compared, by name; each learns X, y and returns probabilities of X_new."""
    return {
        "RelationalTDNN": partial(relational, RelationalTDNN, frames),
        "RelationalGRU": partial(relational, RelationalGRU, frames),
        "Inception": inception,
    }


def show(name: str, n_ensembles: int, chosen: Sequence[str]) -> None:
    X, y, X_new, y_new = load(name)
    print(f"{name}: {len(X)} sequences to learn, {len(X_new)} to test, {y.max() + 1} classes")
    for method in chosen:
        start = time.process_time()
        if method == "1-NN-DTW":
            text = f"{np.mean(one_nearest_neighbour(X, y, X_new) == y_new):.3f}"
        else:
            respond, groups = networks(CHOSEN[name])[method], torch.arange(n_ensembles * ENSEMBLE)
            found = [respond(X, y, X_new, each.tolist()) for each in groups.split(ENSEMBLE)]
            means = torch.stack([each.mean(dim=0) for each in found])
            text = f"one {spread(torch.cat(found), y_new)}, ensembles {spread(means, y_new)}"
        print(f"  {method:<16} {text}  ({time.process_time() - start:.0f} s)", flush=True)


def spread(found: Tensor, y: np.ndarray) -> str:
    """Return mean and standard deviation of the accuracies of probabilities (k × n × g)."""
    scores = [accuracy_of(each, y) for each in found]
    return f"{np.mean(scores):.3f} ± {np.std(scores):.3f} (of {len(scores)})"


def choose(name: str, n_seeds: int = 3) -> None:
    """Compare what frames may be, by cross-validation of the training part alone."""
    X, y, _, _ = load(name)
    folds = StratifiedKFold(N_FOLDS[name], shuffle=True, random_state=0)
    print(f"{name}: {N_FOLDS[name]} folds of {len(X)} training sequences")
    for frames in CANDIDATES[name]:
        found = torch.zeros(n_seeds, len(y), int(y.max()) + 1)
        for train, test in folds.split(X, y):
            parts = [X[i] for i in train], y[train], [X[i] for i in test]
            for seed in range(n_seeds):
                found[seed, test] = relational(RelationalTDNN, frames, *parts, [seed])[0]
        own = found[:, torch.arange(len(y)), torch.from_numpy(y)].log()
        together = accuracy_of(found.mean(dim=0), y)
        text = f"log loss {-own.mean():.3f}, one {spread(found, y)}, mean of all {together:.3f}"
        print(f"  {frames}: {text}", flush=True)


def accuracy_of(probabilities: Tensor, y: np.ndarray) -> float:
    return float(np.mean(probabilities.argmax(dim=1).numpy() == y))


def main(names: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", default=[*SETS], help="which sets; all by default")
    parser.add_argument("--ensembles", type=int, default=3, help=f"of {ENSEMBLE} networks each")
    parser.add_argument("--methods", nargs="*", default=["1-NN-DTW", *networks(Frames())])
    parser.add_argument("--choose", action="store_true", help="cross-validate kinds of frames")
    options = parser.parse_args(names)
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")  # numba's remarks about aeon's integers
    for name in options.sets:
        if not options.choose:
            show(name, options.ensembles, options.methods)
        elif name in CANDIDATES:
            choose(name)


if __name__ == "__main__":
    main()
