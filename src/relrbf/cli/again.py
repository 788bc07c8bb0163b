"""Python that reads what a command read, to be shown on its page."""

from argparse import Namespace
from typing import Any

# What an option is called in Python, and what it is where nothing was said.
READING = {
    "key": None,
    "delimiter": None,
    "decimal": None,
    "encoding": None,
    "header": None,
    "ids": None,
    "triangle": "auto",
}
LABELS = {"column": None, "labels_delimiter": None, "labels_encoding": None, "labels_header": None}
JUDGING = {"symmetrize": None, "similarities": "refuse"}


def loading_lines(options: Namespace, *, has_classes: bool) -> str:
    """Return the lines that make D and y of the files of ``relrbf fit``."""
    matrix = _call("load_matrix", options.matrix, _said(options, READING) | _graph(options))
    labels = _call("load_labels", options.labels, _said(options, LABELS))
    lines = [
        "from relrbf.io import load_labels, load_matrix, match_labels",
        "",
        f"D = {matrix}.relation({_words(_said(options, JUDGING))})",
        f"labels = {labels}",
    ]
    if options.unlabelled == "drop":
        lines.append(
            "D = D.restrict([k for k, name in enumerate(D.ids) if name in set(labels.ids)])"
        )
    values = "values.astype(str)" if has_classes else "numbers"
    lines.append("labels = match_labels(labels, D.ids, n_objects=len(D), allow_extra=True)")
    return "\n".join([*lines, f"y = labels.{values}"])


def _said(options: Namespace, defaults: dict[str, Any]) -> dict[str, Any]:
    said = {name: getattr(options, name) for name in defaults}
    return {
        name.removeprefix("labels_"): value
        for name, value in said.items()
        if value != defaults[name]
    }


def _graph(options: Namespace) -> dict[str, Any]:
    return {"graph": dict(options.graph_option) or True} if options.graph else {}


def _call(name: str, path: Any, said: dict[str, Any]) -> str:
    return f"{name}({', '.join(filter(None, [repr(str(path)), _words(said)]))})"


def _words(said: dict[str, Any]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in said.items())
