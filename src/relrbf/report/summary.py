"""The top of the page on a network: the numbers that matter, beside baselines, and what to do."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from relrbf.inspection import RelationInspection
from relrbf.inspection.text import percent
from relrbf.report.baselines import BASELINES, NEIGHBOURS, SVM_GRID
from relrbf.report.data import FittedData, number
from relrbf.report.evaluation import EvaluationResult
from relrbf.report.held_out import CONSTANT_NAME, MAX_TUNED_OBJECTS, NETWORK_NAME
from relrbf.report.page import Card, Dot, DotPlot, Section, count, prose, render
from relrbf.report.relation import ClusterFinding
from relrbf.report.scores import balanced_accuracy, interval_of, is_uneven

MIN_R2 = -0.2  # where the axis of a dot plot begins at the latest
N_TICKS, TICK_STEPS = 6, (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
METRIC_NOTES = {
    "F1, mean of the classes": "1 is perfect; precision and recall of each class",
    "MCC": "correlation with the truth; 1 is perfect, 0 is chance",
    "ROC AUC": "1 is perfect, 0.5 is chance",
}
MAX_NAMED_OBJECTS = 5


def constant_name(data: FittedData) -> str:
    """Return what the constant baseline predicts."""
    if not data.has_classes:
        return "the mean"
    return f"“{data.classes[np.argmax(np.bincount(data.y))]}”"


def model_names(found: EvaluationResult) -> dict[str, str]:
    """Return what each model is called on the page."""
    constant = f"always {constant_name(found.data)}"
    names = {NETWORK_NAME: "relrbf network", CONSTANT_NAME: constant}
    return {name: names.get(name, name) for name in found.scores}


def as_text(value: float, measure: str) -> str:
    """Return a score; an accuracy in per cent."""
    return f"{100 * value:.1f} %" if "accuracy" in measure else f"{value:.3f}"


def range_text(interval: tuple[float, float], measure: str) -> str:
    """Return an interval as text."""
    low, high = (as_text(value, measure) for value in interval)
    return f"{low.removesuffix(' %')} to {high}"


def lead_text(found: EvaluationResult) -> str:
    """Return the result in one or two sentences, beside what it must beat."""
    if found.data.is_constant:
        return found.sentences[0]
    tuned = {name: found.comparisons[name].outcome for name in BASELINES if name in found.scores}
    better, worse = ([n for n in tuned if tuned[n] == outcome] for outcome in ("better", "worse"))
    return prose(
        "result",
        measure=found.measure[0].upper() + found.measure[1:],
        score=as_text(found.score.mean, found.measure),
        interval=range_text(found.intervals[NETWORK_NAME], found.measure),
        constant=constant_name(found.data),
        constant_score=as_text(found.scores[CONSTANT_NAME].mean, found.measure),
        better=better,
        worse=worse,
        level=[name for name in tuned if name not in (*better, *worse)],
    )


def expectation(found: EvaluationResult) -> list[str]:
    """Return how far the score holds for new objects, unless duplicates inflate it."""
    if found.data.is_constant or found.is_inflated:
        return []
    interval = range_text(found.intervals[NETWORK_NAME], found.measure)
    options = {"measure": found.measure, "interval": interval}
    return [prose("expectation", plan=found.cross_validation, **options)]


def cards(
    relation: RelationInspection,
    clusters: ClusterFinding | None = None,
    found: EvaluationResult | None = None,
) -> list[Card]:
    """Return the key numbers: the scores that matter here, the clusters, the relation."""
    values: dict[str, Any] = {}
    if found is not None and found.data.has_classes:
        first, second = "accuracy", "ROC AUC" if len(found.data.classes) == 2 else "MCC"
        if uneven := is_uneven(found.held_out):
            first, second = "balanced accuracy", "F1, mean of the classes"
        interval = interval_of(found.held_out, NETWORK_NAME, balanced=uneven)
        values = {"first": first, "second": second, "interval": interval, "notes": METRIC_NOTES}
        text = found.findings["calibration"][0]
        words = ("too high", "too low", "calibrated")
        values["calibration"] = next(word for word in words if word in text)
    elif found is not None:
        values = {"interval": found.intervals.get(NETWORK_NAME)}
    texts = {"score_text": as_text, "range_text": range_text, "number": number, "percent": percent}
    given = {"found": found, "clusters": clusters, "relation": relation}
    lines = render("cards.txt", **given, **values, **texts).splitlines()
    return [Card(*map(str.strip, line.split("|"))) for line in lines if line.strip()]


def baselines_section(found: EvaluationResult) -> Section:
    """Return the network's scores beside those of the baselines, as dot plots."""
    title, measures = "Beside the baselines", [found.measure]
    if found.data.is_constant:
        return Section(title, "The target does not vary: there is nothing to compare.")
    if is_uneven(found.held_out):
        measures.append("balanced accuracy")
    options = {"has_tuned": len(found.scores) > 2, "most": MAX_TUNED_OBJECTS}
    text = prose("baselines_short", has_duplicates=found.data.n_duplicates > 0, **options)
    return Section(title, text, dot_plots=[_dot_plot(found, measure) for measure in measures])


def methods_section(found: EvaluationResult) -> Section:
    """Return how scores, intervals and baselines were computed."""
    data, plan = found.data, found.cross_validation
    text = prose("methods", plan=plan, has_classes=data.has_classes)
    if len(found.scores) > 2:
        grids = SVM_GRID | {"n_neighbors": NEIGHBOURS}
        options = {"has_class_weight": data.class_weight is not None}
        options |= {"has_groups": plan.groups is not None}
        text += "\n\n" + prose("baselines", grids=grids, **options)
    return Section("How this was measured", text, is_detail=True)


def _dot_plot(found: EvaluationResult, measure: str) -> DotPlot:
    balanced = measure != found.measure
    means = {name: score.mean for name, score in found.scores.items()}
    intervals = found.intervals
    if balanced:
        means = {name: balanced_accuracy(found.held_out, name) for name in means}
        intervals = {name: interval_of(found.held_out, name, balanced=True) for name in means}
    lowest = max(MIN_R2, min(low for low, _ in intervals.values()))
    highest = max(high for _, high in intervals.values())
    step = next(step for step in TICK_STEPS if highest - lowest <= N_TICKS * step)
    ticks = np.arange(np.floor(lowest / step), np.ceil(highest / step) + 1) * step
    start, width = ticks[0], ticks[-1] - ticks[0]
    dots = []
    for name, title in model_names(found).items():
        values = np.array([means[name], *intervals[name]])
        mid, low, high = np.clip((values - start) / width, 0, 1).tolist()
        note = "" if name == NETWORK_NAME or balanced else found.comparisons[name].outcome
        mean, interval = as_text(means[name], measure), range_text(intervals[name], measure)
        dots.append(Dot(title, mid, low, high, f"{mean} ({interval})", note))
    factor = 100 if "accuracy" in measure else 1
    labels = [((tick - start) / width, f"{factor * tick:.4g}") for tick in ticks.tolist()]
    header = ["model", measure, "95 % interval", "" if balanced else "the network is"]
    return DotPlot(f"{measure[0].upper()}{measure[1:]} on held-out objects", header, dots, labels)


def next_steps(found: EvaluationResult, model_file: str = "model.relrbf") -> tuple[list[str], str]:
    """Return advice, the most urgent first, and commands."""
    data, held, kinds = found.data, found.held_out, found.findings
    worse = [name for name, each in found.comparisons.items() if each.outcome == "worse"]
    suspects: Sequence[str] = ()
    if data.has_classes:
        wrong = held.misclassified
        wrong = wrong[data.fitted_classes[wrong] != data.y[wrong]]
        order = np.argsort(-held.mean_probabilities[wrong, held.mistaken_for[wrong]], kind="stable")
        suspects = [str(name) for name in data.names[wrong[order]]]
    lines = prose(
        "next_steps",
        data=data,
        kinds=kinds,
        worse=worse,
        is_inflated=found.is_inflated,
        suspects=suspects[:MAX_NAMED_OBJECTS],
        n_more=max(len(suspects) - MAX_NAMED_OBJECTS, 0),
        q=found.half_width,
    ).split(" | ")
    proba = " --proba" if data.has_classes else ""
    command = f"relrbf predict {model_file} D_new.csv -o new.csv{proba}"
    return [line.strip(" |") for line in lines if line.strip(" |")], f"$ {command}"


def size_text(found: EvaluationResult) -> str:
    """Return how large data and network are."""
    data, c = found.data, len(found.data.model.prototypes_)
    classes = f" of {len(data.classes)} classes" if data.has_classes else ""
    where = ""
    if data.n_places < c:
        where = f", {c // data.n_places} on each of {count(data.n_places, 'object')}"
    size = f"The network has {count(c, 'prototype')}{where} and was trained on"
    return f"{size} {data.n_objects:,} objects{classes}."
