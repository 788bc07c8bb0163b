"""What the entries of a matrix are like, before anything is made of them."""

from dataclasses import dataclass

import numpy as np

from relrbf.inspection.watch import Watch
from relrbf.relations.base import Relation
from relrbf.relations.dense import DenseRelation
from relrbf.relations.entry_summary import EntrySummary, summarize_tiles
from relrbf.relations.validation import self_similarity, square_limit


@dataclass(frozen=True)
class Entries:
    """Facts about the entries as they are; a rounding error is none (as for ``as_relation``)."""

    is_symmetric: bool
    has_zero_diagonal: bool
    n_negative: int
    n_missing: int
    n_infinite: int
    largest_entry: float | None
    largest_asymmetry: float
    worst_pair: tuple[int, int] | None
    holds_similarities: bool
    can_be_squared: bool

    @property
    def is_relation(self) -> bool:
        """Whether a network could be trained on them."""
        return (
            self.is_symmetric and self.is_known and self.has_zero_diagonal and not self.n_negative
        )

    @property
    def is_known(self) -> bool:
        """Whether every entry is a number whose square is one."""
        return self.n_missing == 0 and self.can_be_squared


def look_at_entries(relation: Relation, watch: Watch) -> Entries:
    """Read every entry; a second time only where some are negative or may be similarities."""
    watch.begin("reading the entries")
    found = summarize_tiles(relation.block, relation.n_objects, watch.tell, relation.tile)
    size = max(-found.lowest, found.largest)
    eps = float(np.finfo(relation.dtype).eps)
    rounding = float(np.sqrt(eps)) * size
    limit = square_limit(relation.dtype)
    return Entries(
        is_symmetric=not found.asymmetry > rounding,
        has_zero_diagonal=not found.largest_diagonal > rounding,
        n_negative=_count_below(relation, -100 * eps * size, found),
        n_missing=found.n_missing,
        n_infinite=found.n_infinite,
        largest_entry=None if np.isnan(size) else size,
        largest_asymmetry=found.asymmetry,
        worst_pair=found.worst_pair if found.asymmetry > rounding else None,
        holds_similarities=_are_similarities(relation, found, rounding),
        can_be_squared=bool(size == 0 or 1 / limit <= size <= limit),
    )


def _count_below(relation: Relation, bound: float, found: EntrySummary) -> int:
    if not found.lowest < bound:
        return 0
    counts = (
        np.count_nonzero((block < bound) & np.isfinite(block))
        for block in map(relation.block, relation.row_blocks())
    )
    return int(sum(counts))


def _are_similarities(relation: Relation, found: EntrySummary, rounding: float) -> bool:
    """Tell whether the diagonal is constant and every other entry is smaller."""
    may_be = found.largest_diagonal > rounding and not found.n_missing
    return (
        may_be
        and isinstance(relation, DenseRelation)
        and self_similarity(found, rounding) is not None
    )
