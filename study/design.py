"""Which cells there are, and the seed of each."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from numbers import Integral
from typing import Any

import numpy as np

from relrbf import __version__
from study.data import PAPER, DataSet, check_choice, check_variant
from study.models import MODELS, PROTOCOL


@dataclass(frozen=True)
class Cell:
    """One unit of the study: a data set, a variant of its relation, a model, a repetition."""

    data: DataSet
    variant: str
    model: str
    repetition: int
    root: int = 0

    @property
    def kind(self) -> tuple[str, str, str]:
        """What the repetitions of a cell share."""
        return self.data.name, self.variant, self.model

    @property
    def key(self) -> str:
        """A stable name, such as ``HG-194/classical/graph/7``."""
        return "/".join([*self.kind, str(self.repetition)])

    @property
    def seed(self) -> int:
        """The model's own seed, the same for all variants, which differ in the relation alone."""
        return derive_seed(self.root, self.data.name, self.model, self.repetition)

    @property
    def split_seed(self) -> int:
        """The split's seed, the same for all variants and models."""
        return derive_seed(self.root, self.data.name, "split", self.repetition)

    @property
    def fingerprint(self) -> str:
        """A digest of all that the result depends on."""
        size = self.data.n_prototypes, self.data.max_prototypes, self.data.max_iter
        settings = repr((self.key, self.seed, self.split_seed, *size, PROTOCOL, __version__))
        return sha256(settings.encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Design:
    """A Monte-Carlo study: every model on every variant of every data set, many times.

    Parameters
    ----------
    data : sequence of DataSet, default=PAPER
        The data sets, each with its own variants.
    models : sequence of str, default=("graph", "medoid", "default", "knn", "svc", "forest")
        Names from ``study.models.MODELS``.
    repetitions : int, default=100
        Splits per data set.
    seed : int, default=0
        The root of all seeds.

    Examples
    --------
    >>> from study import Design
    >>> design = Design(repetitions=2)
    >>> cells = list(design.cells())
    >>> len(cells), cells[0].key
    (252, 'BC-569/original/graph/0')
    >>> design.cell("HG-194/classical/svc/1").seed
    1105767619
    """

    data: Sequence[DataSet] = PAPER
    models: Sequence[str] = tuple(MODELS)
    repetitions: int = 100
    seed: int = 0

    def __post_init__(self) -> None:
        _check_count("repetitions", self.repetitions, minimum=1)
        _check_count("seed", self.seed, minimum=0)
        for model in self.models:
            check_choice("models", model, MODELS)
        names = [data.name for data in self.data]
        if len(set(names)) < len(names):
            raise ValueError(f"data holds a name twice: {names}; give each set its own.")
        for data in self.data:
            for variant in data.variants:
                check_variant(variant)

    def cells(self) -> Iterator[Cell]:
        """Yield all cells, whole repetitions first, so that half a study is a smaller study."""
        for repetition in range(self.repetitions):
            for data in self.data:
                for variant in data.variants:
                    for model in self.models:
                        yield Cell(data, variant, model, repetition, self.seed)

    def cell(self, key: str) -> Cell:
        """Return the cell with this key, to be rerun alone."""
        for cell in self.cells():
            if cell.key == key:
                return cell
        raise ValueError(
            f"no cell {key!r} in this design; keys are data/variant/model/repetition, "
            f"such as {next(self.cells()).key!r}."
        )


def _check_count(name: str, value: Any, minimum: int) -> None:
    if isinstance(value, bool) or not isinstance(value, Integral) or value < minimum:
        raise ValueError(f"{name} is {value!r}; pass a whole number of at least {minimum}.")


def derive_seed(root: int, *names: str | int) -> int:
    """Return a seed that depends on the root and the names alone, not on other cells."""
    branch = tuple(_number(name) for name in names)
    return int(np.random.SeedSequence(root, spawn_key=branch).generate_state(1)[0])


def _number(name: str | int) -> int:
    if isinstance(name, int):
        return name
    return int.from_bytes(sha256(name.encode()).digest()[:4], "little")
