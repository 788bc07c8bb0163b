"""What helps a network where no vectors have the dissimilarities, and what does not.

Run ``python -m benchmarks.remedies``; the table of docs/non-euclidean.md comes from here. The
default network, on the relation as it is and after each remedy: 20 splits, the same for all,
remedies within the training objects, new objects by ``extend`` or ``transform``.
"""

import warnings
from collections.abc import Callable
from functools import partial

import numpy as np

from benchmarks.accuracy.sets import SETS, Set
from benchmarks.accuracy.tables import table
from relrbf import RBFNetworkClassifier
from relrbf.embeddings import ClassicalMDS
from relrbf.repair import (
    Repair,
    nearest_euclidean,
    spectrum_clip,
    spectrum_flip,
    spectrum_shift,
)
from relrbf.training import LBFGS

SPLITS = 20
NAMES = ("yeast-200", "HG-194", "PC-102", "protein-213")
Fit = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


def as_it_is(D: np.ndarray, y: np.ndarray, D_new: np.ndarray, **options) -> np.ndarray:
    """Predict new objects from the dissimilarities."""
    return RBFNetworkClassifier(random_state=0, **options).fit(D, y).predict(D_new)


def repaired(
    D: np.ndarray, y: np.ndarray, D_new: np.ndarray, repair_with: Callable[..., Repair]
) -> np.ndarray:
    """Predict new objects from repaired dissimilarities."""
    repair = repair_with(D)
    model = RBFNetworkClassifier(random_state=0).fit(repair.relation, y)
    return model.predict(repair.extend(D_new))


def embedded(D: np.ndarray, y: np.ndarray, D_new: np.ndarray) -> np.ndarray:
    """Predict new objects from their places in a classical embedding."""
    mds = ClassicalMDS().fit(D)
    model = RBFNetworkClassifier(space="vector", random_state=0).fit(mds.embedding_, y)
    return model.predict(mds.transform(D_new))


REMEDIES: dict[str, Fit] = {
    'none, `exponent="auto"`': as_it_is,
    "none, `exponent=2`": partial(as_it_is, exponent=2),
    "none, `exponent=1`": partial(as_it_is, exponent=1),
    "none, and no early stopping: `LBFGS(early_stopping=None)`": partial(
        as_it_is, solver=LBFGS(early_stopping=None)
    ),
    'medoids: `space="medoid"`': partial(as_it_is, space="medoid"),
    "`nearest_euclidean`": partial(repaired, repair_with=nearest_euclidean),
    "`spectrum_clip`": partial(repaired, repair_with=spectrum_clip),
    "`spectrum_flip`": partial(repaired, repair_with=spectrum_flip),
    "`spectrum_shift`": partial(repaired, repair_with=spectrum_shift),
    "`ClassicalMDS`, then a network on vectors": embedded,
}


def accuracy(data: Set, fit: Fit) -> str:
    """Return mean and spread over the splits, in percent."""
    scores = []
    for train, test in data.splits(SPLITS):
        known = data.D[np.ix_(train, train)]
        predicted = fit(known, data.y[train], data.D[np.ix_(test, train)])
        scores.append(100 * np.mean(predicted == data.y[test]))
    return f"{np.mean(scores):.1f} ± {np.std(scores):.1f}"


def main() -> None:
    warnings.simplefilter("ignore")  # that there are no vectors is known
    sets = [SETS[name]() for name in NAMES]
    lines = []
    for remedy, fit in REMEDIES.items():
        lines.append([remedy, *(accuracy(data, fit) for data in sets)])
        print(*lines[-1], sep=" | ", flush=True)
    table("Accuracy in percent", ["remedy", *NAMES], lines)


if __name__ == "__main__":
    main()
