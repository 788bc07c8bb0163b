"""Splitting a relation along both axes."""

from relrbf.model_selection.split import train_test_split

__all__ = ["train_test_split"]
