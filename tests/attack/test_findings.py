"""What attacks found, one case each: it must not come again."""

import gzip
import io
import json
import os
import zipfile
from contextlib import suppress

import numpy as np
import openpyxl
import pytest
import skops.io
from scipy import sparse

from relrbf import RBFNetworkClassifier, as_relation, load, save
from relrbf.exceptions import CheckpointError, FileFormatError, ModelFileError, RelationError
from relrbf.io import load_labels, load_matrix, save_matrix, save_rows
from relrbf.io.model_values import Record
from relrbf.io.models import _pack
from relrbf.plotting.style import shorten
from relrbf.relations.on_disk import ids_path
from relrbf.training import GradientDescent
from tests.attack.models import MODELS, D, X, Y, members_of, zipped

LITTLE = 2**26  # bytes of memory that a refusal may take


def peak_memory(call):
    """Return the bytes that a call allocates at most, of which numpy reports its own."""
    import tracemalloc

    tracemalloc.start()
    try:
        call()
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return peak


def refuse(path, load=load_matrix, match=None, **options):
    """Read a file that must be refused, and without much memory."""

    def call():
        with pytest.raises(FileFormatError, match=match):
            load(path, **options)

    assert peak_memory(call) < LITTLE


# Files.


@pytest.fixture
def put(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


MTX = "%%MatrixMarket matrix array real general\n"


@pytest.mark.parametrize(
    ("text", "match"),
    [
        (f"{MTX}2 2\n0\n1\n\0\n0\n", "bytes that no text has"),
        (f"{MTX}2 2\n0\n1.5abc\n1.5\n0\n", r"1\.5abc"),
        (f"{MTX}100000 100000\n0\n1\n", "declares 10000000000 entries"),
        (f"{MTX}2 2\n0\n1\n1\n", "declares 4 entries of 1 numbers, and has 3"),
        (f"{MTX}2 2\n0 1\n1 0\n", "has 2 of 2"),
        (f"{MTX}2 2\n0\n1 2\n1\n0\n", r"a line of 1 number\(s\), and one line has more"),
        (f"{MTX}2\n", "sizes are not stated"),
        (f"{MTX.replace('real', 'complex')}1 1\n0 1\n", "real ones"),
        ("%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1.0\n", "outside of 2 × 2"),
        ("%%MatrixMarket matrix coordinate real general\n2 2 1\n1.5 1 1.0\n", "outside of 2 × 2"),
        ("%%MatrixMarket matrix coordinate real symmetric\n2 3 0\n", "no symmetry"),
        ("%%MatrixMarket matrix coordinate real general\n9 9 2\n1 2 1\n1 2 1\n", "pair.* twice"),
    ],
)
def test_a_matrix_market_file_is_checked_before_it_is_taken(put, text, match):
    refuse(put("D.mtx", text), match=match)


def test_a_graph_of_a_hundred_billion_nodes_is_refused_by_what_it_declares(put):
    text = "%%MatrixMarket matrix coordinate real general\n100000000000 100000000000 1\n1 2 1\n"
    refuse(put("D.mtx", text), match="RELRBF_MAX_OBJECTS", graph=True)


@pytest.mark.parametrize("symmetry", ["general", "symmetric", "skew-symmetric"])
@pytest.mark.parametrize("layout", ["array", "coordinate"])
def test_matrix_market_files_are_read_as_scipy_writes_them(tmp_path, rng, layout, symmetry):
    from scipy.io import mmwrite

    sign = {"general": 0, "symmetric": 1, "skew-symmetric": -1}[symmetry]
    half = np.tril(rng.random((5, 5)), -1) + 1e-3 * np.tri(5, k=-1)
    matrix = half + (sign or 1) * half.T + (sign == 0) * half
    written = matrix if layout == "array" else sparse.coo_array(matrix)
    mmwrite(tmp_path / "D.mtx", written, symmetry=symmetry, precision=17)
    np.testing.assert_array_equal(load_matrix(tmp_path / "D.mtx").values, matrix)


def npy(header, content=bytes(8)):
    text = header.encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + content


@pytest.mark.parametrize(
    "header",
    [
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000, 1000000), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-1, -1), }",
        "{'descr': '|S0', 'fortran_order': False, 'shape': (1, 1), }",  # ZeroDivisionError
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1), ",  # TokenError
        "{'descr': '<f8', 'fortran_order': False, 'shape': (9223372036854775807, 4), }",
    ],
)
@pytest.mark.parametrize("load", [load_matrix, load_labels])
def test_an_array_that_declares_more_than_it_has_is_refused(put, header, load):
    refuse(put("D.npy", npy(header)), load, "cannot be read")
    refuse(put("D.npz", zipped({"y.npy": npy(header)})), load)


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("point", [0xD800, 0x110000, 0xFFFFFF, 829358128, 2**32 - 1])
def test_text_of_characters_that_do_not_exist_is_refused(put, order, point):
    header = f"{{'descr': '{order}U3', 'fortran_order': False, 'shape': (1,), }}"
    text = np.array([49, 46, point], f"{order}u4").tobytes()
    refuse(put("y.npy", npy(header, text)), load_labels, "cannot be read")


def test_an_archive_that_expands_to_anything_is_refused(tmp_path):
    np.savez_compressed(tmp_path / "D.npz", D=np.zeros((2**11, 2**11)))
    refuse(tmp_path / "D.npz", match="RELRBF_MAX_EXPANSION")


def test_what_an_error_quotes_of_a_file_is_short(tmp_path, rng):
    np.savez(tmp_path / "D.npz", D=rng.random((40, 40)))
    content = bytearray((tmp_path / "D.npz").read_bytes())
    content[26:28] = (8000).to_bytes(2, "little")  # the length of the name of its first array
    (tmp_path / "D.npz").write_bytes(content)
    with pytest.raises(FileFormatError, match="cannot be read") as caught:
        load_matrix(tmp_path / "D.npz")
    assert len(str(caught.value)) < 1000


def test_damage_to_an_archive_is_an_error_of_ours(tmp_path):
    np.savez_compressed(tmp_path / "D.npz", D=np.random.default_rng(0).random((9, 9)))
    content = bytearray((tmp_path / "D.npz").read_bytes())
    for at in range(60, 400, 17):  # zlib.error, BadZipFile
        damaged = content.copy()
        damaged[at] ^= 255
        (tmp_path / "D.npz").write_bytes(damaged)
        refuse(tmp_path / "D.npz")


def test_indices_outside_of_a_sparse_matrix_are_refused(tmp_path):
    matrix = sparse.csr_array(np.ones((3, 3)))
    matrix.indices[4] = 10**6  # scipy would write there
    sparse.save_npz(tmp_path / "D.npz", matrix)
    refuse(tmp_path / "D.npz", match="sparse matrix cannot be read")


@pytest.mark.parametrize(
    ("text", "match"),
    [
        (b"0" * 2**25, "RELRBF_MAX_EXPANSION"),
        (b"\n" * 2**20, "RELRBF_MAX_EXPANSION"),
        (b"0,1\n" * 2**19, "RELRBF_MAX_EXPANSION"),
        (b"#\n" * 2**17, "nothing but comments"),
    ],
)
def test_a_small_gzip_that_expands_to_anything_is_refused(put, monkeypatch, text, match):
    monkeypatch.setattr("relrbf.io.source.FREE_EXPANSION", 2**19)
    refuse(put("D.csv.gz", gzip.compress(text)), match=match)


def test_more_labels_than_any_relation_has_objects_are_refused(put, monkeypatch):
    monkeypatch.setenv("RELRBF_MAX_OBJECTS", "99")
    assert len(load_labels(put("y.csv", "a\nb\n" * 49)).values) == 98
    refuse(put("y.csv", "a\nb\n" * 50), load_labels, "RELRBF_MAX_OBJECTS")


def test_a_limit_is_raised_by_the_environment(put, monkeypatch):
    monkeypatch.setattr("relrbf.io.source.LIMITS", {"LINE": 10})
    path = put("D.csv", "0,1.000000001\n1.000000001,0\n")
    refuse(path, match="RELRBF_MAX_LINE")
    monkeypatch.setenv("RELRBF_MAX_LINE", "100")
    assert load_matrix(path).shape == (2, 2)


def test_many_short_lines_that_expand_too_far_are_refused_before_they_are_parsed(put):
    content = gzip.compress(b"0,1\n" * 5_000_000, 9)
    assert 200 * len(content) < 20_000_000
    refuse(put("D.csv.gz", content), match="expands to more than 200 times")


def test_damaged_gzip_is_an_error_of_ours(put):
    content = bytearray(gzip.compress(b"0,1\n1,0\n" * 1000))
    content[20] ^= 255
    refuse(put("D.csv.gz", bytes(content)), match="cannot be read to its end")


@pytest.mark.parametrize("name", ["D.npy", "D.npz", "D.xlsx"])
def test_a_pipe_that_is_called_an_array_is_refused_and_not_waited_for(tmp_path, name):
    os.mkfifo(tmp_path / name)
    refuse(tmp_path / name, match="no file")
    refuse(tmp_path / name, load_labels, match="no file")
    with pytest.raises(RelationError, match=r"no file|csv"):
        as_relation(str(tmp_path / name))


def test_a_workbook_of_few_cells_far_apart_is_refused(tmp_path):
    book = openpyxl.Workbook()
    for row, column in ((1, 1), (2**20, 2**14)):
        book.active.cell(row, column, 1.0)
    book.save(tmp_path / "D.xlsx")
    refuse(tmp_path / "D.xlsx", match="too far apart")


def test_damage_within_a_workbook_is_an_error_of_ours(tmp_path):
    book = openpyxl.Workbook()
    book.active.append([0.0])
    book.save(tmp_path / "D.xlsx")
    members = members_of((tmp_path / "D.xlsx").read_bytes())
    cut = {name: part[:-9] if "sheet" in name else part for name, part in members.items()}
    (tmp_path / "D.xlsx").write_bytes(zipped(cut))
    refuse(tmp_path / "D.xlsx", match="no spreadsheet that can be read")


@pytest.mark.parametrize("name", ["D.npy", "D.zarr"])
def test_a_pipe_in_the_place_of_names_is_refused_and_not_waited_for(tmp_path, name):
    path = tmp_path / name
    os.mkfifo(ids_path(path))
    with pytest.raises(RelationError, match="names other objects"):
        save_matrix(path, np.zeros((2, 2)), ["a", "b"])
    ids_path(path).unlink()
    save_matrix(path, np.zeros((2, 2)))
    os.mkfifo(ids_path(path))
    with pytest.raises(RelationError, match=r"names in .* cannot be read"):
        load_matrix(path)


@pytest.mark.parametrize("member", ["c/0/0", "zarr.json"])
def test_a_pipe_in_a_zarr_array_is_refused_and_not_waited_for(tmp_path, member):
    path = tmp_path / "D.zarr"
    save_matrix(path, np.zeros((3, 3)))
    (path / member).unlink()
    os.mkfifo(path / member)
    with pytest.raises(RelationError, match=f"{member} is a pipe"):
        as_relation(str(path))


@pytest.mark.parametrize(
    ("shape", "chunks", "match"),
    [
        ([10**11, 10**11], [3, 3], "Most of it is missing"),
        ([10**400, 1], [3, 3], "Most of it is missing"),
        ([3, 3], [0, 1], "chunks of shape"),
        ([3, 3], [10**400, 1], "chunks of shape"),
        ([3, 3], [2**62, 2**63], "chunks of shape"),
    ],
)
def test_a_zarr_array_that_declares_what_it_cannot_have_is_refused(tmp_path, shape, chunks, match):
    path = tmp_path / "D.zarr"
    save_matrix(path, np.zeros((3, 3)))
    header = json.loads((path / "zarr.json").read_text())
    header["shape"] = shape
    header["chunk_grid"]["configuration"]["chunk_shape"] = chunks
    (path / "zarr.json").write_text(json.dumps(header))
    with pytest.raises(RelationError, match=match):
        load_matrix(path)


def test_names_of_digits_that_are_no_numbers_are_names(put):
    text = "²,³,1\n³,¹,1\n¹,²,1\n"
    assert load_matrix(put("E.csv", text), graph=True).ids.tolist() == ["²", "³", "¹"]
    long = "1" * 5000
    ids = load_matrix(put("F.csv", f"{long} 2 1\n2 3 1\n"), graph=True).ids
    assert ids.tolist() == [long, "2", "3"]


@pytest.mark.parametrize("first", ["npy", "zarr"])
def test_two_matrices_of_one_stem_keep_their_names(tmp_path, first):
    for suffix in (first, "zarr" if first == "npy" else "npy"):
        names = [f"{suffix} {i}" for i in range(3)]
        save_matrix(tmp_path / f"D.{suffix}", np.zeros((3, 2)), names, names[:2])
    for suffix in ("npy", "zarr"):
        found = load_matrix(tmp_path / f"D.{suffix}")
        assert found.row_ids.tolist() == [f"{suffix} {i}" for i in range(3)]
        assert found.column_ids.tolist() == [f"{suffix} {i}" for i in range(2)]


def test_names_that_are_no_text_are_refused(tmp_path):
    save_matrix(tmp_path / "D.npy", np.zeros((2, 2)))
    (tmp_path / "D.ids.txt").write_bytes(b"\xff\n\xff\n")
    with pytest.raises(RelationError, match=r"names in .*D\.ids\.txt cannot be read"):
        load_matrix(tmp_path / "D.npy")


def test_who_may_read_a_file_stays_the_same_when_it_is_replaced(tmp_path):
    path = tmp_path / "p.csv"
    save_rows(path, ["id"], [["a"]])
    path.chmod(0o600)
    save_rows(path, ["id"], [["b"]])
    assert path.stat().st_mode & 0o777 == 0o600


FORMULAS = ["=1+1", "+cmd|x", "-x", "@sum", "\tx", "\rx", "'=x", "''@x", "＝1", "-", "-1.5", "+1"]


def test_results_are_safe_in_a_spreadsheet_and_come_back_as_they_were(tmp_path):
    path = tmp_path / "p.csv"
    save_rows(path, ["id", "prediction"], zip(range(12), FORMULAS, strict=True))
    rows = path.read_bytes().decode().replace('"', "").split("\n")[1:-1]
    written = [row.partition(",")[2] for row in rows]
    assert [text for text in written if not text.startswith("'")] == ["-", "-1.5", "+1"]
    assert load_labels(path, column="prediction").values.tolist() == FORMULAS
    names = [name for name in FORMULAS if name == name.strip()]
    save_matrix(tmp_path / "D.csv", np.eye(len(names)), names)
    assert load_matrix(tmp_path / "D.csv").ids.tolist() == names


def test_an_error_does_not_steer_the_terminal(put):
    with pytest.raises(FileFormatError) as error:
        load_matrix(put("D.phy", "2\na\x1b[2J 0 1\na\x1b[2J 1 0\n"))
    assert "\x1b" not in str(error.value)


def test_names_that_no_font_has_are_drawn_as_escapes():
    assert shorten("a\ud800\x1b") == r"a\ud800\x1b"


# Models.


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.relrbf"


def forge(path, name, trail, change):
    """Save a model of which one value is changed: by its trail of names, from params or fitted."""
    save(MODELS[name](), path)
    content = path.read_bytes()
    document = skops.io.loads(content, trusted=[Record])
    record = document[("params", "fitted").index(trail[0])]
    for part in trail[1:-1]:
        record = record.values[record.names.index(part)]
    at = record.names.index(trail[-1])
    record.values[at] = change(record.values[at])
    header = json.loads(members_of(content)["relrbf.json"])
    path.write_bytes(_pack(header, skops.io.dumps(document)))


def with_entry(value):
    """Return a change of an array's first entry."""

    def change(array):
        array = array.copy()
        array.ravel()[0] = value
        return array

    return change


def with_state(**parts):
    """Return a generator of which parts of the state are changed."""

    def change(_):
        generator = np.random.RandomState(0)
        state = generator.get_state(legacy=False)
        state["state"] |= parts
        generator.set_state(state)
        return generator

    return change


SOURCE, PROTOTYPES = ("fitted", "_source"), ("fitted", "prototypes_")
FORGED = {
    "a path to write to": ("descent", ("params", "solver", "checkpoint"), lambda _: "/tmp/x"),
    "a hundred billion columns": ("few", (*SOURCE, "n_columns"), lambda _: 10**11),
    "a hundred billion objects": ("few", (*PROTOTYPES, "n_objects"), lambda _: 10**11),
    "a power that was not fitted": ("few", (*SOURCE, "exponent"), lambda _: 10**11),
    "more than certain doubt": ("few", ("fitted", "probability_smoothing_"), lambda _: 1e308),
    "axes that are too many": ("nearest", ("fitted", "_placement", "axes"), lambda _: np.eye(24)),
    "other axes for the whole": ("nearest", ("fitted", "_whole", "axes"), lambda _: np.eye(24)),
    "weights that are NaN": ("classifier", ("fitted", "weights_"), with_entry(np.nan)),
    "infinite coefficients": ("classifier", (*PROTOTYPES, "own"), with_entry(np.inf)),
    "a bandwidth of zero": ("classifier", ("fitted", "bandwidths_"), with_entry(0)),
    "a negative bandwidth": ("points", ("fitted", "_network", "bandwidths"), with_entry(-1)),
    "a penalty that is NaN": ("classifier", ("fitted", "alpha_"), lambda _: float("nan")),
    "a negative count": ("classifier", ("fitted", "n_iter_"), lambda _: -1),
    "no history": ("classifier", ("fitted", "history_", "objective"), lambda _: []),
    "4096 workers": ("vectors", ("params", "n_jobs"), lambda _: 4096),
    "4096 workers of the source": ("vectors", (*SOURCE, "n_jobs"), lambda _: 4096),
    "a seed of no generator": ("classifier", ("params", "random_state"), lambda _: 10**12),
    "a bandwidth without a square": ("classifier", ("fitted", "bandwidths_"), with_entry(1e-320)),
    "a name that steers terminals": (
        *("classifier", ("fitted", "classes_")),
        lambda classes: np.array(["\x1b[2J", "up"]),
    ),
    "half a character": ("classifier", ("fitted", "classes_"), lambda _: np.array(["\ud800", "a"])),
    "a generator beyond its state": ("fuzzy", ("params", "random_state"), with_state(pos=10**6)),
    "a generator of zeros": (
        *("fuzzy", ("params", "random_state")),
        with_state(key=np.zeros(624, dtype=np.uint32)),
    ),
}


@pytest.mark.parametrize(("name", "trail", "change"), FORGED.values(), ids=FORGED)
def test_a_forged_value_is_refused(path, name, trail, change):
    forge(path, name, trail, change)
    with pytest.raises(ModelFileError, match=r"cannot be|none reaches"):
        load(path)


def test_characters_that_do_not_exist_are_refused(path):
    save(MODELS["classifier"](), path)
    members = members_of(path.read_bytes())
    classes = next(n for n, part in members.items() if b"'<U4'" in part[:128])
    members[classes] = members[classes][:-4] + b"\xff\xff\xff\x00"
    path.write_bytes(zipped(members))
    with pytest.raises(ModelFileError):
        load(path)


def test_an_array_in_a_hundred_places_is_not_made_a_hundred_times(path):
    save(MODELS["classifier"](), path)
    members = members_of(path.read_bytes())
    schema = json.loads(members["schema.json"])
    text = json.dumps(schema)
    node = text[text.index('{"__class__": "ndarray"') : text.index('"1.npy"')]
    assert '"__id__"' not in node.replace('"__id__": 1', "")
    forged = text.replace('"__id__": 1', '"__id__": 77').encode()
    path.write_bytes(zipped(members | {"schema.json": forged}))
    with pytest.raises(ModelFileError, match="as save never does"):
        load(path)


def test_devices_pipes_and_very_large_files_are_no_models(path, tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "pipe")
    for other in ("/dev/zero", tmp_path / "pipe"):
        with pytest.raises(ModelFileError, match="a device or a pipe"):
            load(other)
    save(MODELS["few"](), path)
    monkeypatch.setenv("RELRBF_MAX_MODEL", "1000")
    with pytest.raises(ModelFileError, match=r"larger than models are.*RELRBF_MAX_MODEL"):
        load(path)


def test_what_a_file_says_does_not_steer_the_terminal(path):
    save(MODELS["few"](), path)
    members = members_of(path.read_bytes())
    header = json.loads(members["relrbf.json"]) | {"format_version": 9, "relrbf_version": "\x1b[2J"}
    path.write_bytes(zipped(members | {"relrbf.json": json.dumps(header).encode()}))
    with pytest.raises(ModelFileError, match="newer") as error:
        load(path)
    assert "\x1b" not in str(error.value)


@pytest.mark.parametrize("member", ["best weights", "rates prototypes", "now rows 0"])
@pytest.mark.parametrize("damage", [lambda a: a[1:], lambda a: a * np.nan, lambda a: a > 0])
def test_a_forged_checkpoint_is_refused(tmp_path, member, damage):
    path = tmp_path / "state"

    def fit():
        solver = GradientDescent(checkpoint=path)
        return RBFNetworkClassifier(3, solver=solver, max_iter=3, random_state=0).fit(D, Y)

    fit()
    members, buffer = members_of(path.read_bytes()), io.BytesIO()
    np.save(buffer, damage(np.load(io.BytesIO(members[f"{member}.npy"]))))
    path.write_bytes(zipped(members | {f"{member}.npy": buffer.getvalue()}))
    with pytest.raises(CheckpointError, match="cannot be read"):
        fit()


def test_a_killed_save_leaves_nothing_beside_the_model(path):
    """The file has no name until it is whole, where the system can do that."""
    from relrbf._utils import replacing

    with replacing(path) as file:
        file.write(b"half")
        beside = os.listdir(path.parent)
    assert beside == [] or not hasattr(os, "O_TMPFILE")
    assert zipfile.is_zipfile(path) is False


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("name", ["classifier", "vectors", "fuzzy"])
def test_a_forged_number_without_a_square_warns_of_nothing(path, name):
    forge(path, name, (*PROTOTYPES, "own"), with_entry(1e308))
    model = load(path)
    for method in ("predict", "novelty", "predict_interval", "predict_memberships"):
        if hasattr(model, method):
            with suppress(RelationError):
                getattr(model, method)(X if name == "vectors" else D)


@pytest.mark.parametrize(
    ("y", "match"),
    [
        (np.array([b"a", b"b"] * 6), r"astype\(str\)"),
        (np.array(["2020-01-01", "NaT"] * 6, dtype="M8[D]"), "y holds NaT"),
        (np.array([(1, 2), (3, 4)] * 6, dtype=[("a", int), ("b", int)]), "of records one field"),
    ],
)
def test_what_is_no_label_is_said_in_our_words(y, match):
    x = np.linspace(0, 1, len(y))
    with pytest.raises(ValueError, match=match):
        RBFNetworkClassifier().fit(abs(x[:, None] - x), y)
