"""Measured as ratios in one run, against a named peer or a floor."""
