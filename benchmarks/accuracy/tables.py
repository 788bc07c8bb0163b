"""The benchmark's rows as Markdown tables."""

from collections.abc import Callable

import numpy as np

from benchmarks.accuracy.baselines import CLASSIFIERS, REGRESSORS
from benchmarks.accuracy.measure import OURS, Row
from benchmarks.accuracy.sets import CLASSIFICATION, REGRESSION

Values = dict[tuple[str, str], np.ndarray]  # set and method: one number per split
Cells = list[list[str]]


def values(rows: list[Row], field: str) -> Values:
    """Gather one field by set and method, in the order of the splits."""
    found: dict[tuple[str, str], list[float]] = {}
    for row in sorted(rows, key=lambda row: row.split):
        found.setdefault((row.set, row.method), []).append(getattr(row, field))
    return {key: np.array(numbers) for key, numbers in found.items()}


def table(title: str, head: list[str], lines: Cells) -> None:
    print(f"\n### {title}\n")
    print("| " + " | ".join(head) + " |")
    print("|---" + "|---:" * (len(head) - 1) + "|")
    for line in lines:
        print("| " + " | ".join(line) + " |")


def present(found: Values, names: list[str], position: int) -> list[str]:
    """Return those of the names that the run has, in their own order."""
    return [name for name in names if any(key[position] == name for key in found)]


def comparison(
    title: str, found: Values, names: list[str], baselines: list[str], form: str, best: Callable
) -> None:
    """Print every method on every set, their means, and ours less the best baseline."""
    sets, columns = present(found, names, 0), present(found, [*baselines, OURS], 1)
    if not sets:
        return
    means = {key: numbers.mean() for key, numbers in found.items()}
    differences = {s: ours_less_best(means, s, baselines, best) for s in sets}
    lines = [
        [s, *(spread(found.get((s, m)), form) for m in columns), signed(differences[s], form)]
        for s in sets
    ]
    overall = [overall_mean(means, sets, m, form) for m in columns]
    known = [verdict for verdict in differences.values() if verdict is not None]
    lines.append(["mean", *overall, signed(np.mean(known) if known else None, form)])
    table(title, ["set", *columns, "ours − best baseline"], lines)


def spread(numbers: np.ndarray | None, form: str) -> str:
    return "" if numbers is None else f"{numbers.mean():{form}} ± {numbers.std():{form}}"


def signed(number: float | None, form: str) -> str:
    return "" if number is None else f"{number:+{form}}"


def overall_mean(means: dict, sets: list[str], method: str, form: str) -> str:
    numbers = [means[s, method] for s in sets if (s, method) in means]
    return f"{np.mean(numbers):{form}}" if len(numbers) == len(sets) else ""


def ours_less_best(means: dict, name: str, baselines: list[str], best: Callable) -> float | None:
    others = [means[name, m] for m in baselines if (name, m) in means]
    ours = means.get((name, OURS))
    return ours - best(others) if others and ours is not None else None


def against_svc(title: str, found: Values, head: list[str], form: str, forward: bool) -> None:
    """Print ours, the tuned SVC's and their ratio: ours / SVC forward, else SVC / ours.

    The median over the splits stands for a set, as one disturbed fit must not speak for it.
    """
    lines, ratios = [], []
    for name in present(found, list(CLASSIFICATION), 0):
        ours, svc = (np.median(found.get((name, m), [np.nan])) for m in (OURS, "SVC"))
        ratios.append(ours / svc if forward else svc / ours)
        numbers = [f"{ours:{form}}", f"{svc:{form}}", f"{ratios[-1]:.2f}"]
        lines.append([name, *("" if number == "nan" else number for number in numbers)])
    if not lines:
        return
    if np.isfinite(ratios).any():
        lines.append(["mean", "", "", f"{np.nanmean(ratios):.2f}"])
    table(title, ["set", *head], lines)


def show(rows: list[Row], n_splits: int) -> None:
    print(f"{n_splits} splits, 30 % of the objects for the test; mean ± spread over the splits")
    score, loss = values(rows, "score"), values(rows, "log_loss")
    percent = {key: 100 * numbers for key, numbers in score.items()}
    sets, baselines = list(CLASSIFICATION), list(CLASSIFIERS)
    comparison("Accuracy, in percent", percent, sets, baselines, ".2f", max)
    comparison("Log-loss", loss, sets, baselines, ".3f", min)
    against_svc(
        "Prototypes against support vectors",
        values(rows, "size"),
        ["prototypes", "support vectors", "support vectors per prototype"],
        ".1f",
        forward=False,
    )
    against_svc(
        "Seconds of a default fit against tuning and fitting an SVC",
        values(rows, "seconds"),
        ["ours", "tuned SVC", "ours / SVC"],
        ".3f",
        forward=True,
    )
    comparison("R² of regression", score, list(REGRESSION), list(REGRESSORS), ".3f", max)
