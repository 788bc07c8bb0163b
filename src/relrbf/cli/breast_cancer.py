"""The data of ``relrbf demo``: breast cancer, as a matrix of distances."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from relrbf._typing import Array
from relrbf.io import save_matrix, save_rows


@dataclass(frozen=True)
class Data:
    """Training and held-out objects: names, standardised features, classes."""

    ids: np.ndarray
    ids_new: np.ndarray
    X: Array
    X_new: Array
    y: np.ndarray
    y_new: np.ndarray

    @property
    def D(self) -> Array:
        """Distances between the training objects."""
        return cdist(self.X, self.X)

    @property
    def D_new(self) -> Array:
        """Distances of the held-out objects to the training objects."""
        return cdist(self.X_new, self.X)

    def save(self, folder: Path) -> None:
        """Write them as a user would have them: D.csv, y.csv (of all objects), D_new.csv."""
        save_matrix(folder / "D.csv", self.D, self.ids)
        save_matrix(folder / "D_new.csv", self.D_new, self.ids_new, self.ids)
        labels = zip([*self.ids, *self.ids_new], [*self.y, *self.y_new], strict=True)
        save_rows(folder / "y.csv", ["id", "label"], labels)


def load_data() -> Data:
    """Hold out 30 % of the 569 objects; standardise by the others."""
    bunch = load_breast_cancer()
    labels = bunch.target_names[bunch.target]
    names = np.array([f"case-{i:03}" for i in range(1, len(labels) + 1)])
    ids, ids_new, X, X_new, y, y_new = train_test_split(
        names, bunch.data, labels, test_size=0.3, stratify=labels, random_state=0
    )
    scaler = StandardScaler().fit(X)
    return Data(ids, ids_new, scaler.transform(X), scaler.transform(X_new), y, y_new)
