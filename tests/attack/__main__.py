"""The long attack: ``python -m tests.attack [NAME ...] --minutes 60``."""

import argparse
import faulthandler
import os
import resource
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

from tests.attack import (  # noqa: F401, registered when imported
    commands,
    files,
    fits,
    layouts,
    models,
    objects,
)
from tests.attack.kills import attack_kills
from tests.attack.kit import ATTACKS, MAX_SECONDS, READ, REFUSED, run, run_case

SLICE_SECONDS, MAX_CASES = 60, 10**6  # of one process
EXTRA_BYTES = 2**30  # of memory that the cases of a process may take
FILES = ("files", "layouts", "edge lists", "round trips", "models", "checkpoints")
COMMANDS = ("commands", "pages")


def limit_memory():
    """Let this process take a gigabyte more than it has."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + EXTRA_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def attack_once(name, seed):
    """Run cases in this process for a while, and print how many were read and refused."""
    limit_memory()
    faulthandler.enable()
    # a case that hangs where no signal is heard; on a busy machine the last one may take long
    faulthandler.dump_traceback_later(SLICE_SECONDS + 10 * MAX_SECONDS, exit=True)
    counts = run(name, seed, MAX_CASES, seconds=SLICE_SECONDS)
    print(counts[READ], counts[REFUSED], resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


def run_alone(name, seed):
    """Run an attack for a while, in a process of its own."""
    command = [sys.executable, "-m", "tests.attack", name, "--seed", str(seed), "--once"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def attack_for(names, seconds, seed):
    """Run attacks in turn, on every core, until the time is over."""
    end, counts, failures = monotonic() + seconds, {name: Counter() for name in names}, []
    most = 0
    while monotonic() < end:
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            done = zip(names, pool.map(partial(run_alone, seed=seed), names), strict=True)
        for name, process in done:
            if process.returncode:
                what = f"{name}, seed {seed}: exit code {process.returncode}"
                failures.append(what)
                print(what, process.stderr[-3000:], sep="\n", flush=True)
            else:
                read, refused, kilobytes = map(int, process.stdout.splitlines()[-1].split())
                counts[name] += Counter({READ: read, REFUSED: refused})
                most = max(most, kilobytes)
        seed += 1
        text = ", ".join(f"{name} {c[READ]:,} + {c[REFUSED]:,}" for name, c in counts.items())
        print(f"read + refused: {text}; {most >> 10} MB; {len(failures)} failures", flush=True)
    totals = Counter()
    for name, count in counts.items():
        what = "files and models" if name in FILES else "commands" if name in COMMANDS else "fits"
        totals[what] += count.total()
    text = ", ".join(f"{n:,} {what}" for what, n in totals.items())
    print(f"{text}; {most >> 10} MB; {len(failures)} failures", *failures, sep="\n", flush=True)
    return not failures


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.attack", description=__doc__)
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"of {', '.join(ATTACKS)}; or kills"
    )
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--case", type=int, help="run this case alone, with its traceback")
    parser.add_argument("--once", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.names == ["kills"]:
        return not attack_kills(options.seed, 60 * options.minutes)
    names = options.names or [*ATTACKS]
    if unknown := sorted({*names} - {*ATTACKS}):
        parser.error(f"{unknown} are not among {[*ATTACKS]}")
    if options.case is not None:
        with TemporaryDirectory() as folder:
            print(run_case(names[0], options.seed, options.case, Path(folder)))
    elif options.once:
        attack_once(names[0], options.seed)
    else:
        return not attack_for(names, 60 * options.minutes, options.seed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
