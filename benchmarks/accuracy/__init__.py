"""Accuracy of the untouched estimators beside tuned baselines, on real relations."""
