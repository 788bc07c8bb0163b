"""Plots of fitted models: prototypes among the objects, their coefficients, and training."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from sklearn.base import is_regressor
from sklearn.utils.validation import check_is_fitted

from relrbf._options import check_number, is_auto
from relrbf._typing import Array, Indices
from relrbf.embeddings import ClassicalMDS, LandmarkMDS
from relrbf.exceptions import OptionError, RelationWarning
from relrbf.plotting import style
from relrbf.plotting.style import COLOURS, INK, Display, default_axes, draw_legend, label_axes
from relrbf.prototypes import Prototypes
from relrbf.relations.base import Relation
from relrbf.relations.conversion import check_relation
from relrbf.relations.properties import NEGLIGIBLE
from relrbf.training import History

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_LARGE_RINGS = 40  # prototypes
MAX_CLASSICAL_MDS = 2000  # objects; more are embedded by landmarks
HATCHES = ("", "///", "...", "xxx")
DEFAULT_PROTOTYPES = 6  # shown where they fit
ROW_HEIGHT, MIN_ROW_HEIGHT = 12.0, 9.0  # points


def plot_embedding(
    points: Any,
    labels: Any = None,
    coefficients: Array | None = None,
    ax: "Axes | None" = None,
    *,
    values: Any = None,
) -> "Axes":
    """Draw objects by class, and prototypes as affine combinations of them.

    Parameters
    ----------
    points : ndarray of shape (n, 2)
        Positions of the objects, from any linear projection of their vectors.
    labels : sequence of n labels or None, default=None
        Classes, shown by colour and marker.
    coefficients : ndarray of shape (c, n) or None, default=None
        ``model.prototypes_.coefficients``.
    ax : matplotlib Axes or None, default=None
        Where to draw, and what is returned; None: a new figure.
    values : sequence of n numbers or None, default=None
        Shown by colour in place of classes, such as the targets of a regression.

    Examples
    --------
    >>> import numpy as np
    >>> from matplotlib.figure import Figure
    >>> from relrbf.plotting import plot_embedding
    >>> points = np.array([[0.0, 0.0], [1.0, 0.0], [5.0, 4.0]])
    >>> ax = plot_embedding(points, ["a", "a", "b"], [[0.5, 0.5, 0.0]], Figure().subplots())
    >>> ax.lines[-1].get_xydata().tolist()
    [[0.5, 0.0]]
    """
    points, coefficients = _check_points(points, coefficients)
    is_raster = len(points) > style.MAX_VECTOR_MARKS
    if values is not None:
        values = style.check_length("values", style.check_numbers("values", values), len(points))
        ax = default_axes(ax)
        marks: Any = {"s": 16, "alpha": 0.8, "linewidths": 0, "rasterized": is_raster}
        shown = ax.scatter(points[:, 0], points[:, 1], c=values, cmap=style.SEQUENTIAL, **marks)
        ax.figure.colorbar(shown, ax=ax, label="value")
    else:
        labels = np.full(len(points), "objects") if labels is None else labels
        classes, groups = style.encode_labels(labels, len(points))
        ax = default_axes(ax, figsize=style.size_with_legend([*classes, "prototypes"]))
        marks = {"ms": 4, "alpha": 0.55, "mew": 0, "rasterized": is_raster}
        for k, name in enumerate(classes):
            colour, marker = style.colour_and_marker(k)
            ax.plot(*points[groups == k].T, marker, color=colour, label=str(name), **marks)
    if coefficients is not None:
        centres = coefficients @ points
        size = 9 if len(centres) <= MAX_LARGE_RINGS else 5
        ax.plot(*centres.T, "o", ms=size, mfc="none", mec=INK, mew=1.4, label="prototypes")
        ax.plot(*centres.T, ".", ms=size / 2.25, color=INK)
    if named := [line for line in ax.lines if not str(line.get_label()).startswith("_")]:
        draw_legend(ax, named)
    return label_axes(ax, "Objects and prototypes", "first component", "second component")


def _check_points(points: Any, coefficients: Any) -> tuple[Array, Array | None]:
    points = style.check_numbers("points", points)
    if points.ndim != 2 or points.shape[1] != 2:
        raise OptionError(f"points has shape {points.shape}; give two coordinates per object.")
    if coefficients is None:
        return points, None
    coefficients = style.check_numbers("coefficients", coefficients)
    if coefficients.ndim != 2 or coefficients.shape[1] != len(points):
        raise OptionError(
            f"coefficients has shape {coefficients.shape} for {len(points)} points; give one row "
            "per prototype and one column per object."
        )
    return points, coefficients


def plot_embedding_of(
    model: Any, X: Any, y: Any = None, ax: "Axes | None" = None, *, random_state: Any = 0
) -> "Axes":
    """Draw the objects that a model was fitted to, and its prototypes, by classical MDS.

    If no vectors have these dissimilarities, the negative part of the spectrum is left out and the
    axis label tells how much that is. More than 2,000 objects are embedded by landmarks.

    Parameters
    ----------
    model : network or clusterer
        Fitted.
    X : array, memmap, frame or Relation of shape (n, n)
        What the model was fitted to.
    y : sequence of n labels or numbers, or None, default=None
        Classes, or the targets of a regressor.
    ax : matplotlib Axes or None, default=None
        Where to draw, and what is returned; None: a new figure.
    random_state : int, RandomState instance or None, default=0
        Seeds the choice of landmarks.
    """
    return EmbeddingDisplay.from_estimator(model, X, y, random_state=random_state, ax=ax).ax_


@dataclass(eq=False, repr=False)
class EmbeddingDisplay(Display):
    """Objects in two dimensions, and prototypes among them.

    Parameters
    ----------
    points, labels, coefficients, values
        As in ``plot_embedding``.
    negative_fraction : float, default=0.0
        Share of the spectrum that is negative and left out.
    """

    points: Any
    labels: Any = None
    coefficients: Any = None
    values: Any = None
    negative_fraction: float = 0.0

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any = None,
        *,
        random_state: Any = 0,
        ax: "Axes | None" = None,
    ) -> Self:
        """Draw the objects that a model was fitted to, as ``plot_embedding_of`` does."""
        relation, coefficients = _training_objects(estimator, X)
        points, negative = embed(relation, random_state)
        labels, values = (None, y) if is_regressor(estimator) else (y, None)
        return cls(points, labels, coefficients, values, negative).plot(ax)

    def _draw(self, ax: "Axes | None") -> "Axes":
        ax = plot_embedding(self.points, self.labels, self.coefficients, ax, values=self.values)
        ax.margins(0.08)
        ax.set_aspect("equal", adjustable="datalim")  # distances must not be distorted
        if self.negative_fraction > NEGLIGIBLE:
            share = f"{100 * self.negative_fraction:.1f} % of the spectrum is negative"
            ax.set_xlabel(f"{ax.get_xlabel()}\n({share} and not shown)")
        return ax


def embed(relation: Relation, random_state: Any = 0) -> tuple[Array, float]:
    """Return positions of the objects (n × 2), and the negative share of the spectrum."""
    mds: Any = ClassicalMDS(2, exponent=relation.exponent)
    if relation.n_objects > MAX_CLASSICAL_MDS:
        mds = LandmarkMDS(2, exponent=relation.exponent, random_state=random_state)
    with warnings.catch_warnings():  # plots and pages tell of the negative share
        warnings.simplefilter("ignore", RelationWarning)
        return mds.fit_transform(relation), float(mds.negative_eigenfraction_)


def _training_objects(estimator: Any, X: Any) -> tuple[Relation, Array]:
    """Return the relation that a model was fitted to, and the coefficients of its prototypes."""
    if not hasattr(estimator, "fit"):
        raise OptionError(f"estimator is a {type(estimator).__name__}; pass a fitted model.")
    check_is_fitted(estimator)
    if not hasattr(estimator, "prototypes_"):
        raise OptionError(
            f"estimator is a {type(estimator).__name__}, which has no prototypes; pass points to "
            "plot_embedding instead."
        )
    relation = check_relation(X, estimator).with_exponent(estimator.exponent_)
    coefficients = estimator.prototypes_.coefficients
    if relation.n_objects != coefficients.shape[1]:
        raise OptionError(
            f"X holds {relation.n_objects} objects, and the prototypes are combinations of "
            f"{coefficients.shape[1]}; pass what the model was fitted to (of a compact model, "
            "the support's part of it)."
        )
    return relation, coefficients


class Bar(NamedTuple):
    """One row of ``plot_prototypes``: a heading (no value), an object, or the sum of others."""

    text: str
    value: float | None = None
    colour: str = "none"
    hatch: str = ""
    group: int | None = None  # position of the object's class, if known


def plot_prototypes(
    model: Any,
    labels: Any = None,
    ax: "Axes | None" = None,
    *,
    n_prototypes: int | str = "auto",
    n_largest: int = 4,
) -> "Axes":
    """Draw the largest coefficients of each prototype as bars.

    A negative coefficient places the prototype away from that object. An empty bar is the sum of
    all coefficients that are not shown; with it, those of a prototype sum to one.

    Parameters
    ----------
    model : fitted network or clusterer, or Prototypes
        Prototypes of a classifier are named by the class of their largest output weight.
    labels : sequence of n labels or None, default=None
        Classes of the training objects, shown by the colour of their bars. None: blue for
        positive and orange for negative coefficients.
    ax : matplotlib Axes or None, default=None
        Where to draw, and what is returned; None: a new figure.
    n_prototypes : int or "auto", default="auto"
        How many to show, those with the largest output weights first. "auto": six, or as many
        as can be read in the axes given.
    n_largest : int, default=4
        How many coefficients to show of each, the largest in absolute value.
    """
    check_number("n_prototypes", n_prototypes, Integral, 1, or_auto=True)
    check_number("n_largest", n_largest, Integral, 1)
    prototypes = _fitted_part(model, "prototypes_", Prototypes, "model", "network or clusterer")
    coefficients = prototypes.coefficients
    c, n = coefficients.shape
    classes, groups = style.encode_labels(labels, n)
    names = range(n) if prototypes.ids is None else prototypes.ids.tolist()
    weights = getattr(model, "weights_", np.zeros((c, 1)))
    order = np.argsort(-np.linalg.norm(weights, axis=1), kind="stable")
    blocks = [
        [Bar(_heading(model, j)), *_bars(coefficients[j], names, groups, n_largest)] for j in order
    ]
    blocks = blocks[: _n_readable(ax, blocks) if is_auto(n_prototypes) else int(n_prototypes)]
    bars = [bar for block in blocks for bar in block]
    shown = {bar.group: bar for bar in bars if bar.group is not None}
    width = style.size_with_legend(classes[list(shown)], beside=True)[0]
    ax = default_axes(ax, figsize=(width + 1, max(2.0, 1.1 + ROW_HEIGHT * len(bars) / 72)))
    _draw_bars(ax, bars)
    if shown:
        from matplotlib.patches import Patch

        looks = [(str(classes[k]), shown[k]) for k in sorted(shown)]
        patches = [Patch(fc=b.colour, hatch=b.hatch, ec="white", label=name) for name, b in looks]
        draw_legend(ax, patches, title="class")
    some = f"{len(blocks)} of {c}" if len(blocks) < c else f"{c}"
    return label_axes(ax, f"Coefficients of {some} prototypes", "coefficient", "")


def _fitted_part(model: Any, attribute: str, kind: Any, argument: str, expected: str) -> Any:
    """Return an attribute of a fitted model, or what was given if it is that already."""
    if hasattr(model, "fit"):
        check_is_fitted(model)
    part = getattr(model, attribute, model)
    if not isinstance(part, kind):
        raise OptionError(
            f"{argument} is a {type(part).__name__}; pass a fitted {expected}, or its {attribute}."
        )
    return part


def _heading(model: Any, j: int) -> str:
    if not hasattr(model, "weights_"):
        return f"prototype {j}"
    weights = model.weights_[j]
    if hasattr(model, "classes_"):
        return f"prototype {j}, for {style.shorten(model.classes_[np.argmax(weights)])}"
    return f"prototype {j}, weight {', '.join(f'{weight:.2g}' for weight in weights[:3])}"


def _bars(row: Array, names: Sequence[Any], groups: Indices, n_largest: int) -> list[Bar]:
    order = np.argsort(-np.abs(row), kind="stable")[:n_largest]
    largest = [i for i in order if row[i] != 0]
    bars = []
    for i in largest:
        group, hatch = None, ""
        colour = style.POSITIVE if row[i] > 0 else style.NEGATIVE
        if len(groups):
            group = int(groups[i])
            colour = COLOURS[group % len(COLOURS)]
            hatch = HATCHES[group // len(COLOURS) % len(HATCHES)]  # classes of the same colour
        bars.append(Bar(style.shorten(names[i]), float(row[i]), colour, hatch, group))
    if n_others := int(np.count_nonzero(row)) - len(largest):
        bars.append(Bar(f"{n_others:,} others", float(row.sum() - row[largest].sum())))
    return bars


def _draw_bars(ax: "Axes", bars: list[Bar]) -> None:
    drawn = {k: bar for k, bar in enumerate(bars) if bar.value is not None}
    texts, values, colours, hatches, _ = zip(*drawn.values(), strict=True)
    edges = [style.PALE if colour == "none" else "white" for colour in colours]
    ax.barh(list(drawn), values, 0.75, color=colours, edgecolor=edges, hatch=hatches)
    ax.axvline(0, color=INK, linewidth=0.8)
    size = float(np.clip(0.75 * _height(ax) / len(bars), 4, 9))
    ax.set_yticks(list(drawn), texts, fontsize=size)
    background = {"facecolor": ax.get_facecolor(), "edgecolor": "none", "pad": 1}
    place: Any = {"transform": ax.get_yaxis_transform(), "va": "center", "bbox": background}
    for k in set(range(len(bars))) - set(drawn):  # headings, inside the axes to save width
        ax.text(0.01, k, bars[k].text, fontsize=size, fontweight="bold", **place)
    ax.set_ylim(max(len(bars), 8) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="x", alpha=0.3)
    ax.set_axisbelow(True)


def _height(ax: "Axes") -> float:
    """Return the height of axes in points, less what title and labels will take."""
    return ax.get_window_extent().height * 72 / ax.figure.dpi - 30


def _n_readable(ax: "Axes | None", blocks: list[list[Bar]]) -> int:
    """Return how many prototypes can be read in the axes; at least one."""
    if ax is None:
        return DEFAULT_PROTOTYPES
    n_rows = np.cumsum([len(block) for block in blocks[:DEFAULT_PROTOTYPES]])
    return max(1, int(np.count_nonzero(n_rows * MIN_ROW_HEIGHT <= _height(default_axes(ax)))))


def plot_history(history: Any, ax: "Axes | None" = None) -> "Axes":
    """Draw the objective and, if there is one, the validation error over the epochs.

    Markers show where prototypes were added and which state was kept; if the number of prototypes
    changes, an axis on the right counts them.

    Parameters
    ----------
    history : History or fitted network
        ``model.history_``, or the model.
    ax : matplotlib Axes or None, default=None
        Where to draw, and what is returned; None: a new figure.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from relrbf.plotting import plot_history
    >>> from relrbf.training import History
    >>> history = History(objective=[4.0, 2.0, 1.5], n_prototypes=[2, 2, 3], grown=[(1, 7)])
    >>> ax = plot_history(history, Figure().subplots())
    >>> [line.get_label() for line in ax.lines]
    ['training', 'prototype added']
    """
    history = _fitted_part(history, "history_", History, "history", "network")
    if not len(history):
        raise OptionError("history has no epochs; there is nothing to draw.")
    ax = default_axes(ax)
    ax.plot(history.objective, color=COLOURS[0], label="training")
    if epochs := [epoch for epoch, _ in history.grown]:
        heights = [history.objective[epoch] for epoch in epochs]
        ax.plot(epochs, heights, "^", color=COLOURS[0], markersize=5, label="prototype added")
    if len(set(history.n_prototypes)) > 1:
        right, counts = ax.twinx(), history.n_prototypes
        right.step(range(len(counts)), counts, where="post", color=COLOURS[2], lw=1)
        right.set_ylabel("prototypes", color=COLOURS[2])
        right.set_ylim(0, 1.6 * max(counts))  # below the legend
        right.locator_params(axis="y", integer=True)
        right.spines[["top", "left"]].set_visible(False)
    if errors := history.validation_error:
        best = history.best_epoch
        ax.plot(errors, color=COLOURS[1], linestyle="--", label="validation")
        ax.plot(best, errors[best], "o", color=INK, fillstyle="none", label="state kept")
        if min(*errors, *history.objective) > 0:
            ax.set_yscale("log")  # a random initial state may be a hundred times worse
    if len(ax.lines) > 1:
        draw_legend(ax, list(ax.lines))
    ax.grid(axis="y", alpha=0.3)
    ax.locator_params(axis="x", integer=True)
    return label_axes(ax, "Training", "epoch", "objective")
