"""A forged file, which is a whole archive, is refused for what it says."""

import io
import json
import zipfile
from copy import deepcopy

import numpy as np
import pytest
import skops.io

from relrbf import load, save
from relrbf.exceptions import ModelFileError, OptionError, RelationError
from relrbf.io.model_values import Record
from relrbf.io.models import _pack
from tests.models.made import D, X, Y, answers, fitted
from tests.models.test_damage import Runs, entries_of, with_pickle, zipped

N_FORGERIES = 150  # of each model
JUNK = (
    *(None, True, -1, 0, 1, 10**30, 0.5, -1e300, "junk", "", "null", "NaN", [], [1], {}),
    *({"__loader__": None}, {"__loader__": "JsonNode"}, {"__class__": "str"}),
    *("TupleNode", "ListNode", "FunctionNode", "MethodNode", "os", "system", "1.npy"),
)
PICKED = (
    "classifier",
    "few support",
    "points",
    "coefficients",
    "weighted",
    "fuzzy",
    "nearest",
)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.relrbf"


def members_of(path):
    return dict(entries_of(path.read_bytes()))


def write(path, members):
    path.write_bytes(zipped(sorted(members.items())))


def paths_in(node, trail=()):
    """Yield the keys to every value of a schema."""
    items = node.items() if isinstance(node, dict) else enumerate(node)
    for key, value in items:
        yield (*trail, key)
        if isinstance(value, dict | list):
            yield from paths_in(value, (*trail, key))


def change_at(schema, trail, rng):
    *before, last = trail
    for key in before:
        schema = schema[key]
    how = rng.integers(8)
    if how == 0:
        del schema[last]
    elif how == 1 and isinstance(schema, dict):
        schema["more"] = JUNK[rng.integers(len(JUNK))]
    elif how == 2 and isinstance(schema, dict):
        schema[last] = schema[list(schema)[rng.integers(len(schema))]]
    else:
        schema[last] = JUNK[rng.integers(len(JUNK))]


@pytest.mark.parametrize("name", PICKED)
def test_a_forged_schema_is_refused_or_does_no_harm(name, path):
    model, new = fitted(name)
    save(model, path)
    members = members_of(path)
    schema = json.loads(members["schema.json"])
    rng, trails = np.random.default_rng(0), list(paths_in(schema))
    refusals = []
    for _ in range(N_FORGERIES):
        forged = deepcopy(schema)
        change_at(forged, trails[rng.integers(len(trails))], rng)
        write(path, {**members, "schema.json": json.dumps(forged).encode()})
        try:
            again = load(path)
        except ModelFileError as error:
            refusals.append(str(error))
        else:
            use(again, new)
    assert len(refusals) > N_FORGERIES / 3
    assert all(text.startswith(str(path)) and text.endswith(".") for text in refusals)


def use(model, new):
    """Call all methods of a model; that its numbers are no good it may say."""
    try:
        with np.errstate(all="ignore"):
            answers(model, new)
    except RelationError:
        pass
    str(getattr(model, "relation_report_", ""))
    if hasattr(model, "compact"):
        model.compact()


@pytest.mark.filterwarnings("ignore::relrbf.exceptions.MismatchWarning")
@pytest.mark.parametrize("name", ["classifier", "points"])
def test_forged_arrays_are_refused_or_do_no_harm(name, path):
    model, new = fitted(name)
    save(model, path)
    members, rng = members_of(path), np.random.default_rng(0)
    for member in [name for name in members if name.endswith(".npy")]:
        array = np.load(io.BytesIO(members[member]))
        others = [array[1:], array[..., None], array.astype("U8"), array.T, np.array(3.0)]
        if array.dtype.kind in "if":
            others += [array > 0, array - 10**6, array.astype(np.int64), array.astype(np.float16)]
        for other in [*others, rng.permutation(array)] if array.ndim else []:
            buffer = io.BytesIO()
            np.save(buffer, other)
            write(path, {**members, member: buffer.getvalue()})
            try:
                again = load(path)
            except ModelFileError:
                continue
            use(again, new)


@pytest.mark.parametrize(
    "header",
    [
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }",
        "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }",
        "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1,)}" + "(" * 1000,
        "{'descr': '<f16', 'fortran_order': False, 'shape': (1,), }",
        "{'descr': '<f8', 'fortran_order': 3, 'shape': (1,), }",
        "__import__('os').mkdir('trace')",
    ],
)
def test_a_forged_header_of_an_array_is_refused(header, path):
    save(fitted("classifier")[0], path)
    text = header.encode() + b"\n"
    forged = b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + bytes(8)
    write(path, {**members_of(path), "1.npy": forged})
    with pytest.raises(ModelFileError):
        load(path)


def test_a_pickle_inside_is_not_run(path, tmp_path):
    trace = tmp_path / "trace"
    save(fitted("classifier")[0], path)
    write(path, {**members_of(path), "1.npy": with_pickle(trace)})
    with pytest.raises(ModelFileError, match="allow_pickle"):
        load(path)
    assert not trace.exists()
    with pytest.raises(OSError, match="trace"):  # it would have left one
        Runs(tmp_path).__reduce__()[0](str(tmp_path / "no folder" / "trace"))


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"[]",
        b"null",
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"format": "relrbf-model", "format_version": NaN}',
        b'{"format": "relrbf-model", "format_version": 1e999}',
        b'{"format": "relrbf-model", "format_version": ' + b"9" * 5000 + b"}",
        b'{"format": "other", "format_version": 2}',
        b'{"format": "relrbf-model"}',
        b'{"format": "relrbf-model", "format_version": 0}',
        b'{"format": "relrbf-model", "format_version": true}',
        b'{"format": "relrbf-model", "format_version": 2, "estimator": "SVC"}',
    ],
    ids=lambda text: text[:70].decode("latin1"),
)
@pytest.mark.parametrize("member", ["relrbf.json", "schema.json"])
def test_text_that_describes_no_model_is_refused(text, member, path):
    save(fitted("classifier")[0], path)
    write(path, {**members_of(path), member: text})
    with pytest.raises(ModelFileError, match="cannot be loaded"):
        load(path)


FOREIGN = {
    "a function": np.sin,
    "an estimator of scikit-learn": __import__("sklearn.svm", fromlist=["SVC"]).SVC(),
    "a type": int,
    "a slice": slice(3),
    "a dict": {"a": 1},
}


@pytest.mark.parametrize("value", FOREIGN.values(), ids=FOREIGN)
def test_what_save_never_writes_is_not_loaded_even_if_skops_trusts_it(path, value):
    save(fitted("classifier")[0], path)
    forge(path, ("params", "verbose"), value)
    with pytest.raises(ModelFileError, match="never writes"):
        load(path)


def document_of(path):
    return skops.io.loads(path.read_bytes(), trusted=[Record])


def forge(path, trail, value):
    """Change one value of a file: of the header, of the options, or of the fitted attributes."""
    header, document = json.loads(members_of(path)["relrbf.json"]), document_of(path)
    if len(trail) == 1:
        header[trail[0]] = value
    else:
        record = document[("params", "fitted").index(trail[0])]
        for name in trail[1:-1]:
            record = record.values[record.names.index(name)]
        if trail[-1] in record.names:
            record.values[record.names.index(trail[-1])] = value
        else:
            record.names.append(trail[-1])
            record.values.append(value)
    path.write_bytes(_pack(header, skops.io.dumps(document)))


def test_values_nested_too_deeply_are_refused(path):
    save(fitted("classifier")[0], path)
    members = members_of(path)
    deep = b"[" * 600 + b"1" + b"]" * 600
    for text in (members["schema.json"].replace(b'"null"', b'"' + deep + b'"'), b"[" * 10**5):
        write(path, {**members, "schema.json": text})
        with pytest.raises(ModelFileError):
            load(path)


def test_a_newer_version_asks_for_an_upgrade(path):
    save(fitted("classifier")[0], path)
    forge(path, ("format_version",), 3)
    forge(path, ("relrbf_version",), "9.9")
    with pytest.raises(ModelFileError, match=r"newer relrbf \(9.9, format 3; .*Upgrade relrbf\."):
        load(path)


def test_a_member_that_nothing_needs_is_refused(path):
    save(fitted("classifier")[0], path)
    write(path, {**members_of(path), "more.npy": b"more"})
    with pytest.raises(ModelFileError, match=r"nothing refers to its member 'more.npy'"):
        load(path)


@pytest.mark.parametrize("n_jobs", [0, 10**6, -(10**6), "all"])
@pytest.mark.parametrize("where", [("params",), ("fitted", "_source")])
def test_a_file_cannot_ask_for_any_number_of_processes(path, n_jobs, where):
    save(fitted("mahalanobis")[0], path)
    forge(path, (*where, "n_jobs"), n_jobs)
    with pytest.raises(ModelFileError, match="n_jobs cannot be"):
        load(path)


def test_a_metrics_parameters_are_tried_out(path):
    save(fitted("minkowski")[0], path)
    forge(path, ("fitted", "_source", "metric_params", "q"), 3)
    with pytest.raises(ModelFileError, match="do not suit"):
        load(path)


@pytest.mark.parametrize("where", [("params",), ("fitted", "_source")])
def test_a_covariance_of_another_size_is_never_read_beyond(path, where):
    save(fitted("mahalanobis")[0], path)
    forge(path, (*where, "metric_params"), Record("dict", ["VI"], [np.eye(1)]))
    with pytest.raises((ModelFileError, OptionError), match=r"shape \(3, 3\)"):
        load(path).fit(X, Y)


def test_positions_outside_are_refused(path):
    save(fitted("few support")[0], path)
    forge(path, ("fitted", "prototypes_", "objects"), np.arange(10) + len(D) - 9)
    with pytest.raises(ModelFileError, match="objects cannot be"):
        load(path)


REPORT = ("fitted", "relation_report_")
HISTORY = ("fitted", "history_")
VECTORS = Record("VectorSource", [], [])


@pytest.mark.parametrize(
    ("trail", "value", "message"),
    [
        (("fitted", "_source"), VECTORS, "options ask for ColumnSource"),
        (("params", "space"), "vector", "options ask for VectorSource"),
        (("params", "metric"), "cosine", "options ask for MetricSource"),
        (("params", "kernel"), "linear", "kernel='linear' does not exist"),
        (("params", "solver"), "adam", "solver='adam' does not exist"),
        (("params", "n_prototypes"), 0, "n_prototypes is 0"),
        (("fitted", "exponent_"), 3, "exponent_ cannot be 3"),
        (("fitted", "exponent_"), True, "exponent_ cannot be True"),
        (("fitted", "n_iter_"), 1.5, "n_iter_ cannot be 1.5"),
        (("fitted", "n_iter_"), False, "n_iter_ cannot be False"),
        (("fitted", "n_features_in_"), 59, "has a size of 60 where others have 59"),
        (("fitted", "_evidence"), 1, "_evidence cannot be 1"),
        (("fitted", "status_"), Record("SearchStatus", ["STALLED"], []), "status_ cannot be"),
        (("fitted", "status_"), Record("Status", ["WELL"], []), "WELL"),
        (("fitted", "alpha_"), "much", "alpha_ cannot be 'much'"),
        (
            ("fitted", "_sklearn_output_config"),
            Record("dict", ["transform"], ["excel"]),
            r"_sklearn_output_config.transform cannot be",
        ),
        (("fitted", "prototypes_"), VECTORS, "prototypes_ cannot be VectorSource"),
        (("fitted", "prototypes_"), Record("os.system", [], []), "which does not exist"),
        ((*REPORT, "suggested_exponent"), 0, "suggested_exponent cannot be 0"),
        ((*REPORT, "has_vector_dual"), None, "has_vector_dual cannot be None"),
        ((*HISTORY, "objective"), ["low"], "objective cannot be"),
        ((*HISTORY, "more"), [], "more or fewer fields"),
        (("fitted", "more_"), 1, "more or fewer attributes"),
        (("params", "more"), 1, "more or fewer options"),
        (("estimator",), "RBFNetworkRegressor", "more or fewer options"),
        (("more",), 1, "does not describe a model"),
    ],
    ids=lambda value: ".".join(value) if type(value) is tuple else None,
)
def test_what_no_fit_gives_is_refused_by_name(path, trail, value, message):
    save(fitted("classifier")[0], path)
    forge(path, trail, value)
    with pytest.raises(ModelFileError, match=message):
        load(path)


def test_distances_to_some_of_the_objects_are_refused(path):
    save(fitted("few support")[0], path)
    known_sq = fitted("few support")[0].prototypes_.distances_sq[:, :9]
    forge(path, ("fitted", "prototypes_", "known_sq"), known_sq)
    with pytest.raises(ModelFileError, match="known_sq has 9 columns"):
        load(path)


def test_relational_prototypes_in_vector_space_are_refused(path):
    save(fitted("classifier")[0], path)
    forge(path, ("fitted", "_source"), VECTORS)
    forge(path, ("params", "space"), "vector")
    with pytest.raises(ModelFileError, match="not of its space"):
        load(path)


def test_an_archive_with_a_member_twice_is_refused(path):
    save(fitted("classifier")[0], path)
    entries = entries_of(path.read_bytes())
    with pytest.warns(UserWarning, match="Duplicate name"):
        path.write_bytes(zipped([*entries, entries[0]]))
    with pytest.raises(ModelFileError, match="two members of one name"):
        load(path)


def test_what_is_compressed_is_refused_before_it_is_read(path, monkeypatch):
    save(fitted("classifier")[0], path)
    bomb = [*entries_of(path.read_bytes()), ("bomb.npy", bytes(10**8))]
    path.write_bytes(zipped(bomb, zipfile.ZIP_DEFLATED))
    assert path.stat().st_size < 10**6
    monkeypatch.setattr(zipfile.ZipFile, "read", None)
    with pytest.raises(ModelFileError, match="compressed"):
        load(path)


def test_members_that_overlap_are_refused(path):
    """A zip whose directory points many times at the same bytes holds more than it has."""
    packed = zipped([("a", bytes(2000)), ("b", b"")])
    tail = packed.index(b"PK\x01\x02")
    directory, end = packed[tail:-22], bytearray(packed[-22:])
    first = directory[: 46 + 1]
    many = b"".join(first.replace(b"a", bytes([c]), 1) for c in range(97, 123))
    end[8:12] = 2 * (26).to_bytes(2, "little")
    end[12:16] = len(many).to_bytes(4, "little")
    path.write_bytes(packed[:tail] + many + bytes(end))
    with pytest.raises(ModelFileError, match="larger than the file"):
        load(path)
