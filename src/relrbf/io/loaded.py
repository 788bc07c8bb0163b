"""What was read from a file: numbers or labels, names, and every assumption as a sentence."""

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from relrbf.exceptions import OptionError, RelationError
from relrbf.io.text import number_of
from relrbf.relations import Relation, as_relation


@dataclass(frozen=True, eq=False)
class LoadedMatrix:
    """A matrix from a file; whether it is square, and what its entries are, was not judged.

    Attributes
    ----------
    values : array of shape (m, n), or GraphRelation
        The numbers: an array; a ``numpy.memmap`` of a ``.npy``, or of a temporary file where they
        would fill the memory; a zarr array; the relation of a graph.
    row_ids, column_ids : ndarray of str, or None
        The names of the objects in the rows and in the columns.
    notes : tuple of str
        What was assumed, in sentences.
    path : str
        The file.
    labels : ndarray or None
        The labels that a ``.npz`` brought along.
    """

    values: Any
    row_ids: np.ndarray | None
    column_ids: np.ndarray | None
    notes: tuple[str, ...]
    path: str
    labels: np.ndarray | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """(number of rows, number of columns)."""
        return self.values.shape[0], self.values.shape[1]

    @property
    def ids(self) -> np.ndarray | None:
        """The names of a square matrix's objects: of its rows, or else of its columns."""
        return self.column_ids if self.row_ids is None else self.row_ids

    def square(self) -> "LoadedMatrix":
        """Return the same with its columns in the order of its rows; refuse what is not square."""
        from relrbf.io.matching import in_order_of_rows

        n_rows, n_columns = self.shape
        if n_rows == n_columns:
            return in_order_of_rows(self)
        raise RelationError(
            f"{self.path} has {n_rows} rows and {n_columns} columns; dissimilarities of n objects "
            f"are n × n. {self._advice()}"
        )

    def relation(
        self, *, similarities: Literal["convert", "refuse"] = "refuse", **options: Any
    ) -> Relation:
        """Return the relation of the objects, judged.

        Parameters
        ----------
        similarities : {"refuse", "convert"}, default="refuse"
            What to do with similarities: "convert" takes the distances ``sqrt(2 (s_ii - s_ij))``.
        **options
            Of ``relrbf.as_relation``: exponent, symmetrize.
        """
        if isinstance(self.values, Relation):
            if options.keys() - {"exponent"}:
                raise OptionError(f"{self.path} is a graph; {sorted(options)} do not apply to it.")
            return as_relation(self.values, **options)
        given = self.square()
        try:
            return as_relation(given.values, ids=given.ids, similarities=similarities, **options)
        except ValueError as error:
            text = str(error)
            about = f" {text[2:]}" if text.startswith("X ") else f": {text}"
            if isinstance(error, RelationError):
                about = about.removesuffix(error.advice).rstrip()
                raise RelationError(f"{self.path}{about}", error.advice, error.options) from error
            raise RelationError(f"{self.path}{about}") from error

    def __array__(self, *_: Any, **__: Any) -> np.ndarray:
        """Refuse to be taken for its numbers: estimators then say what to pass instead."""
        raise RelationError(
            f"X is what load_matrix read from {self.path}, names and notes included; pass its "
            "numbers, .values, or the relation of training objects, .relation()."
        )

    def noted(self, *notes: str) -> "LoadedMatrix":
        """Return the same with more notes."""
        return replace(self, notes=(*self.notes, *notes))

    def _advice(self) -> str:
        n_rows, n_columns = self.shape
        if n_columns == n_rows + 1:
            return "If the first column holds names, pass ids=True; the last may be something else."
        if n_rows == n_columns + 1:
            return "If the first line holds names, pass header=True."
        if n_rows == 1:
            return "If this is a condensed vector, write it in one column."
        if n_columns + (self.row_ids is not None) == 3:
            return "If this is a list of edges, i j weight, pass graph=True."
        return "Is a part of the file missing, or are these feature vectors?"


@dataclass(frozen=True, eq=False)
class LoadedLabels:
    """Labels from a file.

    Attributes
    ----------
    values : ndarray of shape (n,)
        As they are in the file: text, ``1.10`` beside ``1.1``, from a text; from an array, what it
        holds.
    ids : ndarray of str, or None
        The names of the objects.
    notes : tuple of str
        What was assumed, in sentences.
    path : str
        The file.
    is_numeric : bool
        Whether all labels are numbers; ``007`` is a name.
    decimal : {".", ","}
        The decimal sign of those that are text.
    """

    values: np.ndarray
    ids: np.ndarray | None
    notes: tuple[str, ...]
    path: str
    is_numeric: bool
    decimal: str = "."

    @property
    def numbers(self) -> np.ndarray:
        """The labels as float64; text that is no number is refused."""
        if self.values.dtype.kind in "biuf":
            return self.values.astype(np.float64)
        numbers = [number_of(str(text), self.decimal) for text in self.values]
        for text, number in zip(self.values, numbers, strict=True):
            if number is None or number != number:
                raise RelationError(f"{self.path}: the label {str(text)!r:.60} is not a number.")
        return np.array(numbers, dtype=np.float64)


def as_names(names: Any) -> np.ndarray | None:
    """Return names as an array of text."""
    return None if names is None else np.array([str(name) for name in names], dtype=object)
