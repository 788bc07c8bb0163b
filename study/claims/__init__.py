"""All claims of the paper that the study can test."""

from collections.abc import Iterable

from study.claims.accuracy import accuracies
from study.claims.counts import baselines, counts, divergence
from study.claims.differences import drops
from study.evidence import Claim, Evidence
from study.results import Row

CLAIM_GROUPS = accuracies, counts, drops, divergence, baselines


def check_claims(rows: Iterable[Row]) -> list[Claim]:
    """Return the paper's claims and what these rows show; what was not run is left out."""
    evidence = Evidence(rows)
    return [claim for group in CLAIM_GROUPS for claim in group(evidence)]
