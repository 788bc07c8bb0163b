"""A forged file, whose checksums are right, is judged by what it says."""

import io
import json
import zipfile
from copy import deepcopy

import numpy as np
import pytest

from relrbf import load, save
from relrbf.exceptions import ModelFileError, RelationError
from relrbf.io.models_format.archive import SUMS, pack
from tests.models.made import D, answers, fitted
from tests.models.test_damage import Runs, with_pickle

N_FORGERIES = 150  # of each model
JUNK = (
    *(None, True, -1, 0, 1, 10**30, 0.5, -1e300, "junk", "", [], [1], {}, {"kind": None}),
    *({"kind": "array", "member": "none.npy"}, {"kind": "float", "value": "nan"}),
    *({"kind": "dict", "items": [[[], 1]]}, {"kind": "os.system", "fields": {}}),
    *({"kind": "Gaussian", "fields": {}}, {"kind": "Status", "name": "x"}, {"kind": "tuple"}),
    *({"kind": "scalar", "npy": "AAAA"}, {"kind": "function", "name": "os.system"}),
)
PICKED = ("classifier", "few support", "points", "begun", "weighted", "fuzzy", "nearest")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.relrbf"


def members_of(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist() if name != SUMS}


def write(path, members):
    with open(path, "wb") as file:
        pack(file, members)


def forge(path, change):
    """Change the manifest of a file, with all its checksums."""
    members = members_of(path)
    manifest = json.loads(members["manifest.json"])
    change(manifest)
    write(path, {**members, "manifest.json": json.dumps(manifest).encode()})


def places(node, way=()):
    """Yield the way to every value of a manifest."""
    items = node.items() if isinstance(node, dict) else enumerate(node)
    for key, value in items:
        yield (*way, key)
        if isinstance(value, dict | list):
            yield from places(value, (*way, key))


def change_at(manifest, way, rng):
    *before, last = way
    for key in before:
        manifest = manifest[key]
    how = rng.integers(8)
    if how == 0:
        del manifest[last]
    elif how == 1 and isinstance(manifest, dict):
        manifest["more"] = JUNK[rng.integers(len(JUNK))]
    elif how == 2 and isinstance(manifest, dict):
        manifest[last] = manifest[list(manifest)[rng.integers(len(manifest))]]
    else:
        manifest[last] = JUNK[rng.integers(len(JUNK))]


@pytest.mark.parametrize("name", PICKED)
def test_a_forged_manifest_is_refused_or_does_no_harm(name, path):
    model, new = fitted(name)
    save(model, path)
    members = members_of(path)
    manifest = json.loads(members["manifest.json"])
    rng, ways = np.random.default_rng(0), list(places(manifest))
    refusals = []
    for _ in range(N_FORGERIES):
        forged = deepcopy(manifest)
        change_at(forged, ways[rng.integers(len(ways))], rng)
        write(path, {**members, "manifest.json": json.dumps(forged).encode()})
        try:
            again = load(path)
        except ModelFileError as error:
            refusals.append(str(error))
        else:
            ask(again, new)
    assert len(refusals) > N_FORGERIES / 3
    assert all(text.startswith("path=") and text.endswith(".") for text in refusals)


def ask(model, new):
    """Ask a model all it can answer; that its numbers are no good it may say."""
    try:
        with np.errstate(all="ignore"):
            answers(model, new)
    except RelationError:
        pass
    str(getattr(model, "relation_report_", ""))
    if hasattr(model, "compact"):
        model.compact()


@pytest.mark.parametrize("name", ["classifier", "points"])
def test_forged_arrays_are_refused_or_do_no_harm(name, path):
    model, new = fitted(name)
    save(model, path)
    members, rng = members_of(path), np.random.default_rng(0)
    names = [member for member in members if member.endswith(".npy")]
    for member in names:
        array = np.load(io.BytesIO(members[member]))
        others = [array[1:], array[..., None], array.astype("U8"), array.T, np.array(3.0)]
        if array.dtype.kind in "if":
            others += [array > 0, array - 10**6, array.astype(np.int64), array.astype(np.float16)]
        for other in [*others, rng.permutation(array)]:
            buffer = io.BytesIO()
            np.save(buffer, other)
            write(path, {**members, member: buffer.getvalue()})
            try:
                again = load(path)
            except ModelFileError:
                continue
            ask(again, new)


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
def test_a_forged_header_is_refused_before_memory_is_taken(header, path):
    save(fitted("classifier")[0], path)
    members = members_of(path)
    text = header.encode() + b"\n"
    forged = b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + bytes(8)
    write(path, {**members, "fitted/bandwidths_.npy": forged})
    with pytest.raises(ModelFileError):
        load(path)


def test_a_pickle_inside_is_not_run(path, tmp_path):
    trace = tmp_path / "trace"
    save(fitted("classifier")[0], path)
    members = members_of(path)
    write(path, {**members, "fitted/bandwidths_.npy": with_pickle(trace)})
    with pytest.raises(ModelFileError, match="neither numbers nor text"):
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
        b'{"format": "relrbf-model", "format": "relrbf-model"}',
        b'{"format": "relrbf-model", "format_version": NaN}',
        b'{"format": "relrbf-model", "format_version": 1e999}',
        b'{"format": "relrbf-model", "format_version": ' + b"9" * 5000 + b"}",
        b'{"format": "other", "format_version": 1}',
        b'{"format": "relrbf-model"}',
        b'{"format": "relrbf-model", "format_version": 0}',
        b'{"format": "relrbf-model", "format_version": true}',
        b'{"format": "relrbf-model", "format_version": 1, "estimator": "SVC"}',
    ],
    ids=lambda text: text[:70].decode("latin1"),
)
def test_a_manifest_that_is_none_is_refused(text, path):
    write(path, {"manifest.json": text})
    with pytest.raises(ModelFileError, match="cannot be loaded"):
        load(path)


def test_a_member_that_refers_to_members_is_refused(path):
    """Ten lists of ten lists of ten lists ... would be more than any memory holds."""
    save(fitted("classifier")[0], path)

    def bomb(i):
        node = {"kind": "objects", "shape": [10], "member": f"bomb/{i + 1}.json"}
        return json.dumps(10 * [node] if i < 12 else list(range(10))).encode()

    members = members_of(path) | {f"bomb/{i}.json": bomb(i) for i in range(13)}
    manifest = json.loads(members["manifest.json"])
    manifest["params"]["init"] = {"kind": "objects", "shape": [10], "member": "bomb/0.json"}
    write(path, {**members, "manifest.json": json.dumps(manifest).encode()})
    with pytest.raises(ModelFileError, match=r"a list that refers to the member bomb/1.json"):
        load(path)


def test_a_member_is_made_once_however_often_it_is_named(path):
    save(fitted("classifier")[0], path)
    members = members_of(path)
    manifest = json.loads(members["manifest.json"])
    node = {"kind": "objects", "shape": [10**5], "member": "names.json"}
    manifest["params"]["init"] = 10**4 * [node]
    names = json.dumps([""] * 10**5).encode()
    forged = {"names.json": names, "manifest.json": json.dumps(manifest).encode()}
    write(path, {**members, **forged})
    try:
        load(path)
    except ModelFileError as error:
        pytest.fail(str(error))


def test_values_nested_too_deeply_are_refused(path):
    save(fitted("classifier")[0], path)
    deep = 1
    for _ in range(600):
        deep = [deep]
    forge(path, lambda manifest: manifest["params"].update(verbose=deep))
    with pytest.raises(ModelFileError):
        load(path)


def test_a_newer_version_asks_for_an_upgrade(path):
    save(fitted("classifier")[0], path)
    forge(path, lambda manifest: manifest.update(format_version=2, relrbf_version="9.9"))
    with pytest.raises(ModelFileError, match=r"newer relrbf \(9.9, format 2; .*Upgrade relrbf\."):
        load(path)


def test_a_member_that_nothing_needs_is_refused(path):
    save(fitted("classifier")[0], path)
    write(path, {**members_of(path), "more.npy": b"more"})
    with pytest.raises(ModelFileError, match=r"nothing refers to its member 'more.npy'"):
        load(path)


@pytest.mark.parametrize("n_jobs", [0, 10**6, -(10**6), "all"])
@pytest.mark.parametrize("where", ["params", "source"])
def test_a_file_cannot_ask_for_any_number_of_processes(path, n_jobs, where):
    save(fitted("mahalanobis")[0], path)

    def change(manifest):
        source = manifest["fitted"]["_source"]["fields"]
        (manifest["params"] if where == "params" else source)["n_jobs"] = n_jobs

    forge(path, change)
    with pytest.raises(ModelFileError, match="n_jobs cannot be"):
        load(path)


def test_a_metrics_parameters_are_tried_out(path):
    save(fitted("minkowski")[0], path)

    def change(manifest):
        manifest["fitted"]["_source"]["fields"]["metric_params"]["items"][0] = ["q", 3]

    forge(path, change)
    with pytest.raises(ModelFileError, match="arguments"):
        load(path)


def test_positions_outside_are_refused(path):
    save(fitted("few support")[0], path)
    buffer = io.BytesIO()
    np.save(buffer, np.arange(10) + len(D) - 9)
    write(path, {**members_of(path), "fitted/prototypes_/objects.npy": buffer.getvalue()})
    with pytest.raises(ModelFileError, match="objects cannot be"):
        load(path)


REPORT = ("fitted", "relation_report_", "fields")
HISTORY = ("fitted", "history_", "fields")
DICT = {"kind": "dict", "items": [["transform", "excel"]]}


@pytest.mark.parametrize(
    ("way", "value", "message"),
    [
        (("fitted", "_source"), {"kind": "Vectors", "fields": {}}, "options ask for Columns"),
        (("params", "space"), "vector", "options ask for Vectors"),
        (("params", "metric"), "cosine", "options ask for Measured"),
        (("params", "kernel"), "linear", "kernel='linear' does not exist"),
        (("params", "solver"), "adam", "solver='adam' does not exist"),
        (("params", "n_prototypes"), 0, "n_prototypes is 0"),
        (("fitted", "exponent_"), 3, "exponent_ cannot be 3"),
        (("fitted", "exponent_"), True, "exponent_ cannot be True"),
        (("fitted", "n_iter_"), 1.5, "n_iter_ cannot be 1.5"),
        (("fitted", "n_iter_"), False, "n_iter_ cannot be False"),
        (("fitted", "n_features_in_"), 59, "has a size of 60 where others have 59"),
        (("fitted", "_choices"), 1, "_choices cannot be 1"),
        (("fitted", "status_"), {"kind": "SearchStatus", "name": "STALLED"}, "status_ cannot be"),
        (("fitted", "alpha_"), "much", "alpha_ cannot be 'much'"),
        (("fitted", "_sklearn_output_config"), DICT, "_sklearn_output_config cannot be"),
        (("fitted", "prototypes_"), {"kind": "Vectors", "fields": {}}, "prototypes_ cannot be a"),
        ((*REPORT, "suggested_exponent"), 0, "suggested_exponent cannot be 0"),
        ((*REPORT, "has_vector_dual"), None, "has_vector_dual cannot be None"),
        ((*HISTORY, "objective"), ["low"], "objective cannot be"),
        ((*HISTORY, "more"), [], "more or fewer fields"),
        (("fitted", "more_"), 1, "more or fewer attributes"),
        (("params", "more"), 1, "more or fewer options"),
        (("estimator",), "RBFNetworkRegressor", "more or fewer options"),
        (("more",), 1, "does not describe a model"),
    ],
    ids=lambda value: ".".join(value) if isinstance(value, tuple) else None,
)
def test_what_no_fit_gives_is_refused_by_name(path, way, value, message):
    save(fitted("classifier")[0], path)

    def change(manifest):
        for key in way[:-1]:
            manifest = manifest[key]
        manifest[way[-1]] = value

    forge(path, change)
    members = members_of(path)
    used = json.dumps(json.loads(members["manifest.json"]))
    write(path, {n: m for n, m in members.items() if n == "manifest.json" or f'"{n}"' in used})
    with pytest.raises(ModelFileError, match=message):
        load(path)


def test_distances_to_some_of_the_objects_are_refused(path):
    save(fitted("few support")[0], path)
    members, name = members_of(path), "fitted/prototypes_/known_sq.npy"
    buffer = io.BytesIO()
    np.save(buffer, np.load(io.BytesIO(members[name]))[:, 1:])
    write(path, {**members, name: buffer.getvalue()})
    with pytest.raises(ModelFileError, match="known_sq has 9 columns"):
        load(path)


def test_relational_prototypes_in_vector_space_are_refused(path):
    save(fitted("classifier")[0], path)

    def change(manifest):
        manifest["fitted"]["_source"] = {"kind": "Vectors", "fields": {}}
        manifest["params"]["space"] = "vector"

    forge(path, change)
    with pytest.raises(ModelFileError, match="do not live in its space"):
        load(path)
