"""The answer first: what a fit is worth, in numbers and in sentences."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from relrbf.inspection import RelationInspection
from relrbf.inspection.text import percent
from relrbf.report.case import Case
from relrbf.report.folds import Plan
from relrbf.report.held_out import BASELINE, NETWORK, HeldOut
from relrbf.report.mistakes import MOST_LISTED
from relrbf.report.residuals import far_off
from relrbf.report.scores import Lead, Score, lead_over, root_mean_squares, score_of
from relrbf.report.words import count, verb

FLATTERED = 0.03  # accuracy lost without copies from which on it is a warning
OVERSURE, ERRORS = 0.02, 2  # between probabilities and what came true; standard errors of it
POOR = 0.6  # share of a class found below which it is named
MOST_NAMED = 3  # classes


@dataclass(frozen=True)
class FitSummary:
    """What a fit is worth on objects that it has not seen.

    Attributes
    ----------
    measure : str
        "accuracy" or "R²".
    n_objects, n_prototypes, n_splits, n_repeats : int
        Of the network, and of the cross-validation.
    scores : dict of model -> Score
        Mean and spread over the test parts; "network", "k-NN", "SVM" and "baseline".
    leads : dict of rival -> Lead
        By how much the network is ahead, part by part, and what chance explains.
    rmse : Score or None
        The root mean squared error of a regression.
    score_without_twins : Score or None
        The score with copies of an object kept on one side, where there are copies.
    n_answers, n_wrong_answers : int, or None of numbers
        One for each object and repetition, and those of them that are a wrong class.
    wrong : tuple of str
        Names of the objects that are given a wrong class in one answer or more, or whose mean
        answer is far off.
    sentences : tuple of str
        What to make of it: the answer first.
    """

    measure: str
    n_objects: int
    n_prototypes: int
    n_splits: int
    n_repeats: int
    scores: dict[str, Score]
    leads: dict[str, Lead]
    rmse: Score | None
    score_without_twins: Score | None
    n_answers: int
    n_wrong_answers: int | None
    wrong: tuple[str, ...]
    sentences: tuple[str, ...] = ()

    @property
    def score(self) -> Score:
        """The network's."""
        return self.scores[NETWORK]

    def of(self, model: str) -> Score:
        """Return the score of a model."""
        return self.scores[model]

    @property
    def n_wrong(self) -> int:
        """How many objects are wrong when held out."""
        return len(self.wrong)

    def as_dict(self) -> dict[str, Any]:
        """Return everything as what JSON can hold."""
        found = asdict(self) | {"n_wrong": self.n_wrong}
        for name, lead in self.leads.items():
            found["leads"][name] |= {"verdict": lead.verdict}
        return _for_json(found)

    def __str__(self) -> str:
        return "\n".join(self.sentences)


def _for_json(value: Any) -> Any:
    """Return lists for tuples, and None for what is no finite number."""
    if isinstance(value, dict):
        return {name: _for_json(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_for_json(part) for part in value]
    return None if isinstance(value, float) and not np.isfinite(value) else value


def summarise_fit(held: HeldOut, plan: Plan, without_twins: HeldOut | None) -> FitSummary:
    """Sum up what was answered for objects held out."""
    case = held.case
    rivals = [model for model in held.models if model != NETWORK]
    wrong = held.wrong if case.has_classes else far_off(held)
    return FitSummary(
        "accuracy" if case.has_classes else "R²",
        case.n_objects,
        len(case.model.prototypes_),
        plan.n_splits,
        plan.n_repeats,
        {model: score_of(held, model) for model in held.models},
        {model: lead_over(held, model) for model in rivals},
        None if case.has_classes else Score.of(root_mean_squares(held, NETWORK)),
        None if without_twins is None else score_of(without_twins, NETWORK),
        held.n_answers,
        int(held.times_wrong.sum()) if case.has_classes else None,
        tuple(str(name) for name in case.names[wrong]),
    )


def in_words(score: Score, measure: str = "", *, signed: bool = False) -> str:
    """Return mean ± spread, an accuracy in percent."""
    sign = "+" if signed else ""
    if measure == "accuracy":
        return f"{100 * score.mean:{sign}.1f} % ± {100 * score.spread:.1f}"
    if measure == "R²":
        return f"{score.mean:{sign}.3f} ± {score.spread:.3f}"
    return f"{score.mean:{sign}.4g} ± {score.spread:.2g}"


def sentences(
    summary: FitSummary, held: HeldOut, plan: Plan, found: RelationInspection
) -> Iterator[str]:
    """Yield the answer, what to trust, and what to watch."""
    yield _answer(summary, plan, held.case)
    if held.case.varies:
        yield from _beside(summary)
    if held.case.n_twins:
        yield from _twins(summary, held.case)
    if held.case.has_classes:
        yield from _probabilities(held)
        yield from _poor_classes(held)
    yield _wrong(summary, held.case)
    yield _relation(found, held.case)


def _answer(summary: FitSummary, plan: Plan, case: Case) -> str:
    value = in_words(summary.score, summary.measure)
    if case.has_classes:
        return f"Of objects it has not seen, the network gives {value} their class ({plan})."
    if not case.varies:
        return (
            f"The target does not vary: it is {case.said(0)} for all "
            f"{count(case.n_objects, 'object')}, so that there is nothing to explain."
        )
    off = "" if summary.rmse is None else f" (root mean squared error {in_words(summary.rmse)})"
    return (
        f"Of what varies among objects it has not seen, the network explains R² = {value}{off}; "
        f"{plan}."
    )


def _beside(summary: FitSummary) -> Iterator[str]:
    tuned = [model for model in summary.leads if model != BASELINE]
    if tuned:
        parts = (
            f"{model} reaches {in_words(summary.of(model), summary.measure)} "
            f"(the network is {summary.leads[model].verdict})"
            for model in tuned
        )
        yield f"On the same parts, tuned: {'; '.join(parts)}."
    if summary.leads[BASELINE].verdict != "ahead":
        what = "the largest class" if summary.measure == "accuracy" else "the mean"
        yield f"Watch: it is not clearly better than always saying {what}."


def _twins(summary: FitSummary, case: Case) -> Iterator[str]:
    n, apart = case.n_twins, summary.score_without_twins
    what = verb(n, "is a copy of another", "are copies of others")
    copies = f"{n} of {count(case.n_objects, 'object')} {what}"
    if apart is None or not case.varies:
        yield f"{copies}."
    elif summary.score.mean - apart.mean > FLATTERED:
        yield (
            f"Watch: {copies}, and {verb(n, 'flatters', 'flatter')} the result. With copies kept "
            f"on one side it is {in_words(apart, summary.measure)}: trust that for new objects."
        )
    else:
        value = in_words(apart, summary.measure)
        yield f"{copies}; with copies kept on one side it is {value}."
    if n_other := case.n_contradicted:
        what = count(n_other, "object")  # two at least
        yield (
            f"Watch: {what} have a copy of another class; no model can get both right."
            if case.has_classes
            else f"{what} have a copy with another target; no model can get both right."
        )


def sure_and_right(held: HeldOut) -> tuple[float, float]:
    """Return the mean probability of what was said, and how often it was right, of all answers."""
    truth, said = held.all_of(NETWORK)
    stated = held.stated[np.arange(len(said)), said]
    return float(stated.mean()), float(np.mean(truth == said))


def _probabilities(held: HeldOut) -> Iterator[str]:
    sure, right = sure_and_right(held)
    numbers = f"{sure:.2f} on average, and right in {right:.2f}"
    # one value per object: the answers of several repetitions depend on each other
    error = held.oversure.std() / np.sqrt(len(held.oversure))
    by_chance = max(OVERSURE, ERRORS * error)
    if sure - right > by_chance:
        yield f"Watch: its probabilities are too high: {numbers}."
    elif right - sure > by_chance:
        yield f"Its probabilities are too modest: {numbers}."
    else:
        yield f"Trust: its probabilities mean what they say, {numbers}."


def _poor_classes(held: HeldOut) -> Iterator[str]:
    counts = held.confusion
    shares = np.diag(counts) / np.maximum(counts.sum(axis=1), 1)
    poor = [k for k in np.argsort(shares, kind="stable") if shares[k] < POOR]
    if poor:
        named = ", ".join(f"{held.case.classes[k]} ({shares[k]:.0%})" for k in poor[:MOST_NAMED])
        more = f" and {len(poor) - MOST_NAMED} more" if len(poor) > MOST_NAMED else ""
        yield f"Watch: seldom found are objects of class {named}{more}."


def _wrong(summary: FitSummary, case: Case) -> str:
    n, of_all = summary.n_wrong, f"of {count(summary.n_objects, 'object')}"
    if not case.has_classes:
        if not case.varies:
            return f"{n} {of_all} {verb(n)} far off."
        listed = "the worst are listed below, with their neighbours"
        return f"{n} {of_all} {verb(n)} far off: {listed}."
    if not n:
        return "No object is given a wrong class when held out."
    if n > MOST_LISTED:
        listed = f"the {MOST_LISTED} surest of these mistakes are listed below, with the reasons"
    else:
        listed = f"{verb(n, 'it is', 'they are')} listed below, with the reasons"
    if summary.n_answers == summary.n_objects:
        return f"{n} {of_all} {verb(n)} given a wrong class when held out: {listed}."
    answers = summary.n_wrong_answers or 0
    return (
        f"{answers} of {summary.n_answers} answers {verb(answers)} wrong, "
        f"{summary.n_repeats} for each object. {n} {of_all} {verb(n)} given a wrong class when "
        f"held out, in one answer or more: {listed}."
    )


def _relation(found: RelationInspection, case: Case) -> str:
    exponent = int(case.model.exponent_)
    reading = "distances" if exponent == 2 else "squared distances"
    if found.has_vector_dual[exponent]:
        return (
            f"Read as {reading}, the dissimilarities are those of vectors: the network has an "
            "exact vector equivalent."
        )
    negative = found.negative_eigenfraction[exponent]
    if negative is None:
        return f"The dissimilarities are read as {reading}."
    return (
        f"No vectors have these dissimilarities, read as {reading}: {percent(negative)} of the "
        "spectrum is negative. The network trains all the same; it has no vector equivalent."
    )
