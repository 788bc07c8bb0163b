"""Models in files: plain arrays and text, nothing that runs."""

from relrbf.persistence.loading import load
from relrbf.persistence.saving import save

__all__ = ["load", "save"]
