"""Going on from the last fit (``warm_start``)."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from relrbf._typing import Array
from relrbf.exceptions import OptionError


@dataclass(frozen=True, eq=False)
class LastFit:
    """Where the last fit stopped, and what it was a fit of."""

    state: Any
    watching: np.ndarray | None
    alpha: float
    settings: dict[str, Any]
    targets: Array
    weights: Array

    def check(self, settings: dict[str, Any], targets: Array, weights: Array) -> None:
        """Refuse to go on with another problem than the last one."""
        other = [name for name, value in self.settings.items() if settings[name] != value]
        if not other and not np.array_equal(self.targets, targets):
            other = ["y"]
        if not other and not np.array_equal(self.weights, weights):
            other = ["sample_weight"]
        if other:
            raise OptionError(
                f"warm_start=True goes on from the last fit, which had another {', '.join(other)}. "
                "Restore it, or set warm_start=False to train anew."
            )
