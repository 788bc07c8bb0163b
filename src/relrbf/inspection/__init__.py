"""Knowing a relation before training on it."""

from relrbf.inspection.inspect import inspect_relation
from relrbf.inspection.report import RelationInspection

__all__ = ["RelationInspection", "inspect_relation"]
