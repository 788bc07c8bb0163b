"""Commands on odd and damaged files: they end with a result, or with an error in a line."""

import io
import os
import re
from contextlib import chdir, redirect_stderr, redirect_stdout

from relrbf.cli.main import main
from relrbf.exceptions import OptionError
from relrbf.io import save_matrix, save_rows
from tests.attack.files import make_edges, make_file, make_names, state_of
from tests.attack.fits import make_relation
from tests.attack.kit import ODD_NAMES, attack, damage, pick

READING = (
    *(["--header"], ["--no-ids"], ["--triangle", "lower"], ["--decimal", ","], ["--quiet"]),
    *(["--delimiter", ";"], ["--encoding", "utf-16"], ["--key", "D"], ["--json"]),
)
POLICIES = (["--symmetrize", "mean"], ["--similarities", "convert"])
FITTING = (
    *(["--prototypes", "2"], ["--kernel", "multiquadric"], ["--positive"], ["--alpha", "1"]),
    *(["--support", "0.5"], ["--support", "3"], ["--task", "classify"], ["--task", "regress"]),
    *(["--balanced"], ["--unlabelled", "drop"], ["--column", "y"], ["--exponent", "1"]),
    *(["--folds", "0"], ["--folds", "2"], ["--seed", "1"]),
)
COMMANDS = {  # words, and further ones of which some are given
    "inspect": (["inspect", "{D}"], [["--labels", "y.csv"], ["--max-exact", "1"]]),
    "fit": (["fit", "{D}", "y.csv", "-o", "m.relrbf", "--jobs", "1"], [*FITTING, *POLICIES]),
    "embed": (
        ["embed", "{D}", "-o", "Z.csv"],
        [["--method", "proximal"], ["--method", "landmark"], ["--components", "all"], *POLICIES],
    ),
    "repair": (
        ["repair", "{D}", "-o", "R.csv"],
        [["--to", "euclidean"], ["--to", "shift"], ["--norm", "l1"], *POLICIES],
    ),
    "cluster": (["cluster", "{D}", "-o", "c.csv", "-k", "2"], [["--exponent", "2"], *POLICIES]),
}
PAGES = {
    "inspect": (["inspect", "{D}", "--html", "page.html"], [["--labels", "y.csv"]]),
    "fit": (
        [*("fit", "{D}", "y.csv", "-o", "m.relrbf", "--report", "page.html"), "--jobs", "1"],
        [["--folds", "2"], ["--prototypes", "2"], *POLICIES],
    ),
    "vat": (["vat", "{D}", "-o", "v.png"], [["--improved"], ["--labels", "y.csv"], *POLICIES]),
}
MARKUP = "<script>alert(1)</script>"


def say(words):
    """Run a command; it ends with an exit code, and with nothing but its own words on an error."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main(words)
    said = err.getvalue()
    assert code in (0, 1, 2), f"exit code {code} of {words}: {said}"
    assert "an error of relrbf's own" not in said, f"{words}: {said}"
    assert not re.search(r"[\0-\x08\x0b-\x1f\x7f-\x9f]", out.getvalue() + said), f"{words} steers"
    if code:
        # before it, on a busy machine, steps that take a while are named: "reading D.csv ..."
        lines = [line for line in said.splitlines() if not line.endswith(" ...")]
        first = next((line for line in lines if not line.startswith("note: ")), "")
        assert first.startswith("relrbf"), f"{words}: {said}"
        assert len(first) < 2000, f"{words}: {said}"
    return code


def write_matrix(rng, folder, names):
    """Write a relation with names, and new objects; return the file and the names."""
    D, D_new = make_relation(rng)
    names += [f"object {i}" for i in range(len(names), len(D))]
    names = names[: len(D)]
    path = folder / f"D{pick(rng, ('.csv', '.tsv', '.npy'))}"
    save_matrix(path, D, names)
    save_matrix(folder / "new.csv", D_new, [f"new {i}" for i in range(len(D_new))], names)
    return path, names


def write_labels(rng, folder, names):
    """Write labels: of classes with odd names, or numbers, and some of them damaged."""
    if rng.random() < 0.3:
        labels = rng.standard_normal(len(names)).tolist()
    else:
        classes = [pick(rng, (*ODD_NAMES, MARKUP, "a", "b")) for _ in range(3)]
        labels = [pick(rng, classes) for _ in names]
    path = folder / "y.csv"
    save_rows(path, ["id", "y"], zip(names, labels, strict=True))
    if rng.random() < 0.1:
        path.write_bytes(damage(path.read_bytes(), rng))


def prepare(rng, folder):
    """Write a matrix, which may be damaged, and labels; return the matrix."""
    names = list(dict.fromkeys(name for name in make_names(rng, 7) if name.strip()))
    if rng.random() < 0.2:
        names[:1] = [MARKUP]
    path, names = write_matrix(rng, folder, names)
    write_labels(rng, folder, names)
    how = rng.random()
    if how < 0.2:
        path.write_bytes(damage(path.read_bytes(), rng))
    elif how < 0.4:
        path = make_file(rng, folder)
    elif how < 0.5:
        path = folder / "E.csv"
        path.write_bytes(make_edges(rng))
    return path


def run_command(rng, folder, commands):
    """Run a command; what it reads stays as it was, and what failed writes nothing."""
    path, (words, further) = prepare(rng, folder), pick(rng, [*commands.values()])
    words = [word.format(D=path.name) for word in words]
    for more in (*further, *READING, ["--graph"] if path.name == "E.csv" else ["--quiet"]):
        if rng.random() < (0.8 if more == ["--graph"] else 0.08):
            words += more
    before = state_of(folder)
    with chdir(folder):
        code = say(words)
        if code == 0 and "m.relrbf" in os.listdir():
            code = say(["predict", "m.relrbf", "new.csv", "-o", "p.csv"])
            say(["show", "m.relrbf"])
    after = state_of(folder)
    assert {name: after.get(name) for name in before} == before, "an input was changed"
    for page in folder.glob("*.html"):
        assert MARKUP not in page.read_text(), "markup of a name is in the page"
    if code:
        assert "p.csv" not in after
        raise OptionError("the command refused")


@attack("commands")
def attack_commands(rng, folder):
    run_command(rng, folder, COMMANDS)


@attack("pages")
def attack_pages(rng, folder):
    run_command(rng, folder, PAGES)
