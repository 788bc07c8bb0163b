"""The claim that responses are further from what is desired where prototypes must be objects."""

from collections.abc import Iterator

from study.paper.claim import Claim, Verdict, judge_all
from study.paper.evidence import Evidence
from study.paper.names import BY_GENES, DRAWN, HG, PC


def divergence(evidence: Evidence) -> Iterator[Claim]:
    """Yield the claim for both relations, where all that it compares was run."""
    for data in (HG, PC):
        kinds = [(data, variant, model) for variant in DRAWN for model in ("medoid", "graph")]
        if evidence.has(*kinds):
            yield _claim(evidence, data)


def _claim(evidence: Evidence, data: str) -> Claim:
    pairs = _spreads(evidence, data)
    verdict = judge_all(*(medoids > prototypes for medoids, prototypes in pairs))
    return Claim(
        data,
        "spread of deviations, medoids against prototypes: original / CMDS / PMDS",
        "wider with medoids",
        _said(pairs),
        verdict,
        "" if verdict is Verdict.REPRODUCED else f"Here they are {_said(pairs)}.",
        _said(_spreads(evidence, data + BY_GENES)),
    )


def _spreads(evidence: Evidence, data: str) -> list[tuple[float, float]]:
    """Return the spread with medoids and with prototypes, variant by variant."""
    pairs = [((data, v, "medoid"), (data, v, "graph")) for v in DRAWN]
    return [
        (evidence.deviation(medoids)[1], evidence.deviation(prototypes)[1])
        for medoids, prototypes in pairs
        if evidence.has(medoids, prototypes)
    ]


def _said(pairs: list[tuple[float, float]]) -> str:
    return " / ".join(f"{medoids:.2f} against {prototypes:.2f}" for medoids, prototypes in pairs)
