"""What early stopping gains: the default beside networks that train longer, or on labels.

Run ``make bench NAME=early_stopping``; the table of docs/auto.md comes from here.
"""

import warnings

import numpy as np

from benchmarks.accuracy.sets import CLASSIFICATION, SETS, Set
from benchmarks.accuracy.tables import table
from relrbf import RBFNetworkClassifier
from relrbf.training import LBFGS

SPLITS = 20
VARIANTS = {
    "default": LBFGS(),
    "distills, no refinement": LBFGS(max_refinements=0),
    "distills, 20 refinements": LBFGS(teacher_tolerance=0, max_refinements=20, max_epochs=20),
    "learns labels, 20 epochs": LBFGS(early_stopping=None),
}


def accuracy(data: Set, solver: LBFGS) -> float:
    """Return the mean accuracy over the splits, in percent."""
    scores = []
    for train, test in data.splits(SPLITS):
        model = RBFNetworkClassifier(solver=solver, random_state=0, max_iter=21)
        model.fit(data.D[np.ix_(train, train)], data.y[train])
        scores.append(model.score(data.D[np.ix_(test, train)], data.y[test]))
    return 100 * float(np.mean(scores))


def main() -> None:
    warnings.simplefilter("ignore")  # that most of these relations have no vectors is known
    found = {
        name: [accuracy(SETS[name](), solver) for solver in VARIANTS.values()]
        for name in CLASSIFICATION
    }
    lines = [[name, *(f"{score:.2f}" for score in scores)] for name, scores in found.items()]
    means = np.mean(list(found.values()), axis=0)
    lines.append(["mean", *(f"{mean:.2f}" for mean in means)])
    table("Accuracy in percent", ["set", *VARIANTS], lines)


if __name__ == "__main__":
    main()
