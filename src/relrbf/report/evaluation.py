"""How well a network predicts held-out objects, in numbers and in sentences."""

from dataclasses import asdict, dataclass
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np
from scipy import stats

from relrbf._options import check_number
from relrbf._typing import Array, Indices
from relrbf.report.baselines import BASELINES
from relrbf.report.data import FittedData, Network, number, validate_fit
from relrbf.report.held_out import (
    CONFIDENCE_LEVEL,
    COVERAGE,
    MAX_TUNED_OBJECTS,
    NETWORK_NAME,
    CrossValidation,
    HeldOut,
    conformal_half_width,
    interval_of,
    metrics_of,
    plan_cross_validation,
    predict_held_out,
    splits_without_duplicates,
)
from relrbf.report.page import ReportProgress, render

EQUAL = 1e-9  # differences below this are rounding
MIN_DUPLICATES = 0.02  # of the objects, for an evaluation with duplicates kept together
INFLATED = 0.03  # accuracy lost without duplicates that is worth a warning
MISCALIBRATED, N_STANDARD_ERRORS = 0.02, 2  # between confidence and accuracy, for a warning
LOW_RECALL, MAX_NAMED_CLASSES = 0.6, 3
LARGE_ERROR = 2.0  # root mean squared errors
NEGLIGIBLE_ERROR = 1e-6  # relative to the targets' standard deviation: rounding
MAX_LISTED_MISTAKES = 50


@dataclass(frozen=True)
class Score:
    """Mean over all predictions, and standard deviation over the folds."""

    mean: float
    spread: float

    def text(self, measure: str = "") -> str:
        """Return mean ± spread; an accuracy in per cent."""
        if measure == "accuracy":
            return f"{100 * self.mean:.1f} % ± {100 * self.spread:.1f}"
        if measure == "R²":
            return f"{self.mean:.3f} ± {self.spread:.3f}"
        return f"{number(self.mean, 3)} ± {number(float(f'{self.spread:.2g}'))}"


@dataclass(frozen=True)
class BaselineComparison(Score):
    """The network's score minus a baseline's; beyond ``margin`` it is significant."""

    margin: float

    @property
    def outcome(self) -> str:
        """How the network compares with the baseline."""
        if abs(self.mean) < EQUAL:
            return "equal"
        outcome = "better" if self.mean > 0 else "worse"
        return outcome if abs(self.mean) > self.margin else f"{outcome}, not significantly"


@dataclass(frozen=True, eq=False)
class EvaluationResult:
    """Cross-validated performance of a network and of baselines.

    Attributes
    ----------
    held_out, cross_validation : HeldOut, CrossValidation
        The predictions for held-out objects; folds and repetitions.
    score_without_duplicates : Score or None
        The network's score with duplicates kept in one fold, if there are many.
    """

    held_out: HeldOut
    cross_validation: CrossValidation
    score_without_duplicates: Score | None = None

    @property
    def data(self) -> FittedData:
        """What was evaluated."""
        return self.held_out.data

    @property
    def measure(self) -> str:
        """Name of the score: "accuracy" or "R²"."""
        return "accuracy" if self.data.has_classes else "R²"

    @cached_property
    def scores(self) -> dict[str, Score]:
        """Of "network", "k-NN", "ridge on rows", "SVM", and "baseline" (largest class, or mean)."""
        return {name: score_of(self.held_out, name) for name in self.held_out.predictions}

    @cached_property
    def intervals(self) -> dict[str, tuple[float, float]]:
        """A 95 % interval of each score for new objects; duplicates and groups count as one."""
        names = () if self.data.is_constant else self.scores
        return {name: interval_of(self.held_out, name) for name in names}

    @cached_property
    def metrics(self) -> dict[str, float]:
        """Further scores of the network, those that matter first; empty for targets."""
        return metrics_of(self.held_out) if self.data.has_classes else {}

    @cached_property
    def half_width(self) -> float | None:
        """What to add and subtract for a 90 % prediction interval of targets; None if unknown."""
        return None if self.data.has_classes else conformal_half_width(self.held_out)

    @property
    def score(self) -> Score:
        """The network's score."""
        return self.scores[NETWORK_NAME]

    @cached_property
    def rmse(self) -> dict[str, Score]:
        """Root mean squared error of each model; empty for classes."""
        held = self.held_out
        names = () if self.data.has_classes else held.predictions
        return {name: _score(np.sqrt(_mean_squared_errors(held, name))) for name in names}

    @cached_property
    def comparisons(self) -> dict[str, BaselineComparison]:
        """The network's score minus that of each baseline."""
        return {name: compare(self.held_out, name) for name in self.scores if name != NETWORK_NAME}

    @property
    def is_inflated(self) -> bool:
        """Whether the score falls clearly when duplicates are kept in one fold."""
        apart = self.score_without_duplicates
        return apart is not None and self.score.mean - apart.mean > INFLATED

    @cached_property
    def wrong(self) -> np.ndarray:
        """Names of the objects that are misclassified at least once, or have a large error."""
        held, data = self.held_out, self.data
        return data.names[held.misclassified if data.has_classes else large_errors(held)]

    @cached_property
    def findings(self) -> dict[str, str]:
        """Sentences by what they are about: the result first, then comparisons and warnings."""
        options: Any = {"number": number, "most": MAX_LISTED_MISTAKES, "coverage": COVERAGE}
        if self.data.has_classes:
            held = self.held_out
            options |= {"calibration": _calibration(held), "recall": _low_recall(held)}
        lines = render("findings.txt", found=self, **options).split("\n")
        pairs = [line.partition(" | ") for line in lines]
        return {kind: text for kind, _, text in pairs if text.strip()}

    @property
    def sentences(self) -> tuple[str, ...]:
        """All findings, one after the other."""
        return tuple(self.findings.values())

    def as_dict(self) -> dict[str, Any]:
        """Return numbers and sentences as values that JSON can hold."""
        without, plan = self.score_without_duplicates, self.cross_validation
        return {
            "measure": self.measure,
            "n_objects": self.data.n_objects,
            "n_prototypes": len(self.data.model.prototypes_),
            "n_splits": plan.n_splits,
            "n_repeats": plan.n_repeats,
            "scores": {name: asdict(score) for name, score in self.scores.items()},
            "intervals": self.intervals,
            "metrics": self.metrics,
            "half_width": self.half_width,
            "comparisons": {
                name: asdict(comparison) | {"outcome": comparison.outcome}
                for name, comparison in self.comparisons.items()
            },
            "rmse": asdict(self.rmse[NETWORK_NAME]) if self.rmse else None,
            "score_without_duplicates": None if without is None else asdict(without),
            "n_predictions": len(self.held_out.objects),
            "n_wrong": len(self.wrong),
            "wrong": self.wrong.tolist(),
            "sentences": list(self.sentences),
        }

    def __str__(self) -> str:
        return "\n".join(self.sentences)


def evaluate(
    model: Network,
    D: Any,
    y: Any,
    *,
    ids: Any = None,
    n_splits: int = 5,
    n_repeats: int | None = None,
    baselines: bool = True,
    groups: Any = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    progress: ReportProgress | None = None,
) -> EvaluationResult:
    """Evaluate a fitted network by cross-validation, beside baselines on the same folds.

    Parameters
    ----------
    model : RBFNetworkClassifier or RBFNetworkRegressor
        Fitted on D and y; networks with its parameters are trained on parts of the objects.
    D : array, memmap, frame or Relation of shape (n, n)
        The dissimilarities it was trained on.
    y : array of shape (n,)
        The labels or targets it was trained on.
    ids : sequence of n names or None, default=None
        Names of the objects; None: those of D, or positions.
    n_splits : int, default=5
        Folds; fewer if a class is too small.
    n_repeats : int or None, default=None
        Repetitions with other folds; None: 2, or 1 for more than 1,000 objects.
    baselines : bool, default=True
        Whether to tune k-NN, a ridge on the rows of D and an SVM on the same folds; not for more
        than 2,500 objects.
    groups : sequence of n labels or None, default=None
        Objects of one group, such as the samples of one patient, are held out together.
    random_state : int, default=0
        Seeds the folds.
    n_jobs : int or None, default=None
        Processes that train on several folds at once.
    progress : callable or None, default=None
        Called with the current step, the number of steps done, and their total.

    Returns
    -------
    EvaluationResult
    """
    check_number("n_splits", n_splits, Integral, 2)
    if n_repeats is not None:
        check_number("n_repeats", n_repeats, Integral, 1)
    check_number("random_state", random_state, Integral, 0)
    data = validate_fit(model, D, y, ids)
    plan = plan_cross_validation(data, n_splits, n_repeats, random_state, groups)
    splits, apart = plan.splits(data), []
    if data.n_duplicates >= MIN_DUPLICATES * data.n_objects:
        apart = splits_without_duplicates(data, plan)
    is_tuned = baselines and data.n_objects <= MAX_TUNED_OBJECTS
    n_steps = len(splits) * (1 + is_tuned * len(BASELINES)) + len(apart)
    n_done = 0

    def on_fold(name: str, n_new: int) -> None:
        nonlocal n_done
        n_done += n_new
        if progress is not None:
            progress(f"cross-validating: {name}", n_done, n_steps)

    options: Any = {"seed": random_state, "n_jobs": n_jobs, "on_fold": on_fold}
    options |= {"groups": plan.groups}
    held_out = predict_held_out(data, splits, baselines=is_tuned, **options)
    without = score_of(predict_held_out(data, apart, **options), NETWORK_NAME) if apart else None
    return EvaluationResult(held_out, plan, without)


def fold_scores(held: HeldOut, model: str) -> Array:
    """Return the accuracy or R² of a model on each fold.

    R² is relative to the variance of all targets, not of a fold's own: a fold may hold one object,
    or duplicates of it alone. The mean over all predictions is then their R².
    """
    if held.data.has_classes:
        correct = held.predictions[model] == held.truth
        return np.bincount(held.folds, correct) / np.bincount(held.folds)
    if held.data.is_constant:  # nothing to explain
        return np.zeros(held.folds.max() + 1)
    return 1 - _mean_squared_errors(held, model) / np.var(held.data.y)


def _mean_squared_errors(held: HeldOut, model: str) -> Array:
    """Return the mean squared error on each fold."""
    errors_sq = (held.predictions[model] - held.truth) ** 2
    return np.bincount(held.folds, errors_sq) / np.bincount(held.folds)


def _score(values: Array, sizes: np.ndarray | None = None) -> Score:
    spread = float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
    return Score(float(np.average(values, weights=sizes)), spread)


def score_of(held: HeldOut, model: str) -> Score:
    """Return a model's score; its mean is that of all predictions."""
    return _score(fold_scores(held, model), np.bincount(held.folds))


def compare(held: HeldOut, baseline: str) -> BaselineComparison:
    """Compare the network with a baseline fold by fold.

    Folds share training objects, so their differences vary less than those of new data. The margin
    is that of Nadeau and Bengio's (2003) corrected t-test, which allows for it.
    """
    differences = fold_scores(held, NETWORK_NAME) - fold_scores(held, baseline)
    differences[np.abs(differences) < EQUAL] = 0.0
    score, k = _score(differences, np.bincount(held.folds)), len(differences)
    mean = score.mean if abs(score.mean) > EQUAL else 0.0
    error = score.spread * np.sqrt(1 / k + held.test_ratio)
    margin = float(stats.t.ppf((1 + CONFIDENCE_LEVEL) / 2, k - 1) * error)
    return BaselineComparison(mean, score.spread, margin)


def large_errors(held: HeldOut) -> Indices:
    """Return the objects whose mean prediction is off by LARGE_ERROR times the RMSE or more."""
    y, errors = held.data.y, np.abs(held.predicted - held.data.y)
    rmse = np.sqrt(np.mean((held.predictions[NETWORK_NAME] - held.truth) ** 2))
    scale = (np.abs(y).max() or 1.0) if held.data.is_constant else y.std()
    return np.flatnonzero((errors >= LARGE_ERROR * rmse) & (errors > NEGLIGIBLE_ERROR * scale))


def _calibration(held: HeldOut) -> str:
    confidence, accuracy = float(held.confidence.mean()), float(held.is_correct.mean())
    # one value per object: predictions of several repetitions depend on each other
    excess = held.per_object_mean(held.confidence - held.is_correct)
    chance = max(MISCALIBRATED, N_STANDARD_ERRORS * excess.std() / np.sqrt(len(excess)))
    text = "Its probabilities are calibrated"
    if confidence - accuracy > chance:
        text = "Warning: its probabilities are too high"
    elif accuracy - confidence > chance:
        text = "Its probabilities are too low"
    return f"{text}: {confidence:.2f} on average, with an accuracy of {accuracy:.2f}."


def _low_recall(held: HeldOut) -> str:
    counts = held.confusion
    recall = np.diag(counts) / np.maximum(counts.sum(axis=1), 1)
    low = [k for k in np.argsort(recall, kind="stable") if recall[k] < LOW_RECALL]
    names = [f"{held.data.classes[k]} ({recall[k]:.0%})" for k in low[:MAX_NAMED_CLASSES]]
    more = f" and {len(low) - len(names)} more" if len(low) > len(names) else ""
    text = f"Warning: recall is low for {', '.join(names)}{more}." if low else ""
    return " ".join(text.split())  # names may hold line breaks
