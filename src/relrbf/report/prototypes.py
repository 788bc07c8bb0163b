"""The section that says what each prototype stands for."""

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.report.case import Case
from relrbf.report.page import Section, Table

MOST_LISTED = 60
MOST_WEIGHTS = 4  # classes per prototype, of many
N_NEAREST = 3


def prototypes_section(case: Case) -> Section:
    """Return the table of prototypes, those with the most influence first."""
    model = case.model
    influence = influences(case)
    order = np.argsort(-influence, kind="stable")[:MOST_LISTED]
    nearest = nearest_objects(case.distances_sq, order)
    header = ["prototype", "influence", "nearest objects", "class weights", "bandwidth"]
    if not case.has_classes:
        header[3] = "weight"
    elif len(case.classes) > MOST_WEIGHTS:
        header[3] = f"{MOST_WEIGHTS} largest class weights"
    rows = [
        [
            str(j + 1),
            f"{influence[j]:.1%}",
            ", ".join(f"{case.names[i]} ({case.said(i)})" for i in near),
            weight_words(case, j).removeprefix("weight "),
            f"{model.bandwidths_[j]:.4g}",
        ]
        for j, near in zip(order, nearest, strict=True)
    ]
    c = len(model.prototypes_)
    text = _meaning(case)
    if c > len(order):
        text += f"\n\nListed are the {len(order)} of {c} prototypes with the most influence."
    title = f"{c} prototypes" if c > 1 else "One prototype"
    return Section("What each prototype stands for", text, tables=[Table(header, rows, title)])


def _meaning(case: Case) -> str:
    weights = (
        "Its weights say which classes it speaks for (+) and against (-); one amid a class may "
        "speak against it, where it corrects what others say there too loudly"
        if case.has_classes
        else "Its weight says how far it raises or lowers the prediction"
    )
    unit = " (of their roots)" if case.model.exponent_ == 1 else ""
    return (
        "A prototype is a combination of objects; the objects nearest to it say what it is like. "
        f"{weights}. Its bandwidth is how far its word carries, in the unit of the dissimilarities"
        f"{unit}. Influence is its share of all that prototypes say of the training objects."
    )


def influences(case: Case) -> Array:
    """Return each prototype's share in the sum of activation times weight, in size."""
    model = case.model
    activations = np.abs(model._network.forward(case.distances_sq).activations)
    weights = model.weights_ - model.weights_.mean(axis=1, keepdims=True) * case.has_classes
    sizes = activations.mean(axis=1) * np.abs(weights).sum(axis=1)
    return sizes / (sizes.sum() or 1.0)


def nearest_objects(distances_sq: Array, prototypes: Indices) -> Indices:
    """Return the objects nearest to some of the prototypes."""
    return np.argsort(distances_sq[prototypes], axis=1, kind="stable")[:, :N_NEAREST]


def class_of(case: Case, prototype: int) -> str:
    """Return the class that a prototype speaks for."""
    return str(case.classes[np.argmax(case.model.weights_[prototype])])


def weight_words(case: Case, prototype: int) -> str:
    """Return the weights of a prototype in the order of the classes; of many, the largest first."""
    weights = case.model.weights_[prototype]
    if not case.has_classes:
        return f"weight {weights[0]:+.3g}"
    order = np.arange(len(weights))
    if len(weights) > MOST_WEIGHTS:
        order = np.argsort(-np.abs(weights), kind="stable")[:MOST_WEIGHTS]
    more = f", {len(weights) - len(order)} more" if len(weights) > len(order) else ""
    return ", ".join(f"{case.classes[k]}: {weights[k]:+.3g}" for k in order) + more
