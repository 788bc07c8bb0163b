"""What "auto" means: the choices an estimator makes for its user, and the evidence for them."""

from relrbf.autotune.choices import Choice, choose_n_prototypes, inspect, may_double
from relrbf.autotune.evidence import Evidence, choose_reading, gather_evidence
from relrbf.autotune.explanation import explain
from relrbf.autotune.overview import (
    Overview,
    look_over_all,
    look_over_distinct,
    look_over_few,
    look_over_given,
)
from relrbf.autotune.support import beside_responses, choose_support

__all__ = [
    "Choice",
    "Evidence",
    "Overview",
    "beside_responses",
    "choose_n_prototypes",
    "choose_reading",
    "choose_support",
    "explain",
    "gather_evidence",
    "inspect",
    "look_over_all",
    "look_over_distinct",
    "look_over_few",
    "look_over_given",
    "may_double",
]
