"""What an inspection found, in words."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from relrbf.inspection.report import RelationInspection

MEANINGS = {2: "distances", 1: "squared distances"}
MOST_CLASSES = 10  # that are listed by name


def share(fraction: float) -> str:
    """Return a fraction in percent; a small one is not called zero."""
    return "less than 0.01%" if 0 < fraction < 5e-5 else f"{fraction:.2%}"


def findings(report: "RelationInspection") -> Iterator[str]:
    """Yield what was found, a line for each kind."""
    yield _objects(report)
    if report.is_symmetric is not None:
        known = " (as far as known)" if report.n_missing else ""
        yield f"entries{known}: {', '.join(_entries(report))}"
    if report.n_violated is not None:
        yield _triangles(report)
    for exponent, meaning in MEANINGS.items():
        if report.negative_eigenfraction[exponent] is not None:
            yield f"read as {meaning} (exponent {exponent}): {_spectrum(report, exponent)}"
    if report.suggested_exponent is not None:
        yield f"intrinsic dimension: {_dimension(report)}"
    if report.class_counts is not None:
        yield f"classes: {_classes(report)}"


def _objects(report: "RelationInspection") -> str:
    n_twins = report.n_duplicate_objects
    if not n_twins:
        return f"{report.n_objects} objects" + ("" if n_twins is None else ", all distinct")
    return f"{report.n_objects} objects, {n_twins} of them duplicates of others"


def _entries(report: "RelationInspection") -> Iterator[str]:
    yield "symmetric" if report.is_symmetric else "not symmetric"
    yield "zero on the diagonal" if report.has_zero_diagonal else "not zero on the diagonal"
    yield f"{report.n_negative or 'none'} negative"
    yield f"{report.n_missing or 'none'} missing"


def _triangles(report: "RelationInspection") -> str:
    n, fraction = report.n_triples, report.triangle_violation_fraction
    if fraction is None or report.triangle_violation_interval is None:
        return "triangles: none whose three dissimilarities are known"
    low, high = report.triangle_violation_interval
    if report.triangles_sampled:
        counted = f"{n} ordered triples drawn, 95% interval {share(low)} to {share(high)}"
    else:
        counted = f"{report.n_violated} of {n} ordered triples"
    text = f"triangles: {share(fraction)} violated ({counted})"
    if report.worst_triple is None:
        return text
    i, j, k = map(report.name_of, report.worst_triple)
    worst = "the worst of them" if report.triangles_sampled else "the worst"
    detour = f"D[{i}, {k}] + D[{k}, {j}]"
    return f"{text}; {worst}: D[{i}, {j}] exceeds {detour} by {report.worst_excess:.4g}"


def _spectrum(report: "RelationInspection", exponent: int) -> str:
    fraction, smallest = (
        report.negative_eigenfraction[exponent],
        report.smallest_eigenvalue[exponent],
    )
    if report.has_vector_dual[exponent]:
        return "vectors with these distances exist"
    if report.has_vector_dual[exponent] is None:
        return "no negative eigenvalue was found, but the search for one has not settled"
    interval = report.negative_eigenfraction_interval[exponent]
    between = ""
    if report.spectrum_sampled and interval is not None:
        between = f", 95% interval {share(interval[0])} to {share(interval[1])},"
    return (
        f"{share(fraction or 0.0)}{between} of the spectrum is negative "
        f"(smallest eigenvalue {smallest:.4g}, largest {report.largest_eigenvalue[exponent]:.4g})"
    )


def _dimension(report: "RelationInspection") -> str:
    if report.intrinsic_dimension is not None:
        of_roots = " (of the roots of D; half of it for D itself)"
        reading = of_roots if report.suggested_exponent == 1 else ""
        return f"about {report.intrinsic_dimension:.1f}{reading}"
    return "cannot be said (few distinct objects, many equally far apart, or some negative)"


def _classes(report: "RelationInspection") -> str:
    counts = report.class_counts or {}
    listed = [f"{label} {count}" for label, count in [*counts.items()][:MOST_CLASSES]]
    more = f" and {len(counts) - MOST_CLASSES} more" if len(counts) > MOST_CLASSES else ""
    text = ", ".join(listed) + more
    if report.neighbour_error is None:
        return text
    text += f"; the nearest other object is of another class for {share(report.neighbour_error)}"
    if report.n_duplicate_objects and report.neighbour_error_without_twins is not None:
        text += f" ({share(report.neighbour_error_without_twins)} where duplicates do not count)"
    return text
