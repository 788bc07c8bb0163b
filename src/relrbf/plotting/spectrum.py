"""Eigenvalues of a relation; negative ones show how far it is from vectors."""

from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from relrbf._options import check_number, is_auto
from relrbf._typing import Array
from relrbf.exceptions import OptionError
from relrbf.inspection.text import EXPONENT_MEANINGS
from relrbf.plotting.display import Display
from relrbf.plotting.style import INK, NEGATIVE, POSITIVE, default_axes, label_axes
from relrbf.relations.base import Relation
from relrbf.relations.conversion import check_relation, relation_of
from relrbf.relations.properties import EXPONENTS, NEGLIGIBLE, negative_fraction, spectrum
from relrbf.relations.validation import check_largest

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_SPECTRUM_OBJECTS = 1000  # of more, a sample


def plot_spectrum(
    D: Any,
    ax: "Axes | None" = None,
    *,
    exponent: Any = "auto",
    max_objects: int = MAX_SPECTRUM_OBJECTS,
    random_state: int = 0,
) -> "Axes":
    """Draw the eigenvalues of ``-J S J / 2``, where ``S = D ** exponent`` and J centres.

    Vectors with these dissimilarities exist if none is negative; the title tells how much of the
    spectrum is, as a share of its absolute sum.

    Parameters
    ----------
    D : array, memmap, frame, condensed vector or Relation
        Dissimilarities.
    ax : matplotlib Axes or None, default=None
        Where to draw.
    exponent : {2, 1, "auto"}, default="auto"
        2 if dissimilarities are distances, 1 if they are squared distances. "auto": that of a
        ``Relation`` that was given one, else 2 unless 1 is clearly closer to vectors.
    max_objects : int, default=1000
        Of more objects, a random sample of this size is used; the axis label tells.
    random_state : int, default=0
        For the sample.

    Returns
    -------
    Axes

    Examples
    --------
    Shortest paths in the bipartite graph K(2,3) are not distances between vectors.

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
        Objects of the relation, if the eigenvalues are those of a sample.
    """

    eigenvalues: Any
    exponent: float = 2
    n_objects: int | None = None

    @property
    def negative_fraction(self) -> float:
        """Share of the absolute sum that is negative by more than rounding."""
        return negative_fraction(_without_rounding(self.eigenvalues))

    @classmethod
    def from_relation(
        cls,
        D: Any,
        *,
        exponent: Any = "auto",
        max_objects: int = MAX_SPECTRUM_OBJECTS,
        random_state: int = 0,
        ax: "Axes | None" = None,
    ) -> Self:
        """Draw the spectrum of a relation; parameters are those of ``plot_spectrum``."""
        check_number("max_objects", max_objects, Integral, 2)
        relation = relation_of(D)
        sample = _sample(relation, max_objects, random_state)
        spectra = {e: _spectrum(sample, e) for e in _candidate_exponents(D, exponent)}
        fractions = {e: negative_fraction(values) for e, values in spectra.items()}
        # the rule of fit: 2, unless 1 is clearly closer to vectors
        best = max(spectra)
        if len(spectra) > 1 and fractions[2] > fractions[1] + NEGLIGIBLE:
            best = 1
        return cls(spectra[best], best, relation.n_objects).plot(ax)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any = None, *, ax: "Axes | None" = None
    ) -> Self:
        """Draw the spectrum of X, which a model was fitted to, with its exponent; y is ignored."""
        check_is_fitted(estimator)
        relation = check_relation(X, estimator)
        return cls.from_relation(relation, exponent=estimator.exponent_, ax=ax)

    def _draw(self, ax: "Axes | None") -> "Axes":
        values = np.sort(_without_rounding(self.eigenvalues))[::-1]
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
        xlabel = f"{len(shown):,} eigenvalues other than zero, largest first"
        if self.n_objects not in (None, len(values)):
            xlabel += f"\n({len(values):,} of {self.n_objects:,} objects)"
        fraction = negative_fraction(values)
        share = f"{100 * fraction:.1f} %" if fraction else "nothing"
        meaning = EXPONENT_MEANINGS.get(int(self.exponent), f"exponent {self.exponent:g}")
        title = f"Spectrum as {meaning}: {share} negative"
        return label_axes(ax, title, xlabel, "eigenvalue")


def _without_rounding(eigenvalues: Any, eps: float = 0.0) -> Array:
    """Return eigenvalues with rounding errors set to zero; eps is that of the relation's dtype."""
    values = np.asarray(eigenvalues, dtype=float)
    if values.ndim != 1 or not values.size or not np.isfinite(values).all():
        raise OptionError(f"eigenvalues has shape {values.shape}; give a vector of finite numbers.")
    tolerance = max(1e-8, len(values) * eps) * float(np.abs(values).max())
    return np.where(np.abs(values) > tolerance, values, 0)


def _sample(relation: Relation, max_objects: int, random_state: Any) -> Relation:
    n = relation.n_objects
    if n <= max_objects:
        return relation
    chosen = np.random.default_rng(random_state).permutation(n)[:max_objects]
    return relation.restrict(np.sort(chosen))


def _candidate_exponents(D: Any, exponent: Any) -> tuple[float, ...]:
    """Return the exponents to choose from; one, if the caller or the relation says so."""
    if is_auto(exponent):
        is_known = isinstance(D, Relation) and D.exponent_given
        return (D.exponent,) if is_known else EXPONENTS
    if exponent not in EXPONENTS:
        raise OptionError(f"exponent is {exponent!r}; it must be 2, 1 or 'auto'.")
    return (float(exponent),)


def _spectrum(relation: Relation, exponent: float) -> Array:
    S = np.array(relation.with_exponent(exponent).block_sq(), dtype=np.float64)
    check_largest(S.max(axis=1))
    return _without_rounding(spectrum(S), float(np.finfo(relation.dtype).eps))
