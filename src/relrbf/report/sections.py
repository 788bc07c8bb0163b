"""Sections of the page on a network: its training and prototypes, and how well it predicts."""

import platform
import re
from collections.abc import Iterator
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
from relrbf._typing import Array, Indices
from relrbf.autotune.explanation import explanation_rows
from relrbf.plotting import plot_calibration, plot_deviations, plot_history, plot_predictions
from relrbf.report.data import FittedData, Network
from relrbf.report.evaluation import (
    LARGE_ERROR,
    MAX_LISTED_MISTAKES,
    EvaluationResult,
    large_errors,
)
from relrbf.report.held_out import (
    CONSTANT_NAME,
    MAX_TUNED_OBJECTS,
    NEIGHBOURS,
    NETWORK_NAME,
    SVM_GRID,
    CrossValidation,
    HeldOut,
)
from relrbf.report.page import Picture, Section, TextTable, count, new_figure, prose, render, verb

MAX_LISTED_PROTOTYPES = 60
MAX_LISTED_WEIGHTS = 4  # per prototype
MAX_VALUE_LENGTH = 100  # characters of a parameter
N_HISTOGRAM_BINS = 31
N_NEIGHBOURS, N_PROTOTYPES = 3, 2  # nearest objects and prototypes that are listed
CLOSE_CALL = 0.15  # between the probabilities of the predicted and the true class
SMALL_CLASS = 6  # objects
MAX_LISTED_ERRORS = 20


def training_section(data: FittedData) -> Section:
    """Return the training history, and how training ended."""
    model, history = data.model, data.model.history_
    c = len(model.prototypes_)
    growth = f"It grew from {history.n_prototypes[0]} to {c} prototypes." if history.grown else ""
    size = f"{count(model.n_iter_, 'epoch')}, {count(c, 'prototype')}"
    pictures = []
    if len(history) > 1:
        figure = new_figure(5.2, 3.1)
        plot_history(history, figure.subplots())
        pictures.append(Picture(figure, "The objective over the epochs.", "history"))
    return Section("Training", f"{size}. {model.status_.value} {growth}", pictures=pictures)


def prototypes_section(data: FittedData) -> Section:
    """Return the table of prototypes, those with the largest influence first."""
    model = data.model
    activations = np.abs(model._network.forward(data.distances_sq).activations)
    weights = model.weights_ - model.weights_.mean(axis=1, keepdims=True) * data.has_classes
    sizes = activations.mean(axis=1) * np.abs(weights).sum(axis=1)
    influence = sizes / (sizes.sum() or 1.0)
    order = np.argsort(-influence, kind="stable")[:MAX_LISTED_PROTOTYPES]
    nearest = np.argsort(data.distances_sq[order], axis=1, kind="stable")[:, :N_NEIGHBOURS]
    rows = []
    for j, near in zip(order, nearest, strict=True):
        objects = ", ".join(f"{data.names[i]} ({data.label(i)})" for i in near)
        bandwidth = f"{model.bandwidths_[j]:.4g}"
        row = [str(j + 1), f"{influence[j]:.1%}", objects, weights_text(data, j), bandwidth]
        rows.append(row)
    column = "class weights" if data.has_classes else "weight"
    if len(data.classes) > MAX_LISTED_WEIGHTS:
        column = f"{MAX_LISTED_WEIGHTS} largest class weights"
    header = ["prototype", "influence", "nearest objects", column, "bandwidth"]
    text = prose("prototypes", data=data, n_listed=len(order))
    table = TextTable(header, rows, count(len(sizes), "prototype"))
    return Section("Prototypes", text, tables=[table])


def weights_text(data: FittedData, prototype: int) -> str:
    """Return the weights of a prototype by class; of many, the largest first."""
    weights = data.model.weights_[prototype]
    if not data.has_classes:
        return f"{weights[0]:+.3g}"
    order = np.arange(len(weights))
    if len(weights) > MAX_LISTED_WEIGHTS:
        order = np.argsort(-np.abs(weights), kind="stable")[:MAX_LISTED_WEIGHTS]
    more = f", {len(weights) - len(order)} more" if len(weights) > len(order) else ""
    return ", ".join(f"{data.classes[k]}: {weights[k]:+.3g}" for k in order) + more


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
    return Section("Parameters", tables=tables)


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
    return Section("Reproduce this page", facts=versions(), code=code)


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
    text = prose("performance", plan=found.cross_validation)
    if data.is_constant:
        return Section("Performance", f"{text} The target does not vary, so R² is not defined.")
    facts = [(found.measure, found.score.text(found.measure))]
    if without is not None:
        name = f"{found.measure}, duplicates kept in one fold"
        facts.append((name, without.text(found.measure)))
    if data.has_classes:
        facts.append(("mean probability of the predicted class", f"{held.confidence.mean():.3f}"))
        facts.append(("log-loss", f"{log_loss_of(held):.3f}"))
        tables, pictures = [_confusion_table(held)], [_calibration_picture(held)]
    else:
        facts.append(("root mean squared error", found.rmse[NETWORK_NAME].text()))
        facts.append(("standard deviation of the targets", f"{data.y.std():.4g}"))
        tables, pictures = [], _residual_pictures(held)
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


def _calibration_picture(held: HeldOut) -> Picture:
    figure, classes = new_figure(4.8, 4), held.data.classes
    plot_calibration(classes[held.truth], held.probabilities, classes, figure.subplots())
    # Wilson's interval assumes independent predictions
    return Picture(figure, prose("calibration", n_repeats=held.n_repeats), "calibration")


def _residual_pictures(held: HeldOut) -> list[Picture]:
    predicted = held.predictions[NETWORK_NAME]
    first, second = new_figure(4.8, 4), new_figure(4.8, 4)
    plot_predictions(held.truth, predicted, first.subplots())
    counts, edges = np.histogram(predicted - held.truth, bins=N_HISTOGRAM_BINS)
    plot_deviations(counts, edges, second.subplots()).set_title("Residuals", loc="left")
    return [
        Picture(first, "True against predicted targets of held-out objects.", "predictions"),
        Picture(second, "Residuals; a peak away from zero would be a bias.", "residuals"),
    ]


def baselines_section(found: EvaluationResult) -> Section:
    """Return the network's scores beside those of the baselines."""
    title, data = "Comparison with baselines", found.data
    if data.is_constant:
        return Section(title, "The target does not vary: there is nothing to compare.")
    constant = "largest class" if data.has_classes else "mean target"
    names = {NETWORK_NAME: "relrbf network", CONSTANT_NAME: constant}
    rows = []
    for model, score in found.scores.items():
        row = [names.get(model, model), score.text(found.measure)]
        if found.rmse:
            row.append(f"{found.rmse[model].mean:.4g}")
        if model == NETWORK_NAME:
            rows.append([*row, "", ""])
        else:
            compared = found.comparisons[model]
            rows.append([*row, compared.text(found.measure, signed=True), compared.outcome])
    error = ["root mean squared error"] if found.rmse else []
    header = ["model", found.measure, *error, "difference", "the network is"]
    text = f"k-NN and SVM are tuned for at most {MAX_TUNED_OBJECTS:,} objects, and on request."
    if len(found.scores) == 4:
        grids = SVM_GRID | {"n_neighbors": NEIGHBOURS}
        text = prose("baselines", grids=grids, has_class_weight=data.class_weight is not None)
    return Section(title, text, tables=[TextTable(header, rows, "Scores on the same folds")])


def list_misclassified(held: HeldOut) -> Section:
    """Return a row for each misclassified object, the most confident mistakes first."""
    wrong, title = held.misclassified, "Misclassified objects"
    if not len(wrong):
        return Section(title, "None: every object is classified correctly when held out.")
    confidence = held.mean_probabilities[wrong, held.mistaken_for[wrong]]
    listed = wrong[np.argsort(-confidence, kind="stable")][:MAX_LISTED_MISTAKES]
    text = prose("misclassified", held=held, n_wrong=len(wrong), n_listed=len(listed))
    header = ["object", "true", "predicted", "probability", "wrong"]
    header += ["nearest prototypes", "nearest objects", "why"]
    rows = [explain_mistake(held, i) for i in listed]
    return Section(title, text, tables=[TextTable(header, rows, "Wrong when held out", (), True)])


def explain_mistake(held: HeldOut, i: int) -> list[str]:
    """Return the row of one misclassified object."""
    data, predicted = held.data, held.mistaken_for[i]
    row, near, listed = _nearest(data, i)
    prototypes = _nearest_prototypes(data, i)
    return [
        str(data.names[i]),
        data.label(i),
        str(data.classes[predicted]),
        f"{held.mean_probabilities[i, predicted]:.2f}",
        f"{held.n_wrong[i]} of {np.count_nonzero(held.objects == i)}",
        ", ".join(f"{j + 1} ({name})" for j, name in prototypes.items()),
        listed,
        " ".join(_reasons(held, i, row, near)),
    ]


def _reasons(held: HeldOut, i: int, row: Array, near: Indices) -> Iterator[str]:
    data, true = held.data, held.data.y[i]
    own = str(data.classes[true])
    n_own = int(np.count_nonzero(data.y[near] == true))
    equal = np.flatnonzero((row == 0) & (data.y != true))
    if len(equal):
        yield f"{_at_zero(data, i, equal[0])} is of class {data.label(equal[0])}."
    elif n_own == 0:
        yield f"None of its {len(near)} nearest objects is of class {own}."
    elif n_own < len(near):
        yield f"Of its {len(near)} nearest objects, {n_own} {verb(n_own)} of its own class."
    elif own not in _nearest_prototypes(data, i).values():
        yield "Its nearest objects are of its own class, but its nearest prototypes are not."
    else:
        reason = "networks trained without it have no prototype there"
        yield f"Its nearest objects are of its own class: {reason}."
    p_true = held.mean_probabilities[i, true]
    gap = held.mean_probabilities[i, held.mistaken_for[i]] - p_true
    if gap < -CLOSE_CALL:
        yield f"Its mean prediction is correct: {p_true:.2f}."
    elif gap < CLOSE_CALL:
        yield f"A close call: {p_true:.2f} for its own class."
    if (size := int(np.count_nonzero(data.y == true))) < SMALL_CLASS:
        yield f"Its class has only {count(size, 'object')}."
    if row[near[0]] > data.isolation_distance:
        yield "It is isolated."
    fitted = data.model._network.forward(data.distances_sq[:, [i]]).responses[0]
    if not len(equal) and np.argmax(fitted) != true:
        yield "The network trained with its label disagrees with it too: is the label right?"


def list_errors(held: HeldOut) -> Section:
    """Return a row for each of the objects with the largest errors."""
    data, title = held.data, "Largest errors"
    if data.is_constant:
        return Section(title, f"The target does not vary: it is {data.label(0)} for all objects.")
    errors = np.abs(held.predicted - data.y)
    order = np.argsort(-errors, kind="stable")[:MAX_LISTED_ERRORS]
    numbers = {"n_large": len(large_errors(held)), "n_listed": len(order), "factor": LARGE_ERROR}
    text = prose("errors", held=held, **numbers)
    header = ["object", "true", "predicted", "error", "nearest objects", "why"]
    rows = [_explain_error(held, i) for i in order]
    return Section(title, text, tables=[TextTable(header, rows, "Errors when held out", (), True)])


def _explain_error(held: HeldOut, i: int) -> list[str]:
    data, predicted, y = held.data, held.predicted[i], held.data.y[i]
    row, near, listed = _nearest(data, i)
    around = data.y[near]
    why = ["The targets of its nearest objects differ widely."]
    if not around.min() <= y <= around.max():
        side = "above" if y > around.max() else "below"
        mean = f"mean {around.mean():.4g}"
        why = [f"Its target is {side} those of its {len(near)} nearest objects ({mean})."]
    if row[near[0]] > data.isolation_distance:
        why.append("It is isolated.")
    if row[near[0]] == 0:
        why.append(f"{_at_zero(data, i, near[0])} has the target {data.label(near[0])}.")
    values = [data.label(i), f"{predicted:.4g}", f"{predicted - y:+.4g}"]
    return [str(data.names[i]), *values, listed, " ".join(why)]


def _nearest(data: FittedData, i: int) -> tuple[Array, Indices, str]:
    """Return the dissimilarities of an object, its nearest others, and these as text."""
    row = data.relation.block(np.array([i]))[0]
    order = np.argsort(row, kind="stable")
    near = order[order != i][:N_NEIGHBOURS]
    return row, near, ", ".join(f"{data.names[k]} ({data.label(k)}, {row[k]:.3g})" for k in near)


def _at_zero(data: FittedData, i: int, other: int) -> str:
    """Name an object at dissimilarity 0, which may differ in its dissimilarities to others."""
    if data.first_equal[i] == data.first_equal[other]:
        return f"Its duplicate {data.names[other]}"
    return f"{data.names[other]}, at dissimilarity 0,"


def _nearest_prototypes(data: FittedData, i: int) -> dict[int, str]:
    """Return the nearest prototypes, each with the class of its largest weight."""
    model = data.model
    order = np.argsort(data.distances_sq[:, i] / model.bandwidths_**2, kind="stable")
    return {j: str(data.classes[np.argmax(model.weights_[j])]) for j in order[:N_PROTOTYPES]}
