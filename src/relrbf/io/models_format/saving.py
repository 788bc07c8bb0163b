"""A fitted model into a file."""

from os import PathLike, fspath
from pathlib import Path
from typing import Any

from sklearn.utils.validation import check_is_fitted

import relrbf
from relrbf._replacing import replacing
from relrbf.exceptions import ModelFileError, ModelFileWarning, OptionError, warn
from relrbf.io.models_format.archive import pack
from relrbf.io.models_format.loading import FORMAT, MANIFEST, VERSION, read_model
from relrbf.io.models_format.models import MODELS
from relrbf.io.models_format.text import to_json
from relrbf.io.models_format.writer import Writer
from relrbf.prototypes import VectorPrototypes
from relrbf.prototypes.fixed import fixed
from relrbf.relations.base import Relation

READABLE = {  # what to call attributes that are left out
    "_last": "what warm_start goes on from",
    "_skl_callbacks": "callbacks",
    "_metadata_request": "metadata requests",
}


def save(model: Any, path: str | PathLike[str]) -> None:
    """Write a fitted model to a file that holds no code.

    The file is a zip of JSON and npy, described in ``docs/saving.md``. It is about as large as the
    support: coefficients of the prototypes on it, and names. It is written beside its place, read
    back, and put there at once, so that an interrupted save leaves what was there. The same model
    gives the same bytes.

    Parameters
    ----------
    model : estimator
        A fitted ``RBFNetworkClassifier`` or ``RBFNetworkRegressor``, a clustering or an embedding
        of relrbf's.
    path : path
        Where to write; by convention it ends in ``.relrbf``.

    Warns
    -----
    ModelFileWarning
        If something is left out that no prediction needs: what ``warm_start`` goes on from,
        callbacks, the path of a checkpoint.

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
    _check_model(model)
    writer = Writer()
    manifest = _manifest(model, writer)
    members = {**writer.members, MANIFEST: to_json(manifest, indent=1)}
    try:
        with replacing(as_path(path)) as file:
            pack(file, members)
            _check_readable(file, model)
    except OSError as error:
        raise ModelFileError(
            f"path={fspath(path)!r} could not be written ({error.strerror or error}). What was "
            "there is as it was."
        ) from error
    if writer.left_out:
        warn(
            f"left out of the file {fspath(path)!r}: {', '.join(writer.left_out)}. Predictions are "
            "the same without.",
            ModelFileWarning,
        )


def as_path(path: Any) -> Path:
    """Return what was given as a path, if it is one."""
    if not isinstance(path, str | PathLike):
        raise OptionError(f"path is a {type(path).__name__}; it must be the path of a file.")
    return Path(path)


def _check_model(model: Any) -> None:
    kind: Any = type(model)
    name = kind.__name__
    if name not in MODELS or MODELS[name].kind is not kind:
        raise OptionError(
            f"model is a {name}; save takes one of {sorted(MODELS)}. Of a pipeline or a search, "
            "save the step or the best_estimator_ that is one."
        )
    check_is_fitted(model)
    if isinstance(model.metric, Relation):
        raise OptionError(
            f"the model was trained with metric={model.metric!r}, which holds all its objects and "
            "is not put in a file. Train on the relation itself, with metric='precomputed', and "
            "predict from relation[new, training]; or save the relation apart."
        )


def _manifest(model: Any, writer: Writer) -> dict[str, Any]:
    """Return what the file says of itself and of the model; arrays go to the writer."""
    name = type(model).__name__
    attributes, others = MODELS[name].attributes_of(model)
    placed = attributes.get("prototypes_")
    if placed is not None and not isinstance(placed, VectorPrototypes):
        attributes["prototypes_"] = fixed(placed)
    params = model.get_params(deep=False)
    try:
        written = {
            "params": {n: _option(writer, n, value) for n, value in params.items()},
            "fitted": {n: writer.write(value, f"fitted/{n}") for n, value in attributes.items()},
        }
    except RecursionError as error:
        raise ModelFileError("the model holds values that are nested too deeply.") from error
    writer.left_out += [READABLE.get(name, f"the attribute {name}") for name in others]
    return {
        "format": FORMAT,
        "format_version": VERSION,
        "relrbf_version": relrbf.__version__,
        "estimator": name,
        **written,
    }


def _option(writer: Writer, name: str, value: Any) -> Any:
    """Return an option as JSON; of a metric that is a function, its name, to remind of it."""
    if name != "metric" or isinstance(value, str):
        return writer.write(value, f"params/{name}")
    home = getattr(value, "__module__", type(value).__module__)
    own = getattr(value, "__qualname__", type(value).__qualname__)
    return {"kind": "function", "name": f"{home}.{own}"}


def _check_readable(file: Any, model: Any) -> None:
    """Read back what was written, so that no file takes its place that cannot be loaded."""
    file.flush()
    file.seek(0)
    try:
        read_model(file, model.metric if callable(model.metric) else None)
    except Exception as error:  # options or attributes that were changed since the fit
        raise ModelFileError(
            f"this model cannot be saved as it is: {error}. Undo what was changed since it was "
            "fitted, or fit it again."
        ) from error
