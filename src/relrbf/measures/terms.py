"""Term sets as a user gives them, judged and laid out as a table of who has what."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from relrbf._typing import Array
from relrbf.exceptions import OptionError, RelationError
from relrbf.measures.sugeno import SMALLEST, as_densities

TermSet: TypeAlias = frozenset[Hashable]
Densities: TypeAlias = Mapping[Hashable, float]


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


def check_densities(densities: Any) -> dict[Hashable, float]:
    """Return densities by term, or say which is not one."""
    if not isinstance(densities, Mapping):
        raise OptionError(
            f"densities is {densities!r:.80}; it must be a mapping from each term to a number in "
            "[0, 1], as information_content returns it."
        )
    for term, value in densities.items():
        try:
            as_densities([value])
        except OptionError:
            raise OptionError(
                f"the density of {term!r} is {value!r}; it must be a number, 0 or between "
                f"{SMALLEST:g} and 1."
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
