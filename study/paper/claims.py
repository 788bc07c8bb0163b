"""All claims of the paper that the study can test."""

from collections.abc import Iterable

from study.paper.accuracies import accuracies
from study.paper.claim import Claim
from study.paper.counts import counts
from study.paper.divergence import divergence
from study.paper.drops import drops
from study.paper.evidence import Evidence
from study.paper.rivals import rivals
from study.table import Row

ASKED = accuracies, counts, drops, divergence, rivals


def check_claims(rows: Iterable[Row]) -> list[Claim]:
    """Return the paper's claims with what these rows say of them; what was not run is left out."""
    evidence = Evidence(rows)
    return [claim for ask in ASKED for claim in ask(evidence)]
