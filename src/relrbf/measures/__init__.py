"""Dissimilarities between raw objects: term sets, expression profiles, and any by any measure."""

from relrbf.measures.fuzzy import (
    fuzzy_measure,
    fuzzy_measure_dissimilarities,
    fuzzy_measure_similarity,
    sugeno_lambda,
)
from relrbf.measures.profiles import (
    CommonSource,
    common_source_dissimilarities,
    common_source_log_odds,
    estimate_common_source,
    pearson_dissimilarities,
)
from relrbf.measures.relate import Progress, relate
from relrbf.measures.terms import information_content
from relrbf.relations.named import named_measures

__all__ = [
    "CommonSource",
    "Progress",
    "common_source_dissimilarities",
    "common_source_log_odds",
    "estimate_common_source",
    "fuzzy_measure",
    "fuzzy_measure_dissimilarities",
    "fuzzy_measure_similarity",
    "information_content",
    "named_measures",
    "pearson_dissimilarities",
    "relate",
    "sugeno_lambda",
]
