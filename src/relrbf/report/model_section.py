"""Sections on the network: its training, prototypes, parameters, and how to reproduce it."""

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

import relrbf
from relrbf import network, training
from relrbf._typing import Array
from relrbf.autotune.explanation import explanation_rows
from relrbf.plotting import plot_history
from relrbf.report.data import FittedData, Network
from relrbf.report.held_out import CrossValidation
from relrbf.report.page import Picture, Section, TextTable, count, new_figure, prose, render

MAX_LISTED_PROTOTYPES = 60
MAX_LISTED_WEIGHTS = 4  # per prototype
N_NEAREST_OBJECTS = 3
MAX_VALUE_LENGTH = 100  # characters of a parameter


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
    influence = influences(data)
    order = np.argsort(-influence, kind="stable")[:MAX_LISTED_PROTOTYPES]
    nearest = np.argsort(data.distances_sq[order], axis=1, kind="stable")[:, :N_NEAREST_OBJECTS]
    rows = []
    for j, near in zip(order, nearest, strict=True):
        objects = ", ".join(f"{data.names[i]} ({data.label(i)})" for i in near)
        bandwidth = f"{data.model.bandwidths_[j]:.4g}"
        row = [str(j + 1), f"{influence[j]:.1%}", objects, weights_text(data, j), bandwidth]
        rows.append(row)
    weights = "class weights" if data.has_classes else "weight"
    if len(data.classes) > MAX_LISTED_WEIGHTS:
        weights = f"{MAX_LISTED_WEIGHTS} largest class weights"
    header = ["prototype", "influence", "nearest objects", weights, "bandwidth"]
    c = len(data.model.prototypes_)
    text = prose("prototypes", data=data, n_listed=len(order))
    return Section("Prototypes", text, tables=[TextTable(header, rows, count(c, "prototype"))])


def influences(data: FittedData) -> Array:
    """Return each prototype's share in the sum of absolute activation times weight."""
    model = data.model
    activations = np.abs(model._network.forward(data.distances_sq).activations)
    weights = model.weights_ - model.weights_.mean(axis=1, keepdims=True) * data.has_classes
    sizes = activations.mean(axis=1) * np.abs(weights).sum(axis=1)
    return sizes / (sizes.sum() or 1.0)


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
    values = {"estimator": type(model).__name__, "call": re.sub(r"\s*\n\s*", " ", call)}
    values |= {"command": command, "loading": loading.strip(), "modules": modules, "plan": plan}
    code = render("reproduce.txt", **values)
    return Section("Reproduce this page", facts=versions(), code=code)


def versions() -> Sequence[tuple[str, str]]:
    """Return when and with which versions a page was written."""
    return [
        ("written", datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")),
        ("relrbf", relrbf.__version__),
        ("Python", platform.python_version()),
        ("NumPy, SciPy", f"{np.__version__}, {scipy.__version__}"),
        ("scikit-learn", sklearn.__version__),
    ]
