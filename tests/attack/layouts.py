"""Relations in every layout, with names of every kind, come back as they are or are refused."""

import csv

import numpy as np
from scipy.sparse.csgraph import floyd_warshall

from relrbf.io import load_matrix
from tests.attack.kit import attack, pick

MAX_OBJECTS = 6
SUFFIXES = ("csv", "tsv", "txt", "lsmat", "phy", "dist")
NAMES = {  # of n objects
    "text": lambda rng, n: [f"ob{i}" for i in range(n)],
    "counted": lambda rng, n: [str(i + rng.integers(1)) for i in range(n)],
    "from 1": lambda rng, n: [str(i + 1) for i in range(n)],
    "digits": lambda rng, n: list(map(str, rng.permutation(9)[:n])),
    "numbers": lambda rng, n: list(map(str, 10 + rng.permutation(4990)[:n])),
    "mixed": lambda rng, n: [f"{pick(rng, ('', 'n'))}{i}" for i in 10 + rng.permutation(90)[:n]],
    "long": lambda rng, n: [f"{i}{'7' * 19}" for i in 10 + rng.permutation(90)[:n]],
    "powers": lambda rng, n: [f"{i}e2" for i in 10 + rng.permutation(90)[:n]],
}
ENTRIES = {  # neither 0 nor only 1, which stand on diagonals
    "numbers": lambda rng: f"{rng.uniform(0.1, 9):.3f}",
    "whole": lambda rng: str(rng.integers(1, 10)),
    "few": lambda rng: pick(rng, ("0.25", "0.5", "2")),
}


def make_cells(rng, D, half, how):
    """Return the entries of a half, or of the whole, as cells."""
    n, has_diagonal = len(D), half == "full" or how == "full" or rng.random() < 0.5
    rows = []
    for i, row in enumerate(D):
        kept = [
            half == "full" or (j < i if half == "lower" else j > i) or (has_diagonal and j == i)
            for j in range(n)
        ]
        blank = {"blank": "", "NA": "NA", "zeros": "0"}.get(how)
        cells = [row[j] if kept[j] else blank for j in range(n)]
        rows.append([cell for cell in cells if cell is not None])
    return rows


@attack("layouts")
def attack_layouts(rng, folder):
    """Write a relation in some layout; what is read is what was written."""
    n, entry = int(rng.integers(2, MAX_OBJECTS + 1)), pick(rng, [*ENTRIES.values()])
    D = [["0"] * n for _ in range(n)]
    for i in range(n):
        for j in range(i):
            D[i][j] = D[j][i] = entry(rng)
    names = pick(rng, [*NAMES.values()])(rng, n) if rng.random() < 0.8 else None
    header = names is not None and rng.random() < 0.5
    has_ids = names is not None and (not header or rng.random() < 0.7)
    half = pick(rng, ("full", "lower", "upper"))
    how = pick(rng, ("ragged", "blank", "NA", "zeros"))
    rows = make_cells(rng, D, half, how)
    if has_ids:
        rows = [[name, *row] for name, row in zip(names, rows, strict=True)]
    rows = [row for row in rows if row]
    if how in ("blank", "NA") and rng.random() < 0.3:  # which a whole may leave out as well
        for at, row in enumerate(rows):
            row[at + has_ids : at + has_ids + 1] = ["" if how == "blank" else how]
    delimiter = pick(rng, (",", ";", "\t", *([] if how == "blank" else " ")))
    if header:
        rows.insert(0, [*pick(rng, ([""], ["id"], [])), *names] if has_ids else names)
    elif rng.random() < 0.3:
        rows.insert(0, [str(n)])
    path = folder / f"D.{pick(rng, SUFFIXES)}"
    path.write_text("".join(f"{delimiter.join(row)}\n" for row in rows))
    found = load_matrix(path).square()
    found.relation(similarities="convert")  # what is no relation is refused
    assert np.asarray(found.values).tolist() == [[float(cell) for cell in row] for row in D]
    assert (None if found.ids is None else found.ids.tolist()) == names


@attack("edge lists")
def attack_edge_lists(rng, folder):
    """Write the edges of a graph between any delimiters; its paths are as long as they were."""
    n, entry = int(rng.integers(2, MAX_OBJECTS + 1)), pick(rng, [*ENTRIES.values()])
    names = pick(rng, [*NAMES.values()])(rng, n)
    quoting = pick(rng, (csv.QUOTE_MINIMAL, csv.QUOTE_ALL))
    if quoting == csv.QUOTE_ALL:
        names[0] = pick(rng, ("a b", "a,b", "a;b", "a|b", '"a"', "NA", "id"))
    weights = {
        (i, j): entry(rng) for i in range(n) for j in range(i) if j == 0 or rng.random() < 0.5
    }
    adjacency = np.zeros((n, n))
    for pair, weight in weights.items():
        adjacency[pair] = float(weight)
    delimiter = pick(rng, (",", ";", "\t", "|", " "))
    rows = [[names[i], names[j], weight] for (i, j), weight in weights.items()]
    if delimiter != "," and rng.random() < 0.5:
        rows = [[*ends, weight.replace(".", ",")] for *ends, weight in rows]
    if rng.random() < 0.3:
        rows.insert(0, ["from", "to", "weight"])
    with open(folder / "E.txt", "w", newline="") as file:
        csv.writer(file, delimiter=delimiter, quoting=quoting).writerows(rows)
    found = load_matrix(folder / "E.txt", graph=True)
    order = [found.ids.tolist().index(name) for name in names]
    expected = floyd_warshall(adjacency, directed=False)
    np.testing.assert_allclose(found.values.block()[np.ix_(order, order)], expected, rtol=1e-15 * n)
    assert len(found.ids) == n
