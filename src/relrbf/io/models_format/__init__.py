"""Models in files: plain arrays and text, nothing that runs."""

from relrbf.io.models_format.loading import load
from relrbf.io.models_format.saving import save

__all__ = ["load", "save"]
