"""Relations on which constants may be settled: made here, so that no benchmark has a say in them.

Vectors of scikit-learn and generated ones, sequences and baskets, under measures of many kinds.
"""

from collections.abc import Callable

import numpy as np
from scipy.sparse.csgraph import shortest_path
from scipy.spatial.distance import cdist
from sklearn import datasets
from sklearn.neighbors import kneighbors_graph
from sklearn.preprocessing import StandardScaler

from benchmarks.accuracy.split import Set

LETTERS = np.array(list("abcdef"))


def between(X: np.ndarray, metric: str = "euclidean") -> np.ndarray:
    return cdist(X, X, metric)


def scaled(X: np.ndarray, metric: str = "euclidean") -> np.ndarray:
    return between(StandardScaler().fit_transform(X), metric)


def digits(first: int, last: int) -> tuple[np.ndarray, np.ndarray]:
    data = datasets.load_digits()
    return data.data[first:last], data.target[first:last]


def digits_graph() -> tuple[np.ndarray, np.ndarray]:
    """Return shortest paths over seven neighbours each; no path is twice the longest one."""
    X, y = digits(800, 1200)
    D = shortest_path(kneighbors_graph(X, 7, mode="distance"), directed=False)
    return np.where(np.isinf(D), 2 * D[np.isfinite(D)].max(), D), y


def spirals(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    y, angle = np.arange(300) % 2, 3 * np.pi * np.sqrt(rng.random(300))
    X = np.column_stack([np.cos(angle + np.pi * y), np.sin(angle + np.pi * y)]) * angle[:, None]
    return between(X + 0.4 * rng.standard_normal(X.shape)), y


def noisy_blobs(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return eight clusters of which 15 % of the objects have another label."""
    X, y = datasets.make_blobs(400, 5, centers=8, cluster_std=2.5, random_state=0)
    wrong = rng.random(400) < 0.15
    return between(X), np.where(wrong, rng.integers(0, 8, 400), y)


def checkerboard(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    X = rng.uniform(0, 4, (500, 2))
    y = np.floor(X).astype(int).sum(axis=1) % 2
    return between(X + 0.1 * rng.standard_normal(X.shape), "chebyshev"), y


def decades(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return clusters of different densities under exp(3 d) - 1, which spans decades."""
    y = np.arange(400) % 5
    centres, spreads = rng.standard_normal((5, 4)), np.array([0.05, 0.15, 0.3, 0.5, 0.8])
    X = centres[y] + spreads[y, None] * rng.standard_normal((400, 4))
    return np.expm1(3 * between(X)), y


def topics(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return documents of 60 words over a vocabulary of 200, by Bray-Curtis."""
    y = np.arange(250) % 3
    shares = rng.dirichlet(np.full(200, 0.3), 3)[y] * 0.4 + rng.dirichlet(np.full(200, 0.3)) * 0.6
    counts = np.array([rng.multinomial(60, share) for share in shares])
    return between(counts.astype(float), "braycurtis"), y


def baskets(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return what four kinds of customers bought of 60 goods, by Jaccard."""
    y = np.arange(300) % 4
    bought = rng.random((300, 60)) < rng.beta(0.8, 4, (4, 60))[y]
    return between(bought, "jaccard"), y


def strings(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return edit distances, and the share of one letter that each string was drawn with."""
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import cdist as fuzzy_cdist

    share = rng.uniform(0, 0.7, n)
    chances = [np.r_[s, np.full(5, (1 - s) / 5)] for s in share]
    words = ["".join(rng.choice(LETTERS, rng.integers(8, 24), p=p)) for p in chances]
    return fuzzy_cdist(words, words, scorer=Levenshtein.distance).astype(float), share


def string_classes(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    D, share = strings(rng, 240)
    return D, np.digitize(share, [0.2, 0.4])


def series(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return bumps of three shapes at any time, by dynamic time warping."""
    from aeon.distances import dtw_pairwise_distance

    time, y = np.linspace(0, 1, 60), np.arange(150) % 3
    place, width = rng.uniform(0.3, 0.7, (150, 1)), rng.uniform(0.05, 0.12, (150, 1))
    bump = np.exp(-(((time - place) / width) ** 2) / 2)
    dip = 0.8 * np.exp(-(((time - place - 2 * width) / width) ** 2) / 2)
    X = bump + np.array([[0.0], [-1.0], [1.0]])[y] * dip + 0.25 * rng.standard_normal((150, 60))
    return dtw_pairwise_distance(X), y


def sine(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return a sine whose noise grows from left to right."""
    x = rng.uniform(0, 3, 200)
    y = np.sin(4 * x) + 0.25 * x * rng.standard_normal(200)
    return between(x[:, None]), y


def friedman() -> tuple[np.ndarray, np.ndarray]:
    X, y = datasets.make_friedman1(400, 10, noise=1.0, random_state=0)
    return between(X), y


def sparse() -> tuple[np.ndarray, np.ndarray]:
    X, y = datasets.make_regression(300, 30, n_informative=4, noise=20, random_state=0)
    return between(X, "cityblock"), y


def vectors(make: Callable, metric: str = "euclidean", **options) -> tuple[np.ndarray, np.ndarray]:
    X, y = make(random_state=0, **options)
    return between(X, metric), y


def generated(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


CLASSES: dict[str, Callable[[], tuple[np.ndarray, np.ndarray]]] = {
    "iris": lambda: (scaled(datasets.load_iris().data), datasets.load_iris().target),
    "wine-canberra": lambda: (
        between(datasets.load_wine().data, "canberra"),
        datasets.load_wine().target,
    ),
    "cancer-cityblock": lambda: (
        scaled(datasets.load_breast_cancer().data, "cityblock"),
        datasets.load_breast_cancer().target,
    ),
    "digits": lambda: (between(digits(0, 500)[0]), digits(0, 500)[1]),
    "digits-cosine": lambda: (between(digits(500, 800)[0], "cosine"), digits(500, 800)[1]),
    "digits-paths": digits_graph,
    "moons": lambda: vectors(datasets.make_moons, n_samples=300, noise=0.25),
    "circles": lambda: vectors(datasets.make_circles, n_samples=300, noise=0.15, factor=0.5),
    "spirals": lambda: spirals(generated()),
    "blobs-noisy": lambda: noisy_blobs(generated()),
    "checkerboard": lambda: checkerboard(generated()),
    "rare-class": lambda: vectors(
        datasets.make_classification, n_samples=400, n_features=12, n_informative=4, weights=[0.9]
    ),
    "few-objects": lambda: vectors(
        datasets.make_classification, n_samples=80, n_features=20, n_informative=5, n_classes=3
    ),
    "decades": lambda: decades(generated()),
    "topics": lambda: topics(generated()),
    "baskets": lambda: baskets(generated()),
    "strings": lambda: string_classes(generated()),
    "series": lambda: series(generated()),
    "no-classes": lambda: (
        between(generated().standard_normal((120, 4))),
        generated(1).integers(0, 2, 120),
    ),
}
TARGETS: dict[str, Callable[[], tuple[np.ndarray, np.ndarray]]] = {
    "friedman": friedman,
    "sparse": sparse,
    "sine": lambda: sine(generated()),
    "string-shares": lambda: strings(generated(1), 300),
    "no-signal": lambda: (
        between(generated().standard_normal((120, 4))),
        generated(1).normal(50, 15, 120),
    ),
}


def made(name: str, regression: bool) -> Set:
    D, y = (TARGETS if regression else CLASSES)[name]()
    D = (D + D.T) / 2  # rounding of a measure, and nothing else, differs between the directions
    np.fill_diagonal(D, 0)
    return Set(name, D, y, regression=regression)


DEVELOPMENT: dict[str, Callable[[], Set]] = {
    **{name: lambda name=name: made(name, False) for name in CLASSES},
    **{name: lambda name=name: made(name, True) for name in TARGETS},
}
