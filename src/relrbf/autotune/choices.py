"""The choices themselves: what was taken, and why."""

from dataclasses import dataclass

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.autotune.evidence import Evidence
from relrbf.autotune.overview import Overview
from relrbf.exceptions import OptionError, RelationWarning, warn
from relrbf.relations.properties import (
    MAX_INSPECTED,
    RelationReport,
    describe,
)
from relrbf.relations.sampling import spread_over

PER_OBJECT = 0.1  # prototypes
MOST = 128  # prototypes, however many objects: the cost of a fit then grows as their number
PER_CLASS = 2  # at least
MOST_OF = 0.33  # of the objects, however hard they are to learn
LITTLE = 0.25  # of the entries read before, that a report may read again and besides
FEW = 500  # divided by the objects: of very few, nearly all are prototypes


@dataclass(frozen=True, eq=False)
class Choice:
    """What a fit has settled before it trains; targets are those that the trainer learns."""

    exponent: float
    support: Indices
    targets: Array
    is_beside: bool = False  # k-means looks at targets as well
    evidence: Evidence | None = None
    scale: float = 1.0

    @property
    def bandwidth(self) -> float:
        """The full network's bandwidth; NaN without one."""
        return np.nan if self.evidence is None else self.evidence.reading.bandwidth

    @property
    def noise(self) -> float:
        """The full network's leave-one-out error; 0 without one."""
        return 0.0 if self.evidence is None else self.evidence.full.error

    @property
    def alpha(self) -> float:
        """The full network's ridge penalty, on the scale of ``sklearn.linear_model.Ridge``."""
        return (
            np.nan if self.evidence is None else self.evidence.full.alpha * self.scale * self.scale
        )


def inspect(overview: Overview, weights: Array, order: Indices) -> RelationReport:
    """Report on the relation among the distinct objects, or some of them, from middle to rim.

    Where few objects' rows were read, those come first, and others only as far as they cost
    little more.
    """
    distinct, most = order[weights[order] > 0], MAX_INSPECTED
    objects = np.zeros(0, dtype=np.intp)
    if overview.support is not None:
        objects = spread_over(distinct[np.isin(distinct, overview.support)], most)
        distinct = distinct[~np.isin(distinct, objects)]
        n_read = len(overview.support) * len(weights)
        most = max(len(objects), min(most, int((LITTLE * n_read) ** 0.5)))
    others = spread_over(distinct, most - len(objects))
    objects = np.sort(np.concatenate([objects, others]))
    return describe(overview.relation, objects, overview.n_duplicates)


def choose_n_prototypes(n_prototypes: int | str, weights: Array, n_groups: int) -> int:
    """Return the number of prototypes to start from.

    One for every ten distinct objects, at least two per class. Of very few objects most are needed
    (all of 22, ten of 50), and 128 are enough for any number.
    """
    n_objects, n_distinct = len(weights), int(np.count_nonzero(weights))
    if isinstance(n_prototypes, str):
        share = min(round(PER_OBJECT * n_distinct), MOST)
        return min(n_distinct, max(share, round(FEW / n_distinct), PER_CLASS * n_groups))
    wanted = n_prototypes
    if wanted > n_objects:
        raise OptionError(
            f"n_prototypes is {wanted} and there are {n_objects} objects; a prototype needs at "
            "least one object of its own. Lower n_prototypes, or use 'auto'."
        )
    if wanted > n_distinct:
        warn(
            f"n_prototypes is {wanted}, but only {n_distinct} objects are distinct and have a "
            f"positive weight: {n_distinct} prototypes are used.",
            RelationWarning,
        )
    return min(wanted, n_distinct)


def may_double(present: int, wanted: int, choice: Choice) -> bool:
    """Tell whether there are objects enough for twice as many prototypes.

    Where fewer came than were wanted there are none left to ask for.
    """
    return 2 * present == wanted and wanted <= MOST_OF * len(choice.support)
