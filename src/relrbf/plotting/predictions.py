"""Predictions beside the truth: confusion, calibration, errors, and two networks compared."""

from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from scipy.stats import binomtest
from sklearn.base import is_classifier
from sklearn.calibration import calibration_curve
from sklearn.metrics import ConfusionMatrixDisplay, PredictionErrorDisplay
from sklearn.utils.validation import check_is_fitted

from relrbf._options import check_choice, check_number
from relrbf._typing import Array
from relrbf.exceptions import OptionError
from relrbf.plotting import style
from relrbf.plotting.style import COLOURS, INK, PALE, Display, default_axes, label_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLACK_PERCENT = 130.0  # 100 % is a grey on which white text can be read
WHITE_TEXT_PERCENT = 68.0  # from here on cell text is white
MIN_CELL_FONT = 4.0  # points; smaller numbers are not drawn
MAX_DECIMAL_CLASSES = 9  # with more classes cells have whole numbers
COUNT_BARS = (-0.30, -0.13)  # y range of the bars that count objects in a calibration plot
SUM_TOLERANCE = 1e-3  # of probabilities read from files with few digits
PREDICTION_KINDS = ("actual_vs_predicted", "residual_vs_predicted")  # scikit-learn's names


def plot_confusion(counts: Any, classes: Any = None, ax: "Axes | None" = None) -> "Axes":
    """Draw a confusion matrix in per cent of the true classes.

    "0" and "100" are exact; "0.0" and "100.0" are rounded. A class without objects has an empty
    row. With ten or more classes there are no decimals, "<1" is more than zero, and cells of zero
    are empty. For a fitted model see also scikit-learn's ``ConfusionMatrixDisplay``.

    Parameters
    ----------
    counts : array of shape (g, g)
        Numbers of objects, or means of them; true classes in rows, predicted ones in columns.
    classes : sequence of g names or None, default=None
        Names of the classes; None: 0, 1, ...
    ax : matplotlib Axes or None, default=None
        Where to draw, and what is returned; None: a new figure.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from relrbf.plotting import plot_confusion
    >>> ax = plot_confusion([[8, 2], [0, 5]], ["cat", "dog"], Figure().subplots())
    >>> [text.get_text() for text in ax.texts]
    ['80.0', '20.0', '0', '100']
    """
    counts = np.asarray(counts, dtype=float)
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1] or not counts.size:
        raise OptionError(
            f"counts has shape {counts.shape}; give one row and one column per class."
        )
    if not (counts >= 0).all():
        raise OptionError("counts holds negative or missing values; give numbers of objects.")
    names = [str(name) for name in (range(len(counts)) if classes is None else classes)]
    if len(names) != len(counts):
        raise OptionError(
            f"classes holds {len(names)} names for {len(counts)} classes; give one for each."
        )
    ax = default_axes(ax, figsize=style.size_for_classes(len(names)))
    totals = counts.sum(axis=1, keepdims=True)
    percent = np.round(100 * counts / np.where(totals > 0, totals, 1), 9)
    display = ConfusionMatrixDisplay(percent)
    display.plot(ax=ax, cmap="Greys", colorbar=False, im_kw={"vmin": 0, "vmax": BLACK_PERCENT})
    style.name_ticks(ax, range(len(names)), names, along="x")
    style.name_ticks(ax, range(len(names)), names, along="y")
    _write_cells(display, np.where(totals > 0, percent, np.nan), max(map(len, names)))
    label_axes(ax, "Confusion, % of the true class", "predicted", "true")
    ax.spines[:].set_visible(True)
    return ax


def _write_cells(display: ConfusionMatrixDisplay, percent: Array, longest_name: int) -> None:
    """Write the numbers as large as the cells allow; none where they are too small to read."""
    has_decimals = len(percent) <= MAX_DECIMAL_CLASSES
    margin = 6.0 * min(longest_name, 24)
    cell = style.points_per_unit(display.ax_, "x", margin, margin)
    size = min(10.0, cell / (3.0 if has_decimals else 2.0))
    for value, text in zip(percent.flat, display.text_.flat, strict=True):
        if size < MIN_CELL_FONT:
            text.remove()
            continue
        colour = "white" if value >= WHITE_TEXT_PERCENT else INK
        text.set(text=_cell_text(float(value), has_decimals), color=colour, fontsize=size)


def _cell_text(percent: float, has_decimals: bool) -> str:
    if np.isnan(percent) or (percent == 0 and not has_decimals):
        return ""
    if not has_decimals:
        return "<1" if percent < 1 else f"{np.floor(percent):.0f}"  # only all is 100
    return f"{percent:.0f}" if percent in (0, 100) else f"{percent:.1f}"


def plot_calibration(
    y_true: Any,
    probabilities: Any,
    classes: Any = None,
    ax: "Axes | None" = None,
    *,
    positive: Any = None,
    n_bins: int = 10,
) -> "Axes":
    """Draw a reliability diagram for any number of classes, with intervals and counts.

    Probabilities on the diagonal are calibrated; above it they are too low, below it too high.
    Bars are Wilson's 95 % intervals, numbers at the bottom count the objects of each bin, and the
    title tells the expected calibration error. The curve is scikit-learn's ``calibration_curve``.

    Parameters
    ----------
    y_true : sequence of m labels
        Classes.
    probabilities : array of shape (m, g), or (m,) for two classes
        Probabilities of the classes; of two, that of the second is enough.
    classes : sequence of g labels or None, default=None
        Classes in the order of the columns. None: those of ``y_true``, sorted.
    ax : matplotlib Axes or None, default=None
        Where to draw, and what is returned; None: a new figure.
    positive : label or None, default=None
        The class whose probability is shown, against all others. None: that of the most probable
        class of each object.
    n_bins : int, default=10
        Bins of equal width between 0 and 1; those without objects are not drawn.
    """
    check_number("n_bins", n_bins, Integral, 1)
    labels, p, classes = _check_probabilities(y_true, probabilities, classes)
    if positive is None:
        predicted, is_true = p.max(axis=1), classes[p.argmax(axis=1)] == labels
    else:
        if positive not in classes.tolist():
            raise OptionError(f"positive is {positive!r}, which is none of {classes.tolist()}.")
        predicted, is_true = p[:, classes.tolist().index(positive)], labels == positive
    observed, stated = calibration_curve(is_true, predicted, n_bins=n_bins, pos_label=True)
    edges = np.linspace(0, 1, n_bins + 1)
    counts = np.bincount(np.searchsorted(edges[1:-1], predicted), minlength=n_bins)
    starts, counts = edges[:-1][counts > 0], counts[counts > 0]
    ax = default_axes(ax)
    low, high = COUNT_BARS
    heights = (high - low) * counts / counts.max()
    bars = ax.bar(starts, heights, 0.92 / n_bins, low, align="edge", color=PALE)
    ax.bar_label(bars, [f"{count:,}" for count in counts], padding=1, fontsize=7, color=INK)
    ax.axhline(0, color=PALE, linewidth=0.8)
    ax.plot([0, 1], [0, 1], color=INK, linewidth=0.8)
    hits = np.rint(observed * counts).astype(int)
    intervals = [
        binomtest(k, n).proportion_ci(method="wilson") for k, n in zip(hits, counts, strict=True)
    ]
    errors = np.abs(np.transpose(intervals) - observed)
    ax.errorbar(stated, observed, errors, fmt="o-", color=COLOURS[0], ms=5, lw=1, capsize=2)
    ax.set(xlim=(0, 1), ylim=(COUNT_BARS[0], 1.04), yticks=np.linspace(0, 1, 6))
    error = np.average(np.abs(stated - observed), weights=counts)
    name = "predicted classes" if positive is None else style.shorten(positive)
    title = f"Calibration of {name}, expected error {error:.2f}"
    return label_axes(ax, title, "predicted probability", "observed fraction")


def _check_probabilities(
    y_true: Any, probabilities: Any, classes: Any
) -> tuple[np.ndarray, Array, np.ndarray]:
    """Return labels (m), probabilities (m × g) and classes (g)."""
    labels = np.asarray(y_true)
    classes = np.unique(labels) if classes is None else np.asarray(classes)
    p = np.asarray(probabilities, dtype=float)
    if p.ndim == 1 and len(classes) == 2:
        p = np.column_stack([1 - p, p])
    if labels.ndim != 1 or not labels.size or p.shape != (len(labels), len(classes)):
        raise OptionError(
            f"probabilities has shape {np.shape(probabilities)} for {labels.size} objects and "
            f"{len(classes)} classes; give one row per object of y_true and one column per class."
        )
    is_bad = ~((p >= 0) & (p <= 1)).all(axis=1) | ~(np.abs(p.sum(axis=1) - 1) <= SUM_TOLERANCE)
    if is_bad.any():
        first = int(is_bad.argmax())
        raise OptionError(
            f"probabilities holds rows that are not numbers between 0 and 1 with the sum 1, for "
            f"{is_bad.sum()} of {len(p)} objects, first for object {first}: {p[first].tolist()}. "
            "Pass predict_proba, not decision_function, and leave out objects without."
        )
    if len(unknown := np.setdiff1d(labels, classes)):
        raise OptionError(f"y_true holds {unknown.tolist()}, which classes does not name.")
    return labels, p, classes


def plot_predictions(
    y_true: Any, y_pred: Any, ax: "Axes | None" = None, *, kind: str = "actual_vs_predicted"
) -> "Axes":
    """Draw true values or residuals against predictions: ``PredictionErrorDisplay`` per output.

    Parameters
    ----------
    y_true, y_pred : arrays of shape (m,) or (m, g)
        True and predicted values; each output has a colour and a marker of its own.
    ax : matplotlib Axes or None, default=None
        Where to draw, and what is returned; None: a new figure.
    kind : {"actual_vs_predicted", "residual_vs_predicted"}, default="actual_vs_predicted"
        What is drawn against the predicted value: the true one, or true minus predicted.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from relrbf.plotting import plot_predictions
    >>> ax = plot_predictions([1.0, 2.0, 4.0], [1.5, 2.0, 3.0], Figure().subplots())
    >>> ax.collections[0].get_offsets().tolist()
    [[1.5, 1.0], [2.0, 2.0], [3.0, 4.0]]
    """
    from matplotlib.ticker import AutoLocator

    check_choice("kind", kind, PREDICTION_KINDS)
    true, predicted = _check_predictions(y_true, y_pred)
    ax = default_axes(ax)
    for k in range(true.shape[1]):
        colour, marker = style.colour_and_marker(k)
        marks = {"color": colour, "marker": marker, "s": 16, "linewidths": 0, "alpha": 0.6}
        marks |= {"label": f"output {k}", "rasterized": len(true) > style.MAX_VECTOR_MARKS}
        line = {"color": INK, "linewidth": 0.8, "linestyle": "-"}
        display = PredictionErrorDisplay(y_true=true[:, k], y_pred=predicted[:, k])
        display.plot(ax, kind=kind, scatter_kwargs=marks, line_kwargs=line)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(AutoLocator())  # round numbers, and of all outputs
    if true.shape[1] > 1:
        style.draw_legend(ax, list(ax.collections))
    if kind == PREDICTION_KINDS[0]:
        return label_axes(ax, "Predictions", "predicted", "true")
    return label_axes(ax, "Residuals", "predicted", "true minus predicted")


def _check_predictions(y_true: Any, y_pred: Any) -> tuple[Array, Array]:
    """Return true and predicted values as columns (m × g)."""
    true, predicted = style.check_numbers("y_true", y_true), style.check_numbers("y_pred", y_pred)
    if true.shape != predicted.shape or true.ndim not in (1, 2) or not true.size:
        raise OptionError(
            f"y_true has shape {true.shape} and y_pred {predicted.shape}; give one true and one "
            "predicted value for each object and output."
        )
    return true.reshape(len(true), -1), predicted.reshape(len(true), -1)


def plot_deviations(counts: Any, edges: Any, ax: "Axes | None" = None) -> "Axes":
    """Draw a histogram of deviations in per cent, with a line at zero.

    Parameters
    ----------
    counts : array of b counts
        How many deviations each bin holds; with ``edges``, what ``numpy.histogram`` returns.
        Histograms over the same bins may be added up first.
    edges : array of b + 1 numbers
        The edges of the bins.
    ax : matplotlib Axes or None, default=None
        Where to draw, and what is returned; None: a new figure.
    """
    counts, edges = np.asarray(counts, dtype=float), np.asarray(edges, dtype=float)
    if counts.ndim != 1 or edges.shape != (len(counts) + 1,):
        raise OptionError(
            f"counts has shape {counts.shape} and edges {edges.shape}; give one edge more than "
            "counts, as numpy.histogram does."
        )
    if not counts.sum() > 0:
        raise OptionError("counts adds up to nothing; give how many deviations each bin holds.")
    ax = default_axes(ax)
    ax.stairs(100 * counts / counts.sum(), edges, fill=True, color=COLOURS[0])
    ax.axvline(0, color=INK, linewidth=0.6, linestyle=":")
    return label_axes(ax, "Deviations", "predicted minus true", "share, %")


@dataclass(eq=False, repr=False)
class DeviationsDisplay(Display):
    """A histogram of predicted minus true values.

    Parameters
    ----------
    counts, edges : arrays of b counts and b + 1 numbers
        As in ``plot_deviations``.
    """

    counts: Any
    edges: Any

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, n_bins: int = 31, ax: "Axes | None" = None
    ) -> Self:
        """Draw the deviations of a fitted regressor, or of a classifier's probabilities.

        Of a classifier, 1 is desired for an object's own class and 0 for the others.
        """
        if not hasattr(estimator, "predict"):
            name = type(estimator).__name__
            raise OptionError(f"estimator is a {name}; pass a fitted classifier or regressor.")
        check_is_fitted(estimator)
        if is_classifier(estimator):
            desired = np.asarray(y)[:, None] == estimator.classes_
            return cls.from_predictions(desired, estimator.predict_proba(X), n_bins=n_bins, ax=ax)
        return cls.from_predictions(y, estimator.predict(X), n_bins=n_bins, ax=ax)

    @classmethod
    def from_predictions(
        cls, y_true: Any, y_pred: Any, *, n_bins: int = 31, ax: "Axes | None" = None
    ) -> Self:
        """Draw predicted minus true values, arrays (m,) or (m × g), in bins symmetric about 0."""
        check_number("n_bins", n_bins, Integral, 1)
        true, predicted = _check_predictions(y_true, y_pred)
        deviations = predicted - true
        largest = float(np.abs(deviations).max()) or 1.0
        return cls(*np.histogram(deviations, n_bins, (-largest, largest))).plot(ax)

    def _draw(self, ax: "Axes | None") -> "Axes":
        return plot_deviations(self.counts, self.edges, ax)


def plot_equivalence(relational: Any, vector: Any, ax: "Axes | None" = None) -> "Axes":
    """Draw the responses of a relational network against those of its vector equivalent.

    Parameters
    ----------
    relational, vector : arrays of the same shape
        Responses of the two networks to the same objects.
    ax : matplotlib Axes or None, default=None
        Where to draw, and what is returned; None: a new figure.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from relrbf.plotting import plot_equivalence
    >>> ax = plot_equivalence([0.5, 1.0], [0.5, 0.75], Figure().subplots())
    >>> ax.texts[0].get_text()
    'largest difference 2.5e-01'
    """
    first, second = np.asarray(relational, dtype=float), np.asarray(vector, dtype=float)
    if first.shape != second.shape:
        raise OptionError(
            f"relational has shape {first.shape} and vector {second.shape}; give responses to the "
            "same objects."
        )
    ax = default_axes(ax)
    ax.axline((0, 0), (1, 1), color=INK, linewidth=0.8)
    is_raster = second.size > style.MAX_VECTOR_MARKS
    ax.scatter(second, first, s=14, alpha=0.6, color=COLOURS[0], rasterized=is_raster)
    text = f"largest difference {np.abs(first - second).max():.1e}"
    ax.text(0.04, 0.92, text, transform=ax.transAxes, fontsize=9)
    return label_axes(ax, "Equivalent networks", "vector network", "relational network")
