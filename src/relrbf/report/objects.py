"""Tables of objects and prototypes: what is mistaken and why, and what a prototype describes."""

from collections.abc import Iterator

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.prototypes import ObjectPrototypes
from relrbf.report.data import FittedData, number
from relrbf.report.evaluation import MAX_LISTED_MISTAKES
from relrbf.report.held_out import HeldOut
from relrbf.report.page import TextTable, as_csv, count, prose, verb

MAX_LISTED_PROTOTYPES, MAX_FILED_PROTOTYPES = 40, 200  # by their places
MAX_EXPLAINED_MISTAKES = 2000  # in the file
MAX_LISTED_WEIGHTS = 4  # per prototype
N_NEIGHBOURS = 3  # nearest objects that are listed
CLOSE_CALL = 0.15  # between the probabilities of the predicted and the true class
SMALL_CLASS = 6  # objects
MAX_LISTED_ERRORS = 20


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
    every = [
        [str(k + 1), neighbourhood_text(data, j), nearest_text(data, j)]
        + [f"{value:.6g}" for value in numbers[k]]
        for j in order
        for k in range(j, len(sizes), data.n_places)
    ]
    order = order[:MAX_LISTED_PROTOTYPES]
    rows = [
        [str(j + 1), neighbourhood_text(data, j), nearest_text(data, j), f"{by_place[j]:.1%}"]
        for j in order
    ]
    outputs = [f"weight of {name}" for name in data.classes] or ["weight"]
    header = ["prototype", "neighbourhood", "nearest objects", "influence"]
    text = as_csv([*header, "bandwidth", *outputs], every)
    n, n_listed = data.n_places, len(order)
    return TextTable(
        header,
        rows,
        _listed_of("Prototypes", n_listed, n),
        sortable=True,
        keys=[f"p{j}" for j in order],
        related=[object_keys(data, j) for j in order],
        download=("prototypes.csv", text),
        note=prose("influence"),
    )


def neighbourhood_text(data: FittedData, place: int) -> str:
    """Return which classes or targets the objects nearest to a prototype have."""
    near = data.near_prototypes[place]
    if not data.has_classes:
        low, high = np.quantile(data.y[near], (0.1, 0.9))
        return f"targets {number(low)} to {number(high)}"
    counts = np.bincount(data.y[near], minlength=len(data.classes))
    k = np.argmax(counts)
    return f"{data.classes[k]}, {counts[k]} of {len(near)} nearest"


def _main_class(data: FittedData, near: Indices) -> str:
    return str(data.classes[np.argmax(np.bincount(data.y[near]))])


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


def _related(data: FittedData, i: int) -> str:
    """Return the keys of the objects and prototypes nearest to an object."""
    near = " ".join(f"o{k}" for k in _nearest(data, i)[1])
    return f"{near} {prototype_keys(data, i)}"


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
    data, wrong = held.data, held.misclassified
    confidence = held.mean_probabilities[wrong, held.mistaken_for[wrong]]
    wrong, n_wrong = wrong[np.argsort(-confidence, kind="stable")], len(wrong)
    wrong = wrong[:MAX_EXPLAINED_MISTAKES]
    found = [explain_mistake(held, i) for i in wrong]
    listed = found[:MAX_LISTED_MISTAKES]
    header = ["object", "true", "predicted", "probability", "wrong", "nearest objects", "why"]
    return TextTable(
        [*header[:4], header[-1]],
        [[*row[:4], row[-1]] for row in listed],
        _listed_of("Wrong when held out", len(listed), n_wrong),
        sortable=True,
        keys=[f"o{i}" for i in wrong[: len(listed)]],
        related=[_related(data, i) for i in wrong[: len(listed)]],
        download=("mistakes.csv", as_csv(header, found)),
    )


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
    own = str(data.classes[true])
    n_own = int(np.count_nonzero(data.y[near] == true))
    equal = np.flatnonzero((row == 0) & (data.y != true))
    if len(equal):
        yield f"{_at_zero(data, i, equal[0])} is of class {data.label(equal[0])}."
    elif n_own == 0:
        yield f"None of its {len(near)} nearest objects is of class {own}."
    elif n_own < len(near):
        yield f"Of its {len(near)} nearest objects, {n_own} {verb(n_own)} of its own class."
    elif own not in [_main_class(data, data.near_prototypes[j]) for j in data.nearest_places[i]]:
        yield "Its nearest objects are of its own class, but its nearest prototypes are not."
    else:
        reason = "networks trained without it have no prototype there"
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
    return TextTable(
        ["object", "true", "predicted", "error", "why"],
        [_explain_error(held, i) for i in listed],
        f"The {len(listed)} largest errors when held out",
        sortable=True,
        keys=[f"o{i}" for i in listed],
        related=[_related(data, i) for i in listed],
        download=("predictions.csv", as_csv(names, every)),
    )


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
