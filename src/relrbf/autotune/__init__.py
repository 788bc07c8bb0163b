"""What every "auto" becomes, with its evidence: from data and parameters to a FitConfig."""

from relrbf.autotune.config import Evidence, FitConfig, PreviousFit, TrainingData
from relrbf.autotune.explanation import explain
from relrbf.autotune.resolve import make_evidence, resolve
from relrbf.autotune.teacher import Teacher, fit_teacher

__all__ = [
    "Evidence",
    "FitConfig",
    "PreviousFit",
    "Teacher",
    "TrainingData",
    "explain",
    "fit_teacher",
    "make_evidence",
    "resolve",
]
