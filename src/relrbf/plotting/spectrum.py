"""How far a relation is from vectors: its eigenvalues, the negative ones marked."""

from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from relrbf._options import check_number, is_auto
from relrbf._typing import Array
from relrbf.exceptions import OptionError
from relrbf.plotting.display import Display
from relrbf.plotting.style import INK, NEGATIVE, POSITIVE, default_axes, plain
from relrbf.relations.base import Relation
from relrbf.relations.conversion import relation_of
from relrbf.relations.inputs import check_relation
from relrbf.relations.properties import EXPONENTS, NEGLIGIBLE, negative_fraction, spectrum
from relrbf.relations.validation import check_largest

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_OBJECTS = 1000  # whose spectrum is computed; a sample beyond
MEANINGS = {2: "distances", 1: "squared distances"}


def plot_spectrum(
    D: Any,
    ax: "Axes | None" = None,
    *,
    exponent: Any = "auto",
    max_objects: int = MOST_OBJECTS,
    random_state: int = 0,
) -> "Axes":
    """Draw the eigenvalues of the centred relation, those below zero marked.

    They are those of ``-J S J / 2`` with ``S = D ** exponent`` (J centres). Vectors with these
    dissimilarities exist where none is negative; the title says how much of the spectrum, as a
    share of its absolute sum, is.

    Parameters
    ----------
    D : array, memmap, frame, condensed vector or Relation
        Dissimilarities.
    ax : matplotlib Axes or None, default=None
        Where to draw.
    exponent : {2, 1, "auto"}, default="auto"
        2 when dissimilarities are distances, 1 when they are already squared distances. "auto": 2,
        unless the other reading is clearly closer to vectors; what a ``Relation`` was told.
    max_objects : int, default=1000
        Of more objects, a random sample of this size is looked at; the picture says so.
    random_state : int, default=0
        For the sample.

    Returns
    -------
    Axes

    Examples
    --------
    Shortest paths in the complete bipartite graph K(2,3) are no distances between vectors.

    >>> import numpy as np
    >>> from matplotlib.figure import Figure
    >>> from relrbf.plotting import plot_spectrum
    >>> D = np.array([[0, 2, 1, 1, 1], [2, 0, 1, 1, 1], [1, 1, 0, 2, 2], [1, 1, 2, 0, 2],
    ...               [1, 1, 2, 2, 0]])
    >>> ax = plot_spectrum(D, Figure().subplots(), exponent=2)
    >>> ax.get_title(loc="left")
    'Spectrum as distances: 21.1 % negative'
    """
    options = {"exponent": exponent, "max_objects": max_objects, "random_state": random_state}
    return SpectrumDisplay.from_relation(D, **options, ax=ax).ax_


@dataclass(eq=False, repr=False)
class SpectrumDisplay(Display):
    """The eigenvalues of a relation.

    Parameters
    ----------
    eigenvalues : array
        In any order.
    exponent : float, default=2
        Under which they were computed.
    n_objects : int or None, default=None
        Objects of the relation, where only some of them were looked at.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it was last drawn.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from relrbf.plotting import SpectrumDisplay
    >>> display = SpectrumDisplay([3.0, -1.0, 0.0]).plot(Figure().subplots())
    >>> display.negative_fraction
    0.25
    """

    eigenvalues: Any
    exponent: float = 2
    n_objects: int | None = None

    @property
    def negative_fraction(self) -> float:
        """Share of the absolute sum that is negative by more than rounding."""
        return negative_fraction(_cleaned(self.eigenvalues))

    @classmethod
    def from_relation(
        cls,
        D: Any,
        *,
        exponent: Any = "auto",
        max_objects: int = MOST_OBJECTS,
        random_state: int = 0,
        ax: "Axes | None" = None,
    ) -> Self:
        """Draw the spectrum of a relation.

        Parameters
        ----------
        D, exponent, max_objects, random_state, ax
            As in ``plot_spectrum``.

        Returns
        -------
        SpectrumDisplay
        """
        check_number("max_objects", max_objects, Integral, 2)
        relation = relation_of(D)
        readings = _readings(D, exponent)
        sampled = _sample(relation, max_objects, random_state)
        found = {reading: _spectrum(sampled, reading) for reading in readings}
        best = _best({reading: negative_fraction(values) for reading, values in found.items()})
        return cls(found[best], best, relation.n_objects).plot(ax)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any = None, *, ax: "Axes | None" = None
    ) -> Self:
        """Draw the spectrum of what a model was fitted to, under the exponent that it chose.

        Parameters
        ----------
        estimator : network, clusterer or embedding
            Fitted.
        X : array, memmap, frame or Relation of shape (n, n)
            What it was fitted to.
        y : ignored
            Here because every display takes it.
        ax : matplotlib Axes or None, default=None
            Where to draw.

        Returns
        -------
        SpectrumDisplay
        """
        check_is_fitted(estimator)
        relation = check_relation(X, estimator)
        return cls.from_relation(relation, exponent=estimator.exponent_, ax=ax)

    def _draw(self, ax: "Axes | None") -> "Axes":
        values = np.sort(_cleaned(self.eigenvalues))[::-1]
        shown = values[values != 0]
        ax = default_axes(ax)
        edges = np.arange(len(shown) + 1)
        ax.stairs(np.maximum(shown, 0), edges, fill=True, color=POSITIVE, label="positive")
        if (shown < 0).any():
            ax.stairs(np.minimum(shown, 0), edges, fill=True, color=NEGATIVE, label="negative")
            ax.legend(frameon=False, fontsize="small")
        ax.axhline(0, color=INK, linewidth=0.6)
        ax.set_xlim(0, max(len(shown), 1))
        ax.locator_params(axis="x", integer=True)
        meaning = MEANINGS.get(int(self.exponent), f"exponent {self.exponent:g}")
        title = f"Spectrum as {meaning}: {_percent(negative_fraction(values))} negative"
        return plain(ax, title, self._what(len(shown)), "eigenvalue")

    def _what(self, n_shown: int) -> str:
        n, n_objects = len(self.eigenvalues), self.n_objects
        text = f"{n_shown:,} eigenvalues other than zero, largest first"
        return text if n_objects in (None, n) else f"{text}\n({n:,} of {n_objects:,} objects)"


def _cleaned(eigenvalues: Any, eps: float = 0.0) -> Array:
    """Return eigenvalues with what may be rounding as zeros, eps that of the relation's dtype."""
    values = np.asarray(eigenvalues, dtype=float)
    if values.ndim != 1 or not values.size or not np.isfinite(values).all():
        raise OptionError(f"eigenvalues has shape {values.shape}; give a vector of finite numbers.")
    tolerance = max(1e-8, len(values) * eps) * float(np.abs(values).max())
    return np.where(np.abs(values) > tolerance, values, 0)


def _percent(share: float) -> str:
    return "nothing" if share == 0 else f"{100 * share:.1f} %"


def _sample(relation: Relation, most: int, random_state: Any) -> Relation:
    n = relation.n_objects
    if n <= most:
        return relation
    return relation.restrict(np.sort(np.random.default_rng(random_state).permutation(n)[:most]))


def _readings(D: Any, exponent: Any) -> tuple[float, ...]:
    """Return the exponents to choose from: one, where a relation was told or the caller says."""
    if is_auto(exponent):
        is_known = isinstance(D, Relation) and D.exponent_given
        return (D.exponent,) if is_known else EXPONENTS
    if exponent not in EXPONENTS:
        raise OptionError(f"exponent is {exponent!r}; it must be 2, 1 or 'auto'.")
    return (float(exponent),)


def _best(shares: dict[float, float]) -> float:
    """Return 2, unless 1 is clearly closer to vectors: the rule that a fit follows."""
    if len(shares) == 1:
        return next(iter(shares))
    return 2 if shares[2] <= shares[1] + NEGLIGIBLE else 1


def _spectrum(relation: Relation, exponent: float) -> Array:
    S = np.array(relation.with_exponent(exponent).block_sq(), dtype=np.float64)
    check_largest(S.max(axis=1))
    return _cleaned(spectrum(S), float(np.finfo(relation.dtype).eps))
