"""Sections of the page on a network: its training and prototypes, and how well it predicts."""

import platform
import re
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
from relrbf.plotting import plot_calibration, plot_deviations, plot_history, plot_predictions
from relrbf.plotting.style import COLOURS, label_axes, shorten
from relrbf.report.data import FittedData, Network
from relrbf.report.evaluation import EvaluationResult
from relrbf.report.held_out import NETWORK_NAME, CrossValidation, HeldOut
from relrbf.report.page import Picture, Section, TextTable, count, new_figure, prose, render
from relrbf.report.scores import COVERAGE, is_uneven, precision_recall

MAX_VALUE_LENGTH = 100  # characters of a parameter
N_HISTOGRAM_BINS = 31


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
    return Section("Reproduce this page", facts=versions(), code=code, is_detail=True)


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
        tables, pictures = [_confusion_table(held)], [_calibration_picture(held)]
        if is_uneven(held):
            pictures.append(_precision_picture(held))
    else:
        facts.append(("root mean squared error", found.rmse[NETWORK_NAME].text()))
        facts.append(("standard deviation of the targets", f"{data.y.std():.4g}"))
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


def _calibration_picture(held: HeldOut) -> Picture:
    figure, classes = new_figure(4.8, 4), held.data.classes
    plot_calibration(classes[held.truth], held.probabilities, classes, figure.subplots())
    # Wilson's interval assumes independent predictions
    return Picture(figure, prose("calibration", n_repeats=held.n_repeats), "calibration")


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
    return Picture(figure, prose("precision_recall"), "precision")


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
