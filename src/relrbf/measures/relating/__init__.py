"""Computing all dissimilarities of many objects: in blocks, on every core, to a file."""
