"""The map: objects and prototypes in two dimensions, as SVG with a text for each."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.plotting.models import MAX_CLASSICAL_MDS, embed
from relrbf.prototypes import ObjectPrototypes
from relrbf.report.data import FittedData, RelationData, number
from relrbf.report.evaluation import large_errors
from relrbf.report.held_out import HeldOut
from relrbf.report.objects import neighbourhood_text, object_keys, prototype_keys, weights_text
from relrbf.report.page import Section, count, prose, render
from relrbf.report.scores import COVERAGE

MAP_SIZE, MAP_MARGIN = np.array([560, 420]), 22
SHAPES = (
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
    "M-3.6-3.6h7.2v7.2h-7.2z",
    "M0-4.8L4.4 3.2H-4.4z",
    "M0 4.8L4.4-3.2H-4.4z",
    "M0-5L5 0L0 5L-5 0z",
    "M-1.5-4.6h3v3.1h3.1v3h-3.1v3.1h-3v-3.1h-3.1v-3h3.1z",
    "M-4.6-2.5l2.1-2.1L0-2.1l2.5-2.5 2.1 2.1L2.1 0l2.5 2.5-2.1 2.1L0 2.1l-2.5 2.5-2.1-2.1L-2.1 0z",
    "M0-5.2L1.5-1.7L5-1.6L2.3.8L3.2 4.4L0 2.3L-3.2 4.4L-2.3.8L-5-1.6L-1.5-1.7z",
)
PROTOTYPE_SHAPE = "M-7 0a7 7 0 1 0 14 0a7 7 0 1 0-14 0zM-2.5 0h5M0-2.5v5"
MAX_FULL_SIZE_PROTOTYPES, MIN_PROTOTYPE_SIZE = 20, 0.45
MAX_MAPPED_OBJECTS = 3000  # of more, a sample is shown


class Mark(NamedTuple):
    """One object or prototype on the map.

    ``key`` names it, ``related`` are the keys of what belongs to it, and ``group`` is the number of
    its class.
    """

    x: float
    y: float
    text: str
    shape: str = PROTOTYPE_SHAPE
    colour: str = ""
    kind: str = ""
    size: float = 1.0
    key: str = ""
    related: str = ""
    group: str = ""


def map_section(
    data: RelationData, exponent: float, held: HeldOut | None = None, q: float | None = None
) -> Section:
    """Return the map of all objects, or of a sample; q is half of a prediction interval."""
    points = embed(data.relation.with_exponent(exponent))[0].astype(float)
    shown = np.arange(data.n_objects)
    if data.n_objects > MAX_MAPPED_OBJECTS:
        rng = np.random.default_rng(0)
        shown = np.sort(rng.choice(data.n_objects, MAX_MAPPED_OBJECTS, replace=False))
    positions, _ = place(points[shown], points[shown])
    objects = _object_marks(data, held, shown, positions, q)
    prototypes: list[Mark] = []
    n_outside = 0
    # prototypes that lie on the objects would only cover them
    if isinstance(data, FittedData) and not isinstance(data.model.prototypes_, ObjectPrototypes):
        centres = data.model.prototypes_.coefficients @ points
        positions, n_outside = place(centres, points[shown])
        prototypes = _prototype_marks(data, positions)
    explained = explained_variance(data, points, exponent)
    numbers = {"n_shown": len(shown), "n_prototypes": len(prototypes), "n_outside": n_outside}
    is_classical = data.n_objects <= MAX_CLASSICAL_MDS
    caption = prose("map", data=data, is_classical=is_classical, explained=explained, **numbers)
    wrong = "wrong" if data.has_classes else "far off"
    markup = draw_map(objects, prototypes, _group_looks(data), f"{wrong} when held out")
    return Section("Map of the objects", prose("map_help"), drawings=[(markup, caption)])


def place(points: Array, shown: Array) -> tuple[Array, int]:
    """Return positions on a map of the points shown, and how many are beyond its edge."""
    low, high = shown.min(axis=0), shown.max(axis=0)
    sizes = zip(MAP_SIZE - 2 * MAP_MARGIN, high - low, strict=True)
    scale = min((available / size for available, size in sizes if size > 0), default=1.0)
    positions = MAP_SIZE / 2 + scale * (points - (low + high) / 2) * [1, -1]
    clipped = np.clip(positions, MAP_MARGIN / 2, MAP_SIZE - MAP_MARGIN / 2)
    return clipped, int(np.count_nonzero((clipped != positions).any(axis=1)))


def explained_variance(data: RelationData, points: Array, exponent: float) -> float:
    """Return the squared correlation of distances on the map with true ones, of a sample."""
    some = np.random.default_rng(0).permutation(data.n_objects)[:500]
    i, j = np.triu_indices(len(some), 1)
    true = data.relation.block(some, some)[i, j] ** (exponent / 2)
    mapped = np.linalg.norm(points[some][i] - points[some][j], axis=1)
    if not (np.ptp(true) > 0 and np.ptp(mapped) > 0):
        return 0.0
    return float(np.corrcoef(true, mapped)[0, 1] ** 2)


def draw_map(
    objects: Sequence[Mark],
    prototypes: Sequence[Mark],
    groups: Sequence[tuple[str, str, str]],
    wrong: str = "",
) -> str:
    """Return the SVG and its legend; groups are names with shapes and colours."""
    legend = [
        Mark(0, 0, name, shape, colour, "key", group=str(k))
        for k, (name, shape, colour) in enumerate(groups)
    ]
    if any(mark.kind for mark in objects):
        legend.append(Mark(0, 0, wrong, SHAPES[0], "none", "wrong", group="wrong"))
    if prototypes:
        legend.append(Mark(0, 0, "prototype", kind="prototype", group="prototype"))
    on_top = sorted(enumerate(objects), key=lambda numbered: bool(numbered[1].kind))
    marks = [(mark, i == 0) for i, mark in on_top] + [(mark, False) for mark in prototypes]
    alt = f"{count(len(objects), 'object')} in two dimensions"
    return render("map.html", alt=alt, legend=legend, marks=marks, size=MAP_SIZE)


def shape_of(group: int, n_colours: int) -> str:
    """Return the shape of a group: 64 pairs of colour and shape before one is repeated."""
    return SHAPES[(group + group // n_colours) % len(SHAPES)]


def _group_looks(data: RelationData) -> list[tuple[str, str, str]]:
    """Return the name, shape and colour of each group."""
    _, names, colours = data.groups
    n = len(colours)
    shapes = [shape_of(k, n) if data.has_classes else SHAPES[0] for k in range(len(names))]
    return [(name, shapes[k], colours[k % n]) for k, name in enumerate(names)]


def _object_marks(
    data: RelationData, held: HeldOut | None, shown: Indices, positions: Array, q: float | None
) -> list[Mark]:
    groups, _, colours = data.groups
    looks = _group_looks(data) or [("", SHAPES[0], colours[0])]
    wrong: set[int] = set()
    if held is not None:
        wrong = {*(held.misclassified if data.has_classes else large_errors(held)).tolist()}
    marks = []
    for i, (x, y) in zip(shown, positions, strict=True):
        _, shape, colour = looks[groups[i]]
        text, kind = _object_text(data, held, i, q), "wrong" if i in wrong else ""
        related = prototype_keys(data, i) if isinstance(data, FittedData) else ""
        keys: Any = {"key": f"o{i}", "related": related, "group": str(groups[i])}
        marks.append(Mark(x, y, text, shape, colour, kind, **keys))
    return marks


def _object_text(data: RelationData, held: HeldOut | None, i: int, q: float | None) -> str:
    lines = [str(data.names[i])]
    if n := data.n_equal[i]:
        lines.append(f"at the same place: {count(n, 'duplicate')}")
    if len(data.y):
        lines.append(f"{'class' if data.has_classes else 'target'} {data.label(i)}")
    if held is not None and data.has_classes:
        predicted = held.predicted[i]
        p = held.mean_probabilities[i, predicted]
        outcome = "wrong" if held.n_wrong[i] else "correct"
        if held.n_wrong[i] and held.n_repeats > 1:
            outcome = f"wrong in {held.n_wrong[i]} of {np.count_nonzero(held.objects == i)}"
        name = data.classes[predicted]
        lines.append(f"held out, predicted {name} ({p:.2f}{held.mean_note}): {outcome}")
    elif held is not None:
        low, high = held.predicted[i] - (q or 0), held.predicted[i] + (q or 0)
        reach = f" ({COVERAGE:.0%} interval {number(low)} to {number(high)})" if q else ""
        lines.append(f"held out, predicted {number(held.predicted[i])}{held.mean_note}{reach}")
    return "\n".join(lines)


def _prototype_marks(data: FittedData, positions: Array) -> list[Mark]:
    size = np.sqrt(MAX_FULL_SIZE_PROTOTYPES / len(positions)).clip(MIN_PROTOTYPE_SIZE, 1.0)
    name = "weights" if data.has_classes else "weight"
    marks = []
    for j, (x, y) in enumerate(positions):
        text = f"prototype {j + 1}: {neighbourhood_text(data, j)}"
        text += f"\n{name} {weights_text(data, j)}\nbandwidth {data.model.bandwidths_[j]:.4g}"
        keys: Any = {"key": f"p{j}", "related": object_keys(data, j), "group": "prototype"}
        marks.append(Mark(x, y, text, kind="prototype", size=size, **keys))
    return marks
