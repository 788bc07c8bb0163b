"""Objects of any kind, graphs, deep networks and splits: odd ones of each, measured and fitted.

What is found is finite, a saved model answers as the model did, and what was passed in stays as it
was. An error of the user's own measure may come through as it is.
"""

from decimal import Decimal
from fractions import Fraction
from functools import partial
from importlib.util import find_spec
from pickle import dumps
from zlib import crc32

import numpy as np
import pandas as pd
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.spatial.distance import squareform
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from relrbf import (
    RBFNetworkClassifier,
    RBFNetworkRegressor,
    as_relation,
    inspect_relation,
    relate,
)
from relrbf.clustering import RelationalFuzzyCMeans, RelationalKMeans
from relrbf.embeddings import ClassicalMDS, DissimilarityRows, LandmarkMDS, ProximalMDS
from relrbf.exceptions import RelationError
from relrbf.measures import named_measures
from relrbf.model_selection import train_test_split
from relrbf.network import Polynomial, RationalQuadratic
from relrbf.relations import GraphRelation, ObjectRelation
from relrbf.torch import DeepRBFClassifier, DeepRBFRegressor
from tests.attack.fits import (
    CLASSIFIER,
    CLUSTERER,
    EMBEDDING,
    EXPONENTS,
    NETWORK,
    as_frame,
    as_single,
    check_finite,
    choose,
    fit_network,
    make_classes,
    make_relation,
    make_targets,
    make_weights,
    reloaded,
    run_on,
    walk,
)
from tests.attack.kit import ODD_NAMES, attack, pick
from tests.attack.models import METHODS

MAX_OBJECTS, MAX_NEW = 25, 4

# Objects: functions of a generator and their number.


def words(rng, n):
    letters = pick(rng, ("ab", "abc", "aé名😀", "".join(ODD_NAMES[:36])))
    lengths = rng.integers(0, pick(rng, (2, 5, 12)), n)
    return ["".join(pick(rng, letters) for _ in range(length)) for length in lengths]


def odd_words(rng, n):
    return [pick(rng, (*ODD_NAMES, "ab" * 400)) for _ in range(n)]


def few_words(rng, n):
    return [pick(rng, ("a", "ab", "")) for _ in range(n)]


def series(rng, n):
    """Arrays, lists and tuples of unequal length, also none."""
    lengths = rng.integers(pick(rng, (0, 1, 1, 5)), 6, n)
    kind = pick(rng, (np.asarray, np.ndarray.tolist, lambda s: tuple(s.tolist()), as_single))
    return [kind(rng.standard_normal(length)) for length in lengths]


def broken_series(rng, n):
    made = series(rng, n)
    odd = pick(rng, (np.array([np.nan]), [np.inf, 1.0], np.zeros((2, 3)), [[1.0], [2.0, 3.0]], []))
    made[int(rng.integers(n))] = odd
    return made


def nested(rng, n):
    parts = (None, 1, "a", 2.5, True, b"x", (1, 2), [], {}, frozenset("ab"), float("nan"))
    return [
        pick(rng, (list, tuple, lambda some: {"of": some}, lambda some: [some, [some]]))(
            [pick(rng, parts) for _ in range(rng.integers(0, 4))]
        )
        for _ in range(n)
    ]


def mixed(rng, n):
    parts = (None, "a", "", 1, -2.5, np.float32(3), float("nan"), b"ab", np.str_("b"), [1], pd.NA)
    return [pick(rng, parts) for _ in range(n)]


def vectors(rng, n):
    return list(rng.integers(0, 3, (n, int(rng.integers(1, 4)))).astype(float))


OBJECTS = (words, words, words, odd_words, few_words, series, series, broken_series, nested, mixed)


def as_index(objects):
    return pd.Series(objects, index=[f"o{i}" for i in range(len(objects))], dtype=object)


def as_column(objects):
    column = np.empty((len(objects), 1), dtype=object)
    column[:, 0] = objects
    return column


def as_flat(objects):
    return as_column(objects)[:, 0]


def as_rows(objects):
    return pd.DataFrame({"first": as_index(objects), "second": 1})


FORMS = (list, list, list, list, tuple, as_index, as_flat, as_column, np.array, as_rows)
NO_LISTS = (
    *("ab", b"ab", "", {"a": "b", "b": "c"}, {"a", "b"}, frozenset(), None, 3, [], np.array("ab")),
    *(
        np.zeros((2, 0)),
        np.zeros((0, 2)),
        np.array(["a", "b"]),
        np.array([["a", "b"]] * 3),
        range(4),
    ),
    *(pd.Series(dtype=object), pd.DataFrame(), [[]], [["a", "b"], ["c", "d"]], ([1], [2]), True),
)


def in_form(form, objects):
    try:
        return form(objects)
    except ValueError:  # of unequal lengths
        return objects


# Measures: functions of two objects, and what may be wrong with one.


class UserError(Exception):
    """What a user's own measure may raise."""


def number(value):
    return crc32(repr(value).encode(errors="backslashreplace")) % 1000 / 100


def size_of(value):
    try:
        return len(value)
    except TypeError:
        return 0


def by_text(a, b):
    return abs(number(a) - number(b))


def by_size(a, b):
    return abs(size_of(a) - size_of(b))


def by_equality(a, b):
    return float(repr(a) != repr(b))


MEASURES = (by_text, by_text, by_size, by_equality)


def raise_own(value, a, b):
    raise UserError("of the user's")


def end(value, a, b):
    raise StopIteration


FAULTS = (
    *(lambda value, a, b: -value - 1, lambda value, a, b: float("nan"), lambda value, a, b: None),
    *(lambda value, a, b: value + (repr(a) > repr(b)), lambda value, a, b: str(value)),
    *(lambda value, a, b: value * 1e200, lambda value, a, b: value * 1e-200),
    *(lambda value, a, b: value * 1e140, lambda value, a, b: value * 1e-140),
    *(lambda value, a, b: value + 1, lambda value, a, b: [value], lambda value, a, b: value + 0j),
    *(lambda value, a, b: np.array([value]), lambda value, a, b: 10**400, raise_own, end),
)
KINDS = (
    *(float, float, float, np.float32, np.float64, int, bool, np.array, Decimal, Fraction),
    *(lambda value: -1e-17 + value, np.int64),
)


class Made:
    """A measure made for one case; it may have a fault, always or for one object only."""

    def __init__(self, rng, X):
        objects = list(X) if size_of(X) else [X]
        self.measure, self.kind = pick(rng, MEASURES), pick(rng, KINDS)
        self.scale = 10.0 ** rng.uniform(-100, 100) if rng.random() < 0.1 else 1
        self.fault = pick(rng, FAULTS) if rng.random() < 0.3 else None
        self.at = repr(objects[0]) if rng.random() < 0.5 else None

    def __call__(self, a, b, **params):
        value = self.measure(a, b) * self.scale
        if self.fault is not None and self.at in (None, repr(a), repr(b)):
            return self.fault(value, a, b)
        return self.kind(value)


class Pairwise(Made):
    """The same as a function of two lists of objects."""

    def __call__(self, rows, cols, **params):
        return np.array([[super(Pairwise, self).__call__(a, b) for b in cols] for a in rows])


def is_there(text):
    """Tell whether the package of a named measure is installed."""
    package = text[text.rindex("(") + 1 : -1]
    return find_spec({"scikit-learn": "sklearn"}.get(package, package)) is not None


NAMES = [name for name, text in named_measures().items() if is_there(text)]
METRICS = [name for name in NAMES if named_measures()[name].startswith("strings")] * 5 + NAMES


def fit_any(rng, X, new, **options):
    """Fit a network, clusters or an embedding with a metric; return the model and answers."""
    n, how = max(size_of(X), 1), rng.random()
    if how < 0.5:
        make, known, targets = pick(
            rng,
            (
                (RBFNetworkClassifier, CLASSIFIER, make_classes),
                (RBFNetworkRegressor, NETWORK, make_targets),
            ),
        )
        y, w = targets(rng, n), make_weights(rng, n)
        return fit_network(rng, X, new, y, w, partial(make, **options), known)
    if how < 0.75:
        make, known = pick(rng, (RelationalKMeans, RelationalFuzzyCMeans)), CLUSTERER
        options |= {"n_clusters": int(rng.integers(1, 6)), "random_state": 0}
        weights = {"sample_weight": make_weights(rng, n)}
    else:
        make, known = pick(rng, (ClassicalMDS, ProximalMDS, LandmarkMDS, DissimilarityRows)), {}
        known, weights = {} if make is DissimilarityRows else EMBEDDING, {}
    model = make(**choose(rng, known, **options)).fit(X, **weights)
    return model, answers_of(model, new)


def answers_of(model, new):
    return [getattr(model, method)(new) for method in METHODS if hasattr(model, method)]


def check_model(model, answers, new):
    """Refuse what is not finite, and a file from which the model answers otherwise."""
    for name, value in walk(model):
        if "._source" not in name:  # which has the objects, and a cache that is NaN where empty
            check_finite(name, value)
    for answer in answers:
        check_finite("an answer", answer)
    again = reloaded(model)
    for before, after in zip(answers_of(model, new), answers_of(again, new), strict=True):
        assert before.dtype == after.dtype
        assert np.array_equal(before, after), "a saved model answers otherwise"


def unchanged(function):
    """Run on objects, and on new ones, that stay as they are."""

    def run(rng, X, new, *rest):
        before = content(X), content(new)
        try:
            return function(rng, X, new, *rest)
        except UserError as error:
            raise RelationError("of the user's own") from error
        finally:
            assert (content(X), content(new)) == before, "an input was changed"

    return run


def content(objects):
    """Return the bytes of objects; a graph of networkx has views besides, made when asked for."""
    if hasattr(objects, "is_directed"):
        objects = list(objects.nodes), list(objects.edges(data=True))
    return dumps(objects)


def make_objects(rng, kinds=OBJECTS):
    """Return some objects and new ones, in some form."""
    n, m = int(rng.integers(2, MAX_OBJECTS + 1)), int(rng.integers(1, MAX_NEW))
    objects, form = pick(rng, kinds)(rng, n + m), pick(rng, FORMS)
    if rng.random() < 0.1:
        objects[n:] = pick(rng, OBJECTS)(rng, m)  # new ones of another kind
    X, new = in_form(form, objects[:n]), in_form(form, objects[n:])
    return X if rng.random() < 0.95 else pick(rng, NO_LISTS), (
        new if rng.random() < 0.95 else pick(rng, NO_LISTS)
    )


@unchanged
def fit_to_objects(rng, X, new, metric):
    model, answers = fit_any(rng, X, new, metric=metric)
    check_model(model, answers, new)


@attack("objects")
def attack_objects(rng, folder):
    X, new = make_objects(rng)
    metric = pick(rng, METRICS) if rng.random() < 0.4 else Made(rng, X)
    fit_to_objects(rng, X, new, metric)


# A relation of objects: read, multiplied, cut, fitted, and the metric of positions.

OBJECT_OPTIONS = {
    "exponent": (1, 1, 2, 2, 1.5, -1),
    "symmetrize": ("mean", "min", "max"),
    "check_symmetry": (False,),
    "dtype": ("float32", "float32", "float32", "float16"),
    "memory": (0, 100, 1000, 1000, -1),
    "n_jobs": (1, 1, 1, 0),
    "prefer": ("threads",),
    "progress": (lambda done, total: None, lambda done, total: None, 3),
    "measure_params": ({"scale": 2}, {}),
}


def odd_positions(rng, n):
    """Return a column of positions, or something like one."""
    some = rng.integers(0, n, (int(rng.integers(2, n + 3)), 1))
    how = pick(rng, ("all", "all", "some", "some", "floats", "names", "outside", "flat", "odd"))
    return {
        "all": np.arange(n)[:, None],
        "some": some,
        "floats": some.astype(float),
        "names": np.array([[f"o{i}"] for i in some[:, 0]]),
        "outside": some - pick(rng, (1, -n, 0.5)),
        "flat": some[:, 0],
        "odd": pick(rng, ([[None]], [["a"], [1]], [[np.nan], [0]], [], [[]], [[0, 1]], [[True]])),
    }[how]


def check_relation(rng, relation, loss=0.0):
    """Check the block of a relation, which its products and parts agree with but for rounding."""
    n, D = relation.n_objects, relation.block()
    assert D.shape == (n, n)
    assert D.dtype == relation.dtype
    check_finite("a block", D)
    assert not np.diagonal(D).any()
    rounding = 100 * n * float(np.finfo(D.dtype).eps) + loss
    same = partial(assert_allclose, rtol=rounding, atol=loss * float(D.max()))
    same(D, D.T)
    S = np.maximum(D.astype(float), 0) ** relation.exponent
    A = rng.standard_normal((2, n)) * (rng.random(n) < pick(rng, (0.2, 1.0)))
    found, size = relation.product(A.astype(relation.dtype)), float(np.abs(A).sum())
    smallest = float(np.finfo(D.dtype).tiny)  # below which squares vanish
    of_powers = rounding ** min(relation.exponent, 1.0)  # |a^p - b^p| <= |a - b|^p for p below one
    assert_allclose(found, A @ S, rtol=0, atol=size * (of_powers * float(S.max()) + smallest))
    few = rng.integers(0, n, int(rng.integers(1, n + 1)))
    same(relation.restrict(few).block(), D[np.ix_(few, few)])
    same(relation.block(few, slice(0, 2)), D[few, :2])
    str(inspect_relation(relation))


def fit_to_relation(rng, relation):
    """Fit to a relation, to a part of it, or to positions in it."""
    n, how = relation.n_objects, rng.random()
    if how < 0.4:
        X, new = odd_positions(rng, n), odd_positions(rng, n)
        X = np.arange(n)[:, None] if rng.random() < 0.3 else X
        model, answers = fit_any(rng, X, new, metric=relation)
        for answer in answers:
            check_finite("an answer", answer)
        return
    new = relation
    if how < 0.7 and n > 3:
        train, test = np.split(rng.permutation(n), [n - 1])
        relation, new = relation[np.ix_(train, train)], relation[np.ix_(test, train)]
    model, answers = fit_any(rng, relation, new)
    check_model(model, answers, new)


@unchanged
def use_relation(rng, X, new, measure):
    options = choose(rng, OBJECT_OPTIONS, pairwise=isinstance(measure, Pairwise))
    if rng.random() < 0.2:
        options["ids"] = [f"o{i}" for i in range(size_of(X))]
    relation = ObjectRelation(X, measure, **options)
    if options.get("check_symmetry", True):
        check_relation(rng, relation)
    D_new = relation.to(new).block()
    check_finite("dissimilarities of new objects", D_new)
    fit_to_relation(rng, relation)


@attack("object relations")
def attack_object_relations(rng, folder):
    X, new = make_objects(rng, (*OBJECTS, vectors))
    use_relation(rng, X, new, pick(rng, (Made, Made, Pairwise))(rng, X))


RELATE_OPTIONS = {
    "dtype": ("float32", "float32", "float64", "int"),
    "block": (1, 2, 5, 5, 0),
    "backend": ("threads", "threads", "processes", "x"),
    "n_jobs": (1,),
    "resume": (False,),
    "measure_params": ({}, {}, {"p": 3}, {"weights": (1, 2, 3)}, 3),
}


@unchanged
def use_relate(rng, X, new, measure, folder):
    options = choose(rng, RELATE_OPTIONS, pairwise=isinstance(measure, Pairwise))
    D = relate(X, measure, **options, path=pick(rng, (None, folder / "D.npy")))
    D = D if isinstance(D, np.ndarray) else D.block()
    check_finite("related", D)
    assert np.array_equal(D, D.T)
    options = {name: options[name] for name in ("dtype", "measure_params") if name in options}
    pairwise = isinstance(measure, Pairwise)
    check_finite("related", relate(new, measure, to=X, pairwise=pairwise, **options))
    as_relation(D)


@attack("relate")
def attack_relate(rng, folder):
    X, new = make_objects(rng, (*OBJECTS, *[vectors] * 8))
    how = rng.random()
    measure = pick(rng, NAMES) if how < 0.5 else pick(rng, (Made, Pairwise))(rng, X)
    use_relate(rng, X, new, measure, folder)


# Graphs.

WEIGHTS = (
    *(lambda rng, m: rng.random(m) + 0.1, lambda rng, m: rng.random(m) + 0.1),
    *(lambda rng, m: np.ones(m), lambda rng, m: rng.integers(1, 4, m)),
    *(lambda rng, m: rng.integers(0, 3, m), lambda rng, m: rng.standard_normal(m)),
    *(lambda rng, m: 10 ** rng.uniform(-8, 8, m), lambda rng, m: 10 ** rng.uniform(-200, 200, m)),
    *(lambda rng, m: 10 ** rng.uniform(-100, 100, m), lambda rng, m: np.full(m, 1e-140)),
    *(lambda rng, m: rng.random(m) * 10.0 ** rng.uniform(-150, 150),),
    *(lambda rng, m: np.where(np.arange(m), 1.0, pick(rng, (np.nan, np.inf, -1, 0, 1e-320))),),
    *(lambda rng, m: as_single(rng.random(m) * 10.0 ** rng.uniform(-20, 20)),),
)


def make_ends(rng, n):
    """Return the two ends of each edge: a tree and more, a star, a ring, or anything."""
    how, i = pick(rng, ("tree", "tree", "tree", "star", "ring", "random", "one")), np.arange(1, n)
    if how == "star":
        return np.stack([np.zeros_like(i), i], axis=1)
    if how == "ring":
        return np.stack([i - 1, i], axis=1)[: None if rng.random() < 0.5 else -1]
    if how == "one":
        return np.array([[0, 1]])
    some = rng.integers(0, n, (int(rng.integers(1, 2 * n)), 2))
    if how == "random":
        return some
    some = some[some[:, 0] < some[:, 1]]
    tree = np.stack([(rng.random(n - 1) * i).astype(int), i], axis=1)
    return np.unique(np.concatenate([tree, some]), axis=0)


def as_networkx(rng, ends, weights, n):
    import networkx

    kinds = (networkx.Graph, networkx.Graph, networkx.DiGraph, networkx.MultiGraph)
    graph = pick(rng, kinds)()
    graph.add_nodes_from(range(n))
    graph.add_weighted_edges_from(zip(*ends.T.tolist(), weights.tolist(), strict=True))
    return graph


def as_tuples(rng, ends, weights, n):
    names = pick(rng, (range(n), ODD_NAMES, [f"o{i}" for i in range(n)]))
    edges = [(names[i], names[j]) for i, j in ends.tolist()]
    if rng.random() < 0.3:
        return edges
    return [(*edge, weight) for edge, weight in zip(edges, weights.tolist(), strict=True)]


def as_table(rng, ends, weights, n):
    return ends if rng.random() < 0.2 else np.column_stack([ends, weights])


def as_sparse(rng, ends, weights, n):
    both = rng.random() < 0.8
    i, j = np.concatenate([ends, ends[:, ::-1]]).T if both else ends.T
    values = np.tile(weights, 2) if both else weights
    make = pick(rng, (sparse.coo_array, sparse.csr_array, sparse.csr_matrix))
    return make((values, (i, j)), shape=(n, n))


def as_dense(rng, ends, weights, n):
    matrix = np.zeros((n, n), dtype=weights.dtype)
    matrix[tuple(ends.T)] = weights
    if rng.random() < 0.8:
        matrix[tuple(ends.T[::-1])] = weights
    return pick(rng, (np.asarray, np.ndarray.tolist, as_frame))(matrix)


GRAPHS = (as_tuples, as_tuples, as_table, as_sparse, as_sparse, as_dense)
GRAPHS += (as_networkx,) * (find_spec("networkx") is not None)
GRAPH_OPTIONS = {
    "distance": ("resistance",),
    "weights": ("strengths", "ignore"),
    "directed": ("mean", "min", "max"),
    "disconnected": ("far", "far", "refuse"),
    "far": (1.0, 1e-3, 1e3, 1e10, 1e-10, 1e100, 1e-100, 0, -1, 1e200, 1e-200, np.nan),
    "duplicates": ("min", "max", "mean", "sum"),
    "zeros": ("keep", "drop"),
    "exponent": (1, 1, 2, 2, 0.5, 0),
    "memory": (0, 100, 1000, -1),
}
POLICIES = {"directed": "mean", "disconnected": "far", "duplicates": "sum", "zeros": "drop"}


@attack("graphs")
def attack_graphs(rng, folder):
    n = int(rng.integers(2, MAX_OBJECTS + 1))
    ends = make_ends(rng, n)
    weights = pick(rng, WEIGHTS)(rng, len(ends))
    graph = pick(rng, GRAPHS)(rng, ends, weights, n)
    use_graph(rng, graph, None)


@unchanged
def use_graph(rng, graph, new):
    policies = POLICIES if rng.random() < 0.7 else {}
    options = {**policies, **choose(rng, GRAPH_OPTIONS)}
    relation = GraphRelation(graph, **options)
    check_relation(rng, relation, 1e-5 if options.get("distance") == "resistance" else 0.0)
    fit_to_relation(rng, relation)


# Splits, and tools of scikit-learn's.

SPLITS = {
    "test_size": (0.3, 0.5, 1, 2, 0, 1.5, 40, -1),
    "train_size": (0.5, 2, 3),
    "shuffle": (False,),
}
SPLIT_FORMS = (
    *(np.array, np.array, np.ndarray.tolist, as_frame, as_single, as_relation, as_relation),
    *(lambda D: squareform(D, checks=False), lambda D: as_relation(as_frame(D))),
    *(lambda D: ObjectRelation(range(len(D)), lambda i, j: D[i, j]),),
)


def split_and_fit(rng, X, new, y, D):
    X = pick(rng, SPLIT_FORMS)(D)
    options = choose(rng, SPLITS, random_state=int(rng.integers(9)))
    if rng.random() < 0.2:
        options[pick(rng, ("stratify", "groups"))] = rng.integers(0, 3, len(D))
    train, test, *_ = train_test_split(X, y, **options)
    model, answers = fit_any(rng, train, test)
    check_model(model, answers, test)
    return model, []


def cross_validate(rng, X, new, y, D):
    relation = as_relation(D)
    how = rng.random()
    if how < 0.4:
        X, model = relation, RBFNetworkClassifier(3, max_iter=2, random_state=0)
    else:
        X = np.arange(len(D))[:, None]
        model = RBFNetworkClassifier(3, metric=relation, max_iter=2, random_state=0)
    if how > 0.6:
        model = make_pipeline(
            DissimilarityRows(metric=relation), KNeighborsClassifier(1, metric="precomputed")
        )
    scores = cross_val_score(model, X, y, cv=2, error_score="raise")
    return None, [scores]


@attack("splits")
def attack_splits(rng, folder):
    D, D_new = make_relation(rng)
    D, D_new = D[:MAX_OBJECTS, :MAX_OBJECTS], D_new[:, :MAX_OBJECTS]
    function = pick(rng, (split_and_fit, split_and_fit, cross_validate))
    run_on(rng, D, D_new, function, make_classes(rng, len(D)), D.copy())


# Deep networks.

DEEP = {
    "n_prototypes": (1, 2, 3, 100, 0),
    "hidden_layer_sizes": ((), (2,), (3, 2), (0,)),
    "start": ("k-means", "k-means", "x"),
    "exponent": EXPONENTS,
    "kernel": ("multiquadric", "inverse-multiquadric", Polynomial(3), RationalQuadratic(0.01)),
    "learning_rate": (0, 1e-3, 1.0, 1e3),
    "weight_decay": (0, 1.0, 1e3),
    "dropout": (0.5, 0.9, 1),
    "batch_size": (1, 2, 1000),
    "early_stopping": (False, False),
    "n_iter_no_change": (1,),
}


def fit_deep(rng, X, new, y, w, make):
    options = choose(rng, DEEP, max_iter=int(rng.integers(1, 4)), random_state=0)
    model = make(**options).fit(X, y, **{} if w is None else {"sample_weight": w})
    answers = answers_of(model, new)
    check_model(model, answers, new)
    repr(model)
    return model, answers


if find_spec("torch") is not None:

    @attack("deep networks")
    def attack_deep(rng, folder):
        D, D_new = make_relation(rng)
        make, targets = pick(
            rng, ((DeepRBFClassifier, make_classes), (DeepRBFRegressor, make_targets))
        )
        y, w = targets(rng, len(D)), make_weights(rng, len(D))
        run_on(rng, D, D_new, fit_deep, y, w, make)
