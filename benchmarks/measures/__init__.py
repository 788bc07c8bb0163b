"""Measures of term sets and of expression profiles, on the data the paper names."""
