"""Judging a column of positions, or names, of objects in a relation."""

from typing import Any

import numpy as np

from relrbf._typing import Indices
from relrbf.exceptions import RelationError
from relrbf.relations.base import CrossRelation, Relation
from relrbf.relations.judge import as_matrix


def check_positions(X: Any, relation: Relation) -> Indices:
    """Return the positions that X means: one column of them, or of the names of the objects."""
    if isinstance(X, Relation | CrossRelation):
        raise RelationError(
            f"X is a {type(X).__name__}, and metric is a relation as well; X must then be one "
            "column, the positions of the objects. Or pass X alone, with metric='precomputed'."
        )
    column = _column(np.asarray(X))
    is_text = column.dtype.kind in "US" or any(isinstance(value, str) for value in column.flat[:1])
    if is_text:  # even of digits: a name is not a position
        return _places(column[:, 0], relation.ids)
    positions = _column(as_matrix(X))
    n_objects = relation.n_objects
    outside = (positions < 0) | (positions >= n_objects) | (positions != np.round(positions))
    if outside.any():
        raise RelationError(
            f"X holds the position {positions[outside][0]:g}; with metric=relation positions are "
            f"whole numbers from 0 to {n_objects - 1}, which nothing may scale or shift before."
        )
    return positions[:, 0].astype(np.intp)


def _column(X: np.ndarray) -> np.ndarray:
    """Return X, which is one column."""
    if X.ndim != 2:
        raise RelationError(
            f"X has shape {X.shape}; with metric=relation it must be one column. Reshape your data "
            "with X.reshape(-1, 1), or X[:, None]."
        )
    if X.shape[1] != 1:
        raise RelationError(
            f"X has shape {X.shape}; with metric=relation it must be one column, the positions of "
            "the objects in the relation. Dissimilarities belong in the relation; other features "
            "belong to other estimators (see sklearn.compose.ColumnTransformer)."
        )
    return X


def _places(names: np.ndarray, ids: np.ndarray | None) -> Indices:
    """Return where names stand among the names of all objects."""
    if ids is None:
        raise RelationError(
            f"X holds the name {str(names[0])!r}, and metric=relation has no ids; pass positions, "
            "whole numbers from 0, or make the relation with ids: as_relation(D, ids=names)."
        )
    known = {str(name): i for i, name in enumerate(ids)} | {name: i for i, name in enumerate(ids)}
    missing = [name for name in names if name not in known]
    if missing:
        raise RelationError(
            f"X names {str(missing[0])!r}, which is not one of the ids of metric=relation (they "
            f"start {ids[:3].tolist()})."
        )
    return np.array([known[name] for name in names], dtype=np.intp)
