"""Sets of terms that describe objects, what each term says, and an ontology of terms."""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from numbers import Real
from typing import Any, TypeAlias

import numpy as np

from relrbf._options import check_number, require
from relrbf._typing import Array
from relrbf.exceptions import OptionError, RelationError

TermSet: TypeAlias = frozenset[Hashable]
Densities: TypeAlias = Mapping[Hashable, float]
MIN_DENSITY = 1e-100  # 1 + λ is at most the density to the power -2, and has to be a number


def information_content(
    term_sets: Any, *, smoothing: float = 1.0, parents: Any = None
) -> dict[Hashable, float]:
    """Return the information content of each term, scaled to [0, 1].

    A term that c of n objects have is met with probability ``p = (c + s) / (n + 2 s)``, s being
    the smoothing. Its information content -log(p) is divided by the largest there can be: that of
    a term no object has, or without smoothing of a term that one object has.

    Parameters
    ----------
    term_sets : sequence of n sets of terms
        The annotated objects: better a large collection than the few objects to be compared.
    smoothing : float, default=1.0
        Keeps every density strictly between 0 and 1. With 0, a term that all objects have says
        nothing (0), and one that a single object has says everything (1).
    parents : mapping from a term to its parents or None, default=None
        An ontology. An object then also counts for every ancestor of its terms, and the
        ancestors get densities, too.

    Returns
    -------
    dict from term to float
        In [0, 1]; the rarer, the larger.

    Examples
    --------
    >>> from relrbf.measures import information_content
    >>> content = information_content([{"kinase"}, {"kinase", "muscle"}, {"kinase", "bone"}])
    >>> {term: round(content[term], 2) for term in sorted(content)}
    {'bone': 0.57, 'kinase': 0.14, 'muscle': 0.57}
    """
    sets = as_term_sets(term_sets)
    check_number("smoothing", smoothing, Real, 0)
    if parents is not None:
        ontology = Ontology(parents)
        sets = [ontology.closure(terms) for terms in sets]
    n, s = len(sets), float(smoothing)
    if s == 0 and n == 1:
        raise RelationError(
            "term_sets holds one object, among which no term is rare. Give more, or smoothing > 0."
        )
    counts = Counter(term for terms in sets for term in terms)
    total = n + 2 * s
    largest = np.log(total / (s or 1))
    return {term: float(np.log(total / (count + s)) / largest) for term, count in counts.items()}


def as_term_sets(term_sets: Any, name: str = "term_sets") -> list[TermSet]:
    """Return one frozen set of terms per object, or say which object has none."""
    if isinstance(term_sets, str | Mapping) or not isinstance(term_sets, Iterable):
        raise RelationError(
            f"{name} is {term_sets!r:.80}; give a sequence with one set of terms per object."
        )
    sets = [as_term_set(terms, f"{name}[{i}]") for i, terms in enumerate(term_sets)]
    if not sets:
        raise RelationError(f"{name} is empty; give one set of terms per object.")
    return sets


def as_term_set(terms: Any, name: str) -> TermSet:
    """Return the terms of one object; a string is no set of terms but one term."""
    if isinstance(terms, str) or not isinstance(terms, Iterable):
        raise RelationError(
            f"{name} is {terms!r:.80}; it must be a set of terms. Split a string first, for "
            "example with terms.split(';'), and put one term in a list."
        )
    given = frozenset(terms)
    if not given:
        raise RelationError(
            f"{name} has no terms, and nothing can be said about an object without any. Leave "
            "the object out, or give it a term of its own such as 'unknown'."
        )
    missing = [term for term in given if term is None or term != term or term == ""]
    if missing:
        raise RelationError(f"{name} holds {missing[0]!r}, which is no term. Leave it out.")
    return given


def all_terms(sets: Iterable[TermSet]) -> list[Hashable]:
    """Return every term once, in an order that does not change from run to run."""
    return sorted(frozenset().union(*sets), key=str)


def membership(sets: Sequence[TermSet], terms: Sequence[Hashable]) -> Array:
    """Return 1 where an object (row) has a term (column), 0 where not."""
    columns = {term: k for k, term in enumerate(terms)}
    table = np.zeros((len(sets), len(terms)))
    for row, terms_of_one in zip(table, sets, strict=True):
        row[[columns[term] for term in terms_of_one]] = 1
    return table


def as_densities(values: Any) -> Array:
    """Return densities as a flat array, or say which is not one."""
    densities = np.asarray(values)
    if densities.ndim != 1 or (densities.size and densities.dtype.kind not in "iuf"):
        raise OptionError(
            f"densities must be a flat sequence of numbers; {values!r:.80} came. Give one number "
            "in [0, 1] per term."
        )
    densities = densities.astype(float)
    bad = ~((densities == 0) | ((densities >= MIN_DENSITY) & (densities <= 1)))  # NaN is bad, too
    if bad.any():
        where = int(np.argmax(bad))
        raise OptionError(
            f"densities[{where}] is {densities[where]:.6g}; a density must be 0, or between "
            f"{MIN_DENSITY:g} and 1. Divide weights by the largest possible one first."
        )
    return densities


def check_densities(densities: Any) -> dict[Hashable, float]:
    """Return densities by term, or say which is not one."""
    needed = "a mapping from each term to a number in [0, 1], as information_content returns it"
    require(isinstance(densities, Mapping), "densities", densities, needed)
    for term, value in densities.items():
        try:
            as_densities([value])
        except OptionError:
            raise OptionError(
                f"the density of {term!r} is {value!r}; it must be a number, 0 or between "
                f"{MIN_DENSITY:g} and 1."
            ) from None
    return dict(densities)


def densities_of(terms: Sequence[Hashable], densities: Densities) -> Array:
    """Return the densities of these terms, or say which terms have none."""
    without = [term for term in terms if term not in densities]
    if without:
        raise RelationError(
            f"{len(without)} of {len(terms)} terms have no density, for example {without[0]!r}. "
            "Add them to densities, or take information_content of objects that have them."
        )
    return np.array([densities[term] for term in terms], dtype=float)


class Ontology:
    """The ancestors of terms, from a map of their parents; a term that is no key has none."""

    def __init__(self, parents: Any) -> None:
        is_right, needed = isinstance(parents, Mapping), "a mapping from each term to its parents"
        require(is_right, "parents", parents, needed)
        for term, ups in parents.items():
            is_right = isinstance(ups, Iterable) and not isinstance(ups, str)
            require(is_right, f"parents[{term!r}]", ups, "a list or set of terms")
        self.parents = {term: tuple(ups) for term, ups in parents.items()}
        try:
            TopologicalSorter(self.parents).prepare()
        except CycleError as error:
            circle = " → ".join(map(str, error.args[1]))
            raise OptionError(
                f"parents goes round in a circle: {circle}. No term can be its own ancestor."
            ) from None
        self._steps: dict[Hashable, dict[Hashable, int]] = {}

    def steps_up(self, term: Hashable) -> dict[Hashable, int]:
        """Return the term and all its ancestors, each with the fewest steps that lead there."""
        if term in self._steps:
            return self._steps[term]
        steps = self._steps[term] = {term: 0}
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
