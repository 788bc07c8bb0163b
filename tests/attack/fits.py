"""Fits of everything that takes a relation: odd matrices, options, labels and weights.

What is fitted is finite and answers; what was passed in stays as it was; whatever cannot be fitted
is refused by an error of relrbf's own.
"""

from dataclasses import fields, is_dataclass
from functools import partial
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
from scipy.spatial.distance import squareform

from relrbf import (
    RBFNetworkClassifier,
    RBFNetworkRegressor,
    as_relation,
    inspect_relation,
    load,
    save,
)
from relrbf.clustering import RelationalFuzzyCMeans, RelationalKMeans
from relrbf.embeddings import (
    ClassicalMDS,
    DissimilarityRows,
    LandmarkMDS,
    MetricLearningMDS,
    NearestEuclideanMDS,
    ProximalMDS,
)
from relrbf.exceptions import ModelFileError, RelationError
from relrbf.network import GeneralizedGaussian, Polynomial, RationalQuadratic
from relrbf.repair import (
    nearest_euclidean,
    nearest_metric,
    spectrum_clip,
    spectrum_flip,
    spectrum_shift,
)
from relrbf.tendency import ivat, vat
from relrbf.training import LBFGS, GradientDescent
from tests.attack.kit import ODD_NAMES, attack, pick

MAX_OBJECTS = 40
MAX_NEW = 6

# Relations: functions of a generator and a number of objects.


def points(rng, n):
    X = rng.standard_normal((n, int(rng.integers(1, 5)))) * pick(rng, (1, 1, 10.0))
    return np.sqrt(np.square(X[:, None] - X).sum(axis=2))


def grid(rng, n):
    """Points with many ties and duplicates."""
    X = rng.integers(0, pick(rng, (2, 3, 6)), (n, int(rng.integers(1, 4))))
    return pick(rng, (np.sum, np.max))(np.abs(X[:, None] - X), axis=2).astype(float)


def indefinite(rng, n):
    D = rng.random((n, n))
    return np.triu(D, 1) + np.triu(D, 1).T


def decades(rng, n):
    return 10 ** (pick(rng, (3, 30, 120)) * (indefinite(rng, n) - 0.5)) * (1 - np.eye(n))


def constant(rng, n):
    return 1.0 - np.eye(n)


def nearly_constant(rng, n):
    return constant(rng, n) * (1 + pick(rng, (1e-15, 1e-9, 1e-3)) * indefinite(rng, n))


def zeros(rng, n):
    return np.zeros((n, n))


def few_values(rng, n):
    return np.floor(pick(rng, (2, 3)) * indefinite(rng, n)) * (1 - np.eye(n))


def groups(rng, n):
    """Groups whose members are copies of each other, or nearly."""
    of = rng.integers(0, pick(rng, (2, 3, 8)), n)
    return (of[:, None] != of) * 1.0 + pick(rng, (0, 1e-12, 1e-3)) * points(rng, n)


def outlier(rng, n):
    D = points(rng, n)
    far = pick(rng, (1e3, 1e8, 1e100))
    D[0, 1:] = D[1:, 0] = far
    return D


def cosines(rng, n):
    """Copies whose dissimilarities rounding leaves a little above zero, or below."""
    X = rng.standard_normal((n, 3))[rng.integers(0, n, n)]
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    D = 1 - X @ X.T
    D[np.diag_indices(n)] = 0
    return (D + D.T) / 2


def broken(rng, n):
    """What is no relation, in one entry."""
    D = points(rng, n)
    odd = pick(rng, (np.nan, np.inf, -1, 1e300, -1e-300, 1e-320, 7))
    D[rng.integers(n), rng.integers(n)] = odd
    return D


RELATIONS = (
    *(points, points, points, grid, grid, indefinite, decades, constant, nearly_constant),
    *(zeros, few_values, groups, outlier, cosines, broken),
)


def make_relation(rng):
    """Return dissimilarities (n × n) and those of new objects (m × n)."""
    n = int(rng.integers(2, 8 if rng.random() < 0.5 else MAX_OBJECTS + 1))
    m = int(rng.integers(1, MAX_NEW))
    whole = pick(rng, RELATIONS)(rng, n + m)
    if rng.random() < 0.4:
        with np.errstate(all="ignore"):
            whole = whole * 10.0 ** rng.uniform(-160, 140)
    return whole[:n, :n].copy(), np.abs(whole[n:, :n])


def as_integers(D):
    with np.errstate(all="ignore"):
        return np.nan_to_num(np.clip(D, 0, 2**40)).astype(np.int64)


def as_frame(D):
    names = [f"o{i}" for i in range(len(D))]
    return pd.DataFrame(D, index=names, columns=names)


def as_condensed(D):
    return as_relation(squareform(D, checks=False))


def read_only(D):
    D = D.copy()
    D.flags.writeable = False
    return D


def as_single(D):
    with np.errstate(all="ignore"):
        return D.astype(np.float32)


FORMS = (  # of the training objects, and of new ones
    *[(np.array, np.array)] * 4,
    (np.asfortranarray, np.asfortranarray),
    (np.ndarray.tolist, np.ndarray.tolist),
    (as_frame, lambda D: pd.DataFrame(D, columns=[f"o{i}" for i in range(D.shape[1])])),
    (as_single, as_single),
    (as_single, np.array),
    (as_integers, as_integers),
    (read_only, read_only),
    (as_condensed, np.array),
    (as_relation, np.array),
    (lambda D: as_relation(D, exponent=1), np.array),
)

VECTOR_FORMS = FORMS[:6] + FORMS[7:9]

# Labels, targets, weights.


def make_classes(rng, n):
    k = int(pick(rng, (1, 2, 2, 2, 2, 3, 3, 4, 5, n)))
    labels = rng.integers(0, k, n)
    if rng.random() < 0.3:  # a class of one member
        labels[rng.integers(n)] = k
    if k == n:
        labels = rng.permutation(n)
    return pick(rng, (np.asarray, np.ndarray.tolist, as_names, as_floats, lambda y: y > 0))(labels)


def as_floats(labels):
    return labels.astype(np.float32)


def as_names(labels):
    return np.array([f"{ODD_NAMES[i % len(ODD_NAMES)]}{i}" for i in labels])


def make_targets(rng, n):
    shape = n if rng.random() < 0.7 else (n, int(rng.integers(1, 4)))
    y = rng.standard_normal(shape)
    how = pick(rng, ("as is", "as is", "same", "whole", "large", "small", "one", "refused"))
    return {
        "as is": y,
        "same": np.full(shape, 3.7),
        "whole": np.round(y).astype(int),
        "large": y * 1e14,
        "small": y * 10.0 ** rng.uniform(-320, -10),
        "one": np.where(np.arange(y.size).reshape(shape) == 0, 1.0, 0.0),
        "refused": np.where(y > 1, np.nan, y * 1e20),
    }[how]


def make_weights(rng, n):
    how = rng.random()
    if how < 0.5:
        return None
    w = rng.random(n)
    if how < 0.7:
        w[rng.random(n) < 0.4] = 0
    elif how < 0.9:
        w *= pick(rng, (1e-160, 1e160, 1e90, 1e-90, 1e12, 1e-12))
    else:
        w = 10 ** rng.uniform(-pick(rng, (8, 20, 200)), 8, n)
    return w


# Options: of each name, what may be given, the default apart.

GIVEN = 0.15  # the chance that an option is given
SAVED = 0.1  # the chance that a network is saved


def choose(rng, options, **always):
    """Return some of the options, each with one of its values."""
    chosen = {name: pick(rng, values) for name, values in options.items() if rng.random() < GIVEN}
    return {**chosen, **always}


def odd_coefficients(rng, n):
    A = rng.random((3, n))
    return A / A.sum(axis=1, keepdims=True)


DESCENTS = (
    GradientDescent(),
    GradientDescent(update="published"),
    GradientDescent(validation_fraction=None, momentum=0.5),
    GradientDescent(learning_rate=(0.5, 2), patience=3, initial_weights=None),
    GradientDescent(unit=1.0, stable=False, initial_bandwidths=None),
    GradientDescent.curvature_scaled(),
)
EXPONENTS = (1, 1, 2, 2, 0.5, 1.5, 3, -1)
NETWORK = {
    "n_prototypes": (1, 2, 3, 5, 12, "all", 60, 0),
    "max_prototypes": (2, 6),
    "space": ("medoid",),
    "exponent": EXPONENTS,
    "kernel": (
        *("multiquadric", "inverse-multiquadric", "rational-quadratic", "polynomial"),
        *(Polynomial(3), Polynomial(0.5), RationalQuadratic(0.01), GeneralizedGaussian(0.25)),
    ),
    "init": ("random-partition", "fuzzy", "class", "random"),
    "solver": ("lbfgs", "gradient-descent", LBFGS(early_stopping=None), LBFGS(), *DESCENTS),
    "alpha": (0, 1e-12, 1.0, 1e3, 1e150),
    "n_support": (1, 2, 3, 0.5, None, 10),
    "tol": (0, 1.0),
}
CLASSIFIER = NETWORK | {
    "class_weight": ("balanced",),
    "loss": ("cross-entropy",),
    "positive": (True,),
}
CLUSTERER = {
    "init": ("random-partition",),
    "n_init": (1, 3),
    "max_iter": (1, 2, 50),
    "exponent": EXPONENTS,
}
EMBEDDING = {"n_components": (1, 2, 5, 50), "exponent": EXPONENTS}


def fit_network(rng, X, new, y, w, make, options):
    init = {"init": odd_coefficients(rng, len(y))} if rng.random() < 0.03 else {}
    seed = int(rng.integers(9))
    options = choose(rng, options, max_iter=int(pick(rng, (1, 3, 8))), random_state=seed)
    model = make(**{**options, **init})
    model.fit(X, y, **{} if w is None else {"sample_weight": w})
    answers = [model.predict(new), model.transform(new)]
    if hasattr(model, "predict_proba"):
        P = model.predict_proba(new)
        assert P.min() >= 0
        assert np.abs(P.sum(axis=1) - 1).max() < 1e-3
        answers += [P, model.decision_function(new)]
        assert set(np.ravel(answers[0])) <= set(model.classes_)
    text = model.explain_choices()
    assert not {"nan", "inf"} & set(text.replace(",", " ").replace(")", " ").split()), text
    repr(model)
    str(model.relation_report_)
    return model, [*answers, *ask_more(rng, model, new)]


def ask_more(rng, model, new):
    """Ask how usual new objects are and how wide their intervals, and a smaller or saved model."""
    p_values = model.novelty(new)
    assert 0 < p_values.min() <= p_values.max() <= 1
    if hasattr(model, "predict_interval"):
        lower, upper = model.predict_interval(new, pick(rng, (0.1, 0.5, 0.9)))
        assert (lower <= upper).all()  # they may be infinite
    model.compact()
    if rng.random() < SAVED:
        assert np.array_equal(model.predict(new), reloaded(model).predict(new))
    return [p_values]


CANNOT_BE_SAVED = ("control characters", "cannot be put in a file")  # names; objects with code


def reloaded(model):
    """Return a model as it comes back from a file: every other fitted one can be saved."""
    with TemporaryDirectory() as folder:
        path = f"{folder}/model.relrbf"
        try:
            save(model, path)
            return load(path, metric=model.metric if callable(model.metric) else None)
        except ModelFileError as error:
            if any(reason in str(error) for reason in CANNOT_BE_SAVED):
                raise
            raise AssertionError(str(error)) from error


@attack("classifiers")
def attack_classifiers(rng, folder):
    D, D_new = make_relation(rng)
    y, w = make_classes(rng, len(D)), make_weights(rng, len(D))
    run_on(rng, D, D_new, fit_network, y, w, RBFNetworkClassifier, CLASSIFIER)


@attack("regressors")
def attack_regressors(rng, folder):
    D, D_new = make_relation(rng)
    y, w = make_targets(rng, len(D)), make_weights(rng, len(D))
    run_on(rng, D, D_new, fit_network, y, w, RBFNetworkRegressor, NETWORK)


def fit_clusters(rng, X, new, w):
    make = pick(rng, (RelationalKMeans, RelationalFuzzyCMeans))
    options = choose(rng, CLUSTERER, n_clusters=int(rng.integers(1, 6)))
    if make is RelationalFuzzyCMeans and rng.random() < 0.3:
        options["fuzzifier"] = pick(rng, (1.001, 1.2, 5, 1e6))
    model = make(**options, random_state=int(rng.integers(9))).fit(X, sample_weight=w)
    answers = [model.predict(new), model.distances_sq(new)]
    if make is RelationalFuzzyCMeans:
        answers.append(model.predict_memberships(new))
    return model, answers


@attack("clusterers")
def attack_clusterers(rng, folder):
    D, D_new = make_relation(rng)
    run_on(rng, D, D_new, fit_clusters, make_weights(rng, len(D)))


EMBEDDINGS = (
    (ClassicalMDS, EMBEDDING | {"negative": ("keep", "clip", "flip")}),
    (ProximalMDS, EMBEDDING),
    (LandmarkMDS, EMBEDDING | {"n_landmarks": (2, 3, 5), "landmarks": ("random", "maxmin")}),
    (MetricLearningMDS, EMBEDDING | {"max_iter": (1, 30), "n_features": (1, 3)}),
    (NearestEuclideanMDS, EMBEDDING | {"norm": ("l1",), "max_iter": (1, 30)}),
    (DissimilarityRows, {}),
)


def fit_embedding(rng, X, new):
    make, options = pick(rng, EMBEDDINGS)
    options = choose(rng, options, **{"max_iter": 40} if "max_iter" in options else {})
    model = make(**options).fit(X)
    return model, [model.transform(new)]


@attack("embeddings")
def attack_embeddings(rng, folder):
    run_on(rng, *make_relation(rng), fit_embedding)


REPAIRS = (
    lambda D: nearest_metric(D, max_iter=30),
    lambda D: nearest_metric(D, "l1", max_iter=30),
    lambda D: nearest_euclidean(D, max_iter=30),
    lambda D: nearest_euclidean(D, "l1", max_iter=30),
    lambda D: nearest_euclidean(D, exponent=1, max_iter=30),
    spectrum_clip,
    spectrum_flip,
    spectrum_shift,
)


def repair(rng, X, new):
    found = pick(rng, REPAIRS)(X)
    return found, [found.extend(new), found.distance, found.gap]


def describe(rng, X, new):
    how = rng.random()
    if how < 0.6:
        y = make_classes(rng, len(X)) if rng.random() < 0.5 else None
        found = inspect_relation(X, y)
        str(found)
        return found, []
    found = pick(rng, (vat, ivat))(X, n_sample=pick(rng, (None, None, 2, 5)))
    return found, []


@attack("repairs")
def attack_repairs(rng, folder):
    run_on(rng, *make_relation(rng), repair)


@attack("descriptions")
def attack_descriptions(rng, folder):
    run_on(rng, *make_relation(rng), describe)


# Vectors, with metrics of scikit-learn's and functions.


def taxicab(a, b):
    return float(np.abs(a - b).sum())


METRICS = (
    *("euclidean", "cityblock", "chebyshev", "cosine", "correlation", "canberra", "braycurtis"),
    *("mahalanobis", "seuclidean", "sqeuclidean", taxicab),
)


def make_vectors(rng):
    """Return vectors, some of them equal, constant or zero, and new ones."""
    n, d = int(rng.integers(2, 20)), int(rng.integers(1, 5))
    X = pick(rng, (np.round, np.asarray))(rng.standard_normal((n + 3, d)))
    X[rng.random(n + 3) < 0.1] = pick(rng, (0, 1))
    X[:, rng.random(d) < 0.1] = pick(rng, (0, 3.5))
    if rng.random() < 0.3:
        X = X * 10.0 ** rng.uniform(-160, 140) + pick(rng, (0, 0, 1e6, 1e100))
    return X[:n], X[n:]


def fit_to_vectors(rng, X, new, y, make, options):
    if make is RelationalKMeans:
        model = make(2, metric=pick(rng, METRICS), random_state=0).fit(X)
        return model, [model.predict(new), model.distances_sq(new)]
    where = {"space": "vector"} if rng.random() < 0.3 else {"metric": pick(rng, METRICS)}
    dropped = ("space", "n_support") if "space" in where else ("space",)
    options = {name: values for name, values in options.items() if name not in dropped}
    return fit_network(rng, X, new, y, None, partial(make, **where), options)


@attack("vectors")
def attack_vectors(rng, folder):
    X, new = make_vectors(rng)
    make, options, targets = pick(
        rng,
        (
            (RBFNetworkClassifier, CLASSIFIER, make_classes),
            (RBFNetworkRegressor, NETWORK, make_targets),
            (RelationalKMeans, {}, make_targets),
        ),
    )
    run_on(rng, X, new, fit_to_vectors, targets(rng, len(X)), make, options, forms=VECTOR_FORMS)


# What is checked of every one.


def run_on(rng, D, D_new, function, *rest, forms=FORMS):
    """Run a function on a relation in some form: it changes nothing and finds finite numbers."""
    form, form_new = pick(rng, forms)
    X, new = form(D), form_new(D_new)
    before = [plain(part) for part in (X, new, *rest)]
    try:
        found, answers = function(rng, X, new, *rest)
    except RelationError as error:  # only what is extreme may leave the range of numbers
        largest = 1e4 if getattr(X, "dtype", None) == np.float32 else 1e9
        if error.__cause__ is not None and all(is_usual(p, largest) for p in (D, D_new, *rest)):
            raise error.__cause__ from error
        raise
    finally:
        after = [plain(part) for part in (X, new, *rest)]
        assert all(map(same, before, after)), "an input was changed"
    for name, value in [*walk(found), *(("an answer", answer) for answer in answers)]:
        check_finite(name, value)


def is_usual(part, largest):
    """Tell whether numbers are of usual sizes, all of them; what is none of numbers is."""
    if not isinstance(part, np.ndarray) or part.dtype.kind != "f":
        return True
    sizes = np.abs(part[part != 0])
    return bool(((sizes > 1 / largest) & (sizes < largest)).all())


def plain(part):
    """Return what a part of the input holds, as an array of its own where it is one."""
    if hasattr(part, "block"):
        part = part.block()
    return np.array(part) if isinstance(part, np.ndarray | list | pd.DataFrame) else part


def same(a, b):
    if not isinstance(a, np.ndarray):
        return a is b
    return a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")


def walk(found, name="", depth=4):
    """Yield the values that a record holds, by name."""
    if is_dataclass(found) and not isinstance(found, type) and not hasattr(found, "get_params"):
        parts = {field.name: getattr(found, field.name) for field in fields(found)}
    else:
        parts = getattr(found, "__dict__", {})
    given = found.get_params(deep=False) if hasattr(found, "get_params") else {}
    for key, value in parts.items():
        if key in given:
            continue
        if isinstance(value, dict):
            yield from ((f"{name}.{key}", part) for part in value.values())
        elif depth and (is_dataclass(value) or hasattr(value, "__dict__")) and not callable(value):
            yield from walk(value, f"{name}.{key}", depth - 1)
        else:
            yield f"{name}.{key}", value


def check_finite(name, value):
    if isinstance(value, float | np.ndarray | list | tuple):
        try:
            numbers = np.asarray(value)
        except ValueError:  # a list of arrays
            return
        if numbers.dtype.kind == "f":
            assert np.isfinite(numbers).all(), f"{name} is not finite"
