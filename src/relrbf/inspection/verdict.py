"""What to make of the findings, and what to do."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from relrbf.inspection.report import RelationInspection


def verdict(report: "RelationInspection") -> Iterator[str]:
    """Yield a sentence or two for all that matters to whoever wants to use the matrix."""
    yield from _what_is_wrong(report)
    if report.has_vector_dual[2] is not None and not report.n_missing:
        yield from _vectors(report)
    if report.spectrum_sampled and None in _answers(report):
        yield (
            "Whether a vector dual exists cannot be said from products with D alone: raise "
            "max_exact to decompose it."
        )
    if report.n_violated:
        first = "" if report.is_relation else "after that, "
        yield (
            f"The triangle inequality does not hold. No model here needs it; {first}"
            "relrbf.repair.nearest_metric(D) finds the nearest matrix that obeys it."
        )
    if report.n_duplicate_objects:
        yield (
            "Duplicates end up on both sides of a random split and flatter a test error: keep them "
            "together, with relrbf.model_selection.train_test_split(D, groups=...)."
        )
    if report.stopped_at is not None:
        yield f"The inspection was stopped while {report.stopped_at}; the rest is not known."


def _answers(report: "RelationInspection") -> list[bool | None]:
    """Return the answers of the readings that were looked at."""
    looked_at = [e for e, found in report.negative_eigenfraction.items() if found is not None]
    return [report.has_vector_dual[exponent] for exponent in looked_at]


def _what_is_wrong(report: "RelationInspection") -> Iterator[str]:
    if report.holds_similarities:
        yield (
            "These are similarities: constant on the diagonal, nowhere larger. Turn them into "
            "dissimilarities and inspect those: 1 - s, or as_relation(D), which takes the "
            "distances sqrt(2 (s_ii - s_ij)) of a kernel."
        )
        return
    if report.n_missing:
        infinite = f", {report.n_infinite} of them infinite" if report.n_infinite else ""
        yield (
            f"Entries are missing ({report.n_missing}{infinite}): whether vectors exist cannot be "
            "said. Compute them, or leave those objects out."
        )
    elif report.can_be_squared is False:
        yield (
            f"The largest entry, {report.largest_entry:.3g}, cannot be squared: whether vectors "
            "exist cannot be said. Rescale D, for example by its largest entry."
        )
    if report.n_negative:
        yield (
            f"Entries are negative ({report.n_negative}): dissimilarities cannot be. If these are "
            "similarities, turn them round, for example 1 - s."
        )
    if report.worst_pair is not None:
        i, j = map(report.name_of, report.worst_pair)
        yield (
            f"D is not symmetric: D[{i}, {j}] and D[{j}, {i}] differ by "
            f"{report.largest_asymmetry:.4g}. as_relation(D, symmetrize='mean'), 'min' or 'max' "
            "says what is meant."
        )
    if report.has_zero_diagonal is False:
        yield (
            "Objects are not at dissimilarity 0 from themselves. If these are similarities, turn "
            "them round, for example 1 - s; if not, set the diagonal to 0."
        )


def _vectors(report: "RelationInspection") -> Iterator[str]:
    if not report.is_relation:
        yield "No vectors have the dissimilarities as they are."
        if not (report.is_symmetric and report.has_zero_diagonal):
            yield "The spectrum is that of (D + D') / 2 with a zero diagonal."
    elif report.has_vector_dual[2]:
        yield (
            "A vector dual exists under both readings: D are distances between vectors "
            "(exponent=2), and so are their roots (exponent=1). A network on D has an exact vector "
            "twin."
        )
    elif report.has_vector_dual[1]:
        yield (
            "A vector dual exists where D are read as squared distances (exponent=1), and not "
            f"where they are read as distances (exponent=2). {_missing_by(report, 2)}"
        )
    elif report.has_vector_dual[1] is not None:
        best = report.suggested_exponent or 2
        yield (
            "No vector dual exists under either reading: no vectors have these distances, nor "
            f"these squared distances. Suggested is exponent={best}. {_missing_by(report, best)}"
        )
        yield (
            "A network trains on D all the same; for vectors near it see relrbf.embeddings, for a "
            "matrix near it that has a dual relrbf.repair.spectrum_clip."
        )
    if report.is_metric and report.has_vector_dual[2] is False:
        yield "D is a metric, which is not enough: a dual asks for a spectrum that is not negative."


def _missing_by(report: "RelationInspection", exponent: int) -> str:
    constant = report.additive_constant[exponent]
    what = "squared dissimilarity" if exponent == 2 else "dissimilarity"
    return (
        f"Under exponent={exponent} it would, with {constant:.4g} added to every {what} of two "
        "different objects."
    )
