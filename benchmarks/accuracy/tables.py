"""The benchmark's rows as Markdown tables, and counts over all sets."""

from dataclasses import dataclass

import numpy as np

from benchmarks.accuracy.baselines import COMPARED
from benchmarks.accuracy.measure import OURS, Row

LEVEL = -0.2  # points: a set on which ours is not farther below the best baseline counts as level

Cells = list[list[str]]


@dataclass(frozen=True)
class Field:
    """A number of the rows, how it is printed, and which is better."""

    title: str
    name: str
    form: str = ".2f"
    factor: float = 100.0
    less_is_better: bool = False


ACCURACY = Field("Accuracy, in percent", "score")
BALANCED = Field("Balanced accuracy, in percent", "balanced")
LOSS = Field("Log-loss", "log_loss", ".3f", 1.0, less_is_better=True)
R_SQUARED = Field("R² of regression, times 100", "score")


class Rows:
    """Rows by set and method, each field in the order of the splits."""

    def __init__(self, rows: list[Row]):
        self.sets = list(dict.fromkeys(row.set for row in rows))
        self.methods = sorted(dict.fromkeys(row.method for row in rows), key=OURS.__eq__)  # last
        self.found: dict[tuple[str, str], list[Row]] = {}
        for row in sorted(rows, key=lambda row: row.split):
            self.found.setdefault((row.set, row.method), []).append(row)

    def of(self, name: str, method: str, field: Field) -> np.ndarray:
        """Return one number per split; none where the method was not run."""
        rows = self.found.get((name, method), [])
        return field.factor * np.array([getattr(row, field.name) for row in rows])

    def mean(self, name: str, method: str, field: Field) -> float:
        return float(np.mean(found)) if len(found := self.of(name, method, field)) else np.nan

    def best_baseline(self, name: str, field: Field) -> str | None:
        """Return the baseline that is best on average over the splits."""
        means = {m: self.mean(name, m, field) for m in COMPARED if (name, m) in self.found}
        if not means:
            return None
        return (min if field.less_is_better else max)(means, key=means.__getitem__)

    def differences(self, name: str, field: Field) -> np.ndarray:
        """Return ours less the best baseline's, split by split: none where either was not run."""
        baseline, ours = self.best_baseline(name, field), self.of(name, OURS, field)
        if baseline is None or len(ours) == 0:
            return np.array([])
        return ours - self.of(name, baseline, field)


def table(title: str, head: list[str], lines: Cells) -> None:
    print(f"\n### {title}\n")
    print("| " + " | ".join(head) + " |")
    print("|---" + "|---:" * (len(head) - 1) + "|")
    for line in lines:
        print("| " + " | ".join(line) + " |")


def number(value: float, form: str) -> str:
    return f"{value:{form}}" if np.isfinite(value) else ""


def spread(numbers: np.ndarray, form: str) -> str:
    return f"{numbers.mean():{form}} ± {numbers.std():{form}}" if len(numbers) else ""


def standard_error(differences: np.ndarray) -> float:
    """Return that of a mean over splits; they share objects, so that it is a lower bound."""
    n = len(differences)
    return float(differences.std(ddof=1) / np.sqrt(n)) if n > 1 else np.nan


def verdict(differences: np.ndarray, form: str) -> str:
    if not len(differences):
        return ""
    error = number(standard_error(differences), form)
    return f"{differences.mean():+{form}}" + (f" ± {error}" if error else "")


def comparison(rows: Rows, sets: list[str], field: Field) -> None:
    """Print every method on every set, and ours less the best baseline."""
    methods = [m for m in rows.methods if any((name, m) in rows.found for name in sets)]
    lines = [
        [
            name,
            *(spread(rows.of(name, method, field), field.form) for method in methods),
            rows.best_baseline(name, field) or "",
            verdict(rows.differences(name, field), field.form),
        ]
        for name in sets
    ]
    means = [np.mean([rows.mean(name, m, field) for name in sets]) for m in methods]
    differences = [found.mean() for name in sets if len(found := rows.differences(name, field))]
    overall = f"{np.mean(differences):+{field.form}}" if differences else ""
    lines.append(["mean", *(number(mean, field.form) for mean in means), "", overall])
    head = ["set", *methods, "best baseline", "ours − best baseline ± standard error"]
    table(field.title, head, lines)


def against_svc(rows: Rows, sets: list[str], name: str, title: str, form: str) -> None:
    """Print ours, the tuned SVC's and ours / SVC, where both were run.

    The median over the splits stands for a set, as one disturbed fit must not speak for it.
    """
    field, lines, ratios = Field(title, name, form, 1.0), [], []
    for one in sets:
        ours, svc = rows.of(one, OURS, field), rows.of(one, "SVC", field)
        if len(ours) and len(svc):
            ratios.append(np.median(ours) / np.median(svc))
            cells = [f"{np.median(numbers):{form}}" for numbers in (ours, svc)]
            lines.append([one, *cells, f"{ratios[-1]:.2f}"])
    if lines:
        lines.append(["mean", "", "", f"{np.mean(ratios):.2f}"])
        table(title, ["set", "ours", "tuned SVC", "ours / SVC"], lines)


def counts(rows: Rows, classification: list[str], regression: list[str]) -> None:
    """Print on how many sets ours is level or ahead, and how far it is behind at worst."""
    scores = {
        name: found.mean()
        for field, names in ((ACCURACY, classification), (R_SQUARED, regression))
        for name in names
        if len(found := rows.differences(name, field))
    }
    if not scores:
        return
    losses = [d.mean() for s in classification if len(d := rows.differences(s, LOSS))]
    level = sum(difference >= LEVEL for difference in scores.values())
    worst = min(scores, key=scores.__getitem__)
    lines = [
        [f"level with the best baseline ({LEVEL} points) or ahead", share(level, len(scores))],
        ["farthest behind, points", f"{scores[worst]:+.2f} ({worst})"],
        ["log-loss at most the best baseline's", share(sum(d <= 0 for d in losses), len(losses))],
    ]
    table("Ours beside the best baseline", ["", "sets"], lines)


def share(some: int, every: int) -> str:
    return f"{some} of {every} ({some / every:.0%})" if every else ""


def show(rows: list[Row]) -> None:
    found = Rows(rows)
    targets = {row.set for row in rows if np.isnan(row.balanced)}
    regression = [name for name in found.sets if name in targets]
    classification = [name for name in found.sets if name not in targets]
    most = 1 + max(row.split for row in rows)
    print(f"{most} splits at most, 70 % of the objects for training; mean ± standard deviation")
    if classification:
        for field in (ACCURACY, BALANCED, LOSS):
            comparison(found, classification, field)
        title = "Prototypes against support vectors"
        against_svc(found, classification, "size", title, ".1f")
        title = "Seconds of a default fit against tuning and fitting an SVC"
        against_svc(found, classification, "seconds", title, ".3f")
    if regression:
        comparison(found, regression, R_SQUARED)
    counts(found, classification, regression)
