"""Values of a model as what skops writes without trust in anybody's code, and back."""

from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from relrbf.exceptions import ModelFileError
from relrbf.io import model_types
from relrbf.io.model_types import ENUMS, LOCAL_FIELDS, RECORD_NAMES, RECORDS, make_record

PLAIN_TYPES = (type(None), bool, int, float, str, bytes)
RANDOM_TYPES = (np.random.RandomState, np.random.Generator)
MAX_ITEMSIZE = 8  # bytes of a number; longer floats differ from machine to machine
MT19937_WORDS, PHILOX_BUFFER = 624, 4
MIN_PACKED = 8  # entries from which on a list of numbers is written as an array


class Record(NamedTuple):
    """A value that is not plain: its type, the names of its parts, and the parts.

    Files name this class by its module: moving it makes a new version of the format.
    """

    kind: str
    names: list[Any]
    values: list[Any]


def encode(value: Any, where: str, left_out: list[str]) -> Any:
    """Return a value as plain values, arrays and records; where it stands is for messages."""
    kind = type(value)
    if kind in (*PLAIN_TYPES, Record) or kind in RANDOM_TYPES or _is_plain_array(value):
        return value

    def encode_all(values: Any) -> list[Any]:
        return [encode(each, f"{where}/{i}", left_out) for i, each in enumerate(values)]

    if kind is list:
        return Record("list", [], [np.array(value)]) if _is_packable(value) else encode_all(value)
    if kind is tuple:
        return tuple(encode_all(value))
    if kind in (set, frozenset):
        return Record(kind.__name__, [], encode_all(sorted(value, key=repr)))
    if kind is dict:
        values = [encode(each, f"{where}/{name}", left_out) for name, each in value.items()]
        return Record("dict", encode_all(value), values)
    if kind is np.ndarray and value.dtype == object:
        return Record("array", list(value.shape), encode_all(value.ravel()))
    if isinstance(value, np.dtype):
        return Record("dtype", [value.str], [])
    if kind in ENUMS.values():
        return Record(kind.__name__, [value.name], [])
    if kind in RECORDS:
        return _encode_record(value, where, left_out)
    raise ModelFileError(
        f"{where} holds a {kind.__module__}.{kind.__qualname__}, which cannot be put in a file "
        "without code that would run when it is loaded. Numbers, text, arrays, lists, dicts and "
        "sets of those can. A model trained on dissimilarities, metric='precomputed', needs no "
        "objects at all."
    )


def _encode_record(value: Any, where: str, left_out: list[str]) -> Record:
    kind = type(value)
    found = {name: getattr(value, name) for name in RECORDS[kind]}
    for name in LOCAL_FIELDS.get(kind, ()):
        if found[name] is not None:
            left_out.append(f"{where}.{name}")
            found[name] = None
    record: Record = encode(with_known_workers(found), where, left_out)
    return record._replace(kind=kind.__name__)


def with_known_workers(options: dict[str, Any]) -> dict[str, Any]:
    """Return options with at most as many workers as a file may ask for: machines differ."""
    asked = options.get("n_jobs")
    return options if asked is None else {**options, "n_jobs": min(asked, model_types.MAX_WORKERS)}


def decode(value: Any, model: Any = None) -> Any:
    """Return the value that was encoded; records may need the options of their model."""
    if type(value) is list:
        return [decode(each, model) for each in value]
    if type(value) is tuple:
        return tuple(decode(each, model) for each in value)
    if not isinstance(value, Record):
        if type(value) in RANDOM_TYPES:
            _check_generator(value)
        if type(value) in (*PLAIN_TYPES, *RANDOM_TYPES) or _is_plain_array(value):
            if isinstance(value, np.ndarray) and value.dtype.kind == "U":
                "".join(value.ravel().tolist())  # fails if a character does not exist
            return value
        raise ModelFileError(f"it holds a {type(value).__name__}, which save never writes")
    kind, names, values = value.kind, value.names, [decode(each, model) for each in value.values]
    if kind == "list":
        return values[0].tolist()
    if kind in ("set", "frozenset"):
        return set(values) if kind == "set" else frozenset(values)
    if kind == "array":
        array = np.empty(len(values), dtype=object)
        for i, each in enumerate(values):
            array[i] = each
        return array.reshape(names)
    if kind == "dtype":
        return np.dtype({"<f4": np.float32, "<f8": np.float64}[names[0]])
    if kind in ENUMS:
        return ENUMS[kind][names[0]]
    found = dict(zip(decode(names), values, strict=True))
    if len(found) < len(names):
        raise ModelFileError(f"a value of type {kind!r:.40} has a part twice")
    if kind == "dict":
        return found
    if kind not in RECORD_NAMES:
        raise ModelFileError(f"it holds a value of type {kind!r:.40}, which does not exist")
    return make_record(RECORD_NAMES[kind], found, model)


def _check_generator(generator: Any) -> None:
    """Refuse a state that no generator reaches, from which drawing would crash or never end."""
    is_legacy = isinstance(generator, np.random.RandomState)
    state = generator.get_state(legacy=False) if is_legacy else generator.bit_generator.state
    own = state["state"]
    is_right = 0 <= state.get("buffer_pos", 0) <= PHILOX_BUFFER  # Philox
    is_right &= 0 <= own.get("pos", 0) <= MT19937_WORDS and bool(np.any(own.get("key", 1)))
    is_right &= own.get("inc", 1) % 2 == 1  # PCG64
    if not is_right or not isfinite(state.get("gauss", 0.0)):
        raise ModelFileError("it holds a random generator in a state that none reaches")


def _is_plain_array(value: Any) -> bool:
    """Tell whether a value is an array or a scalar whose bytes mean the same everywhere."""
    if type(value) is not np.ndarray and not isinstance(value, np.generic):
        return False
    kind, size = value.dtype.kind, value.dtype.itemsize
    return kind in "US" or (kind in "biufMm" and size <= MAX_ITEMSIZE)


def _is_packable(values: list[Any]) -> bool:
    """Tell whether a list of numbers comes back from an array as it was."""
    kinds = set(map(type, values))
    is_whole = kinds == {int} and max(values) < 2**63 and min(values) >= -(2**63)
    return len(values) >= MIN_PACKED and (kinds == {float} or is_whole)
