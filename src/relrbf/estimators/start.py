"""Where training starts from: how many prototypes, and where they lie first."""

from typing import Any

import numpy as np

from relrbf._options import is_auto
from relrbf._typing import Array
from relrbf.autotune import Choice, beside_responses, choose_n_prototypes
from relrbf.clustering.first_prototypes import first_coefficients
from relrbf.estimators.validation import (
    check_class_prototypes,
    check_coefficients,
    check_on_support,
    check_support_size,
)
from relrbf.exceptions import OptionError
from relrbf.prototypes import RelationalSpace, Space, SupportSpace, VectorSpace
from relrbf.relations.base import Relation
from relrbf.relations.validation import as_matrix


def n_prototypes_of(estimator: Any, memberships: Array, choice: Choice) -> int:
    """Return how many prototypes to begin with."""
    if not isinstance(estimator.init, str):
        return 0  # as many as were given
    n_classes = len(memberships)
    if estimator.init == "class" and n_classes == 1:
        raise OptionError("init='class' needs classes; use 'k-means' or 'random' instead.")
    if estimator.init == "class" and not isinstance(estimator.n_prototypes, str):
        check_class_prototypes(estimator.n_prototypes, n_classes)
    n_prototypes = choose_n_prototypes(estimator.n_prototypes, memberships.sum(axis=0), n_classes)
    if not is_auto(estimator.n_prototypes):
        check_support_size(n_prototypes, len(choice.support), estimator)
        return n_prototypes
    if estimator.max_prototypes is not None:
        n_prototypes = min(n_prototypes, estimator.max_prototypes)
    return min(n_prototypes, len(choice.support))


def first_prototypes(
    estimator: Any,
    space: Space,
    X: Any,
    relation: Relation,
    memberships: Array,
    choice: Choice,
    n_prototypes: int,
    rng: np.random.Generator,
) -> Array:
    """Return the coefficients of the first prototypes (c × n), on the support alone."""
    if not isinstance(estimator.init, str):
        A = check_coefficients(estimator.init, relation, estimator.n_prototypes)
        return check_on_support(A, space.support) if isinstance(space, SupportSpace) else A
    support = choice.support
    is_whole = len(support) >= np.count_nonzero(memberships.any(axis=0))
    if is_whole and not choice.is_beside:
        return first_coefficients(estimator.init, space, memberships, n_prototypes, rng)
    own = memberships[:, support] / memberships[:, support].sum()
    A = first_coefficients(
        estimator.init, _home(estimator, X, relation, own, choice), own, n_prototypes, rng
    )
    spread = np.zeros((len(A), relation.n_objects), dtype=A.dtype)
    spread[:, support] = A
    return spread


def _home(estimator: Any, X: Any, relation: Relation, memberships: Array, choice: Choice) -> Space:
    """Return the space of the support's objects alone, where first prototypes are found."""
    support = choice.support
    space: Space
    if estimator.space == "vector":
        space = VectorSpace(as_matrix(X)[support])
    else:
        is_whole = len(support) == relation.n_objects
        space = RelationalSpace(relation if is_whole else relation.restrict(support))
    if choice.is_beside and estimator.init == "k-means":
        return beside_responses(space, memberships.sum(axis=0), choice.targets[support])
    return space
