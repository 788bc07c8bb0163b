"""The sections on the network: its training, what was chosen, and how to do it again."""

import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from inspect import signature
from typing import Any

import numpy as np
import scipy
import sklearn

import relrbf
from relrbf.plotting import plot_history
from relrbf.report.about_relation import new_figure
from relrbf.report.again import Script
from relrbf.report.case import Case
from relrbf.report.page import Picture, Section, Table
from relrbf.report.words import count

NAME, VALUE = 13, 26  # where the columns of explain_choices begin to be something else


def training_section(case: Case) -> Section:
    """Return the history, with growth where there was some."""
    model = case.model
    history = model.history_
    counts = history.n_prototypes
    grown = (
        f"It grew from {counts[0]} to {len(model.prototypes_)} prototypes."
        if history.grown
        else f"It has {count(len(model.prototypes_), 'prototype')} and did not grow."
    )
    text = f"{count(model.n_iter_, 'epoch')}. {model.status_.value} {grown}"
    if len(history) < 2:
        return Section("How it was trained", f"{text} There is no course to draw.")
    figure = new_figure(5.2, 3.1)
    plot_history(history, figure.subplots())
    caption = "The objective, which training lowers, epoch by epoch."
    picture = Picture(figure, caption, "history", in_ink=True)
    return Section("How it was trained", text, pictures=[picture])


def choices_section(case: Case) -> Section:
    """Return what was left to the estimator and what it chose, and all parameters."""
    lines = case.model.explain_choices().splitlines()
    rows = [[line[:NAME].strip(), line[NAME:VALUE].strip(), line[VALUE:].strip()] for line in lines]
    chosen = Table(["what", "chosen", "why"], rows, 'What "auto" chose')
    parameters = Table(["parameter", "value", ""], _parameters(case.model), "All parameters")
    text = "What was not given, the network settled by itself, on the evidence beside it."
    return Section("What was chosen", text, tables=[chosen, parameters])


def _parameters(model: Any) -> list[list[str]]:
    defaults = {name: p.default for name, p in signature(type(model)).parameters.items()}
    return [
        [name, _brief(value), "" if _brief(value) == _brief(defaults[name]) else "given"]
        for name, value in sorted(model.get_params(deep=False).items())
    ]


def _brief(value: Any) -> str:
    text = repr(value).replace("'", '"')
    return text if len(text) <= 100 else f"{text[:97]}..."


def again_section(case: Case, command: str, how: dict[str, Any], loading: str = "") -> Section:
    """Return the lines that redo it, in a shell and in Python, and with what it was done.

    ``loading`` are lines that make D and y; they come first.
    """
    options = "".join(f", {name}={value!r}" for name, value in how.items())
    script = Script({"from relrbf.report import write_fit_report"})
    call = script.estimator(case.model)
    known = "labels" if case.has_classes else "targets"
    code = [
        *([loading.strip(), ""] if loading.strip() else []),
        *sorted(script.imports, key=lambda line: (line.startswith("from"), line)),
        "",
        *([] if loading.strip() else [f"# D, y: the dissimilarities and {known} as above"]),
        *(f"# {name}: the one given" for name in script.given),
        f"model = {call}.fit(D, y)",
        f'write_fit_report("report.html", model, D, y{options})',
    ]
    if command:
        code = [f"$ {command}", "", *code]
    return Section("Do it again", facts=made_with(), code="\n".join(code))


def made_with() -> Sequence[tuple[str, str]]:
    """Return when, and by which versions."""
    return [
        ("made", datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")),
        ("relrbf", relrbf.__version__),
        ("Python", platform.python_version()),
        ("NumPy, SciPy", f"{np.__version__}, {scipy.__version__}"),
        ("scikit-learn", sklearn.__version__),
    ]
