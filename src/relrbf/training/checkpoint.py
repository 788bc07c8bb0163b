"""The state of training in a file, so that a fit that was killed goes on to the same bits.

The file is a zip of plain arrays and one line of JSON; reading it runs no code. It is written
beside itself and put in place at once, so that there is always a whole one.
"""

import glob
import json
import os
import zipfile
import zlib
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from tempfile import mkstemp
from typing import Any

import numpy as np

from relrbf._typing import Array
from relrbf.exceptions import CheckpointError, CheckpointWarning, warn
from relrbf.network import Network
from relrbf.prototypes.base import Prototypes
from relrbf.training.base import History, Status
from relrbf.training.conjugate import Conjugate
from relrbf.training.problem import Motion, Problem, agree
from relrbf.training.rates import Rates
from relrbf.training.state import State

VERSION = 1
PART = ".part"
COUNTERS = ("began", "increases", "since_growth", "settled", "rejected", "age")
DAMAGE = (  # what reading something else as a checkpoint can raise
    *(OSError, EOFError, ValueError, LookupError, TypeError, AttributeError, RuntimeError),
    *(zipfile.BadZipFile, zlib.error),
)


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """A file for the state of one training; with ``path`` None, none."""

    path: Path | None
    options: dict[str, Any]
    identity: dict[str, Array]

    @classmethod
    def of(
        cls,
        trainer: Any,
        problem: Problem,
        network: Network,
        prototypes: Prototypes,
        max_prototypes: int | None,
        tol: float,
    ) -> "Checkpoint":
        """Return the checkpoint of a training, which knows what the training starts from."""
        if trainer.checkpoint is None:
            return cls(None, {}, {})
        options = {f.name: _words(getattr(trainer, f.name)) for f in fields(trainer)}
        for name in ("checkpoint", "checkpoint_every", "validation"):
            del options[name]
        options |= {
            "kernel": f"{type(network.kernel).__name__} {vars(network.kernel)}",
            "loss": type(problem.loss).__name__,
            "space": type(problem.space).__name__,
            "max_prototypes": repr(max_prototypes),
            "tol": repr(float(tol)),
        }
        identity = problem.identity() | {
            "alpha": np.array([problem.alpha]),
            "first weights": network.weights,
            "first bandwidths": network.bandwidths,
            "first prototypes": prototypes.distances_sq.mean(axis=1),
        }
        return cls(Path(trainer.checkpoint), options, identity)

    def write(self, state: State, *, due: bool) -> None:
        """Write the state when it is due."""
        if self.path is None or not due:
            return
        arrays, numbers = _packed(state)
        numbers |= {"version": VERSION, "options": self.options}
        arrays |= {f"identity {name}": array for name, array in self.identity.items()}
        try:
            handle, beside = mkstemp(PART, f"{self.path.name}.", self.path.parent)
            with open(handle, "wb") as file:
                np.savez(file, allow_pickle=False, numbers=np.array(json.dumps(numbers)), **arrays)
                file.flush()
                os.fsync(file.fileno())
            os.replace(beside, self.path)
        except OSError as error:  # no reason to lose what was trained
            warn(
                f"checkpoint={str(self.path)!r} could not be written ({error}). Training goes on; "
                "a kill would lose what was trained since the last write.",
                CheckpointWarning,
            )

    def resume(self, state: State, problem: Problem, max_iter: int) -> State:
        """Return the state in the file, or the given one where there is no file yet."""
        if self.path is None:
            return state
        if not self.path.parent.is_dir():
            raise CheckpointError(
                f"checkpoint={str(self.path)!r} lies in a folder that does not exist; make it, or "
                "name a file elsewhere."
            )
        for part in self.path.parent.glob(f"{glob.escape(self.path.name)}.*{PART}"):
            part.unlink(missing_ok=True)  # left by a kill in the middle of a write
        if not self.path.exists():
            return state
        try:
            with open(self.path, "rb") as handle:
                file = np.load(handle, allow_pickle=False)
                arrays = {name: file[name] for name in file.files}
            numbers = json.loads(str(arrays.pop("numbers")))
            self._refuse_other(arrays, numbers)
            resumed = _unpacked(arrays, numbers, state, problem)
        except CheckpointError:
            raise
        except DAMAGE as error:
            raise self._damaged(error) from error
        if resumed.epoch - resumed.began > max_iter:
            raise CheckpointError(
                f"checkpoint={str(self.path)!r} has gone on for {resumed.epoch - resumed.began} "
                f"epochs, and max_iter is {max_iter}. Raise it, or name another file."
            )
        return resumed

    def _damaged(self, error: Exception) -> CheckpointError:
        return CheckpointError(
            f"checkpoint={str(self.path)!r} cannot be read ({error}). It is damaged, or no "
            "checkpoint. It was left as it is; name another file, or delete it to start anew."
        )

    def _refuse_other(self, arrays: dict[str, Array], numbers: dict[str, Any]) -> None:
        """Refuse a checkpoint that began from something else."""
        if numbers["version"] != VERSION:
            found = f"the format {numbers['version']!r}, not {VERSION}"
        else:
            kept = numbers["options"]
            other = [n for n in {*self.options, *kept} if self.options.get(n) != kept.get(n)]
            other += [n for n, a in self.identity.items() if not agree(arrays[f"identity {n}"], a)]
            found = f"another {', '.join(sorted(other))}" if other else ""
        if found:
            raise CheckpointError(
                f"checkpoint={str(self.path)!r} belongs to another training: it has {found}. It "
                "was left as it is; name another file, or delete it to start anew. (One file "
                "serves one fit, not the folds of a cross-validation; and to go on after a kill, "
                "random_state must be an int.)"
            )


def _words(option: Any) -> str:
    """Return an option as text; a list of numbers is as good as a tuple."""
    if isinstance(option, tuple | list | np.ndarray):
        return repr([float(value) for value in option])
    return repr(option)


def _packed(state: State) -> tuple[dict[str, Array], dict[str, Any]]:
    """Return a state as arrays and numbers."""
    arrays = _arrays_of("now", state.point.network, state.point.prototypes.rows)
    arrays |= _arrays_of("best", state.best[0], state.best[1].rows)
    arrays |= {f"rates {n}": getattr(state.rates, n) for n in _RATES}
    numbers: dict[str, Any] = {name: getattr(state, name) for name in COUNTERS}
    numbers["history"] = asdict(state.history)
    numbers["rng"] = state.rng.bit_generator.state
    numbers["scale"], numbers["ceilings"] = state.rates.scale, state.rates.ceilings
    numbers["ended"] = state.ended.name if state.ended is not None else None
    past = state.past
    if isinstance(past, Conjugate):
        arrays |= _arrays_of("motion", past.motion, past.motion.prototypes.rows)
        arrays |= _arrays_of("slopes", past.slopes, past.slopes.prototypes.rows)
        numbers["conjugate"] = past.square, past.length, past.epochs
    elif past is not None:
        arrays |= _arrays_of("motion", past, past.prototypes.rows)
    return arrays, numbers


def _unpacked(
    arrays: dict[str, Array], numbers: dict[str, Any], first: State, problem: Problem
) -> State:
    """Return a state from arrays and numbers; ``first`` says of what kinds it is made."""
    network, prototypes = _network_from("now", arrays, first)
    rates = Rates(
        **{name: arrays[f"rates {name}"] for name in _RATES},
        scale=numbers["scale"],
        ceilings=tuple(numbers["ceilings"]),
    )
    rng = np.random.default_rng()
    rng.bit_generator.state = numbers["rng"]
    history = History(**numbers["history"])
    history.grown = [(epoch, where) for epoch, where in history.grown]
    past: Motion | Conjugate | None = None
    if "motion weights" in arrays:
        past = _motion_from("motion", arrays, problem)
        if "conjugate" in numbers:
            slopes = _motion_from("slopes", arrays, problem)
            past = Conjugate(past, slopes, *numbers["conjugate"])
    return State(
        point=problem.evaluate(network, prototypes),
        initial=first.initial,
        best=_network_from("best", arrays, first),
        rates=rates,
        rng=rng,
        past=past,
        history=history,
        ended=None if numbers["ended"] is None else Status[numbers["ended"]],
        **{name: numbers[name] for name in COUNTERS},
    )


_RATES = ("weights", "bias", "bandwidths", "prototypes")
_PARAMETERS = ("weights", "bias", "bandwidths")


def _arrays_of(which: str, part: Network | Motion, rows: tuple[Array, ...]) -> dict[str, Array]:
    arrays = {f"{which} {name}": getattr(part, name) for name in _PARAMETERS}
    return arrays | {f"{which} rows {i}": array for i, array in enumerate(rows)}


def _parts_of(which: str, arrays: dict[str, Array]) -> tuple[dict[str, Array], tuple[Array, ...]]:
    n_rows = sum(name.startswith(f"{which} rows") for name in arrays)
    rows = tuple(arrays[f"{which} rows {i}"] for i in range(n_rows))
    return {name: arrays[f"{which} {name}"] for name in _PARAMETERS}, rows


def _network_from(which: str, arrays: dict[str, Array], first: State) -> tuple[Network, Prototypes]:
    parameters, rows = _parts_of(which, arrays)
    network = Network(first.point.network.kernel, **parameters)
    return network, first.point.prototypes.with_rows(rows)


def _motion_from(which: str, arrays: dict[str, Array], problem: Problem) -> Motion:
    parameters, rows = _parts_of(which, arrays)
    return Motion(**parameters, prototypes=problem.space.direction(rows))
