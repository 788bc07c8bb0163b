"""Model files and checkpoints, damaged and forged field by field."""

import io
import json
import zipfile
from functools import cache

import numpy as np
import skops.io

from relrbf import RBFNetworkClassifier, RBFNetworkRegressor, load, save
from relrbf.clustering import RelationalFuzzyCMeans
from relrbf.embeddings import NearestEuclideanMDS
from relrbf.exceptions import OptionError
from relrbf.io.model_values import Record
from relrbf.io.models import _pack
from relrbf.training import GradientDescent
from tests.attack.files import state_of
from tests.attack.kit import ODD_NAMES, attack, damage, pick, put_number

RNG = np.random.default_rng(0)
X = RNG.standard_normal((24, 2)) + 3 * RNG.integers(0, 2, (24, 1))
D = np.sqrt(np.square(X[:, None] - X).sum(axis=2))
Y = np.where(X[:, 0] > 1, "up", "down")
QUICK = {"max_iter": 3, "random_state": 0}
DESCENT = GradientDescent(validation=[0, 5])
MODELS = {
    "classifier": lambda: RBFNetworkClassifier(3, **QUICK).fit(D, Y),
    "few": lambda: RBFNetworkClassifier(2, n_support=5, exponent=0.5, **QUICK).fit(D, Y),
    "descent": lambda: RBFNetworkClassifier(3, solver=DESCENT, **QUICK).fit(D, Y == "up"),
    "vectors": lambda: RBFNetworkRegressor(2, metric="minkowski", **QUICK).fit(X, X[:, 0]),
    "points": lambda: RBFNetworkRegressor(2, space="vector", **QUICK).fit(X, X),
    "fuzzy": lambda: RelationalFuzzyCMeans(2, random_state=np.random.RandomState(3)).fit(D),
    "nearest": lambda: NearestEuclideanMDS(2).fit(D),
}
METHODS = ("predict", "predict_proba", "decision_function", "transform", "predict_memberships")
JUNK = (
    *(None, True, False, -1, 0, 1, 2**31, 10**11, 10**30, 0.5, -1.5, 1e300, 1e-300),
    *(float("nan"), float("inf"), "", "auto", "x", "/tmp/x", "euclidean", b"\0", [], [1], (1, 2)),
    *(
        np.zeros(3),
        np.full((2, 2), np.nan),
        np.arange(5),
        np.array(["\x1b[2J"]),
        np.float32(np.inf),
    ),
    *(np.zeros((0, 3)), np.array(7), np.array([10**12]), np.random.RandomState(1)),
)


@cache
def saved(name, folder):
    """Return the bytes of a model's file."""
    path = folder / f"{name}.relrbf"
    save(MODELS[name](), path)
    return path.read_bytes()


def members_of(content):
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, part in members.items():
            archive.writestr(name, part)
    return buffer.getvalue()


def forge_array(content, rng):
    """Change numbers of an array, or its shape or type."""
    members = members_of(content)
    name = pick(rng, [name for name in members if name.endswith(".npy")])
    array, how = np.load(io.BytesIO(members[name])), rng.random()
    if how < 0.3 or not array.size:
        array = pick(rng, (array.T, array[None], array.ravel(), array.astype("U9"), array > array))
    elif how < 0.8 and array.dtype.kind in "fi":
        odd = pick(rng, (np.nan, np.inf, -1, 0, 1e300, -1e300, 10**9, 1e-300))
        with np.errstate(all="ignore"):
            array.ravel()[rng.integers(array.size)] = np.array(odd).astype(array.dtype)
    elif array.dtype.kind == "U":
        array = np.where(rng.random(array.shape) < 0.5, pick(rng, ODD_NAMES), array)
    else:
        array = rng.permutation(array) if array.ndim else array
    buffer = io.BytesIO()
    np.save(buffer, array)
    return zipped(members | {name: buffer.getvalue()})


def forge_field(content, rng):
    """Put something else in the place of one value, anywhere in the document."""
    header = json.loads(members_of(content)["relrbf.json"])
    document = skops.io.loads(content, trusted=[Record])
    record = pick(rng, document)
    while True:
        at = int(rng.integers(len(record.values))) if record.values else 0
        if not record.values or not isinstance(record.values[at], Record) or rng.random() < 0.2:
            break
        record = record.values[at]
    how = rng.random()
    if how < 0.8 and record.values:
        record.values[at] = pick(rng, JUNK)
    elif how < 0.9 and record.names:
        record.names[int(rng.integers(len(record.names)))] = pick(rng, (*ODD_NAMES, 1, None))
    else:
        record.names.append(pick(rng, ("checkpoint", "more", "weights_")))
        record.values.append(pick(rng, JUNK))
    return _pack(header, skops.io.dumps(document))


def forge_text(content, rng):
    """Damage the description, or a number in it, and leave the archive whole."""
    members = members_of(content)
    name = pick(rng, ("schema.json", "schema.json", "relrbf.json"))
    change = pick(rng, (damage, put_number))
    return zipped(members | {name: change(members[name], rng)})


FORGERIES = (damage, forge_array, forge_array, forge_field, forge_field, forge_field, forge_text)


@attack("models")
def attack_models(rng, folder):
    """Load a model that was tampered with; what is loaded works, and writes nothing."""
    name = pick(rng, [*MODELS])
    path, content = folder / "model.relrbf", saved(name, folder.parent)
    path.write_bytes(pick(rng, FORGERIES)(content, rng) if rng.random() < 0.95 else content)
    before = state_of(folder)
    try:
        model = load(path)
        new = X if name in ("vectors", "points") else D
        with np.errstate(all="ignore"):  # of numbers that are finite, and extreme
            for method in METHODS:
                if hasattr(model, method):
                    getattr(model, method)(new)
        str(getattr(model, "relation_report_", ""))
        if hasattr(model, "explain_choices"):
            model.explain_choices()
        if rng.random() < 0.1 and name not in ("nearest", "fuzzy"):
            refit(model, new, Y if hasattr(model, "classes_") else X[:, 0])
    finally:
        assert state_of(folder) == before


def refit(model, new, targets):
    """Fit again: options of a wrong shape are refused, by scikit-learn's errors too."""
    try:
        model.set_params(max_iter=2).fit(new, targets)
    except ValueError as error:
        raise OptionError(str(error)) from error


@cache
def checkpoint(folder):
    """Return the bytes of the checkpoint of a training that has ended, and its weights."""
    path = folder / "state"
    model = RBFNetworkClassifier(3, solver=GradientDescent(checkpoint=path), **QUICK).fit(D, Y)
    return path.read_bytes(), model.weights_


@attack("checkpoints")
def attack_checkpoints(rng, folder):
    """Go on from a checkpoint that was tampered with: to the same network, or not at all."""
    content, weights = checkpoint(folder.parent)
    path = folder / "state"
    if rng.random() < 0.5:
        members = members_of(content)
        name = pick(rng, [*members])
        content = zipped(members | {name: damage(members[name], rng)})
    elif rng.random() < 0.9:
        content = damage(content, rng)
    path.write_bytes(content)
    solver = GradientDescent(checkpoint=path)
    with np.errstate(all="ignore"):  # of numbers that are finite, and extreme
        model = RBFNetworkClassifier(3, solver=solver, **QUICK).fit(D, Y)
    assert np.isfinite(model.weights_).all()
    assert model.weights_.shape == weights.shape
