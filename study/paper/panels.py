"""The kinds of panels in the paper's result figures."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from relrbf._typing import Array
from relrbf.plotting import plot_confusion, plot_deviations, plot_embedding
from relrbf.plotting.style import COLOURS, INK
from relrbf.plotting.tendency import cell_means
from study.measure import EDGES
from study.paper import averages
from study.paper.layout import SMALL
from study.table import Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_CELLS, GREYS = 200, 64  # along a side of an image: more is neither seen nor cheap to keep
MINUS = "\N{MINUS SIGN}"


def draw_tendency(ax: "Axes", image: Array) -> None:
    """Draw an image of ``vat`` or ``ivat``; black means alike."""
    from matplotlib import colormaps

    starts = np.arange(0, len(image), -(-len(image) // MOST_CELLS))
    ax.imshow(
        cell_means(image, starts),
        cmap=colormaps["gray"].resampled(GREYS),
        vmin=0,
        interpolation="nearest",
    )
    ax.set(xticks=[], yticks=[])


def draw_deviations(ax: "Axes", rows: Sequence[Row]) -> None:
    """Draw the deviations of all repetitions, with their mean and spread above."""
    if not rows:
        return blank(ax, "not run")
    plot_deviations(averages.all_deviations(rows), EDGES, ax)
    ax.set(xlim=(EDGES[0], EDGES[-1]), xticks=[-1, 0, 1])
    ax.locator_params(axis="y", nbins=4)
    tame = [row for row in rows if not averages.is_wild(row)]
    said = []
    if tame:
        mean, spread = averages.mean_deviation(tame)
        said.append(f"{signed(mean)} ± {spread:.2f}")
    if len(tame) < len(rows):
        said.append(f"{len(rows) - len(tame)} wild")
    return _small(ax, ", ".join(said), "deviation", "responses, %")


def draw_confusion(
    ax: "Axes", rows: Sequence[Row], part: str, classes: Sequence[str], beside: str = ""
) -> None:
    """Draw the mean confusion matrix of a part, with its accuracy above."""
    if not rows:
        return blank(ax, "not run")
    plot_confusion(averages.mean_confusion(rows, part), classes, ax)
    mean, spread = averages.mean_accuracy(rows, part)
    accuracy = f"{mean:.1f} %" if spread is None else f"{mean:.1f} ± {spread:.1f} %"
    return _small(ax, accuracy + beside, "predicted", "true")


def draw_objects(ax: "Axes", places: Array, labels: np.ndarray) -> None:
    """Draw objects in two dimensions by class, with their names below."""
    plot_embedding(places, labels, ax=ax)
    for line in ax.lines:
        line.set(markersize=2.4, alpha=0.75)
    ax.set(title="", xticks=[], yticks=[], xlabel="", ylabel="")
    ax.set_title("", loc="left")
    ax.spines[:].set_visible(True)
    ax.legend(
        loc="upper center",
        bbox_to_anchor=(0.5, 0),
        ncols=2,
        frameon=False,
        fontsize=SMALL,
        markerscale=1.5,
        handletextpad=0,
        columnspacing=0.5,
        borderaxespad=0.2,
    )


def draw_twins(ax: "Axes", relational: Array, vector: Array, gaps: Sequence[float]) -> None:
    """Draw two networks' responses in a corner of their deviations; write how far apart they are.

    ``gaps`` are the largest differences, one for each repetition.
    """
    ax.set_ylim(top=1.35 * ax.get_ylim()[1])
    inset = ax.inset_axes((0.63, 0.58, 0.36, 0.36))
    inset.axline((0, 0), slope=1, color=INK, linewidth=0.5)
    inset.plot(np.ravel(vector), np.ravel(relational), ".", color=COLOURS[5], markersize=2)
    inset.set(xticks=[], yticks=[])
    inset.set_xlabel("vector", fontsize=SMALL, labelpad=1)
    inset.set_ylabel("graph", fontsize=SMALL, labelpad=1)
    apart = f"median {np.median(gaps):.0e}, worst {max(gaps):.0e}"
    _small(ax, f"{ax.get_title()}\n{apart}", "deviation", "responses, %")


def blank(ax: "Axes", note: str) -> None:
    """Say why there is nothing to see."""
    ax.set_axis_off()
    ax.text(0.5, 0.5, note, transform=ax.transAxes, ha="center", va="center", fontsize=SMALL)


def signed(value: float) -> str:
    """Return three decimals, with a true minus and no negative zero."""
    return f"{round(value, 3) + 0.0:.3f}".replace("-", MINUS)


def short(classes: Iterable[object]) -> list[str]:
    """Return the first word of each class's name, if these differ: panels are small."""
    names = [str(name) for name in classes]
    words = [name.split("_")[0] for name in names]
    return words if len(set(words)) == len(names) else names


def _small(ax: "Axes", title: str, xlabel: str, ylabel: str) -> None:
    """Make what a picture says of itself fit a panel."""
    ax.set_title("", loc="left")
    ax.set_title(title, fontsize=SMALL, color=INK, pad=3, linespacing=1.1)
    ax.set_xlabel(xlabel, fontsize=SMALL, labelpad=1.5)
    ax.set_ylabel(ylabel, fontsize=SMALL, labelpad=3)
    ax.tick_params(labelsize=SMALL, length=2, pad=1.5)
    for text in ax.texts:
        text.set_fontsize(SMALL)
