"""Accuracy of the untouched estimators beside tuned rivals, on real relations."""
