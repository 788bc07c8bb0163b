"""What a graph of terms adds: ancestors, and the nearest one that two terms have in common."""

from collections.abc import Hashable, Iterable, Mapping
from typing import Any, TypeAlias

from relrbf.exceptions import OptionError
from relrbf.measures.terms import Densities, TermSet

Parents: TypeAlias = Mapping[Hashable, Iterable[Hashable]]


class Ontology:
    """The ancestors of terms, from a map of their parents.

    Parameters
    ----------
    parents : mapping from a term to its parents
        A term that is no key has none.
    """

    def __init__(self, parents: Any) -> None:
        self.parents = _checked(parents)
        self._steps: dict[Hashable, dict[Hashable, int]] = {}

    def steps_up(self, term: Hashable) -> dict[Hashable, int]:
        """Return the term and all its ancestors, each with the fewest steps that lead there."""
        if term not in self._steps:
            self._steps[term] = self._walk(term)
        return self._steps[term]

    def _walk(self, term: Hashable) -> dict[Hashable, int]:
        steps = {term: 0}
        level = [term]
        while level:
            above = {up: None for low in level for up in self.parents.get(low, ())}
            level = [up for up in above if up not in steps]
            steps.update(dict.fromkeys(level, max(steps.values()) + 1))
        return steps

    def closure(self, terms: TermSet) -> TermSet:
        """Return the terms and all their ancestors: who has a term has what it is a kind of."""
        return frozenset(up for term in terms for up in self.steps_up(term))

    def common_ancestors(self, a: TermSet, b: TermSet, densities: Densities) -> TermSet:
        """Return the nearest common ancestor of every pair of terms that has one."""
        found = (self.nearest(s, t, densities) for s in a for t in b)
        return frozenset(up for up in found if up is not None)

    def nearest(self, s: Hashable, t: Hashable, densities: Densities) -> Hashable | None:
        """Return the common ancestor of largest density; of equals, the one fewest steps away."""
        up_s, up_t = self.steps_up(s), self.steps_up(t)
        shared = [up for up in up_s if up in up_t and up in densities]
        return min(
            shared, key=lambda up: (-densities[up], up_s[up] + up_t[up], str(up)), default=None
        )


def _checked(parents: Any) -> dict[Hashable, tuple[Hashable, ...]]:
    if not isinstance(parents, Mapping):
        raise OptionError(
            f"parents is {parents!r:.80}; it must be a mapping from each term to its parents."
        )
    checked = {}
    for term, ups in parents.items():
        if isinstance(ups, str) or not isinstance(ups, Iterable):
            raise OptionError(
                f"parents[{term!r}] is {ups!r:.80}; it must be a list or set of terms."
            )
        checked[term] = tuple(ups)
    _refuse_circle(checked)
    return checked


def _refuse_circle(parents: dict[Hashable, tuple[Hashable, ...]]) -> None:
    from graphlib import CycleError, TopologicalSorter

    try:
        TopologicalSorter(parents).prepare()
    except CycleError as error:
        circle = " → ".join(map(str, error.args[1]))
        raise OptionError(
            f"parents goes round in a circle: {circle}. No term can be its own ancestor."
        ) from None
