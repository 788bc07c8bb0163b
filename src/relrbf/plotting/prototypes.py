"""The coefficients of prototypes."""

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from relrbf._options import check_number, is_auto
from relrbf._typing import Array, Indices
from relrbf.exceptions import OptionError
from relrbf.plotting.display import encode_labels
from relrbf.plotting.style import (
    COLOURS,
    INK,
    NEGATIVE,
    PALE,
    POSITIVE,
    default_axes,
    draw_legend,
    label_axes,
    shorten,
    size_with_legend,
)
from relrbf.prototypes import Prototypes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HATCHES = ("", "///", "...", "xxx")
DEFAULT_PROTOTYPES = 6  # shown where they fit
ROW_HEIGHT, MIN_ROW_HEIGHT = 12.0, 9.0  # points


@dataclass(frozen=True)
class Bar:
    """One row of the plot: a heading (no coefficient), an object, or the sum of the others."""

    text: str
    coefficient: float | None = None
    group: int | None = None  # position of the object's class, if known
    is_sum: bool = False

    @property
    def colour(self) -> str:
        """By class, or by sign."""
        if self.is_sum or self.coefficient is None:
            return "none"
        if self.group is None:
            return POSITIVE if self.coefficient > 0 else NEGATIVE
        return COLOURS[self.group % len(COLOURS)]

    @property
    def hatch(self) -> str:
        """The pattern that tells classes of the same colour apart."""
        return "" if self.group is None else HATCHES[self.group // len(COLOURS) % len(HATCHES)]


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
        Where to draw.
    n_prototypes : int or "auto", default="auto"
        How many to show, those with the largest output weights first. "auto": six, or as many
        as can be read in the axes given.
    n_largest : int, default=4
        How many coefficients to show of each, the largest in absolute value.

    Returns
    -------
    Axes
    """
    check_number("n_prototypes", n_prototypes, Integral, 1, or_auto=True)
    check_number("n_largest", n_largest, Integral, 1)
    prototypes = _prototypes_of(model)
    coefficients = prototypes.coefficients
    classes, groups = encode_labels(labels, coefficients.shape[1])
    names = range(coefficients.shape[1]) if prototypes.ids is None else prototypes.ids.tolist()
    blocks = [
        _bars(_heading(model, j), coefficients[j], names, groups, n_largest)
        for j in _by_importance(model, len(coefficients))
    ]
    blocks = blocks[: _n_readable(ax, blocks) if is_auto(n_prototypes) else int(n_prototypes)]
    bars = [bar for block in blocks for bar in block]
    legend = {bar.group: bar for bar in bars if bar.group is not None}
    width = size_with_legend(classes[list(legend)], beside=True)[0]
    ax = default_axes(ax, figsize=(width + 1, max(2.0, 1.1 + ROW_HEIGHT * len(bars) / 72)))
    _draw_bars(ax, bars)
    if legend:
        _draw_class_legend(ax, [(str(classes[k]), legend[k]) for k in sorted(legend)])
    n_all, n_shown = len(coefficients), len(blocks)
    some = f"{n_shown} of {n_all}" if n_shown < n_all else f"{n_shown}"
    return label_axes(ax, f"Coefficients of {some} prototypes", "coefficient", "")


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


def _heading(model: Any, j: int) -> str:
    if not hasattr(model, "weights_"):
        return f"prototype {j}"
    weights = model.weights_[j]
    if hasattr(model, "classes_"):
        return f"prototype {j}, for {shorten(model.classes_[np.argmax(weights)])}"
    return f"prototype {j}, weight {', '.join(f'{weight:.2g}' for weight in weights[:3])}"


def _bars(
    heading: str, row: Array, names: Sequence[Any], groups: Indices, n_largest: int
) -> list[Bar]:
    order = np.argsort(-np.abs(row), kind="stable")[:n_largest]
    largest = [i for i in order if row[i] != 0]
    bars = [Bar(heading)]
    for i in largest:
        group = int(groups[i]) if len(groups) else None
        bars.append(Bar(shorten(names[i]), float(row[i]), group))
    if n_others := int(np.count_nonzero(row)) - len(largest):
        others = float(row.sum() - row[largest].sum())
        bars.append(Bar(f"{n_others:,} others", others, is_sum=True))
    return bars


def _draw_bars(ax: "Axes", bars: list[Bar]) -> None:
    drawn = {k: bar for k, bar in enumerate(bars) if bar.coefficient is not None}
    ax.barh(
        list(drawn),
        [bar.coefficient or 0.0 for bar in drawn.values()],
        color=[bar.colour for bar in drawn.values()],
        edgecolor=[PALE if bar.is_sum else "white" for bar in drawn.values()],
        hatch=[bar.hatch for bar in drawn.values()],
        height=0.75,
    )
    ax.axvline(0, color=INK, linewidth=0.8)
    size = float(np.clip(0.75 * _height(ax) / len(bars), 4, 9))
    ax.set_yticks(list(drawn), [bar.text for bar in drawn.values()], fontsize=size)
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


def _draw_class_legend(ax: "Axes", entries: list[tuple[str, Bar]]) -> None:
    from matplotlib.patches import Patch

    handles = [
        Patch(facecolor=bar.colour, edgecolor="white", hatch=bar.hatch, label=name)
        for name, bar in entries
    ]
    draw_legend(ax, handles, title="class")
