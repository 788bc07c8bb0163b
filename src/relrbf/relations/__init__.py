"""What a relation is: dissimilarities between objects, wherever they live."""

from relrbf.relations.base import CrossRelation, Relation
from relrbf.relations.conversion import as_relation
from relrbf.relations.dask import DaskRelation
from relrbf.relations.dense import DenseRelation
from relrbf.relations.graph import GraphRelation
from relrbf.relations.objects import ObjectRelation
from relrbf.relations.properties import RelationReport
from relrbf.relations.vectors import VectorRelation

__all__ = [
    "CrossRelation",
    "DaskRelation",
    "DenseRelation",
    "GraphRelation",
    "ObjectRelation",
    "Relation",
    "RelationReport",
    "VectorRelation",
    "as_relation",
]
