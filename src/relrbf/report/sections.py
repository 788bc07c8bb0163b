"""The page on a network: key numbers beside baselines, advice, performance, training, methods."""

import platform
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from inspect import signature
from typing import Any

import numpy as np
import scipy
import sklearn
from sklearn.base import BaseEstimator
from sklearn.metrics import log_loss

import relrbf
from relrbf import network, training
from relrbf.autotune.explanation import explanation_rows
from relrbf.inspection import RelationInspection
from relrbf.inspection.text import percent
from relrbf.plotting import plot_calibration, plot_deviations, plot_history, plot_predictions
from relrbf.plotting.style import COLOURS, label_axes, shorten
from relrbf.report.baselines import BASELINES, NEIGHBOURS, SVM_GRID
from relrbf.report.data import FittedData, Network, number
from relrbf.report.evaluation import EvaluationResult
from relrbf.report.held_out import (
    CONSTANT_NAME,
    COVERAGE,
    MAX_TUNED_OBJECTS,
    NETWORK_NAME,
    CrossValidation,
    HeldOut,
    balanced_accuracy,
    interval_of,
    is_uneven,
    precision_recall,
)
from relrbf.report.page import (
    Card,
    Dot,
    DotPlot,
    Picture,
    Section,
    TextTable,
    count,
    new_figure,
    prose,
    render,
)
from relrbf.report.relation import ClusterFinding

MAX_VALUE_LENGTH = 100  # characters of a parameter
N_HISTOGRAM_BINS = 31
PRECISION_CAPTION = (
    "For each threshold on a class's probability: the share of objects above it that are of the "
    "class (precision), and the share of the class that is above it (recall)."
)
MIN_R2 = -0.2  # where the axis of a dot plot begins at the latest
MAX_CONSTANT_SHARE = 3  # times the range of the others: then the constant is beyond the axis
N_TICKS, TICK_STEPS = 6, (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
METRIC_NOTES = {
    "F1, mean of the classes": "1 is perfect; precision and recall of each class",
    "MCC": "correlation with the truth; 1 is perfect, 0 is chance",
    "ROC AUC": "1 is perfect, 0.5 is chance",
}
MAX_NAMED_OBJECTS = 5


def training_section(data: FittedData) -> Section:
    """Return the training history, and how training ended."""
    model, history = data.model, data.model.history_
    c = len(model.prototypes_)
    growth = f"It grew from {history.n_prototypes[0]} to {c} prototypes." if history.grown else ""
    size = f"{count(model.n_iter_, 'epoch')}, {count(c, 'prototype')}"
    pictures = []
    if len(history) > 2:  # else nothing was trained
        figure = new_figure(5.2, 3.1)
        plot_history(history, figure.subplots())
        pictures.append(Picture(figure, "The objective over the epochs.", "history"))
    text = f"{size}. {model.status_.value} {growth}"
    return Section("Training", text, pictures=pictures, is_detail=True)


def parameters_section(model: Network) -> Section:
    """Return what "auto" was resolved to and why, and all parameters."""
    chosen = [list(row) for row in explanation_rows(model)]
    defaults = {name: p.default for name, p in signature(type(model)).parameters.items()}
    given = [
        [name, _short(value), "" if _short(value) == _short(defaults[name]) else "given"]
        for name, value in sorted(model.get_params(deep=False).items())
    ]
    tables = [
        TextTable(["parameter", "value", "evidence"], chosen, 'Resolved from "auto"'),
        TextTable(["parameter", "value", ""], given, "All parameters"),
    ]
    return Section("Parameters", tables=tables, is_detail=True)


def _short(value: Any) -> str:
    text = repr(value).replace("'", '"')
    return text if len(text) <= MAX_VALUE_LENGTH else f"{text[: MAX_VALUE_LENGTH - 3]}..."


def reproduction_section(
    model: Network, command: str, loading: str, plan: CrossValidation
) -> Section:
    """Return the shell command and the Python lines that write the page again, and versions."""
    call = BaseEstimator.__repr__(model, N_CHAR_MAX=10**6)
    modules = {
        module.__name__: sorted(set(re.findall(r"\w+(?=\()", call)) & set(module.__all__))
        for module in (network, training)
    }
    names = {"estimator": type(model).__name__, "modules": modules}
    texts = {"command": command, "loading": loading.strip(), "call": re.sub(r"\s*\n\s*", " ", call)}
    code = render("reproduce.txt", plan=plan, **names, **texts)
    return Section("Reproduce", facts=versions(), code=code, is_detail=True)


def versions() -> list[tuple[str, str]]:
    """Return when and with which versions a page was written."""
    return [
        ("written", datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")),
        ("relrbf", relrbf.__version__),
        ("Python", platform.python_version()),
        ("NumPy, SciPy", f"{np.__version__}, {scipy.__version__}"),
        ("scikit-learn", sklearn.__version__),
    ]


def performance_section(found: EvaluationResult) -> Section:
    """Return scores, confusion and calibration, or residuals."""
    held, data, without = found.held_out, found.data, found.score_without_duplicates
    if data.is_constant:
        return Section("Performance", "The target does not vary, so R² is not defined.")
    facts = [(found.measure, found.score.text(found.measure))]
    if without is not None:
        name = f"{found.measure}, duplicates kept in one fold"
        facts.append((name, without.text(found.measure)))
    if data.has_classes:
        others = {name: value for name, value in found.metrics.items() if name != "accuracy"}
        facts += [(name, f"{value:.3f}") for name, value in others.items()]
        facts.append(("log-loss", f"{log_loss_of(held):.3f}"))
        figure = new_figure(4.8, 4)
        true = data.classes[held.truth]
        plot_calibration(true, held.probabilities, data.classes, figure.subplots())
        # Wilson's interval assumes independent predictions
        caption = prose("calibration", n_repeats=held.n_repeats)
        tables, pictures = [_confusion_table(held)], [Picture(figure, caption, "calibration")]
        if is_uneven(held) and not held.is_correct.all():
            pictures.append(_precision_picture(held))
    else:
        facts.append(("root mean squared error", found.rmse[NETWORK_NAME].text()))
        facts.append(("standard deviation of the targets", number(data.y.std(), 3)))
        tables, pictures = [], _residual_pictures(held, found.half_width)
    text = prose("performance", is_uneven=is_uneven(held))
    return Section("Performance", text, facts=facts, tables=tables, pictures=pictures)


def log_loss_of(held: HeldOut) -> float:
    """Return the mean log-loss of all predictions."""
    return float(log_loss(held.truth, held.probabilities, labels=range(len(held.data.classes))))


def _confusion_table(held: HeldOut) -> TextTable:
    counts, names = held.confusion, [str(name) for name in held.data.classes]
    shares = counts / np.maximum(counts.sum(axis=1), 1)[:, None]
    rows = [
        [name, *(f"{value:.1f}".removesuffix(".0") for value in row), f"{shares[k, k]:.1%}"]
        for k, (name, row) in enumerate(zip(names, counts, strict=True))
    ]
    shades = [[None, *row, None] for row in shares.tolist()]
    title = "Confusion" if held.n_repeats == 1 else "Confusion, mean of the repetitions"
    return TextTable(["true \\ predicted", *names, "recall"], rows, title, shades)


def _precision_picture(held: HeldOut) -> Picture:
    figure = new_figure(4.8, 4)
    ax = figure.subplots()
    for k, (name, average, recall, precision) in enumerate(precision_recall(held)):
        label = f"{shorten(name)}, average {average:.2f}"
        ax.step(
            recall, precision, where="post", color=COLOURS[k], ls=("-", "--", ":")[k], label=label
        )
    ax.set(xlim=(0, 1.02), ylim=(0, 1.05))
    ax.legend(fontsize="small", frameon=False, loc="best")
    label_axes(ax, "Precision and recall of the smallest classes", "recall", "precision")
    return Picture(figure, PRECISION_CAPTION, "precision")


def _residual_pictures(held: HeldOut, q: float | None) -> list[Picture]:
    predicted = held.predictions[NETWORK_NAME]
    first, second = new_figure(4.8, 4), new_figure(4.8, 4)
    ax = plot_predictions(held.truth, predicted, first.subplots())
    if q is not None:
        for side in (-q, q):
            ax.axline((0, side), slope=1, color=COLOURS[0], lw=1, ls="--")
    counts, edges = np.histogram(predicted - held.truth, bins=N_HISTOGRAM_BINS)
    plot_deviations(counts, edges, second.subplots()).set_title("Residuals", loc="left")
    return [
        Picture(first, prose("predictions", coverage=COVERAGE), "predictions"),
        Picture(second, "Residuals; a peak away from zero would be a bias.", "residuals"),
    ]


def constant_name(data: FittedData) -> str:
    """Return what the constant baseline predicts."""
    if not data.has_classes:
        return "the mean"
    return f"“{data.classes[np.argmax(np.bincount(data.y))]}”"


def as_text(value: float, measure: str) -> str:
    """Return a score; an accuracy in per cent."""
    return f"{100 * value:.1f} %" if "accuracy" in measure else f"{value:z.3f}"


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
        text = found.findings["calibration"]
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
    title, measures = "Comparison with baselines", [found.measure]
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
    return Section("Methods", text, is_detail=True)


def _dot_plot(found: EvaluationResult, measure: str) -> DotPlot:
    balanced = measure != found.measure
    means = {name: score.mean for name, score in found.scores.items()}
    intervals = found.intervals
    if balanced:
        means = {name: balanced_accuracy(found.held_out, name) for name in means}
        intervals = {name: interval_of(found.held_out, name, balanced=True) for name in means}
    highest = max(high for _, high in intervals.values())
    lowest, others = (
        max(MIN_R2, min(low for name, (low, _) in intervals.items() if name not in left_out))
        for left_out in ((), (CONSTANT_NAME,))
    )
    if highest - lowest > MAX_CONSTANT_SHARE * (highest - others):  # models would look alike
        lowest = others
    highest = max(highest, lowest + TICK_STEPS[0])  # also where all lie below what is shown
    step = next(step for step in TICK_STEPS if highest - lowest <= N_TICKS * step)
    ticks = np.arange(np.floor(lowest / step), np.ceil(highest / step) + 1) * step
    start, width = ticks[0], ticks[-1] - ticks[0]
    constant = f"always {constant_name(found.data)}"
    titles = {NETWORK_NAME: "relrbf network", CONSTANT_NAME: constant}
    dots = []
    for name in found.scores:
        values = np.array([means[name], *intervals[name]])
        mid, low, high = np.clip((values - start) / width, 0, 1).tolist()
        note = "" if name == NETWORK_NAME or balanced else found.comparisons[name].outcome
        mean, interval = as_text(means[name], measure), range_text(intervals[name], measure)
        title, text = titles.get(name, name), f"{mean} ({interval})"
        dots.append(Dot(title, mid, low, high, text, note, values[0] < start))
    factor = 100 if "accuracy" in measure else 1
    labels = [((tick - start) / width, f"{factor * tick:.4g}") for tick in ticks.tolist()]
    header = ["model", measure, "95 % interval", "" if balanced else "the network is"]
    return DotPlot(f"{measure[0].upper()}{measure[1:]} on held-out objects", header, dots, labels)


def next_steps(found: EvaluationResult) -> list[str]:
    """Return advice, the most urgent first."""
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
        q=number(found.half_width or 0, 3) if found.half_width else "",
    ).split(" | ")
    return [line.strip(" |") for line in lines if line.strip(" |")]


def size_text(found: EvaluationResult) -> str:
    """Return how large data and network are."""
    data, c = found.data, len(found.data.model.prototypes_)
    classes = f" of {len(data.classes)} classes" if data.has_classes else ""
    where = ""
    if data.n_places < c:
        where = f", {c // data.n_places} on each of {count(data.n_places, 'object')}"
    each = ", each for one class," if getattr(data.model, "positive", False) else ""
    size = f"The network has {count(c, 'prototype')}{where}{each} and was trained on"
    return f"{size} {data.n_objects:,} objects{classes}."
