"""Accuracy, log-loss, size and seconds beside tuned baselines; R² beside tuned regressors.

Run ``make accuracy``, or ``python -m benchmarks.accuracy`` where the extra ``bench`` is installed.
Baselines take long and never change: ``--keep FOLDER`` keeps their rows there and reads them the
next time. Seconds are honest with one job only.
"""

import argparse
import sys
import time
from pathlib import Path

from joblib import Parallel, delayed

from benchmarks.accuracy.keep import Keep
from benchmarks.accuracy.measure import OURS, Row, measure, methods
from benchmarks.accuracy.sets import GROUPS, SETS
from benchmarks.accuracy.split import Set
from benchmarks.accuracy.tables import show


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.accuracy", description=__doc__)
    parser.add_argument("--group", choices=GROUPS, default="benchmark")
    parser.add_argument("--sets", nargs="+", choices=SETS, metavar="NAME", help="not the group")
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--only", choices=("ours", "baselines", "all"), default="all")
    parser.add_argument("--jobs", type=int, default=1, help="splits at a time")
    parser.add_argument(
        "--keep", type=Path, metavar="FOLDER", help="where baselines' rows are kept"
    )
    return parser.parse_args()


def rows_of(data: Set, method: str, options: argparse.Namespace, keep: Keep) -> list[Row]:
    """Return one row per split: the kept ones, and the others measured now."""
    splits = dict(enumerate(data.splits(options.splits)))
    kept = {} if method == OURS else {i: keep.find(data.name, method, i) for i in splits}
    rows = [row for row in kept.values() if row is not None]
    work = (
        delayed(measure)(data, method, i, split)
        for i, split in splits.items()
        if kept.get(i) is None
    )
    start = time.perf_counter()
    for row in Parallel(options.jobs, return_as="generator")(work):
        rows.append(row)
        if method != OURS:
            keep.add(row)
        elapsed = time.perf_counter() - start
        print(
            f"{data.name} {method}, split {row.split}: {row.score:.3f} ({elapsed:.1f} s)",
            file=sys.stderr,
            flush=True,
        )
    return rows


def main() -> None:
    options = arguments()
    keep = Keep(options.keep)
    rows = [
        row
        for one in (SETS[name]() for name in options.sets or GROUPS[options.group])
        for method in methods(one, options.only)
        for row in rows_of(one, method, options, keep)
    ]
    show(rows)


if __name__ == "__main__":
    main()
