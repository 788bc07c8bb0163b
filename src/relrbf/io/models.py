"""Models in files: ``save`` and ``load``.

skops writes plain values and arrays; nothing it makes can run. What is relrbf's own goes in as a
``Record`` of a name and fields, so that files neither hold nor import the paths of our classes, and
``model_types`` says which names and fields there are. A small member ``relrbf.json`` has the
version of the format.
"""

import json
from collections.abc import Callable, Iterator
from io import BytesIO
from os import PathLike, fspath
from pathlib import Path
from typing import Any
from zipfile import ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from sklearn.utils.validation import check_is_fitted

import relrbf
from relrbf._options import require
from relrbf._utils import import_library, replacing
from relrbf.exceptions import ModelFileError, ModelFileWarning, OptionError, printable, warn
from relrbf.io.arrays import read_header
from relrbf.io.model_types import MODEL_NAMES, MODELS, OPTIONAL, check_model
from relrbf.io.model_values import Record, decode, encode, with_known_workers
from relrbf.io.source import limit, raise_limit
from relrbf.prototypes import VectorPrototypes
from relrbf.prototypes.relational import fixed
from relrbf.relations.base import Relation

RECORD_TYPE = f"{Record.__module__}.{Record.__name__}"
FORMAT, VERSION = "relrbf-model", 2
YOUNGER_OPTIONS = {"positive"}  # which the first files of this version do not have
HEADER, SCHEMA = "relrbf.json", "schema.json"
HEADER_FIELDS = {"format", "format_version", "relrbf_version", "estimator"}
MAX_SCHEMA_BYTES = 2**25
ZIP_EPOCH = (1980, 1, 1, 0, 0, 0)  # no file is different for being written later
ATTRIBUTE_NAMES = {  # what to call attributes that are left out
    "_last_fit": "what warm_start goes on from",
    "_skl_callbacks": "callbacks",
    "_metadata_request": "metadata requests",
}
# The only nodes of skops' that a file may have, and the types that each may make.
NODES = {
    "TupleNode": {"builtins.tuple", RECORD_TYPE},
    "ListNode": {"builtins.list"},
    "DictNode": {"builtins.dict"},  # within the state of a random generator
    "TypeNode": {"builtins.str"},
    "JsonNode": {"builtins.str"},
    "BytesNode": {"builtins.bytes"},
    "RandomStateNode": {"numpy.random.mtrand.RandomState"},
    "RandomGeneratorNode": {"numpy.random._generator.Generator"},
}


def save(model: Any, path: str | PathLike[str]) -> None:
    """Write a fitted model to a file that holds no code.

    The file is about as large as the support: coefficients of the prototypes on it, and names. It
    is read back before it takes its place, at once, so that an interrupted save leaves what was
    there. The same model gives the same bytes.

    Parameters
    ----------
    model : estimator
        Fitted: a network, a clustering or an embedding of relrbf's.
    path : path
        Where to write; by convention it ends in ``.relrbf``.

    Warns
    -----
    ModelFileWarning
        If something is left out that no prediction needs, such as callbacks.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from relrbf import RBFNetworkClassifier, load, save
    >>> D = [[0, 1, 5, 6], [1, 0, 6, 5], [5, 6, 0, 1], [6, 5, 1, 0]]
    >>> model = RBFNetworkClassifier(exponent=1, random_state=0).fit(D, ["a", "a", "b", "b"])
    >>> with TemporaryDirectory() as folder:
    ...     save(model, Path(folder) / "letters.relrbf")
    ...     load(Path(folder) / "letters.relrbf").predict([[0.5, 0.5, 5, 5]])
    array(['a'], dtype='<U1')
    """
    skops = _import_skops(path)
    _check_can_be_saved(model)
    left_out: list[str] = []
    try:
        content = _write(skops, model, left_out)
    except RecursionError as error:
        raise ModelFileError("the model holds values that are nested too deeply.") from error
    try:
        _read(skops, content, model.metric if callable(model.metric) else None)
    except Exception as error:  # options or attributes that were changed since the fit
        raise ModelFileError(
            f"this model cannot be saved as it is: {error}. Change that, and fit it again."
        ) from error
    try:
        with replacing(Path(path)) as file:
            file.write(content)
    except OSError as error:
        problem = f"{fspath(path)} could not be written ({error.strerror or error})"
        raise ModelFileError(f"{problem}. What was there is as it was.") from error
    if left_out:
        text = f"left out of the file {fspath(path)!r}: {', '.join(left_out)}."
        warn(f"{text} Predictions are the same without.", ModelFileWarning)


def load(path: str | PathLike[str], *, metric: Callable[..., Any] | None = None) -> Any:
    """Return the model in a file that ``save`` wrote; it predicts the same bits.

    Nothing in the file is run: it holds numbers, text and names from a list of relrbf's own. A file
    that is damaged, forged, of a newer version or of another kind is refused.

    Parameters
    ----------
    path : path
        The file.
    metric : callable or None, default=None
        The function that the model was trained with, where ``metric`` was one. A file cannot keep
        a function.

    Returns
    -------
    estimator
        Fitted, of the class that was saved.

    Raises
    ------
    ModelFileError
        If the file is not a model that this version can load.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from relrbf import load, save
    >>> from relrbf.clustering import RelationalKMeans
    >>> words = ["ant", "bee", "beetle", "grasshopper"]
    >>> def by_length(a, b):
    ...     return abs(len(a) - len(b))
    >>> model = RelationalKMeans(2, metric=by_length, random_state=0).fit(words)
    >>> with TemporaryDirectory() as folder:
    ...     save(model, Path(folder) / "words.relrbf")
    ...     again = load(Path(folder) / "words.relrbf", metric=by_length)
    >>> bool((again.predict(["wasp", "dragonflies"]) == model.labels_[[0, 3]]).all())
    True
    """
    skops = _import_skops(path)
    require(metric is None or callable(metric), "metric", metric, "the function of the training")
    try:
        return _read(skops, _content(Path(path)), metric)
    except Exception as error:  # whatever a damaged file makes of its readers, it is damaged
        raise ModelFileError(f"{fspath(path)} cannot be loaded: {_reason(error)}") from error


def _import_skops(path: Any) -> Any:
    """Return what reads and writes model files, for something that is a path."""
    if not isinstance(path, str | PathLike):
        text = f"path is a {type(path).__name__}; it must be the path of a file."
        raise OptionError(text, "path")
    return import_library("skops.io", "'relrbf[io]'", "a model file")


def _check_can_be_saved(model: Any) -> None:
    if type(model) not in MODELS:
        raise OptionError(
            f"model is a {type(model).__name__}; save takes one of {sorted(MODEL_NAMES)}. Of a "
            "pipeline or a search, save the step or the best_estimator_ that is one.",
            "model",
        )
    check_is_fitted(model)
    if isinstance(model.metric, Relation):
        raise OptionError(
            f"the model was trained with metric={model.metric!r}, which holds all its objects and "
            "is not put in a file. Train on the relation itself, with metric='precomputed', and "
            "predict from relation[new, training]; or save the relation apart.",
            "metric",
        )


def _reason(error: Exception) -> str:
    """Say what is wrong with a file, and what to do."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}. Give the path of a model file."
    text = f"it is damaged, or no model file ({type(error).__name__}: {error!s:.80})"
    if isinstance(error, ModelFileError):
        text = str(error)
    elif isinstance(error, BadZipFile):
        text = "it is empty, cut off, or no model file"
    text = printable(text)
    return text if text.endswith(".") else f"{text}. Save the model, or fetch the file, again."


def _content(path: Path) -> bytes:
    """Return the bytes of a file that is one, and not larger than models are."""
    if path.exists() and not path.is_dir():
        if not path.is_file():
            raise ModelFileError("it is a device or a pipe. Give the path of a model file.")
        if path.stat().st_size > limit("MODEL"):
            raise ModelFileError(f"it is larger than models are. {raise_limit('MODEL')}")
    return path.read_bytes()


# A model as the bytes of a file, and back.


def _write(skops: Any, model: Any, left_out: list[str]) -> bytes:
    """Return a model as the bytes of a file, and say what is left out."""
    expected, own, params = MODELS[type(model)], vars(model), model.get_params(deep=False)
    if missing := [name for name in expected if name not in own]:
        raise ModelFileError(f"the model has no {missing[0]}. Fit it again.")
    fitted = {name: own[name] for name in {**expected, **OPTIONAL} if name in own}
    placed = fitted.get("prototypes_")
    if placed is not None and not isinstance(placed, VectorPrototypes):
        fitted["prototypes_"] = fixed(placed)
    if not isinstance(function := params["metric"], str):
        named = function if hasattr(function, "__qualname__") else type(function)
        params["metric"] = Record("function", [f"{named.__module__}.{named.__qualname__}"], [])
    params = with_known_workers(params)
    document = (encode(params, "params", left_out), encode(fitted, "fitted", left_out))
    others = [name for name in own if name not in {*fitted, *params}]
    left_out += [ATTRIBUTE_NAMES.get(name, f"the attribute {name}") for name in others]
    versions = {"format_version": VERSION, "relrbf_version": relrbf.__version__}
    header = {"format": FORMAT, **versions, "estimator": type(model).__name__}
    return _pack(header, skops.dumps(document))


def _read(skops: Any, content: bytes, metric: Callable[..., Any] | None) -> Any:
    """Return the model in the bytes of a file."""
    with ZipFile(BytesIO(content)) as archive:
        _check_members(archive, len(content))
        kind = _read_kind(archive)
        _check_schema(archive)
    params, fitted = skops.loads(content, trusted=[RECORD_TYPE])
    options = dict(zip(params.names, params.values, strict=True))
    if other := sorted(({*options} ^ {*kind._get_param_names()}) - YOUNGER_OPTIONS):
        raise ModelFileError(f"a {kind.__name__} has more or fewer options: {other!s:.80}")
    saved = options.pop("metric")
    if isinstance(saved, Record) and saved.kind == "function":
        if metric is None:
            problem = f"it was trained with the function {saved.names[0]!s:.80}, which no file"
            raise ModelFileError(f"{problem} keeps. Pass it: relrbf.load(path, metric=function).")
        saved = metric
    elif metric is not None:
        problem = f"it was trained with metric={saved!r:.60}, which needs no function"
        raise ModelFileError(f"{problem}. Leave metric out.")
    model = kind(metric=saved, **{name: decode(value) for name, value in options.items()})
    attributes = decode(fitted, model)
    check_model(model, attributes)
    vars(model).update(attributes)
    return model


# The zip archive around what skops writes.


def _pack(header: dict[str, Any], dumped: bytes) -> bytes:
    """Return what skops dumped with a header, and the same bytes for the same model.

    skops names arrays by their addresses in memory; here they are counted.
    """
    with ZipFile(BytesIO(dumped)) as archive:
        schema = json.loads(archive.read(SCHEMA))
        arrays = {name: archive.read(name) for name in archive.namelist() if name != SCHEMA}
    numbers: dict[str, int] = {}
    members = {}
    for node in _nodes(schema):
        address = node.pop("__id__", None)
        if "file" in node:
            number = numbers.setdefault(node["file"], len(numbers) + 1)
            name = f"{number}{Path(node['file']).suffix}"
            members[name] = arrays[node["file"]]
            node["file"] = name
            if address is not None and node["__loader__"] == "NdArrayNode":
                node["__id__"] = number  # one array that is referred to twice stays one
    members[SCHEMA] = json.dumps(schema, separators=(",", ":")).encode()
    members[HEADER] = json.dumps(header, indent=1).encode()
    buffer = BytesIO()
    with ZipFile(buffer, "w", ZIP_STORED) as archive:
        for name in sorted(members):
            archive.writestr(ZipInfo(name, ZIP_EPOCH), members[name])
    return buffer.getvalue()


def _check_members(archive: ZipFile, n_bytes: int) -> None:
    """Refuse an archive that could unpack to more than the file holds."""
    entries = archive.infolist()
    if len({entry.filename for entry in entries}) < len(entries):
        raise ModelFileError("it has two members of one name")
    if any(entry.compress_type != ZIP_STORED for entry in entries):
        raise ModelFileError("a member is compressed, which relrbf.save never does")
    if sum(entry.file_size for entry in entries) > n_bytes:
        raise ModelFileError("its members declare to be larger than the file")
    if HEADER not in archive.namelist():
        raise ModelFileError(f"it has no member {HEADER}, so that it is no model file")
    if max(archive.getinfo(name).file_size for name in (HEADER, SCHEMA)) > MAX_SCHEMA_BYTES:
        raise ModelFileError("it describes more parts than a model has")


def _read_kind(archive: ZipFile) -> Any:
    """Return the class of the estimator that a file of this version holds."""
    header = json.loads(archive.read(HEADER))
    if type(header) is not dict or header.get("format") != FORMAT:
        raise ModelFileError(f"its {HEADER} does not say that it is a {FORMAT}")
    version = header.get("format_version")
    if type(version) is not int or version < VERSION:
        raise ModelFileError(f"its format version is {version!r:.20}, which was never released")
    if version > VERSION:
        raise ModelFileError(
            f"it was written by a newer relrbf ({header.get('relrbf_version')!s:.20}, format "
            f"{version}; this one reads up to {VERSION}). Upgrade relrbf."
        )
    if set(header) != HEADER_FIELDS or header["estimator"] not in MODEL_NAMES:
        raise ModelFileError(f"its {HEADER} does not describe a model of this version")
    return MODEL_NAMES[header["estimator"]]


def _check_schema(archive: ZipFile) -> None:
    """Refuse nodes that ``save`` never writes, before skops makes anything of them."""
    used: set[Any] = {HEADER, SCHEMA}
    for node in _nodes(json.loads(archive.read(SCHEMA))):
        loader, made = node["__loader__"], f"{node['__module__']}.{node['__class__']}"
        file, number = node.get("file"), node.get("__id__")
        is_known = made in NODES.get(loader, ()) and "__id__" not in node
        if loader == "NdArrayNode":
            is_known = node["type"] == "numpy" and node["__module__"] == "numpy"
        if not is_known:
            raise ModelFileError(f"it holds a {made:.60} ({loader!s:.20}), which save never writes")
        # what is referred to twice is made once, and has a number
        if file in used if number is None else file != f"{number}.npy":
            raise ModelFileError(f"it refers to its member {file!r:.40} as save never does")
        used |= {file} - {None}
    if unused := sorted(set(archive.namelist()) - used):
        raise ModelFileError(f"nothing refers to its member {unused[0]!r:.80}")
    for name in (name for name in archive.namelist() if name.endswith(".npy")):
        with archive.open(name) as file:
            read_header(file, archive.getinfo(name).file_size)


def _nodes(value: Any) -> Iterator[dict[str, Any]]:
    """Yield every node of a schema, outermost first."""
    if isinstance(value, dict) and "__loader__" in value:
        yield value
    if isinstance(value, dict | list):
        for part in list(value.values()) if isinstance(value, dict) else value:
            yield from _nodes(part)
