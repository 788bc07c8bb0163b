"""How much a term says: its information content among annotated objects, as a density."""

from collections import Counter
from collections.abc import Hashable
from numbers import Real
from typing import Any

import numpy as np

from relrbf._options import check_number
from relrbf.exceptions import RelationError
from relrbf.measures.ontology import Ontology
from relrbf.measures.terms import as_term_sets


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
