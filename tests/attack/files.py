"""Files of every format, with odd numbers and names, and damaged in every way."""

import gzip
import hashlib
import io
import zipfile

import numpy as np
from openpyxl import Workbook
from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE
from scipy import io as scipy_io
from scipy import sparse

from relrbf.io import load_labels, load_matrix, save_matrix, save_rows
from relrbf.io.objects import load_objects
from tests.attack.kit import ODD_NAMES, ODD_NUMBERS, attack, damage, pick

MAX_OBJECTS = 8
DELIMITERS = (",", ";", "\t", " ", "|")
OPTIONS = {
    "header": (True, False),
    "ids": (True, False),
    "delimiter": (",", ";", "tab", " "),
    "decimal": (".", ","),
    "triangle": ("lower", "upper", "full"),
    "encoding": ("utf-8", "cp1252", "utf-16"),
    "graph": (True, {"weights": "similarities"}, {"directed": "mean"}),
    "key": ("D", "y"),
    "columns": (["a", "b"], ["0", "1", "2"]),
}


def make_names(rng, n):
    """Return n names, some of them odd."""
    if rng.random() < 0.3:
        return [str(i) for i in rng.permutation(n) + rng.integers(2)]
    names = [f"o{i}" for i in range(n)]
    for i in rng.integers(0, max(n, 1), rng.integers(3)):
        names[i] = pick(rng, ODD_NAMES)
    return names


def make_matrix(rng, n):
    D = rng.integers(0, 9, (n, n)) / pick(rng, (1, 2, 1e-9))
    D = D + D.T
    np.fill_diagonal(D, pick(rng, (0, 0, 0, 1, np.nan)))
    return D


def make_table(rng):
    """Return text in cells: the whole or a half, with names or without, and some odd cells."""
    n = int(rng.integers(1, MAX_OBJECTS))
    D, names, delimiter = make_matrix(rng, n), make_names(rng, n), pick(rng, DELIMITERS)
    rows = [[f"{value:.6g}".replace("nan", "") for value in row] for row in D]
    half = pick(rng, ("whole", "lower", "upper", "blank"))
    if half != "whole":
        rows = [row[i:] if half == "upper" else row[: i + 1] for i, row in enumerate(rows)]
    if half == "blank":
        rows = [[*row, *[""] * (n - len(row))] for row in rows]
    if has_ids := rng.random() < 0.5:
        rows = [[name, *row] for name, row in zip(names, rows, strict=True)]
    if rng.random() < 0.5:
        rows.insert(0, [*[""] * (has_ids and rng.random() < 0.7), *names])
    for _ in range(rng.integers(3)):
        row = pick(rng, rows)
        row[rng.integers(len(row))] = pick(rng, ODD_NUMBERS)
    end = pick(rng, ("\n", "\n", "\r\n", "\r"))
    lines = [delimiter.join(row) for row in rows]
    if rng.random() < 0.2:
        lines.insert(int(rng.integers(len(lines))), pick(rng, ("# comment", "", "%", "\t\t", "%%")))
    return end.join([*lines, ""]).encode(pick(rng, ("utf-8", "utf-8", "utf-8-sig", "utf-16")))


def make_phylip(rng):
    n = int(rng.integers(1, MAX_OBJECTS))
    D, names, half = make_matrix(rng, n), make_names(rng, n), pick(rng, ("whole", "lower", "upper"))
    lines = [f"{pick(rng, (n, n, n, n + 1, 10**12))}"]
    for i, (name, row) in enumerate(zip(names, D, strict=True)):
        numbers = row if half == "whole" else row[:i] if half == "lower" else row[i + 1 :]
        lines.append(f"{name[:10]:10} {' '.join(f'{value:g}' for value in numbers)}")
    return "\n".join(lines).encode()


def make_edges(rng):
    names = make_names(rng, int(rng.integers(2, MAX_OBJECTS)))
    rows = []
    for _ in range(rng.integers(1, 20)):
        weight = pick(rng, ("1", "2.5", "0.5", pick(rng, ODD_NUMBERS)))
        rows.append([pick(rng, names), pick(rng, names), *[weight] * (rng.random() < 0.8)])
    delimiter = pick(rng, DELIMITERS)
    return "\n".join(delimiter.join(row) for row in rows).encode()


def make_mtx(rng):
    D = make_matrix(rng, int(rng.integers(1, MAX_OBJECTS)))
    symmetry = pick(rng, ("general", "symmetric"))
    if rng.random() < 0.3:
        D = D - np.tril(D) - np.tril(D).T
        symmetry = "general"
    buffer = io.BytesIO()
    shape = sparse.coo_array(D) if rng.random() < 0.5 else D
    scipy_io.mmwrite(buffer, shape, symmetry=symmetry)
    return buffer.getvalue()


def make_npy(rng):
    array = make_matrix(rng, int(rng.integers(1, MAX_OBJECTS)))
    kind = pick(rng, ("<f8", "<f4", ">f8", "<i4", "|b1", "<f2", "<c16", "<U3", "|S2"))
    with np.errstate(all="ignore"):
        array = np.nan_to_num(array).astype(kind)
    if rng.random() < 0.3:
        array = pick(rng, (array[0], array[:, :1], array[0, 0], array[None], array[:0], array.T))
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


def make_npz(rng):
    n = int(rng.integers(1, MAX_OBJECTS))
    D, buffer = make_matrix(rng, n), io.BytesIO()
    if rng.random() < 0.3:
        made = pick(rng, (sparse.csr_array, sparse.csc_array, sparse.coo_array, sparse.bsr_array))
        sparse.save_npz(buffer, made(np.nan_to_num(D)), compressed=bool(rng.random() < 0.5))
        return buffer.getvalue()
    ids = [name.replace("\0", "") for name in make_names(rng, n)]
    arrays = {"D": D, "ids": np.array(ids), "y": rng.integers(0, 3, n), "new": D[:1]}
    kept = {name: array for name, array in arrays.items() if name == "D" or rng.random() < 0.5}
    pick(rng, (np.savez, np.savez_compressed))(buffer, **kept)
    return buffer.getvalue()


def make_sheet(rng):
    """Write a workbook of a table, whose cells are numbers, text or nothing."""
    book, n = Workbook(), int(rng.integers(1, MAX_OBJECTS))
    D, names = make_matrix(rng, n), make_names(rng, n)
    for name, row in zip(names, np.nan_to_num(D).tolist(), strict=True):
        cells = [ILLEGAL_CHARACTERS_RE.sub("", name), *row]
        book.active.append([cell if rng.random() < 0.98 else None for cell in cells])
    if rng.random() < 0.1:
        book.active.cell(int(rng.integers(1, 2**20)), int(rng.integers(1, 2**14)), 1.0)
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


MAKERS = {
    **{".csv": make_table, ".tsv": make_table, ".txt": make_table, ".lsmat": make_table},
    **{".phy": make_phylip, ".mtx": make_mtx, ".npy": make_npy, ".npz": make_npz},
    **{".edges": make_edges, "": make_phylip, ".xlsx": make_sheet},
}
SUFFIXES = [suffix for suffix in MAKERS if suffix != ".xlsx"] * 4 + [".xlsx"]  # which takes long


def damage_inside(content, rng):
    """Damage what an archive or a compressed text holds, and pack it again."""
    if content[:2] != b"PK":
        return gzip.compress(damage(content, rng))
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(buffer, "w") as new:
        names = old.namelist()
        chosen = pick(rng, names)
        for name in names:
            part = old.read(name)
            packing = pick(rng, (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA))
            new.writestr(name, damage(part, rng) if name == chosen else part, packing)
    return buffer.getvalue()


def make_file(rng, folder):
    """Write a file: as it should be, damaged, spliced with another, or compressed."""
    suffix = pick(rng, SUFFIXES)
    content, how = MAKERS[suffix](rng), rng.random()
    if how < 0.3:
        content = damage(content, rng)
    elif how < 0.45:
        content = damage_inside(content, rng)
    elif how < 0.5:
        other = MAKERS[pick(rng, SUFFIXES)](rng)
        content = content[: rng.integers(len(content) + 1)] + other[rng.integers(len(other) + 1) :]
    if rng.random() < 0.1:
        content, suffix = gzip.compress(content), f"{suffix}.gz"
    if rng.random() < 0.05:
        suffix = pick(rng, SUFFIXES)
    path = folder / f"D{suffix}"
    path.write_bytes(content)
    if rng.random() < 0.2:
        beside = damage("".join(f"{name}\n" for name in make_names(rng, 5)).encode(), rng)
        (folder / "D.ids.txt").write_bytes(beside)
    return path


def make_zarr(rng, folder):
    """Write a zarr array of which one file is damaged, or missing."""
    path = folder / "D.zarr"
    save_matrix(path, make_matrix(rng, int(rng.integers(1, MAX_OBJECTS))))
    files = sorted(file for file in path.rglob("*") if file.is_file())
    chosen = pick(rng, files)
    if rng.random() < 0.2:
        chosen.unlink()
    elif rng.random() < 0.9:
        chosen.write_bytes(damage(chosen.read_bytes(), rng))
    return path


def state_of(folder):
    """Return what a folder holds."""
    files = (file for file in sorted(folder.rglob("*")) if file.is_file())
    return {str(file): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def use(matrix, rng):
    """Do with a matrix what commands do."""
    options = {"symmetrize": "mean"} if rng.random() < 0.5 else {}
    if rng.random() < 0.5:
        options["similarities"] = "convert"
    relation = matrix.relation(**options if isinstance(matrix.values, np.ndarray) else {})
    block = relation.block(np.arange(min(len(relation), 5)))
    assert np.isfinite(block).all()
    assert relation.ids is None or len(relation.ids) == len(relation)


@attack("files")
def attack_files(rng, folder):
    """Read a file as a matrix, as labels or as objects; it stays as it is."""
    path = make_zarr(rng, folder) if rng.random() < 0.02 else make_file(rng, folder)
    before, what = state_of(folder), rng.random()
    chosen = [name for name in OPTIONS if rng.random() < 0.05]
    options = {name: pick(rng, OPTIONS[name]) for name in chosen}
    if path.suffix == ".edges" and rng.random() < 0.8:
        options["graph"] = True
    try:
        if what < 0.8:
            use(load_matrix(path, **options), rng)
        elif what < 0.95:
            names = ("header", "delimiter", "decimal", "encoding")
            load_labels(path, **{name: options[name] for name in options if name in names})
        else:
            load_objects(path, pick(rng, ("vectors", "series", "strings")))
    finally:
        assert state_of(folder) == before


@attack("round trips")
def attack_round_trips(rng, folder):
    """Write a matrix, or results, with any names; both come back as they were."""
    n = int(rng.integers(2, MAX_OBJECTS))
    D = rng.random((n, n)) * 10.0 ** rng.integers(-300, 300)
    np.fill_diagonal(D, 0)
    names = make_names(rng, n)
    path = folder / f"D{pick(rng, ('.csv', '.tsv', '.npy'))}"
    save_matrix(path, D, names)
    found = load_matrix(path).square()
    assert np.asarray(found.values).tobytes() == D.tobytes()
    assert found.ids.tolist() == names
    classes = [pick(rng, ODD_NAMES).replace("\n", " ").strip() or "x" for _ in names]
    save_rows(folder / "y.csv", ["id", "prediction"], zip(names, classes, strict=True))
    cells = (folder / "y.csv").read_text().replace('"', "").replace("\n", ",").split(",")
    assert not any(cell.startswith(("=", "@", "\t")) for cell in cells)
    labels = load_labels(folder / "y.csv")
    assert labels.ids.tolist() == names
    assert labels.values.tolist() == classes
