"""The nearest Euclidean relation."""

from collections.abc import Callable
from numbers import Integral, Real
from typing import Any

from relrbf._options import check_choice, check_number
from relrbf.embeddings.projection import Ending, nearest_euclidean_sq
from relrbf.embeddings.proximal import shift_of
from relrbf.embeddings.spectrum import whole_spectrum
from relrbf.repair.given import judged
from relrbf.repair.placed import Places, repaired, unchanged
from relrbf.repair.result import Repair, RepairStatus, check_progress

ENDINGS = {
    Ending.CONVERGED: RepairStatus.CONVERGED,
    Ending.MAX_ITER: RepairStatus.MAX_ITER,
    Ending.STALLED: RepairStatus.STALLED,
    Ending.INTERRUPTED: RepairStatus.STOPPED,
}


def nearest_euclidean(
    D: Any,
    norm: str = "l2",
    *,
    exponent: float | None = None,
    tol: float = 1e-7,
    max_iter: int = 5000,
    progress: Callable[[int, float], bool | None] | None = None,
) -> Repair:
    """Return the Euclidean relation nearest to the given one.

    The squared dissimilarities are changed as little as possible: in least squares, where Dykstra's
    alternating projections end (found here by Newton's method in their dual), or by the least sum
    of absolute changes. The result has vectors, and a bound (``gap``) says how much
    nearer another could be. Where vectors exist the dissimilarities come back as they are.

    Parameters
    ----------
    D : array, memmap, frame, Relation or condensed vector
        Dissimilarities between n objects.
    norm : {"l2", "l1"}, default="l2"
        What is least: the sum of squared changes, or of absolute ones.
    exponent : {2, 1} or None, default=None
        2 when D are distances, 1 when they are already squared distances. None: 2, or what a
        ``Relation`` says of itself.
    tol : float, default=1e-07
        How far, relative to the least possible, the change may be from it.
    max_iter : int, default=5000
        Most iterations, an eigendecomposition each; "l2" needs about ten.
    progress : callable or None, default=None
        Called with the number of the iteration and the relative gap to the optimum; returning True
        stops.

    Returns
    -------
    Repair
        ``.matrix``, ``.n_changed`` (pairs whose squared dissimilarity changed by more than a
        millionth of the largest), ``.distance`` (over all pairs, of the squared dissimilarities),
        ``.status``, ``.gap``, and ``.extend(D_new)`` for new objects: each is put where its own sum
        of squared changes is least.

    Examples
    --------
    >>> import numpy as np
    >>> from relrbf.repair import nearest_euclidean
    >>> D = np.array([[0.0, 2, 1, 1], [2, 0, 1, 1], [1, 1, 0, 2], [1, 1, 2, 0]])
    >>> nearest_euclidean(D).matrix.round(3)[0].tolist()
    [0.0, 1.826, 1.291, 1.291]
    """
    check_choice("norm", norm, ("l2", "l1"))
    check_number("tol", tol, Real, 0)
    check_number("max_iter", max_iter, Integral, 1)
    check_progress(progress)
    given = judged(D, exponent)
    spectrum = whole_spectrum(given.block_sq())
    if shift_of(spectrum) == 0:
        return unchanged(given, Places.of(spectrum).nearest)
    counter = _Counter(progress)
    found = nearest_euclidean_sq(given.block_sq(), norm, tol, max_iter, counter)
    return repaired(
        given,
        found.squares,
        Places.of(whole_spectrum(found.squares)).nearest,
        distance=found.distance,
        status=ENDINGS[found.ending],
        n_iter=found.n_iter,
        gap=found.gap,
    )


class _Counter:
    """Calls a user's progress with the number of the iteration."""

    def __init__(self, progress: Callable[[int, float], bool | None] | None) -> None:
        self.progress = progress
        self.iteration = 0

    def __call__(self, gap: float) -> bool:
        self.iteration += 1
        return self.progress is not None and bool(self.progress(self.iteration, gap))
