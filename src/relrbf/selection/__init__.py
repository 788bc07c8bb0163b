"""What "auto" means: the choices an estimator makes for its user, and the evidence for them."""

from relrbf.selection.choices import (
    Choice,
    candidate_exponents,
    choose_n_prototypes,
    inspect,
    may_double,
    report_on,
    warn_without_vectors,
)
from relrbf.selection.evidence import Evidence, choose_reading, gather_evidence
from relrbf.selection.explanation import explain
from relrbf.selection.overview import (
    Overview,
    are_few,
    look_over_all,
    look_over_distinct,
    look_over_few,
    look_over_given,
)
from relrbf.selection.support import beside_responses, choose_support, size_of_support

__all__ = [
    "Choice",
    "Evidence",
    "Overview",
    "are_few",
    "beside_responses",
    "candidate_exponents",
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
    "report_on",
    "size_of_support",
    "warn_without_vectors",
]
