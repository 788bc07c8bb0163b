"""The section that shows where objects and prototypes lie."""

import warnings

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.embeddings import ClassicalMDS, LandmarkMDS
from relrbf.exceptions import RelationWarning
from relrbf.report.case import Case
from relrbf.report.field import Extent, Legend, Marks, field
from relrbf.report.held_out import HeldOut
from relrbf.report.page import Drawing, Section
from relrbf.report.prototypes import weight_words
from relrbf.report.words import verb

MOST_SHOWN = 3000  # objects, of which more would be a blot
LANDMARKS_FROM = 4000  # objects whose spectrum is not worth the wait
HOW_TO = (
    "Point at an object, touch it, or reach the drawing with the tabulator key and go on with the "
    "arrow keys, or with page up and page down through all of them: it tells who it is."
)


def embed(case: Case, exponent: float) -> tuple[Array, float]:
    """Return two coordinates of each object, and the share of the distances they show."""
    kind = ClassicalMDS if case.n_objects <= LANDMARKS_FROM else LandmarkMDS
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RelationWarning)  # the section on the relation says so
        scaling = kind(2, exponent=exponent).fit(case.relation)
    points = np.zeros((case.n_objects, 2))
    found = scaling.embedding_[:, :2]
    points[:, : found.shape[1]] = found
    return points, _share_shown(case, points, exponent)


def places_section(case: Case, held: HeldOut | None, points: Array, shown: float) -> Section:
    """Return the drawing of all objects, or of a sample of many."""
    rng = np.random.default_rng(0)
    n = case.n_objects
    some = np.arange(n)
    if n > MOST_SHOWN:
        some = np.sort(rng.choice(n, MOST_SHOWN, replace=False))
    groups, names = _groups(case)
    wrong = np.zeros(n, dtype=bool)
    if held is not None and case.has_classes:
        wrong[held.wrong] = True
    texts = [_text(case, held, int(i)) for i in some]
    prototypes = _prototypes(case, points)
    legend = Legend(names, not case.has_classes, bool(wrong[some].any()), prototypes is not None)
    alt = f"{len(some)} objects in two dimensions"
    markup = field(Marks(points[some], texts, groups[some], wrong[some]), prototypes, legend, alt)
    drawing = Drawing(markup, _caption(case, some, points, prototypes, shown))
    return Section("Where the objects lie", HOW_TO, drawings=[drawing])


def _groups(case: Case) -> tuple[Indices, list[str]]:
    if case.has_classes:
        return case.y, [str(name) for name in case.classes]
    if not case.has_targets:
        return np.zeros(case.n_objects, dtype=int), []
    return case.steps


def _text(case: Case, held: HeldOut | None, i: int) -> str:
    lines = [str(case.names[i])]
    if copies := case.n_copies[i]:
        lines.append(f"in the same place: {copies} {'copy' if copies == 1 else 'copies'} of it")
    if case.has_targets:
        lines.append(f"{'class' if case.has_classes else 'target'} {case.said(i)}")
    if held is not None and case.has_classes:
        said, several = held.predicted[i], held.n_repeats > 1
        mark = f"wrong in {held.times_wrong[i]} of {held.times[i]:.0f}" if several else "wrong"
        mark = mark if held.times_wrong[i] else "right"
        sure = held.probabilities[i, said]
        lines.append(f"held out, predicted {case.classes[said]} ({sure:.2f}{held.by_mean}): {mark}")
    elif held is not None:
        lines.append(f"held out, predicted {held.predicted[i]:.4g}{held.by_mean}")
    return "\n".join(lines)


def _prototypes(case: Case, points: Array) -> Marks | None:
    if case.model is None:
        return None
    A = case.model.prototypes_.coefficients
    texts = [
        f"prototype {j + 1}\n{weight_words(case, j)}\nbandwidth {case.model.bandwidths_[j]:.4g}"
        for j in range(len(A))
    ]
    return Marks(A @ points, texts, np.zeros(len(A), dtype=int), np.zeros(len(A), dtype=bool))


def _share_shown(case: Case, points: Array, exponent: float) -> float:
    """Return the correlation, squared, of distances shown and true ones, of some objects."""
    some = np.random.default_rng(0).permutation(case.n_objects)[:500]
    pairs = np.triu_indices(len(some), 1)
    true = case.relation.block(some, some)[pairs] ** (exponent / 2)
    flat = np.linalg.norm(points[some][pairs[0]] - points[some][pairs[1]], axis=1)
    if not (np.ptp(true) > 0 and np.ptp(flat) > 0):
        return 0.0
    return float(np.corrcoef(true, flat)[0, 1] ** 2)


def _caption(
    case: Case, some: Indices, points: Array, prototypes: Marks | None, shown: float
) -> str:
    kind = "Classical" if case.n_objects <= LANDMARKS_FROM else "Landmark"
    parts = [
        f"{kind} scaling to two dimensions; they explain {shown:.0%} of how the distances vary, so "
        f"{'what is near here is mostly near' if shown > 0.7 else 'near here need not be near'}."
    ]
    if len(some) < case.n_objects:
        parts.append(f"Shown are {len(some):,} of {case.n_objects:,} objects, drawn at random.")
    if prototypes is not None:
        parts.append("Prototypes are affine combinations of objects, not objects themselves.")
        outside = Extent.around(points[some]).n_outside(prototypes.places)
        if outside:
            parts.append(
                f"{outside} of {len(prototypes.places)} {verb(outside, 'lies', 'lie')} outside and "
                f"{verb(outside, 'stands', 'stand')} at the edge."
            )
    return " ".join(parts)
