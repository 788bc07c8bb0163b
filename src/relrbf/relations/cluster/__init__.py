"""Dissimilarities that lie on the workers of a Dask cluster."""
