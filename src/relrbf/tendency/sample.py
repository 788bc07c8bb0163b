"""A sample that shows every part of a relation (Hathaway, Bezdek & Huband 2006).

Distinguished objects lie as far from each other as the relation allows. Every object belongs to the
nearest of them, and each of these groups gives the sample its share. Theirs is a draw from every
group; here the distinguished object always comes first, so that nothing in the relation is farther
from the sample than from the distinguished objects.
"""

import numpy as np

from relrbf._typing import Indices
from relrbf.relations.base import Relation
from relrbf.relations.sampling import farthest_first

N_DISTINGUISHED = 50  # more than the clusters one can count in a picture


def draw_sample(
    relation: Relation, n_sample: int, rng: np.random.Generator
) -> tuple[Indices, Indices]:
    """Return n_sample positions, ascending, and for every object the place in them of its own.

    A sampled object's own is itself, any other's is its distinguished object.
    """
    first = int(rng.integers(relation.n_objects))
    chosen, groups = farthest_first(relation, min(n_sample, N_DISTINGUISHED), first)
    sizes = shares(np.bincount(groups), n_sample)
    drawn = [
        _drawn(np.flatnonzero(groups == g), chosen[g], sizes[g], rng) for g in range(len(chosen))
    ]
    sample = np.sort(np.concatenate(drawn))
    nearest = np.searchsorted(sample, chosen[groups])
    nearest[sample] = np.arange(n_sample)
    return sample, nearest


def shares(counts: Indices, n_sample: int) -> Indices:
    """Deal n_sample places to groups in proportion to their counts, at least one to each."""
    spare = n_sample - len(counts)
    given, rest = np.divmod((counts - 1) * spare, counts.sum() - len(counts))
    given[np.argsort(-rest, kind="stable")[: spare - given.sum()]] += 1
    return 1 + given


def _drawn(group: Indices, own: int, size: int, rng: np.random.Generator) -> Indices:
    others = group[group != own]
    return np.append(rng.choice(others, size - 1, replace=False), own)
