"""The policies of a graph relation, and what goes together."""

from collections.abc import Mapping
from numbers import Real

from relrbf._options import check_choice, check_number
from relrbf.exceptions import OptionError
from relrbf.relations.conversion import check_exponent
from relrbf.relations.graphs.judge import MERGERS
from relrbf.relations.validation import SYMMETRIZERS

CHOICES: dict[str, tuple[str, ...]] = {
    "distance": ("shortest-path", "resistance"),
    "weights": ("lengths", "strengths", "ignore"),
    "directed": ("refuse", *SYMMETRIZERS),
    "disconnected": ("refuse", "far"),
    "duplicates": ("refuse", *MERGERS),
    "zeros": ("refuse", "keep", "drop"),
}


def check_options(
    policies: Mapping[str, str], far: float | None, exponent: float | None, memory: float
) -> None:
    """Refuse policies and numbers that do not exist, or do not go together."""
    for name, value in policies.items():
        check_choice(name, value, CHOICES[name])
    if far is not None:
        check_number("far", far, Real, 0)
        if far == 0:
            raise OptionError("far is 0; parts that no path joins need a positive distance.")
        if policies["disconnected"] != "far":
            raise OptionError("far is the distance between parts: it needs disconnected='far'.")
    if exponent is not None:
        check_exponent(exponent)
    check_number("memory", memory, Real, 0)
    if policies["zeros"] == "keep" and (
        policies["distance"] != "shortest-path" or policies["weights"] != "lengths"
    ):
        raise OptionError(
            "zeros='keep' makes edges of no length, which only distance='shortest-path' with "
            "weights='lengths' can have. Use 'drop' or 'refuse'."
        )
