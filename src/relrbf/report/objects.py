"""Objects and prototypes: what is mistaken and why, what a prototype describes, and the map."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.plotting.models import MAX_CLASSICAL_MDS, embed
from relrbf.prototypes import ObjectPrototypes
from relrbf.relations.base import to_power
from relrbf.report.data import FittedData, RelationData, number
from relrbf.report.evaluation import MAX_LISTED_MISTAKES, large_errors
from relrbf.report.held_out import COVERAGE, HeldOut
from relrbf.report.page import Section, TextTable, as_csv, count, prose, render, verb

MAX_LISTED_PROTOTYPES, MAX_FILED_PROTOTYPES = 40, 200  # by their places
MAX_EXPLAINED_MISTAKES = 2000  # in the file
MAX_LISTED_WEIGHTS = 4  # per prototype
N_NEIGHBOURS = 3  # nearest objects that are listed
CLOSE_CALL = 0.15  # between the probabilities of the predicted and the true class
SMALL_CLASS = 6  # objects
MAX_LISTED_ERRORS = 20
INFLUENCE_NOTE = "Influence is the share of activation times weight; weights are in the csv file."
MAP_HELP = "Point at an object or touch it for details; arrow keys move, + and - zoom."
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


def prototypes_table(data: FittedData) -> TextTable:
    """Return a row for each place of prototypes, those with the largest influence first."""
    model = data.model
    activations = np.abs(model._network.forward(data.distances_sq).activations)
    weights = model.weights_ - model.weights_.mean(axis=1, keepdims=True) * data.has_classes
    sizes = activations.mean(axis=1) * np.abs(weights).sum(axis=1)
    influence = sizes / (sizes.sum() or 1.0)
    by_place = influence.reshape(-1, data.n_places).sum(axis=0)
    order = np.argsort(-by_place, kind="stable")[:MAX_FILED_PROTOTYPES]
    numbers = np.column_stack([influence, model.bandwidths_, model.weights_])
    texts = {j: (neighbourhood_text(data, j), nearest_text(data, j)) for j in order}
    every = [
        [str(k + 1), *texts[j], *(f"{value:.6g}" for value in numbers[k])]
        for j in order
        for k in range(j, len(sizes), data.n_places)
    ]
    order = order[:MAX_LISTED_PROTOTYPES]
    rows = [[str(j + 1), *texts[j], f"{by_place[j]:.1%}"] for j in order]
    outputs = [f"weight of {name}" for name in data.classes] or ["weight"]
    what = "neighbourhood" if data.prototype_classes is None else "class"
    header = ["prototype", what, "nearest objects", "influence"]
    text = as_csv([*header, "bandwidth", *outputs], every)
    return TextTable(
        header,
        rows,
        _listed_of("Prototypes", len(order), data.n_places),
        sortable=True,
        keys=[f"p{j}" for j in order],
        related=[object_keys(data, j) for j in order],
        download=("prototypes.csv", text),
        note=INFLUENCE_NOTE,
    )


def neighbourhood_text(data: FittedData, place: int) -> str:
    """Return which classes or targets the objects nearest to a prototype have."""
    near = data.near_prototypes[place]
    if not data.has_classes:
        low, high = np.quantile(data.y[near], (0.1, 0.9))
        return f"targets {number(low)} to {number(high)}"
    counts = np.bincount(data.y[near], minlength=len(data.classes))
    k = np.argmax(counts) if data.prototype_classes is None else data.prototype_classes[place]
    return f"{data.classes[k]}, {counts[k]} of {len(near)} nearest"


def nearest_text(data: FittedData, place: int) -> str:
    """Return the names of the objects nearest to a prototype."""
    near = data.near_prototypes[place][:N_NEIGHBOURS]
    if isinstance(data.model.prototypes_, ObjectPrototypes):
        return f"on {data.names[near[0]]}"
    return ", ".join(str(data.names[i]) for i in near)


def object_keys(data: FittedData, place: int) -> str:
    """Return the keys of the objects nearest to a prototype."""
    n = 1 if isinstance(data.model.prototypes_, ObjectPrototypes) else N_NEIGHBOURS
    return " ".join(f"o{i}" for i in data.near_prototypes[place][:n])


def prototype_keys(data: FittedData, i: int) -> str:
    """Return the keys of the prototypes nearest to an object."""
    return " ".join(f"p{j}" for j in data.nearest_places[i])


def _object_table(
    data: FittedData, listed: Indices, title: str, header: Any, rows: Any, download: Any
) -> TextTable:
    """Return a table of objects, linked to the objects and prototypes nearest to each."""
    near = [" ".join(f"o{k}" for k in _nearest(data, i)[1]) for i in listed]
    related = [f"{keys} {prototype_keys(data, i)}" for i, keys in zip(listed, near, strict=True)]
    links: Any = {"keys": [f"o{i}" for i in listed], "related": related, "download": download}
    return TextTable(header, rows, title, sortable=True, **links)


def weights_text(data: FittedData, prototype: int) -> str:
    """Return the weights of a prototype by class; of many, the largest first."""
    weights = data.model.weights_[prototype]
    if not data.has_classes:
        return f"{weights[0]:+.3g}"
    order = np.arange(len(weights))
    if len(weights) > MAX_LISTED_WEIGHTS:
        order = np.argsort(-np.abs(weights), kind="stable")[:MAX_LISTED_WEIGHTS]
    more = f", {len(weights) - len(order)} more" if len(weights) > len(order) else ""
    return ", ".join(f"{data.classes[k]}: {weights[k]:+.3g}" for k in order) + more


def mistakes_table(held: HeldOut) -> TextTable:
    """Return a row for each misclassified object, the most confident mistakes first."""
    wrong = held.misclassified
    confidence = held.mean_probabilities[wrong, held.mistaken_for[wrong]]
    wrong, n_wrong = wrong[np.argsort(-confidence, kind="stable")], len(wrong)
    wrong = wrong[:MAX_EXPLAINED_MISTAKES]
    found = [explain_mistake(held, i) for i in wrong]
    listed = found[:MAX_LISTED_MISTAKES]
    names = ["object", "true", "predicted", "probability", "wrong", "nearest objects", "why"]
    header, *rows = ([*row[:4], row[-1]] for row in (names, *listed))
    title = _listed_of("Wrong when held out", len(listed), n_wrong)
    download = "mistakes.csv", as_csv(names, found)
    return _object_table(held.data, wrong[: len(listed)], title, header, rows, download)


def _listed_of(title: str, n_listed: int, n: int) -> str:
    return f"{title}: {n}" if n_listed == n else f"{title}: the first {n_listed} of {n:,}"


def explain_mistake(held: HeldOut, i: int) -> list[str]:
    """Return the row of one misclassified object."""
    data, predicted = held.data, held.mistaken_for[i]
    row, near, listed = _nearest(data, i)
    return [
        str(data.names[i]),
        data.label(i),
        str(data.classes[predicted]),
        f"{held.mean_probabilities[i, predicted]:.2f}",
        f"{held.n_wrong[i]} of {np.count_nonzero(held.objects == i)}",
        listed,
        " ".join(_reasons(held, i, row, near)),
    ]


def _reasons(held: HeldOut, i: int, row: Array, near: Indices) -> Iterator[str]:
    data, true = held.data, held.data.y[i]
    around = data.near_prototypes[data.nearest_places[i]]  # objects near its nearest prototypes
    n_own = int(np.count_nonzero(data.y[near] == true))
    equal = np.flatnonzero((row == 0) & (data.y != true))
    if len(equal):
        yield f"{_at_zero(data, i, equal[0])} is of class {data.label(equal[0])}."
    elif n_own == 0:
        yield f"None of its {len(near)} nearest objects is of class {data.label(i)}."
    elif n_own < len(near):
        yield f"Of its {len(near)} nearest objects, {n_own} {verb(n_own)} of its own class."
    elif true not in [np.argmax(np.bincount(data.y[near])) for near in around]:
        yield "Its nearest objects are of its own class, but its nearest prototypes are not."
    else:
        reason = "networks trained without it have no prototype there"
        if isinstance(data.model.prototypes_, ObjectPrototypes):
            reason = "farther ones outweigh them"
        yield f"Its nearest objects are of its own class: {reason}."
    if held.n_wrong[i] < (n_times := np.count_nonzero(held.objects == i)):
        yield f"Wrong in {held.n_wrong[i]} of {n_times} repetitions."
    p_true = held.mean_probabilities[i, true]
    gap = held.mean_probabilities[i, held.mistaken_for[i]] - p_true
    if gap < -CLOSE_CALL:
        yield f"Its mean prediction is correct: {p_true:.2f}."
    elif gap < CLOSE_CALL:
        yield f"A close call: {p_true:.2f} for its own class."
    if (size := int(np.count_nonzero(data.y == true))) < SMALL_CLASS:
        yield f"Its class has only {count(size, 'object')}."
    if row[near[0]] > data.isolation_distance:
        yield "It is isolated."
    if not len(equal) and data.fitted_classes[i] != true:
        yield "The network trained with its label disagrees with it too: is the label right?"


def errors_table(held: HeldOut, q: float) -> TextTable:
    """Return a row for each of the objects with the largest errors; q is half of an interval."""
    data = held.data
    order = np.argsort(-np.abs(held.predicted - data.y), kind="stable")
    listed = order[:MAX_LISTED_ERRORS]
    every = [
        [str(data.names[i]), data.y[i].item(), p, p - q, p + q, p - data.y[i].item()]
        for i, p in ((i, float(held.predicted[i])) for i in order)
    ]
    names = ["object", "true", "predicted", "low", "high", "error"]
    download = "predictions.csv", as_csv(names, every)
    header, rows = [*names[:3], "error", "why"], [_explain_error(held, i) for i in listed]
    title = f"The {len(listed)} largest errors when held out"
    return _object_table(data, listed, title, header, rows, download)


def _explain_error(held: HeldOut, i: int) -> list[str]:
    data, predicted, y = held.data, held.predicted[i], held.data.y[i]
    row, near, _ = _nearest(data, i)
    around = data.y[near]
    why = ["The targets of its nearest objects differ widely."]
    if not around.min() <= y <= around.max():
        side = "above" if y > around.max() else "below"
        mean = f"mean {number(around.mean())}"
        why = [f"Its target is {side} those of its {len(near)} nearest objects ({mean})."]
    if row[near[0]] > data.isolation_distance:
        why.append("It is isolated.")
    if row[near[0]] == 0:
        why.append(f"{_at_zero(data, i, near[0])} has the target {data.label(near[0])}.")
    error = number(predicted - y)
    values = [data.label(i), number(predicted), error if error.startswith("-") else f"+{error}"]
    return [str(data.names[i]), *values, " ".join(why)]


def _nearest(data: FittedData, i: int) -> tuple[Array, Indices, str]:
    """Return the dissimilarities of an object, its nearest others, and these as text."""
    row = data.relation.block(np.array([i]))[0]
    order = np.argsort(row, kind="stable")
    near = order[order != i][:N_NEIGHBOURS]
    return row, near, ", ".join(f"{data.names[k]} ({data.label(k)}, {row[k]:.3g})" for k in near)


def _at_zero(data: FittedData, i: int, other: int) -> str:
    """Name an object at dissimilarity 0, which may differ in its dissimilarities to others."""
    if data.first_equal[i] == data.first_equal[other]:
        return f"Its duplicate {data.names[other]}"
    return f"{data.names[other]}, at dissimilarity 0,"


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
    return Section("Map of the objects", MAP_HELP, drawings=[(markup, caption)])


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
    true = to_power(data.relation.block(some, some)[i, j], exponent / 2)
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
        if data.prototype_classes is not None:
            keys["colour"] = _group_looks(data)[data.prototype_classes[j]][2]
        marks.append(Mark(x, y, text, kind="prototype", size=size, **keys))
    return marks
