"""What was chosen, in words."""

from typing import Any

import numpy as np

from relrbf.autotune.choices import Choice
from relrbf.autotune.evidence import Evidence, Reading
from relrbf.relations.properties import NEGLIGIBLE


def explain(estimator: Any, choice: Choice, result: Any) -> str:
    """Return one line for each choice of a fitted estimator, with the evidence for it."""
    lines = [
        ("exponent", f"{choice.exponent:g}", _exponent(estimator, choice)),
        ("n_support", f"{len(choice.support)}", _support(estimator, choice)),
        ("n_prototypes", f"{len(result.prototypes)}", _prototypes(estimator)),
    ]
    evidence = choice.evidence
    if evidence is not None:
        reading = evidence.reading
        lines += [
            (
                "bandwidth",
                f"{reading.bandwidth:.4g}",
                f"{_count(reading.width, 'unit')}; {_tried(reading)}",
            ),
            ("alpha", f"{choice.alpha:.3g}", _alpha(estimator, evidence)),
        ]
    else:
        widths = result.network.bandwidths
        spread = f"{widths.min():.4g} to {widths.max():.4g} after training"
        how = "given" if _given(estimator.alpha) else "left to the solver"
        lines += [
            ("bandwidth", f"{np.median(widths):.4g}", f"the median; {spread}"),
            ("alpha", f"{estimator.alpha_:.3g}", how),
        ]
    lines += [
        ("movement", _count(result.n_iter, "epoch"), _movement(result)),
        ("distances", _negative(result), "squared distances of prototypes to training objects"),
    ]
    return "\n".join(f"{name:<13}{value:<12} {why}".rstrip() for name, value, why in lines)


def _given(value: Any) -> bool:
    return not isinstance(value, str)


def _exponent(estimator: Any, choice: Choice) -> str:
    if _given(estimator.exponent):
        return "given"
    report, exponent = estimator.relation_report_, int(choice.exponent)
    negative = report.negative_eigenfraction[exponent]
    if estimator.space == "vector" or report.has_vector_dual[exponent]:
        return "vectors with these dissimilarities exist"
    if negative <= NEGLIGIBLE:
        return f"vectors all but exist: {negative:.2%} of the spectrum is negative"
    if choice.evidence is None or len({e for e, _ in choice.evidence.reading.tried}) < 2:
        return f"{negative:.1%} of the spectrum is negative"
    lowest = {e: _lowest(choice.evidence.reading, e) for e in (1, 2)}
    other = 3 - exponent
    return (
        f"{negative:.1%} of the spectrum is negative; leave-one-out error {lowest[exponent]:.4g}, "
        f"with {other} {lowest[other]:.4g}"
    )


def _lowest(reading: Reading, exponent: float) -> float:
    return min(error for (tried, _), error in reading.tried.items() if tried == exponent)


def _support(estimator: Any, choice: Choice) -> str:
    if estimator.space == "vector":
        return "objects that the first prototypes are means of; a point needs none afterwards"
    n_objects = estimator.relation_report_.n_objects
    n_distinct = n_objects - estimator.relation_report_.n_duplicate_objects
    kind = "all" if len(choice.support) >= n_distinct else "spread by k-means++ over the"
    return (
        f"{kind} distinct objects; a prediction needs no others"
        if kind == "all"
        else (f"{kind} {n_objects} objects; a prediction needs no others")
    )


def _prototypes(estimator: Any) -> str:
    if _given(estimator.n_prototypes):
        return "given"
    return "one for every ten distinct objects, at most 128; more of very few, or where those fail"


def _alpha(estimator: Any, evidence: Evidence) -> str:
    how = "given" if _given(estimator.alpha) else "best of fifteen"
    return f"{how}; leave-one-out error of the full network {evidence.full.error:.4g}"


def _tried(reading: Reading) -> str:
    errors = ", ".join(
        f"{width:g}: {error:.4g}"
        for (exponent, width), error in sorted(reading.tried.items())
        if exponent == reading.exponent
    )
    return f"leave-one-out errors {errors}"


def _movement(result: Any) -> str:
    first, last = result.history.objective[min(1, result.n_iter)], result.history.objective[-1]
    return f"objective {first:.4g} -> {last:.4g}; {result.status.value}"


def _negative(result: Any) -> str:
    share = float(np.mean(result.prototypes.distances_sq < 0))
    return f"{share:.1%} < 0" if share else "none < 0"


def _count(number: float, name: str) -> str:
    return f"{number:g} {name}" if number == 1 else f"{number:g} {name}s"
