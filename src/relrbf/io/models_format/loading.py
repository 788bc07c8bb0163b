"""A model out of a file."""

from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO

from relrbf.exceptions import ModelFileError, OptionError
from relrbf.io.models_format.archive import Archive
from relrbf.io.models_format.models import MODELS
from relrbf.io.models_format.reader import Reader
from relrbf.io.models_format.text import from_json

FORMAT, VERSION = "relrbf-model", 1
MANIFEST = "manifest.json"
# From each earlier version of the format to the next: what turns its manifest into a newer one.
UPGRADES: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {}
PARTS = {"format", "format_version", "relrbf_version", "estimator", "params", "fitted"}


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
    if not isinstance(path, str | PathLike):
        raise OptionError(f"path is a {type(path).__name__}; it must be the path of a file.")
    if metric is not None and not callable(metric):
        raise OptionError(f"metric is {metric!r:.60}; it must be the function of the training.")
    try:
        with open(Path(path), "rb") as file:
            return read_model(file, metric)
    except Exception as error:  # whatever a damaged file makes of its readers, it is damaged
        raise ModelFileError(f"path={str(path)!r} cannot be loaded: {_reason(error)}") from error


def read_model(file: BinaryIO, metric: Callable[..., Any] | None) -> Any:
    """Return the model in an open file."""
    archive = Archive(file)
    manifest = _read_manifest(archive)
    kind = MODELS[manifest["estimator"]]
    params, reader = manifest["params"], Reader(archive.read)
    _check_names(kind.kind, params)
    given = _given_metric(params["metric"], metric)
    options = {name: reader.value(node) for name, node in params.items() if name not in given}
    model = reader.model = kind.kind(**options, **given)
    fitted = {name: reader.value(node) for name, node in manifest["fitted"].items()}
    archive.check_all_read()
    kind.check(model, fitted)
    vars(model).update(fitted)
    return model


def _read_manifest(archive: Archive) -> dict[str, Any]:
    """Return the manifest as the present version writes it."""
    manifest = from_json(archive.read(MANIFEST))
    if type(manifest) is not dict or manifest.get("format") != FORMAT:
        raise ModelFileError(f"its {MANIFEST} does not say that it is a {FORMAT}")
    version = manifest.get("format_version")
    if type(version) is not int or version < 1:
        raise ModelFileError(f"its format version is {version!r:.20}, which never was one")
    if version > VERSION:
        raise ModelFileError(
            f"it was written by a newer relrbf ({manifest.get('relrbf_version')!s:.20}, format "
            f"{version}; this one reads up to {VERSION}). Upgrade relrbf."
        )
    for step in range(version, VERSION):
        manifest = UPGRADES[step](manifest)
    if set(manifest) != PARTS or manifest["estimator"] not in MODELS:
        raise ModelFileError(f"its {MANIFEST} does not describe a model of this version")
    return manifest


def _check_names(kind: Any, params: dict[str, Any]) -> None:
    other = sorted({*params} ^ {*kind._get_param_names()})
    if other:
        raise ModelFileError(f"a {kind.__name__} has more or fewer options: {other!s:.80}")


def _given_metric(node: Any, metric: Callable[..., Any] | None) -> dict[str, Any]:
    """Return the metric, where it is a function and not in the file."""
    is_function = type(node) is dict and node.get("kind") == "function"
    if is_function and metric is None:
        raise ModelFileError(
            f"it was trained with the function {node.get('name')!s:.80}, which no file keeps. Pass "
            "it: relrbf.load(path, metric=function)."
        )
    if not is_function and metric is not None:
        raise ModelFileError(
            f"it was trained with metric={node!r:.60}, which needs no function. Leave metric out."
        )
    return {"metric": metric} if is_function else {}


def _reason(error: Exception) -> str:
    """Say what is wrong with a file, and what to do."""
    if isinstance(error, ModelFileError):
        text = str(error)
        return text if text.endswith(".") else f"{text}. Save the model, or fetch the file, again."
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}. Give the path of a file that relrbf.save wrote."
    return (
        f"it is damaged, or relrbf.save did not write it ({type(error).__name__}: {error!s:.80}). "
        "Save the model, or fetch the file, again."
    )
