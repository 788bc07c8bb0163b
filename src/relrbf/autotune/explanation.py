"""What was chosen for a fitted network, in words, from the evidence it keeps."""

from typing import Protocol

import numpy as np

from relrbf._typing import Array
from relrbf.autotune.config import Evidence
from relrbf.autotune.resolve import MAX_AUTO_PROTOTYPES
from relrbf.prototypes import Prototypes
from relrbf.relations.properties import NEGLIGIBLE, RelationReport
from relrbf.training import History, Status


class FittedNetwork(Protocol):
    """What of a fitted network there is to explain."""

    n_prototypes: int | str
    space: str
    exponent: float | str
    alpha: float | str
    exponent_: float
    alpha_: float
    bandwidths_: Array
    prototypes_: Prototypes
    relation_report_: RelationReport
    n_iter_: int
    status_: Status
    history_: History
    _evidence: Evidence


def explain(model: FittedNetwork) -> str:
    """Return one line for each value that was chosen, with the evidence for it."""
    rows = explanation_rows(model)
    return "\n".join(f"{name:<13}{value:<12} {reason}".rstrip() for name, value, reason in rows)


def explanation_rows(model: FittedNetwork) -> list[tuple[str, str, str]]:
    """Return the name of each value that was chosen, the value, and the evidence for it."""
    evidence = model._evidence
    rows = [
        ("exponent", f"{model.exponent_:g}", _explain_exponent(model)),
        ("n_support", f"{evidence.n_support}", _explain_support(model)),
        ("teacher", *_explain_teacher(model)),
        ("n_prototypes", f"{len(model.prototypes_)}", _explain_prototypes(model)),
        ("bandwidths", *_explain_bandwidths(model)),
        ("alpha", f"{model.alpha_:.3g}", _explain_alpha(model)),
        ("training", _count(model.n_iter_, "epoch"), model.status_.value),
    ]
    if negative := evidence.negative_distances:
        reason = "squared distances of prototypes to training objects"
        rows.append(("distances", f"{negative:.1%} < 0", reason))
    return rows


def _explain_exponent(model: FittedNetwork) -> str:
    if not isinstance(model.exponent, str):
        return "given"
    report, exponent = model.relation_report_, model.exponent_
    negative = report.negative_eigenfraction[exponent]
    if model.space == "vector" or report.has_vector_dual[exponent]:
        return "vectors with these dissimilarities exist"
    if negative <= NEGLIGIBLE:
        return f"vectors all but exist: {negative:.2%} of the spectrum is negative"
    return f"{report.negative_share(exponent)} of the spectrum is negative"


def _explain_support(model: FittedNetwork) -> str:
    report = model.relation_report_
    if model._evidence.n_support >= report.n_objects - report.n_duplicate_objects:
        return "all distinct objects"
    return f"of {report.n_objects} objects, spread by k-means++; a prediction needs no others"


def _explain_teacher(model: FittedNetwork) -> tuple[str, str]:
    evidence = model._evidence
    if not len(evidence.layers):
        return "none", "the solver learns the targets themselves"
    if not evidence.loss < evidence.constant_loss:
        return "a constant", f"no scale has a smaller left-out loss, {evidence.constant_loss:.4g}"
    kinds = [
        f"{b:.3g}" + ("" if power == 1 else f" (power {power:g})") for power, b in evidence.layers
    ]
    scaled = ", of locally scaled distances" if evidence.is_local else ""
    losses = f"left-out loss {evidence.loss:.4g}, of a constant {evidence.constant_loss:.4g}"
    n_tried = len({tuple(row) for row in evidence.tried[:, :3].tolist()})
    return (
        _count(len(kinds), "scale"),
        f"bandwidths {', '.join(kinds)}{scaled}, of {n_tried} compared; {losses}",
    )


def _explain_prototypes(model: FittedNetwork) -> str:
    if isinstance(model.n_prototypes, str) and model.n_prototypes == "all":
        return "all of the teacher's, as asked for"
    if not isinstance(model.n_prototypes, str):
        return "given"
    if getattr(model, "positive", False):
        return "of one class each; of the numbers tried, the one nearest to the teacher"
    if model.status_ is Status.WHOLE_TEACHER:
        return "the teacher's, on every object of the support"
    if len(model._evidence.layers):
        return "the fewest tried that answer as the teacher does"
    limit = f"one for every ten distinct objects, at most {MAX_AUTO_PROTOTYPES}"
    return f"{limit}; more of very few"


def _explain_bandwidths(model: FittedNetwork) -> tuple[str, str]:
    bandwidths = model.bandwidths_
    spread = f"{bandwidths.min():.4g} to {bandwidths.max():.4g}"
    return f"{np.median(bandwidths):.4g}", f"the median, of {spread}"


def _explain_alpha(model: FittedNetwork) -> str:
    if not isinstance(model.alpha, str):
        return "given"
    return (
        "of the teacher's first scale, by leave-one-out"
        if len(model._evidence.layers)
        else ("left to the solver")
    )


def _count(number: float, name: str) -> str:
    return f"{number:g} {name}" if number == 1 else f"{number:g} {name}s"
