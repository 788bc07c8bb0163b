"""What was chosen for a fitted network, in words, from the evidence it keeps."""

from typing import Protocol

import numpy as np

from relrbf._typing import Array
from relrbf.autotune.config import Evidence
from relrbf.autotune.resolve import MAX_AUTO_PROTOTYPES
from relrbf.autotune.teacher import TEACHER_ALPHAS
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
    objective = model.history_.objective
    movement = f"objective {objective[min(1, model.n_iter_)]:.4g} -> {objective[-1]:.4g}"
    negative = model._evidence.negative_distances
    return [
        ("exponent", f"{model.exponent_:g}", _explain_exponent(model)),
        ("n_support", f"{model._evidence.n_support}", _explain_support(model)),
        ("n_prototypes", f"{len(model.prototypes_)}", _explain_prototypes(model)),
        ("bandwidth", *_explain_bandwidth(model)),
        ("alpha", f"{model.alpha_:.3g}", _explain_alpha(model)),
        ("movement", _count(model.n_iter_, "epoch"), f"{movement}; {model.status_.value}"),
        (
            "distances",
            f"{negative:.1%} < 0" if negative else "none < 0",
            "squared distances of prototypes to training objects",
        ),
    ]


def _explain_exponent(model: FittedNetwork) -> str:
    if not isinstance(model.exponent, str):
        return "given"
    report, exponent = model.relation_report_, int(model.exponent_)
    negative = report.negative_eigenfraction[exponent]
    if model.space == "vector" or report.has_vector_dual[exponent]:
        return "vectors with these dissimilarities exist"
    if negative <= NEGLIGIBLE:
        return f"vectors all but exist: {negative:.2%} of the spectrum is negative"
    negative_part = f"{negative:.1%} of the spectrum is negative"
    tried: Array = model._evidence.tried
    errors = {int(e): tried[tried[:, 0] == e, 2].min() for e in np.unique(tried[:, 0])}
    if len(errors) < 2:
        return negative_part
    other = 3 - exponent
    return (
        f"{negative_part}; leave-one-out error {errors[exponent]:.4g}, with {other} "
        f"{errors[other]:.4g}"
    )


def _explain_support(model: FittedNetwork) -> str:
    if model.space == "vector":
        return "objects that the first prototypes are means of; a point needs none afterwards"
    report = model.relation_report_
    if model._evidence.n_support >= report.n_objects - report.n_duplicate_objects:
        return "all distinct objects; a prediction needs no others"
    return f"spread by k-means++ over the {report.n_objects} objects; a prediction needs no others"


def _explain_prototypes(model: FittedNetwork) -> str:
    if not isinstance(model.n_prototypes, str):
        return "given"
    limit = f"one for every ten distinct objects, at most {MAX_AUTO_PROTOTYPES}"
    return f"{limit}; more of very few, or where those fail"


def _explain_bandwidth(model: FittedNetwork) -> tuple[str, str]:
    evidence, bandwidths = model._evidence, model.bandwidths_
    tried: Array = evidence.tried
    if not len(tried):
        spread = f"{bandwidths.min():.4g} to {bandwidths.max():.4g} after training"
        return f"{np.median(bandwidths):.4g}", f"the median; {spread}"
    same = tried[tried[:, 0] == model.exponent_]
    errors = ", ".join(f"{w:g}: {error:.4g}" for _, w, error in same[np.argsort(same[:, 1])])
    reason = f"{_count(evidence.width, 'unit')}; leave-one-out errors {errors}"
    return f"{evidence.bandwidth:.4g}", reason


def _explain_alpha(model: FittedNetwork) -> str:
    is_given, evidence = not isinstance(model.alpha, str), model._evidence
    if not len(evidence.tried):
        return "given" if is_given else "left to the solver"
    how = "given" if is_given else f"best of {len(TEACHER_ALPHAS)}"
    return f"{how}; leave-one-out error of the teacher {evidence.error:.4g}"


def _count(number: float, name: str) -> str:
    return f"{number:g} {name}" if number == 1 else f"{number:g} {name}s"
