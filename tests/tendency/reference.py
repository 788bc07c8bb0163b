"""VAT and iVAT by brute force: slow, and plain enough to be believed."""

import numpy as np


def prim_by_search(D):
    """Try every pair of a taken and a waiting object at every step; return order and edges."""
    n = len(D)
    pairs = [(i, j) for i in range(n) for j in range(n)]
    order = [max(pairs, key=lambda pair: D[pair])[0]]  # max returns the first of equals
    edges = [0.0]
    while len(order) < n:
        waiting = [q for q in range(n) if q not in order]
        gaps = [min(D[p, q] for p in order) for q in waiting]
        order.append(waiting[gaps.index(min(gaps))])
        edges.append(min(gaps))
    return order, edges


def minimax_by_relaxation(D):
    """Floyd and Warshall's algorithm with the longest step of a path for its length."""
    paths = D.copy()
    for k in range(len(D)):
        paths = np.minimum(paths, np.maximum(paths[:, k, None], paths[None, k, :]))
    return paths


def efficient_ivat(image):
    """Havens & Bezdek's recursion as printed, from the reordered dissimilarities alone."""
    paths = np.zeros_like(image)
    for r in range(1, len(image)):
        parent = int(np.argmin(image[r, :r]))
        for c in range(r):
            step = image[r, parent]
            paths[r, c] = paths[c, r] = step if c == parent else max(step, paths[parent, c])
    return paths
