"""What prototypes are made of."""

from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from relrbf._options import check_number, is_auto
from relrbf._typing import Array, Indices
from relrbf.exceptions import OptionError
from relrbf.plotting.display import Display
from relrbf.plotting.style import (
    COLOURS,
    INK,
    NEGATIVE,
    PALE,
    POSITIVE,
    classes_of,
    default_axes,
    draw_legend,
    plain,
    shortened,
    with_legend,
)
from relrbf.prototypes import Prototypes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HATCHES = ("", "///", "...", "xxx")
USUAL = 6  # prototypes, where there is room
LINE, TIGHT = 12.0, 9.0  # points that a line takes, and at least


@dataclass(frozen=True)
class Line:
    """One line of the picture: a heading (no coefficient), an object, or the rest together."""

    text: str
    coefficient: float | None = None
    group: int | None = None  # the object's class, where it is known
    is_rest: bool = False


def plot_prototypes(
    model: Any,
    labels: Any = None,
    ax: "Axes | None" = None,
    *,
    n_prototypes: int | str = "auto",
    n_largest: int = 4,
) -> "Axes":
    """Draw the largest coefficients of each prototype as bars, with the names of the objects.

    A bar to the left of zero is a negative coefficient: the prototype lies beyond the others, away
    from that object. An empty bar is the sum of all coefficients that are not shown; with it, those
    of a prototype sum to one.

    Parameters
    ----------
    model : fitted network or clusterer, or Prototypes
        Its prototypes. Those of a classifier are named by the class that their output weights
        favour.
    labels : sequence of n labels or None, default=None
        Classes of the training objects, for the colour of their bars. None: blue above zero,
        orange below.
    ax : matplotlib Axes or None, default=None
        Where to draw.
    n_prototypes : int or "auto", default="auto"
        How many to show: of a network those with the largest output weights, largest first.
        "auto": six, or as many as can be read in the axes given.
    n_largest : int, default=4
        How many coefficients to show of each, the largest in size.

    Returns
    -------
    Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from scipy.spatial.distance import pdist, squareform
    >>> from sklearn.datasets import load_iris
    >>> from relrbf import RBFNetworkClassifier
    >>> from relrbf.plotting import plot_prototypes
    >>> X, y = load_iris(return_X_y=True)
    >>> model = RBFNetworkClassifier(8, random_state=0).fit(squareform(pdist(X)), y)
    >>> ax = plot_prototypes(model, y, Figure().subplots(), n_prototypes=3)
    >>> ax.get_title(loc="left")
    'What 3 of 8 prototypes are made of'
    """
    check_number("n_prototypes", n_prototypes, Integral, 1, or_auto=True)
    check_number("n_largest", n_largest, Integral, 1)
    prototypes = _prototypes_of(model)
    coefficients = prototypes.coefficients
    classes, groups = classes_of(labels, coefficients.shape[1])
    names = _object_names(prototypes, coefficients.shape[1])
    blocks = [
        _block(_heading(model, j), coefficients[j], names, groups, n_largest)
        for j in _by_importance(model, len(coefficients))
    ]
    blocks = blocks[: _n_readable(ax, blocks) if is_auto(n_prototypes) else int(n_prototypes)]
    lines = [line for block in blocks for line in block]
    kept = sorted({line.group for line in lines if line.group is not None})
    width = with_legend(classes[kept], beside=True)[0]
    ax = default_axes(ax, figsize=(width + 1, max(2.0, 1.1 + LINE * len(lines) / 72)))
    _draw_lines(ax, lines)
    if kept:
        _name_classes(ax, classes, kept)
    n_there, n_shown = len(coefficients), len(blocks)
    some = f"{n_shown} of {n_there}" if n_shown < n_there else f"{n_shown}"
    return plain(ax, f"What {some} prototypes are made of", "coefficient", "")


@dataclass(eq=False, repr=False)
class PrototypesDisplay(Display):
    """What the prototypes of a model are made of.

    Parameters
    ----------
    model : fitted network or clusterer, or Prototypes
        Its prototypes.
    labels : sequence of n labels or None, default=None
        Classes of the training objects.
    n_prototypes : int or "auto", default="auto"
        How many to show.
    n_largest : int, default=4
        How many coefficients to show of each.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it was last drawn.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from relrbf.clustering import RelationalKMeans
    >>> from relrbf.plotting import PrototypesDisplay
    >>> model = RelationalKMeans(2, random_state=0).fit([[0, 1, 9], [1, 0, 9], [9, 9, 0]])
    >>> display = PrototypesDisplay.from_estimator(model, ax=Figure().subplots())
    >>> display.ax_.get_xlabel()
    'coefficient'
    """

    model: Any
    labels: Any = None
    n_prototypes: int | str = "auto"
    n_largest: int = 4

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any = None,
        y: Any = None,
        *,
        n_prototypes: int | str = "auto",
        n_largest: int = 4,
        ax: "Axes | None" = None,
    ) -> Self:
        """Draw what the prototypes of a fitted model are made of.

        Parameters
        ----------
        estimator : network or clusterer
            Fitted.
        X : ignored
            Here because every display takes it.
        y : sequence of n labels or None, default=None
            Classes of the training objects.
        n_prototypes, n_largest, ax
            As in ``plot_prototypes``.

        Returns
        -------
        PrototypesDisplay
        """
        return cls(estimator, y, n_prototypes, n_largest).plot(ax)

    def _draw(self, ax: "Axes | None") -> "Axes":
        numbers: Any = {"n_prototypes": self.n_prototypes, "n_largest": self.n_largest}
        return plot_prototypes(self.model, self.labels, ax, **numbers)


def _prototypes_of(model: Any) -> Prototypes:
    if hasattr(model, "fit"):
        check_is_fitted(model)
    prototypes = getattr(model, "prototypes_", model)
    if not isinstance(prototypes, Prototypes):
        raise OptionError(
            f"model is a {type(model).__name__}; pass a fitted network or clusterer, or its "
            "prototypes_."
        )
    return prototypes


def _by_importance(model: Any, n_prototypes: int) -> Indices:
    """Return the prototypes, those with the largest output weights first."""
    weights = getattr(model, "weights_", None)
    sizes = np.zeros(n_prototypes) if weights is None else np.linalg.norm(weights, axis=1)
    return np.argsort(-sizes, kind="stable")


def _object_names(prototypes: Prototypes, n_objects: int) -> list[str]:
    ids = range(n_objects) if prototypes.ids is None else prototypes.ids
    return [shortened(name) for name in ids]


def _heading(model: Any, j: int) -> str:
    """Name a prototype; one of a classifier by the class that its weights favour."""
    if not hasattr(model, "weights_"):
        return f"prototype {j}"
    if hasattr(model, "classes_"):
        return f"prototype {j}, for {shortened(model.classes_[np.argmax(model.weights_[j])])}"
    return f"prototype {j}, weight {', '.join(f'{weight:.2g}' for weight in model.weights_[j][:3])}"


def _block(
    heading: str, row: Array, names: list[str], groups: Indices, n_largest: int
) -> list[Line]:
    order = np.argsort(-np.abs(row), kind="stable")[:n_largest]
    largest = [i for i in order if row[i] != 0]
    lines = [Line(heading)]
    for i in largest:
        lines.append(Line(names[i], float(row[i]), int(groups[i]) if len(groups) else None))
    n_others = int(np.count_nonzero(row)) - len(largest)
    if n_others:
        rest = float(row.sum() - row[largest].sum())
        lines.append(Line(f"{n_others:,} others", rest, is_rest=True))
    return lines


def _colour(line: Line) -> str:
    assert line.coefficient is not None
    if line.is_rest:
        return "none"  # a sum is no coefficient
    if line.group is None:
        return POSITIVE if line.coefficient > 0 else NEGATIVE
    return COLOURS[line.group % len(COLOURS)]


def _hatch(group: int | None) -> str:
    """Return the pattern that tells classes of the same colour apart."""
    return "" if group is None else HATCHES[group // len(COLOURS) % len(HATCHES)]


def _draw_lines(ax: "Axes", lines: list[Line]) -> None:
    bars = [(k, line) for k, line in enumerate(lines) if line.coefficient is not None]
    ax.barh(
        [k for k, _ in bars],
        [line.coefficient or 0.0 for _, line in bars],
        color=[_colour(line) for _, line in bars],
        edgecolor=[PALE if line.is_rest else "white" for _, line in bars],
        hatch=[_hatch(line.group) for _, line in bars],
        height=0.75,
    )
    ax.axvline(0, color=INK, linewidth=0.8)
    size = float(np.clip(0.75 * _height(ax) / len(lines), 4, 9))
    ax.set_yticks([k for k, _ in bars], [line.text for _, line in bars], fontsize=size)
    for k, line in enumerate(lines):
        if line.coefficient is None:  # a heading, in the axes: beside them it would need much room
            ground = {"facecolor": ax.get_facecolor(), "edgecolor": "none", "pad": 1}
            place: Any = {"transform": ax.get_yaxis_transform(), "va": "center", "bbox": ground}
            ax.text(0.01, k, line.text, fontsize=size, fontweight="bold", **place)
    ax.set_ylim(max(len(lines), 8) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="x", alpha=0.3)
    ax.set_axisbelow(True)


def _height(ax: "Axes") -> float:
    """Return the height of axes in points, less what title and labels will take."""
    return ax.get_window_extent().height * 72 / ax.figure.dpi - 30


def _n_readable(ax: "Axes | None", blocks: list[list[Line]]) -> int:
    """Return how many prototypes can be read in the axes; one is always shown."""
    if ax is None:
        return USUAL
    n_lines = np.cumsum([len(block) for block in blocks[:USUAL]])
    return max(1, int(np.count_nonzero(n_lines * TIGHT <= _height(default_axes(ax)))))


def _name_classes(ax: "Axes", classes: np.ndarray, kept: list[int]) -> None:
    """Name the colours of the classes that objects shown belong to."""
    from matplotlib.patches import Patch

    handles = []
    for k in kept:
        look: Any = {"facecolor": COLOURS[k % len(COLOURS)], "edgecolor": "white"}
        handles.append(Patch(hatch=_hatch(k), label=str(classes[k]), **look))
    draw_legend(ax, handles, title="class")
