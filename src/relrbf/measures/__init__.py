"""Dissimilarities between raw objects: term sets, expression profiles, and any by any measure."""

from relrbf.measures.common_source import common_source_dissimilarities, common_source_log_odds
from relrbf.measures.correlation import pearson_dissimilarities
from relrbf.measures.estimate import estimate_common_source
from relrbf.measures.fuzzy import fuzzy_measure_dissimilarities, fuzzy_measure_similarity
from relrbf.measures.information import information_content
from relrbf.measures.named import named_measures
from relrbf.measures.relate import Progress, relate
from relrbf.measures.source import CommonSource
from relrbf.measures.sugeno import fuzzy_measure, sugeno_lambda

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
