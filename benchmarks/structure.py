"""The size and shape of the package, and what one call of ``fit`` and ``predict`` visits.

Run ``make structure``. Lines are lines of text, blank ones included. The fit is a default one, on
the 178 wines by the city-block distance of their standardised measurements.
"""

import ast
import statistics
import sys
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.datasets import load_wine

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "relrbf"
LONG_FILE, SHORT_MODULE = 500, 50
VISIT_AIMS = ("20 files, 110 functions", "8 files")
LAZY_IMPORT_TABLES = {"_HOMES"}  # which a package may have, each with its own names


def modules(folder: Path = PACKAGE) -> dict[Path, str]:
    """Return the source of every file of Python below a folder."""
    return {path: path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.py"))}


def n_lines(source: str) -> int:
    return len(source.splitlines())


def function_lengths(sources: dict[Path, str]) -> list[int]:
    """Return the lines of every function and method, with its docstring."""
    nodes = (node for source in sources.values() for node in ast.walk(ast.parse(source)))
    return [
        node.end_lineno - node.lineno + 1
        for node in nodes
        if isinstance(node, ast.FunctionDef) and node.end_lineno is not None
    ]


def repeated_classes(sources: dict[Path, str]) -> dict[str, list[Path]]:
    """Return names that several modules give to a class."""
    return _repeated(
        (node.name, path)
        for path, source in sources.items()
        for node in ast.parse(source).body
        if isinstance(node, ast.ClassDef)
    )


def repeated_constants(sources: dict[Path, str]) -> dict[str, list[Path]]:
    """Return names of constants that several modules give different values."""
    found = [
        (name, value, path)
        for path, source in sources.items()
        for name, value in _constants(source)
    ]
    values = defaultdict(set)
    for name, value, _ in found:
        values[name].add(value)
    return _repeated((name, path) for name, _, path in found if len(values[name]) > 1)


def _constants(source: str) -> Iterator[tuple[str, str]]:
    """Yield the constants of a module, each with its value as text."""
    for node in ast.parse(source).body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        if isinstance(node, ast.AnnAssign):
            targets = [node.target]
        for target in targets:
            names = [name.id for name in ast.walk(target) if isinstance(name, ast.Name)]
            value = ast.unparse(node.value) if node.value else ""
            yield from ((name, value) for name in names if _is_constant(name))


def _is_constant(name: str) -> bool:
    return name.isupper() and len(name) > 1 and name not in LAZY_IMPORT_TABLES


def _repeated(found: Iterator[tuple[str, Path]]) -> dict[str, list[Path]]:
    places: dict[str, list[Path]] = defaultdict(list)
    for name, path in found:
        places[name].append(path)
    return {name: paths for name, paths in sorted(places.items()) if len(paths) > 1}


def visited(call: Callable[[], Any]) -> set[CodeType]:
    """Return the functions of the package that a call runs."""
    codes: set[CodeType] = set()

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(str(PACKAGE)):
            codes.add(frame.f_code)

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return {code for code in codes if code.co_name != "<module>"}


def wine() -> tuple[np.ndarray, np.ndarray]:
    """Return distances of the 178 wines, and their classes."""
    X, y = load_wine(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    return cdist(X, X, "cityblock"), y


def visits() -> dict[str, set[CodeType]]:
    """Return what a default fit and a prediction visit; modules are imported by a first fit."""
    from relrbf import RBFNetworkClassifier

    D, y = wine()
    warnings.simplefilter("ignore")
    model = RBFNetworkClassifier(random_state=0).fit(D, y)
    model.predict(D)
    fit = visited(lambda: RBFNetworkClassifier(random_state=0).fit(D, y))
    return {"fit": fit, "predict": visited(lambda: model.predict(D))}


def main() -> None:
    sources = modules()
    sizes = {path: n_lines(source) for path, source in sources.items()}
    lengths = sorted(function_lengths(sources))
    short = [p for p, n in sizes.items() if n < SHORT_MODULE and p.name != "__init__.py"]
    n_tests = sum(map(n_lines, modules(ROOT / "tests").values()))
    size = f"{sum(sizes.values()):,} lines in {len(sizes)} files"
    print(f"package              {size} (aim: 22,000 in 170)")
    _print_paths(f"over {LONG_FILE} lines", [p for p, n in sizes.items() if n > LONG_FILE])
    _print_paths(f"under {SHORT_MODULE} lines", short)
    p90 = lengths[int(0.9 * len(lengths))]
    print(f"functions            median {statistics.median(lengths):g} lines, p90 {p90}")
    for kind, names in (
        ("classes", repeated_classes(sources)),
        ("constants", repeated_constants(sources)),
    ):
        print(f"{kind:<9} used twice {len(names)}  {' '.join(names)}")
    for (call, codes), aim in zip(visits().items(), VISIT_AIMS, strict=True):
        files = Counter(code.co_filename for code in codes)
        print(f"one {call:<7} visits   {len(files)} files, {len(codes)} functions (aim: {aim})")
        if "--files" in sys.argv:
            for name, n in sorted(files.items()):
                print(f"    {n:4d} {Path(name).relative_to(PACKAGE)}")
    print(f"test : source        {n_tests / sum(sizes.values()):.2f}")


def _print_paths(title: str, paths: list[Path]) -> None:
    names = " ".join(str(path.relative_to(PACKAGE)) for path in paths)
    print(f"{title:<20} {len(paths)}  {names}")


if __name__ == "__main__":
    main()
