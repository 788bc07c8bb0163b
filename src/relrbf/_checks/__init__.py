"""The gate: the one room that judges what a user passed to an estimator.

Rooms above trust what comes through here. Whether a matrix is a relation is judged by its own
room (``relrbf.relations.convert``), which the gate asks.
"""

from relrbf._checks.clusters import (
    check_cluster_options,
    check_fuzzy_options,
    check_memberships,
    check_n_clusters,
    check_partition,
)
from relrbf._checks.embeddings import check_embedding_options, check_landmarks
from relrbf._checks.objects import check_relation, has_features
from relrbf._checks.options import (
    check_class_prototypes,
    check_coefficients,
    check_kernel,
    check_on_support,
    check_options,
    check_room_to_grow,
    check_solver,
    check_support_size,
    check_validation,
    is_auto,
)
from relrbf._checks.positions import check_positions
from relrbf._checks.queries import (
    check_not_negative,
    check_queries,
    check_responses,
    check_same_ids,
)
from relrbf._checks.targets import (
    check_classes,
    check_labels,
    check_targets,
    check_weighted_classes,
    check_weights,
)

__all__ = [
    "check_class_prototypes",
    "check_classes",
    "check_cluster_options",
    "check_coefficients",
    "check_embedding_options",
    "check_fuzzy_options",
    "check_kernel",
    "check_labels",
    "check_landmarks",
    "check_memberships",
    "check_n_clusters",
    "check_not_negative",
    "check_on_support",
    "check_options",
    "check_partition",
    "check_positions",
    "check_queries",
    "check_relation",
    "check_responses",
    "check_room_to_grow",
    "check_same_ids",
    "check_solver",
    "check_support_size",
    "check_targets",
    "check_validation",
    "check_weighted_classes",
    "check_weights",
    "has_features",
    "is_auto",
]
