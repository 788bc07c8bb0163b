"""The state of training in a file, so that a fit that was killed continues to the same bits.

The file is a zip of plain arrays and one line of JSON; reading it runs no code. It replaces its
predecessor in one operation, so that there is always a complete one.
"""

import glob
import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from relrbf._typing import Array
from relrbf._utils import replacing
from relrbf.exceptions import CheckpointError, CheckpointWarning, warn
from relrbf.network import Network
from relrbf.prototypes.base import Prototypes
from relrbf.training.base import History, InitialState, Problem, Status, agree
from relrbf.training.state import DescentState, LastStep, Rates

CHECKPOINT_VERSION = 2
COUNTERS = (
    *("epoch", "start_epoch", "n_increases", "n_increases_since_growth"),
    *("n_unchanged", "n_rejected", "bound_age"),
)
PARAMETER_GROUPS = ("weights", "bias", "bandwidths")
RATE_GROUPS = (*PARAMETER_GROUPS, "prototypes")


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """The file for the state of one training; there is none where ``path`` is None."""

    path: Path | None
    options: dict[str, Any]
    identity: dict[str, Array]

    @classmethod
    def of(
        cls, trainer: Any, problem: Problem, start: InitialState, max_prototypes: Any, tol: float
    ) -> "Checkpoint":
        """Return the checkpoint of a training, which knows what the training starts from."""
        if trainer.checkpoint is None:
            return cls(None, {}, {})
        names = {f.name for f in fields(trainer)} - {"checkpoint", "checkpoint_every", "validation"}
        options = {name: _as_text(getattr(trainer, name)) for name in names}
        network, prototypes = start.network, start.prototypes
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

    def write(self, state: DescentState) -> None:
        """Write the state, where there is a file for it."""
        if self.path is None:
            return
        arrays, numbers = _packed(state)
        numbers |= {"version": CHECKPOINT_VERSION, "options": self.options}
        identity = {f"identity {name}": array for name, array in self.identity.items()}
        contents: Any = {"numbers": np.array(json.dumps(numbers)), **arrays, **identity}
        try:
            with replacing(self.path) as file:
                np.savez(file, **contents)
        except OSError as error:  # training continues all the same
            warn(
                f"checkpoint={str(self.path)!r} could not be written ({error}). Training "
                "continues; a kill would lose what was trained since the last write.",
                CheckpointWarning,
            )

    def resume(self, state: DescentState, problem: Problem, max_iter: int) -> DescentState:
        """Return the state in the file, or the given one where there is no file yet."""
        if self.path is None:
            return state
        if not self.path.parent.is_dir():
            raise CheckpointError(
                f"checkpoint={str(self.path)!r} lies in a folder that does not exist; make it, or "
                "name a file elsewhere."
            )
        for part in self.path.parent.glob(f".{glob.escape(self.path.name)}.*.part"):
            part.unlink(missing_ok=True)  # left by a kill in the middle of a write
        if not self.path.exists():
            return state
        try:
            with open(self.path, "rb") as handle:
                file = np.load(handle, allow_pickle=False)
                arrays = {name: file[name] for name in file.files}
            numbers = json.loads(str(arrays.pop("numbers")))
            self._check_same_training(arrays, numbers)
            resumed = _unpacked(arrays, numbers, state, problem)
        except CheckpointError:
            raise
        except Exception as error:  # whatever something else makes of its readers
            raise CheckpointError(
                f"checkpoint={str(self.path)!r} cannot be read ({error!s:.300}). It is damaged, or "
                "no checkpoint. It was left as it is; name another file, or delete it to begin."
            ) from error
        n_epochs = resumed.epoch - resumed.start_epoch
        if n_epochs > max_iter:
            raise CheckpointError(
                f"checkpoint={str(self.path)!r} holds {n_epochs} epochs of training, and max_iter "
                f"is {max_iter}. Raise it, or name another file."
            )
        return resumed

    def _check_same_training(self, arrays: dict[str, Array], numbers: dict[str, Any]) -> None:
        """Refuse a checkpoint that began from something else."""
        if numbers["version"] != CHECKPOINT_VERSION:
            found = f"the format {numbers['version']!r}, not {CHECKPOINT_VERSION}"
        else:
            kept = numbers["options"]
            other = [n for n in {*self.options, *kept} if self.options.get(n) != kept.get(n)]
            other += [n for n, a in self.identity.items() if not agree(arrays[f"identity {n}"], a)]
            found = f"another {', '.join(sorted(other))}" if other else ""
        if found:
            raise CheckpointError(
                f"checkpoint={str(self.path)!r} belongs to another training: it has {found}. It "
                "was left as it is; name another file, or delete it to start anew. (One file "
                "serves one fit, not the folds of a cross-validation; and to continue after a "
                "kill, random_state must be an int.)"
            )


def _as_text(option: Any) -> str:
    """Return an option as text; a list of numbers is as good as a tuple."""
    if isinstance(option, tuple | list | np.ndarray):
        return repr([float(value) for value in option])
    return repr(option)


def _packed(state: DescentState) -> tuple[dict[str, Array], dict[str, Any]]:
    """Return a state as arrays and numbers."""
    networks = {"now": (state.point.network, state.point.prototypes), "best": state.best}
    arrays: dict[str, Array] = {f"rates {n}": getattr(state.rates, n) for n in RATE_GROUPS}
    for name, (network, prototypes) in networks.items():
        arrays |= {f"{name} {group}": getattr(network, group) for group in PARAMETER_GROUPS}
        arrays |= {f"{name} rows {i}": array for i, array in enumerate(prototypes.rows)}
    numbers: dict[str, Any] = {name: getattr(state, name) for name in COUNTERS}
    numbers["history"] = asdict(state.history)
    numbers["rng"] = state.rng.bit_generator.state
    numbers["scale"], numbers["ceilings"] = state.rates.scale, state.rates.ceilings
    numbers["status"] = None if state.status is None else state.status.name
    if state.last_step is not None:
        direction, gradient, *rest = state.last_step
        numbers["last step"] = rest
        arrays |= {f"direction {i}": array for i, array in enumerate(direction)}
        arrays |= {f"gradient {i}": array for i, array in enumerate(gradient)}
    return arrays, numbers


def _check_arrays(arrays: dict[str, Array], first: DescentState) -> None:
    """Refuse arrays that no training reaches: not finite, or of a wrong shape."""
    shapes = {name: array.shape for name, array in _packed(first)[0].items()}
    for name, array in arrays.items():
        if name.startswith("identity"):
            continue
        shape = shapes.get(name, array.shape)
        if shape and not name.endswith("bias"):  # one entry per prototype, of which there were more
            owner = "best" if name.startswith("best") else "now"
            n_prototypes = len(arrays[f"{owner} bandwidths"]) if name in shapes else len(array)
            shape = n_prototypes, *shape[1:]
        is_positive = not name.endswith("bandwidths") or bool((array >= 0).all())
        is_finite = array.dtype.kind in "fi" and bool(np.isfinite(array).all())
        if array.shape != shape or not is_finite or not is_positive:
            raise ValueError(f"{name!r} holds what no training reaches")


def _unpacked(
    arrays: dict[str, Array], numbers: dict[str, Any], first: DescentState, problem: Problem
) -> DescentState:
    """Return a state from arrays and numbers, with the kernel and kind of prototypes of another."""

    def numbered(name: str) -> tuple[Array, ...]:
        return tuple(arrays[f"{name} {i}"] for i in range(sum(k.startswith(name) for k in arrays)))

    def network_of(name: str) -> tuple[Network, Prototypes]:
        parameters = {group: arrays[f"{name} {group}"] for group in PARAMETER_GROUPS}
        network = Network(first.point.network.kernel, **parameters)
        return network, first.point.prototypes.with_rows(numbered(f"{name} rows"))

    _check_arrays(arrays, first)
    rates = {name: arrays[f"rates {name}"] for name in RATE_GROUPS}
    rng = np.random.default_rng()
    rng.bit_generator.state = numbers["rng"]
    history = History(**numbers["history"])
    history.grown = [(epoch, where) for epoch, where in history.grown]
    last = None
    if "last step" in numbers:
        last = LastStep(numbered("direction"), numbered("gradient"), *numbers["last step"])
    return DescentState(
        problem.evaluate(*network_of("now")),
        first.initial,
        network_of("best"),
        Rates(**rates, scale=numbers["scale"], ceilings=tuple(numbers["ceilings"])),
        rng,
        last,
        history=history,
        status=None if numbers["status"] is None else Status[numbers["status"]],
        **{name: numbers[name] for name in COUNTERS},
    )
