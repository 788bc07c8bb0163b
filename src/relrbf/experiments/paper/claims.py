"""All claims of the paper that the study can test."""

from collections.abc import Iterable

from relrbf.experiments.paper.accuracies import accuracies
from relrbf.experiments.paper.claim import Claim
from relrbf.experiments.paper.counts import counts
from relrbf.experiments.paper.divergence import divergence
from relrbf.experiments.paper.drops import drops
from relrbf.experiments.paper.evidence import Evidence
from relrbf.experiments.paper.rivals import rivals
from relrbf.experiments.table import Row

ASKED = accuracies, counts, drops, divergence, rivals


def check_claims(rows: Iterable[Row]) -> list[Claim]:
    """Return the paper's claims with what these rows say of them; what was not run is left out."""
    evidence = Evidence(rows)
    return [claim for ask in ASKED for claim in ask(evidence)]
