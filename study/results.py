"""What the repetitions of a study have in common."""

import csv
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from study.measure import OK
from study.splits import SHARES
from study.store import Store
from study.table import Row


def load_results(folder: Any) -> list[Row]:
    """Read the rows of a run that is done, or is not: what is there, the newest of each cell.

    Parameters
    ----------
    folder : str or path
        The folder of ``run``.

    Returns
    -------
    list of dict
        One per row; a missing value is None.
    """
    newest = {line["key"]: line["rows"] for line in Store(folder).lines()}
    return [row for rows in newest.values() for row in rows]


def summarise(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Return mean and standard deviation over the repetitions, for each model and part.

    Parameters
    ----------
    rows : sequence of dict
        From ``run``, ``load_results`` or ``load_table``.

    Returns
    -------
    list of dict
        Per data set, variant, model and part: ``n`` rows that are fine and ``n_failed`` others,
        ``accuracy`` and ``accuracy_std`` (over repetitions, n - 1 in the denominator), the means of
        ``deviation_mean`` and ``deviation_std``, of ``seconds`` and ``n_prototypes``, and the worst
        ``duality_gap``; None where nothing was measured.
    """
    groups: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row["data"], row["variant"], row["model"]), []).append(row)
    return [_summary(key, members, part) for key, members in groups.items() for part in SHARES]


def save_summary(rows: Sequence[Row], path: Any) -> None:
    """Write what ``summarise`` finds as csv.

    Parameters
    ----------
    rows : sequence of dict
        From ``run``, ``load_results`` or ``load_table``.
    path : str or path
        The file.
    """
    found = summarise(rows)
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(found[0]))
        writer.writeheader()
        writer.writerows({name: _short(value) for name, value in each.items()} for each in found)


def _short(value: Any) -> Any:
    """Return a number with the digits that mean something, so that the file stays small."""
    return f"{value:.6g}" if isinstance(value, float) else value


def _summary(key: tuple[str, str, str], rows: list[Row], part: str) -> dict[str, Any]:
    fine = [row for row in rows if row["status"] == OK]

    def over(name: str, how: Callable[[list[float]], Any], at_least: int = 1) -> float | None:
        values = [row[name] for row in fine if row[name] is not None]
        return float(how(values)) if len(values) >= at_least else None

    return {
        **dict(zip(("data", "variant", "model"), key, strict=True)),
        "part": part,
        "n": len(fine),
        "n_failed": len(rows) - len(fine),
        "accuracy": over(f"accuracy_{part}", np.mean),
        "accuracy_std": over(f"accuracy_{part}", lambda values: np.std(values, ddof=1), 2),
        "deviation_mean": over(f"deviation_mean_{part}", np.mean),
        "deviation_std": over(f"deviation_std_{part}", np.mean),
        "seconds": over("seconds", np.mean),
        "n_prototypes": over("n_prototypes", np.mean),
        "duality_gap": over("duality_gap", np.max),
    }
