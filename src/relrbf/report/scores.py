"""Scores of held-out predictions: which of them matter, and how far they can be trusted."""

from typing import Any

import numpy as np
from scipy import stats
from sklearn import metrics

from relrbf._typing import Array, Indices
from relrbf.report.held_out import NETWORK_NAME, HeldOut, units_of

CONFIDENCE_LEVEL = 0.95  # of intervals, and of a significant difference
UNEVEN = 0.5  # the smallest class has less than this share of the largest one's objects
COVERAGE = 0.9  # of prediction intervals
MAX_CURVES, MIN_CURVE_OBJECTS = 3, 5  # of precision against recall


def is_uneven(held: HeldOut) -> bool:
    """Tell whether classes differ so much in size that accuracy alone misleads."""
    counts = np.bincount(held.data.y) if held.data.has_classes else np.ones(1)
    return bool(counts.min() < UNEVEN * counts.max())


def metrics_of(held: HeldOut) -> dict[str, float]:
    """Return the scores of the network for classes, those that matter here first."""
    true, predicted, P = held.truth, held.predictions[NETWORK_NAME], held.probabilities
    found = {
        "accuracy": metrics.accuracy_score(true, predicted),
        "balanced accuracy": balanced_accuracy(held, NETWORK_NAME),
        "F1, mean of the classes": metrics.f1_score(true, predicted, average="macro"),
        "MCC": metrics.matthews_corrcoef(true, predicted),
    }
    one_hot = np.eye(P.shape[1])[true]
    present = one_hot.any(axis=0)
    found["ROC AUC"] = metrics.roc_auc_score(one_hot[:, present], P[:, present])
    name = "average precision, mean of the classes"
    found[name] = metrics.average_precision_score(one_hot[:, present], P[:, present])
    last = ("accuracy", "ROC AUC") if is_uneven(held) else ("balanced accuracy", name)
    order = sorted(found, key=lambda name: name in last)
    return {name: float(found[name]) for name in order}


def balanced_accuracy(held: HeldOut, model: str) -> float:
    """Return the mean recall of the classes."""
    options = {"average": "macro", "zero_division": 0}
    return float(metrics.recall_score(held.truth, held.predictions[model], **options))


def interval_of(held: HeldOut, model: str, *, balanced: bool = False) -> tuple[float, float]:
    """Return a 95 % interval for the accuracy or R² on new objects.

    Duplicates, and objects of one group, count as one object between them: they are right or wrong
    together. Accuracy has Wilson's interval, so that 10 of 10 is not certain, and the mean of the
    classes' recalls the sum of their variances.
    """
    units = units_of(held.data, held.groups)
    if not held.data.has_classes:
        return _interval_of_r2(held, model, units)
    correct = held.per_object_mean(held.predictions[model] == held.truth)
    strata = held.data.y if balanced else np.zeros(len(correct), dtype=int)
    z = stats.norm.ppf((1 + CONFIDENCE_LEVEL) / 2)
    variances, shares = [], []
    for k in np.unique(strata):
        sizes = np.bincount(units[strata == k])
        n, share = sizes.sum() ** 2 / np.sum(sizes**2), correct[strata == k].mean()
        shares.append(share)
        variances.append((n * share * (1 - share) + z**2 / 4) / (n + z**2) ** 2)
    half, mean = z * np.sqrt(np.sum(variances)) / len(shares), float(np.mean(shares))
    centre = mean if balanced else (n * mean + z**2 / 2) / (n + z**2)
    return max(float(centre - half), 0.0), min(float(centre + half), 1.0)


def _interval_of_r2(held: HeldOut, model: str, units: Indices) -> tuple[float, float]:
    """Return the interval of R² by its linearisation: a ratio of two means over the objects."""
    y = held.data.y
    squares = (y - y.mean()) ** 2
    errors_sq = held.per_object_mean((held.predictions[model] - held.truth) ** 2)
    share = errors_sq.sum() / squares.sum()
    totals = np.bincount(units, errors_sq - share * squares)
    n_units = len(np.unique(units))
    error = np.sqrt(n_units / max(n_units - 1, 1) * np.sum(totals**2)) / squares.sum()
    half = stats.t.ppf((1 + CONFIDENCE_LEVEL) / 2, max(n_units - 1, 1)) * error
    return float(1 - share - half), float(min(1 - share + half, 1))


def conformal_half_width(held: HeldOut, coverage: float = COVERAGE) -> float | None:
    """Return how far a prediction interval reaches to both sides.

    It is the conformal quantile of the absolute residuals of held-out objects, with one residual
    more that is infinite; None where there are too few objects.
    """
    residuals = np.abs(held.predictions[NETWORK_NAME] - held.truth)
    rank = np.ceil((len(residuals) + held.n_repeats) * coverage)
    return float(np.sort(residuals)[int(rank) - 1]) if rank <= len(residuals) else None


def precision_recall(held: HeldOut) -> list[tuple[str, float, Array, Array]]:
    """Return name, average precision, recall and precision of the smallest classes."""
    found: list[Any] = []
    counts = np.bincount(held.data.y)
    enough = counts >= min(MIN_CURVE_OBJECTS, counts.max())
    order = np.argsort(counts, kind="stable")
    for k in order[enough[order]][:MAX_CURVES]:
        is_k, p = held.truth == k, held.probabilities[:, k]
        precision, recall, _ = metrics.precision_recall_curve(is_k, p)
        average = float(metrics.average_precision_score(is_k, p))
        found.append((str(held.data.classes[k]), average, recall, precision))
    return found
