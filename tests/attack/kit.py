"""What all attacks share: the registry, the limits of a case, and damage to bytes."""

import linecache
import signal
import warnings
from collections import Counter
from contextlib import contextmanager
from math import inf
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from time import monotonic

import numpy as np
from sklearn.utils._param_validation import InvalidParameterError

from relrbf.exceptions import CheckpointError, ModelFileError, OptionError, RelationError

READ, REFUSED = "read", "refused"
OWN_ERRORS = (RelationError, OptionError, ModelFileError, CheckpointError)
CHECKS = (
    "/relrbf/",
    "/sklearn/utils/",
    "/sklearn/model_selection/",
)  # where arguments are validated
MAX_SECONDS = 30
ATTACKS = {}
ODD_NUMBERS = (
    *("0", "-0", "1e400", "-1e400", "5e-324", "1e308", "nan", "inf", "-inf", "NA", "", "-", "?"),
    *("1_0", "0x10", "1,5", "1.5abc", "1.660,00", "1'000", "٣", "²", "½", "9" * 5000, "1e-5000"),
    *("1e5", "+1", ".5", "5.", "1 2", "--1", "1e", "True", "None", "1j", "\u00a01", "１"),
)
ODD_NAMES = (
    *("", " ", "a b", 'a"b', "a'b", "'=1+1", "=1+1", "+1", "-1", "@x", "\tx", "#x", "%x", "$x$"),
    *("²", "١", "é", "名", "😀", "a\u202eb", "\ufeff", "\x1b[31m", "\x7f", "\x85", "\u2028", "\0"),
    *("id", "y", "V1", "nan", "0", "1", "2", "10", "1.5", "x" * 300, "9" * 40, "a,b", "a;b", "a|b"),
)


class AttackError(AssertionError):
    """A case that was neither read nor refused by an error of relrbf's own."""


def attack(name):
    """Register an attack: a function of a generator and an empty folder that runs one case."""

    def register(function):
        ATTACKS[name] = function
        return function

    return register


def run(name, seed, budget, first=0, seconds=inf):
    """Run so many cases of an attack; return how many were read, and how many refused."""
    counts, end = Counter({READ: 0, REFUSED: 0}), monotonic() + seconds
    with TemporaryDirectory() as folder:
        for number in range(first, first + budget):
            if monotonic() > end:
                break
            place = Path(folder, str(number))
            place.mkdir()
            counts[run_case(name, seed, number, place)] += 1
            rmtree(place)
    return counts


def run_case(name, seed, number, folder):
    rng = np.random.default_rng([seed, number])
    try:
        with _watched(), warnings.catch_warnings(action="ignore"):
            warnings.simplefilter("error", RuntimeWarning)
            ATTACKS[name](rng, folder)
    except Exception as error:
        if is_own(error):
            return REFUSED
        again = f"python -m tests.attack {name} --seed {seed} --case {number}"
        raise AttackError(f"{again}\n{type(error).__name__}: {error!s:.500}") from error
    return READ


def is_own(error):
    """Tell whether an error is one of relrbf's, or its word or scikit-learn's on an argument."""
    if isinstance(error, OWN_ERRORS):
        return True
    trace = error.__traceback__
    while trace.tb_next is not None:
        trace = trace.tb_next
    path = trace.tb_frame.f_code.co_filename
    line = linecache.getline(path, trace.tb_lineno).strip()
    checks = any(part in path for part in CHECKS)
    return (
        type(error) in (ValueError, TypeError, InvalidParameterError)
        and checks
        and line.startswith("raise ")
    )


def _seconds():
    """Return the time, less what this process has waited for a core on a busy machine."""
    statistics = Path("/proc/self/schedstat")
    waited = int(statistics.read_text().split()[1]) * 1e-9 if statistics.exists() else 0.0
    return monotonic() - waited


@contextmanager
def _watched():
    """Raise where a case takes too long."""
    began = _seconds()

    def stop(*_):
        left = MAX_SECONDS - (_seconds() - began)
        if left <= 0:
            raise TimeoutError(f"more than {MAX_SECONDS} seconds")
        signal.setitimer(signal.ITIMER_REAL, left + 0.1)

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, MAX_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def pick(rng, options):
    return options[int(rng.integers(len(options)))]


# Damage to bytes.


def flip_bits(content, rng):
    damaged = bytearray(content)
    for at in rng.integers(0, len(content), rng.integers(1, 4)):
        damaged[at] ^= 1 << int(rng.integers(8))
    return bytes(damaged)


def cut_off(content, rng):
    return content[: rng.integers(len(content))]


def insert(content, rng):
    at = rng.integers(len(content))
    return content[:at] + rng.bytes(rng.integers(1, 100)) + content[at:]


def remove(content, rng):
    at = rng.integers(len(content))
    return content[:at] + content[at + rng.integers(1, 100) :]


def overwrite(content, rng):
    at, new = rng.integers(len(content)), rng.bytes(rng.integers(1, 300))
    return content[:at] + new + content[at + len(new) :]


def move(content, rng):
    a, b, c = sorted(rng.integers(0, len(content), 3).tolist())
    return content[:a] + content[b:c] + content[a:b] + content[c:]


def repeat(content, rng):
    a, b = sorted(rng.integers(0, len(content), 2).tolist())
    return content[:b] + content[a:b] * int(rng.integers(1, 4)) + content[b:]


def put_number(content, rng):
    """Replace a run of digits by an odd number, as in headers and sizes."""
    digits = [at for at, byte in enumerate(content) if 48 <= byte < 58]
    if not digits:
        return content
    start = stop = pick(rng, digits)
    while stop < len(content) and 48 <= content[stop] < 58:
        stop += 1
    sizes = ("0", "-1", "1", "7", "65536", "2147483648", "100000000000", "9223372036854775807")
    new = pick(rng, (*ODD_NUMBERS, *sizes, *sizes)).encode()
    return content[:start] + new + content[stop:]


DAMAGES = (flip_bits, flip_bits, cut_off, insert, remove, overwrite, move, repeat, put_number)


def damage(content, rng):
    """Return bytes with some damage, at most three times."""
    for _ in range(rng.integers(1, 4)):
        if content:
            content = pick(rng, DAMAGES)(content, rng)
    return content
