"""One split into training and test objects, of a relation and whatever goes with it."""

from typing import Any

import numpy as np
from sklearn.model_selection import GroupShuffleSplit
from sklearn.model_selection import train_test_split as split_positions
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples

from relrbf._typing import Indices
from relrbf.exceptions import OptionError, RelationError
from relrbf.relations.base import CrossRelation, Relation
from relrbf.relations.conversion import align_columns, as_relation
from relrbf.relations.validation import is_on_disk, refuse_shape

__all__ = ["train_test_split"]
TEST_FRACTION = 0.25  # of the objects, or of their groups, as in scikit-learn


def train_test_split(
    D: Any,
    *arrays: Any,
    test_size: float | int | None = None,
    train_size: float | int | None = None,
    random_state: Any = None,
    shuffle: bool = True,
    stratify: Any = None,
    groups: Any = None,
) -> list[Any]:
    """Split objects into training and test parts, cutting both axes of their dissimilarities.

    The training part is square; the test part has a row per test object and a column per training
    object. (``sklearn.model_selection.train_test_split`` cuts rows only.)

    Parameters
    ----------
    D : array, memmap, frame, Relation or condensed vector
        Dissimilarities between n objects. A frame's columns are matched to its rows by name.
    *arrays : sequences of length n
        Labels, targets, ids, weights, ...: cut along their first axis. A ``Relation`` among
        them is cut along both.
    test_size : float, int or None, default=None
        Part, or number, of the objects to hold out: a quarter, unless train_size says otherwise.
    train_size : float, int or None, default=None
        Part, or number, of the objects to train with: all the others.
    random_state : int, RandomState instance or None, default=None
        Seeds the split.
    shuffle : bool, default=True
        Whether to shuffle; otherwise the last objects are held out.
    stratify : sequence of length n or None, default=None
        Classes whose shares are to be the same in both parts.
    groups : sequence of length n or None, default=None
        Groups of objects that must stay together, such as copies, or products of one gene:
        an object whose duplicate is in the training part tells nothing about new ones.
        ``test_size`` and ``train_size`` then count groups.

    Returns
    -------
    list
        ``D_train, D_test``, and for each of the arrays its two parts. An array is cut to arrays, a
        frame to frames, a ``Relation`` to a ``Relation`` and a ``CrossRelation`` that read
        nothing until needed; a condensed vector and a matrix in a file become a ``Relation``.

    Examples
    --------
    >>> import numpy as np
    >>> from relrbf.model_selection import train_test_split
    >>> D = np.abs(np.subtract.outer(np.arange(8.0), np.arange(8)))
    >>> D_train, D_test, y_train, y_test = train_test_split(D, list("aaaabbbb"), random_state=0)
    >>> D_train.shape, D_test.shape
    ((6, 6), (2, 6))
    """
    D = _check_square(D)
    n = _num_samples(D)
    for number, array in enumerate(arrays):
        _check_length(array, n, f"arrays[{number}]")
    if test_size is None and train_size is None:
        test_size = TEST_FRACTION
    options = {"test_size": test_size, "train_size": train_size, "random_state": random_state}
    if groups is None:
        train, test = split_positions(np.arange(n), shuffle=shuffle, stratify=stratify, **options)
    elif stratify is None and shuffle:
        _check_length(groups, n, "groups")
        train, test = next(GroupShuffleSplit(1, **options).split(np.arange(n), groups=groups))
    else:
        raise OptionError(
            "groups are split as wholes, at random: leave stratify at None and shuffle at True.",
            "groups",
        )
    return [
        _cut(array, rows, train)
        if array is D or isinstance(array, Relation)
        else _safe_indexing(array, rows)
        for array in (D, *arrays)
        for rows in (train, test)
    ]


def _check_square(D: Any) -> Any:
    """Return D with two axes of the same objects; its entries are validated when it is used."""
    if isinstance(D, CrossRelation):
        refuse_shape(D.shape, "D")
    if isinstance(D, Relation):
        return D
    if is_on_disk(D) or np.ndim(D) == 1:
        return as_relation(D)
    D = align_columns(D, "D")
    matrix = D if hasattr(D, "shape") else np.asarray(D)
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
        refuse_shape(matrix.shape, "D")
    return matrix


def _check_length(array: Any, n: int, name: str) -> None:
    if array is None:
        raise RelationError(f"{name} is None; leave it out, or give one entry per object.")
    if np.shape(array) == (n, n) and not isinstance(array, Relation) and name != "groups":
        raise RelationError(
            f"{name} is square as D is: are these dissimilarities, to be cut along both axes? Pass "
            f"as_relation({name}) to say so, or cut it yourself."
        )
    if _num_samples(array) != n:
        raise RelationError(
            f"{name} has {_num_samples(array)} entries for the {n} objects of D; give one for "
            "each, in the same order."
        )


def _cut(D: Any, rows: Indices, cols: Indices) -> Any:
    return D.iloc[rows, cols] if hasattr(D, "iloc") else D[np.ix_(rows, cols)]
