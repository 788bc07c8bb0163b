"""Training, test and validation: 70/15/15, from every class alike, groups kept whole."""

from dataclasses import dataclass

import numpy as np
from sklearn.model_selection import train_test_split

from relrbf._typing import Indices

SHARES = {"train": 0.70, "test": 0.15, "validation": 0.15}
DRAWS = 100  # of groups, to find one in which every part has every class


@dataclass(frozen=True, eq=False)
class Parts:
    """Positions of the objects in each part."""

    train: Indices
    test: Indices
    validation: Indices

    @property
    def known(self) -> Indices:
        """Objects whose labels a model may see: training first, then validation."""
        return np.concatenate([self.train, self.validation])


def split(y: np.ndarray, groups: np.ndarray | None, seed: int) -> Parts:
    """Split objects at random; whole groups where there are some."""
    return _split_objects(y, seed) if groups is None else _split_groups(y, groups, seed)


def _split_objects(y: np.ndarray, seed: int) -> Parts:
    rest, test = _held_out(np.arange(len(y)), y, round(SHARES["test"] * len(y)), seed)
    train, validation = _held_out(rest, y, round(SHARES["validation"] * len(y)), seed)
    return Parts(train, test, validation)


def _held_out(objects: Indices, y: np.ndarray, size: int, seed: int) -> list[Indices]:
    parts: list[Indices] = train_test_split(
        objects, test_size=size, stratify=y[objects], random_state=seed
    )
    return parts


def _split_groups(y: np.ndarray, groups: np.ndarray, seed: int) -> Parts:
    """Deal groups until every part has every class, or that seems impossible."""
    rng = np.random.default_rng(seed)
    for _ in range(DRAWS):
        part = _deal(y, groups, rng)
        if _is_complete(y, part):
            break
    return Parts(*(np.flatnonzero(part == number) for number in range(len(SHARES))))


def _deal(y: np.ndarray, groups: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Give each group, in random order, to the part that lacks most objects of its class."""
    shares = np.array(list(SHARES.values()))
    lacking = {label: shares * np.count_nonzero(y == label) for label in np.unique(y)}
    part = np.empty(len(y), dtype=int)
    for group in rng.permutation(np.unique(groups)):
        members = groups == group
        labels, counts = np.unique(y[members], return_counts=True)
        most = lacking[labels[counts.argmax()]]
        part[members] = most.argmax()
        most[most.argmax()] -= counts.max()
    return part


def _is_complete(y: np.ndarray, part: np.ndarray) -> bool:
    return all(len(np.unique(part[y == label])) == len(SHARES) for label in np.unique(y))
