"""The section on the objects that a network gets wrong, and why."""

from collections import Counter
from collections.abc import Iterator

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.report.case import Case
from relrbf.report.held_out import HeldOut
from relrbf.report.page import Section, Table
from relrbf.report.prototypes import class_of
from relrbf.report.words import count, verb

MOST_LISTED = 50
N_NEIGHBOURS = 3
N_PROTOTYPES = 2
CLOSE_CALL = 0.15  # between the probabilities of what was said and what is true
SMALL_CLASS = 6


def mistakes_section(case: Case, held: HeldOut) -> Section:
    """Return a row for each object that is taken for another class."""
    wrong = held.wrong
    title = "Objects it gets wrong"
    if not len(wrong):
        return Section(title, "None: every object, held out, is given its class.")
    sure = held.probabilities[wrong, held.mistaken_for[wrong]]
    listed = wrong[np.argsort(-sure, kind="stable")][:MOST_LISTED]
    explained = [explain(case, held, i) for i in listed]
    several = held.n_repeats > 1
    text = (
        f"{len(wrong)} of {count(case.n_objects, 'object')} {verb(len(wrong))} given a wrong class "
        f"when held out{', in one answer or more' if several else ''}. The surest mistakes come "
        "first: of these, look at the labels. Neighbours are the nearest objects of all; "
        "prototypes those of the network trained on all objects."
    )
    if several:
        text += f" Probabilities are means of {held.n_repeats} answers."
    if more := len(wrong) - len(listed):
        text += f"\n\nListed are the {len(listed)} surest; {more} more {verb(more)} not."
    header = ["object", "true", "predicted", "probability", "wrong in"]
    header += ["nearest prototypes", "nearest objects", "why"]
    return Section(title, text, tables=[Table(header, explained, "Wrong when held out", (), True)])


def explain(case: Case, held: HeldOut, i: int) -> list[str]:
    """Return the row of one object."""
    said, row = held.mistaken_for[i], case.relation.block(np.array([i]))[0]
    near = neighbours(row, i)
    nearest = [f"{case.names[k]} ({case.said(k)}, {row[k]:.3g})" for k in near]
    return [
        str(case.names[i]),
        case.said(i),
        str(case.classes[said]),
        f"{held.probabilities[i, said]:.2f}",
        f"{held.times_wrong[i]} of {held.times[i]:.0f}",
        ", ".join(f"{j + 1} ({class_of(case, j)})" for j in _prototypes(case, i)),
        ", ".join(nearest),
        " ".join(_reasons(case, held, i, row, near)),
    ]


def neighbours(row: Array, i: int) -> Indices:
    """Return the nearest other objects."""
    order = np.argsort(row, kind="stable")
    return order[order != i][:N_NEIGHBOURS]


def at_zero(case: Case, i: int, other: int) -> str:
    """Name an object at distance 0: a copy of another, or one that others tell from it."""
    if case.twins[i] == case.twins[other]:
        return f"Its copy {case.names[other]}"
    return f"{case.names[other]}, at distance 0,"


def _prototypes(case: Case, i: int) -> Indices:
    model = case.model
    scaled = case.distances_sq[:, i] / model.bandwidths_**2
    return np.argsort(scaled, kind="stable")[:N_PROTOTYPES]


def _reasons(case: Case, held: HeldOut, i: int, row: Array, near: Indices) -> Iterator[str]:
    true, said = case.y[i], held.mistaken_for[i]
    found = Counter[int](case.y[near].tolist())
    same = np.flatnonzero((row == 0) & (case.y != true))
    if len(same):
        yield f"{at_zero(case, i, same[0])} is of another class: {case.said(same[0])}."
    elif found[true] == 0:
        yield f"None of its {len(near)} nearest objects is of class {case.classes[true]}."
    elif found[true] < len(near):
        own = found[true]
        yield f"Of its {len(near)} nearest objects, {own} {verb(own)} of its own class."
    else:
        yield _though_near(case, i)
    gap = held.probabilities[i, said] - held.probabilities[i, true]
    if gap < -CLOSE_CALL:
        yield f"By the mean of its answers it is right: {held.probabilities[i, true]:.2f}."
    elif gap < CLOSE_CALL:
        yield f"A close call: {held.probabilities[i, true]:.2f} for its own class."
    if (n_own := int(np.count_nonzero(case.y == true))) < SMALL_CLASS:
        yield f"Its class has {count(n_own, 'object')} only."
    if row[near[0]] > case.wide_gap:
        yield "It lies apart from all others."
    if not len(same) and _trained(case, i) != true:
        yield "Even the network trained with its label says otherwise: is the label right?"


def _though_near(case: Case, i: int) -> str:
    """Return why an object among its own class may be wrong all the same."""
    own = str(case.classes[case.y[i]])
    if own not in [class_of(case, j) for j in _prototypes(case, i)]:
        return "Its nearest objects are of its own class, but the prototypes around it are not."
    return (
        "Its nearest objects are of its own class: networks that had not seen it placed no "
        "prototype there."
    )


def _trained(case: Case, i: int) -> int:
    """Return what the network trained on all objects says of one of them."""
    network, distances_sq = case.model._network, case.distances_sq[:, [i]]
    return int(np.argmax(network.forward(distances_sq).responses[0]))
