"""An inspection as text: the facts, then what to conclude from them and what to do."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from relrbf.relations.properties import EXPONENT_MEANINGS

if TYPE_CHECKING:
    from relrbf.inspection.report import RelationInspection

MAX_LISTED_CLASSES = 10


def percent(fraction: float) -> str:
    """Return a fraction in percent; a small one is not called zero."""
    return "less than 0.01%" if 0 < fraction < 5e-5 else f"{fraction:.2%}"


def fact_lines(report: "RelationInspection") -> Iterator[str]:
    """Yield what was found, a line for each kind."""
    n_duplicates = report.n_duplicate_objects
    distinct = {None: "", 0: ", all distinct"}
    yield f"{report.n_objects} objects" + distinct.get(
        n_duplicates, f", {n_duplicates} of them duplicates of others"
    )
    if report.is_symmetric is not None:
        known = " (as far as known)" if report.n_missing else ""
        symmetric = "symmetric" if report.is_symmetric else "not symmetric"
        diagonal = "zero" if report.has_zero_diagonal else "not zero"
        n_negative, n_missing = report.n_negative or "none", report.n_missing or "none"
        yield (
            f"entries{known}: {symmetric}, {diagonal} on the diagonal, {n_negative} negative, "
            f"{n_missing} missing"
        )
    if report.n_violated is not None:
        yield _triangles(report)
    for exponent, meaning in EXPONENT_MEANINGS.items():
        if report.negative_eigenfraction[exponent] is not None:
            yield f"read as {meaning} (exponent {exponent}): {_spectrum(report, exponent)}"
    if report.suggested_exponent is not None:
        dimension, of_roots = report.intrinsic_dimension, report.suggested_exponent == 1
        text = "cannot be said (few distinct objects, many equally far apart, or some negative)"
        if dimension is not None:
            roots = " (of the roots of D; half of it for D itself)" if of_roots else ""
            text = f"about {dimension:.1f}{roots}"
        yield f"intrinsic dimension: {text}"
    if report.class_counts is not None:
        yield f"classes: {_classes(report)}"


def _triangles(report: "RelationInspection") -> str:
    n, fraction = report.n_triples, report.triangle_violation_fraction
    if fraction is None or report.triangle_violation_interval is None:
        return "triangles: none whose three dissimilarities are known"
    low, high = report.triangle_violation_interval
    if report.triangles_sampled:
        counted = f"{n} ordered triples drawn, 95% interval {percent(low)} to {percent(high)}"
    else:
        counted = f"{report.n_violated} of {n} ordered triples"
    text = f"triangles: {percent(fraction)} violated ({counted})"
    if report.worst_triple is None:
        return text
    i, j, k = map(report.name_of, report.worst_triple)
    worst = "the worst of them" if report.triangles_sampled else "the worst"
    detour = f"D[{i}, {k}] + D[{k}, {j}]"
    return f"{text}; {worst}: D[{i}, {j}] exceeds {detour} by {report.worst_excess:.4g}"


def _spectrum(report: "RelationInspection", exponent: float) -> str:
    if report.has_vector_dual[exponent]:
        return "vectors with these distances exist"
    if report.has_vector_dual[exponent] is None:
        return "no negative eigenvalue was found, but the search for one has not converged"
    fraction = report.negative_eigenfraction[exponent] or 0.0
    interval = report.negative_eigenfraction_interval[exponent]
    between = ""
    if report.spectrum_sampled and interval is not None:
        between = f", 95% interval {percent(interval[0])} to {percent(interval[1])},"
    smallest, largest = report.smallest_eigenvalue[exponent], report.largest_eigenvalue[exponent]
    ends = f"smallest eigenvalue {smallest:.4g}, largest {largest:.4g}"
    return f"{percent(fraction)}{between} of the spectrum is negative ({ends})"


def _classes(report: "RelationInspection") -> str:
    counts = report.class_counts or {}
    listed = [f"{label} {count}" for label, count in [*counts.items()][:MAX_LISTED_CLASSES]]
    n_more = len(counts) - len(listed)
    text = ", ".join(listed) + (f" and {n_more} more" if n_more else "")
    if report.neighbour_error is None:
        return text
    text += f"; the nearest other object is of another class for {percent(report.neighbour_error)}"
    apart = report.neighbour_error_without_duplicates
    if report.n_duplicate_objects and apart is not None:
        text += f" ({percent(apart)} where duplicates do not count)"
    return text


def conclusion_lines(report: "RelationInspection") -> Iterator[str]:
    """Yield a sentence or two for all that matters to whoever wants to use the matrix."""
    yield from _problems(report)
    if report.has_vector_dual[2] is not None and not report.n_missing:
        yield from _vectors(report)
    computed = [e for e, found in report.negative_eigenfraction.items() if found is not None]
    if report.spectrum_sampled and any(report.has_vector_dual[e] is None for e in computed):
        yield (
            "Whether a vector dual exists cannot be said from products with D alone: raise "
            "max_exact to decompose it."
        )
    if report.n_violated:
        first = "" if report.is_relation else "after that, "
        yield (
            f"The triangle inequality does not hold. No model here needs it; {first}"
            "relrbf.repair.nearest_metric(D), or the command relrbf repair, finds the nearest "
            "matrix that obeys it."
        )
    if report.n_duplicate_objects:
        yield (
            "Duplicates end up on both sides of a random split and flatter a test error: keep them "
            "together, with relrbf.model_selection.train_test_split(D, groups=...)."
        )
    if report.stopped_at is not None:
        yield f"The inspection was stopped while {report.stopped_at}; the rest is not known."


def _problems(report: "RelationInspection") -> Iterator[str]:
    if report.holds_similarities:
        yield (
            "These are similarities: constant on the diagonal, nowhere larger. Convert them to "
            "dissimilarities and inspect those: 1 - s, or as_relation(D), which takes the "
            "distances sqrt(2 (s_ii - s_ij)) of a kernel (in commands, --similarities convert)."
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
            "similarities, convert them, for example to 1 - s."
        )
    if report.worst_pair is not None:
        i, j = map(report.name_of, report.worst_pair)
        yield (
            f"D is not symmetric: D[{i}, {j}] and D[{j}, {i}] differ by "
            f"{report.largest_asymmetry:.4g}. as_relation(D, symmetrize='mean'), 'min' or 'max' "
            "(in commands, --symmetrize) says what is meant."
        )
    if report.has_zero_diagonal is False:
        yield (
            "Objects are not at dissimilarity 0 from themselves. If these are similarities, "
            "convert them, for example to 1 - s; if not, set the diagonal to 0."
        )


def _vectors(report: "RelationInspection") -> Iterator[str]:
    if not report.is_relation:
        yield "No vectors have the dissimilarities as they are."
        if not (report.is_symmetric and report.has_zero_diagonal):
            yield "The spectrum is that of (D + D') / 2 with a zero diagonal."
    elif report.has_vector_dual[2]:
        yield (
            "A vector dual exists under both exponents: D are distances between vectors "
            "(exponent=2), and so are their roots (exponent=1). A network on D has an exact vector "
            "equivalent."
        )
    elif report.has_vector_dual[1]:
        yield (
            "A vector dual exists where D are read as squared distances (exponent=1), and not "
            f"where they are read as distances (exponent=2). {_needed_constant(report, 2)}"
        )
    elif report.has_vector_dual[1] is not None:
        best = report.suggested_exponent or 2
        yield (
            "No vector dual exists under either exponent: no vectors have these distances, nor "
            f"these squared distances. Suggested is exponent={best}. "
            f"{_needed_constant(report, best)}"
        )
        yield (
            "A network trains on D all the same; for vectors near it see relrbf.embeddings (relrbf "
            "embed), for a matrix near it that has a dual relrbf.repair.spectrum_clip (relrbf "
            "repair --to clip)."
        )
    if report.is_metric and report.has_vector_dual[2] is False:
        yield "D is a metric, which is not enough: a dual needs a spectrum that is not negative."


def _needed_constant(report: "RelationInspection", exponent: int) -> str:
    constant = report.additive_constant[exponent]
    what = "squared dissimilarity" if exponent == 2 else "dissimilarity"
    return (
        f"Under exponent={exponent} it would, with {constant:.4g} added to every {what} of two "
        "different objects."
    )
