"""The package as a whole: what imports what, which words it uses, and how large it is."""

import ast
import re
from collections import defaultdict
from statistics import median

import pytest

from benchmarks import structure
from benchmarks.structure import PACKAGE

# From the bottom up: a module imports only what stands above it in this list.
LAYERS = [
    "_typing",
    "exceptions",
    "_options",
    "_utils",
    "parallel",
    "relations",
    "base",
    "network",
    "prototypes",
    "training",
    "clustering",
    "autotune",
    "estimators",
    "torch",
    "inspection",
    "tendency",
    "embeddings",
    "repair",
    "measures",
    "model_selection",
    "datasets",
    "io",
    "plotting",
    "report",
    "cli",
]
MODULE_NAME = re.compile(r"relrbf(\.\w+)+")
# Metaphors and private words, as whole words in names, comments, docstrings and messages.
BANNED_WORDS = {
    *("twin", "twins", "settle", "settles", "settled", "judge", "judges", "judged", "judging"),
    *("judgement", "verdict", "verdicts", "gate", "gates", "mend", "mends", "mended", "mending"),
    *("glance", "glances", "crew", "crews", "room", "rooms", "door", "doors", "heed", "heeds"),
    *("heeded", "imitate", "imitates", "imitated", "imitation", "rival", "rivals", "ledger"),
    *("ledgers", "swollen", "mistrust", "mistrusts", "doubt", "doubts", "watching", "slope"),
    *("slopes", "bend", "bends", "downhill", "forces", "passage", "passages", "overview"),
    *("examiner", "asking", "keptlines", "seenrelation", "lastfit", "longforward"),
}
BANNED_CLASSES = {"Task", "Choice", "Start", "Judged", "Frame", "Named", "Overview", "Passage"}
BANNED_MODULES = {"screen", "places", "words", "ticker", "plain", "twins", "judge", "judging"}
# the aim is 22,000 lines, 25,000 with torch: 26,900 were reached before the teacher, distrusted
# files, the command line's questions, the page and the deep networks; this may only fall
MAX_LINES, MAX_FILES = 33_290, 170
MAX_FILE_LINES, MAX_SHORT_MODULES = 500, 10
MAX_MEDIAN_LENGTH, MAX_P90_LENGTH = 8, 30
# the aim is 20 files and 110 functions; a fit with a teacher and students visits more
MAX_FIT_FILES, MAX_FIT_FUNCTIONS, MAX_PREDICT_FILES = 29, 285, 10
MIN_TEST_RATIO = 0.6

SOURCES = structure.modules()


def relative(path):
    return path.relative_to(PACKAGE).as_posix()


def layer_of(path):
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def layer_imports(source, package="relrbf"):
    """Yield the layers that a source imports: at the top, within functions, and by a string."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module == package:
            names = [f"{package}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names = [node.module or ""]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names = [node.value] if MODULE_NAME.fullmatch(node.value) else []
        else:
            continue
        yield from (name.split(".")[1] for name in names if name.startswith(f"{package}."))


def words_of(text):
    """Return the words of a text; parts of names such as ``settled_at`` and ``SeenRow`` too."""
    found = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", text)
    return {word.lower() for word in found} | {word.lower() for word in re.findall(r"\w+", text)}


def test_every_module_has_its_layer():
    own = {layer_of(path) for path in SOURCES} - {"__init__"}
    assert own <= set(LAYERS)


@pytest.mark.parametrize("path", [p for p in SOURCES if layer_of(p) != "__init__"], ids=relative)
def test_a_module_imports_only_layers_above_it(path):
    known = LAYERS.index(layer_of(path))
    wrong = {
        layer
        for layer in layer_imports(SOURCES[path])
        if layer in LAYERS and LAYERS.index(layer) > known
    }
    assert not wrong


@pytest.mark.parametrize(
    "source",
    [
        "import relrbf.cli",
        "from relrbf.cli.main import run",
        "from relrbf import cli",
        "def late():\n    from relrbf.cli import main",
        'import_module("relrbf.cli.main")',
        '_HOMES = {"run": "relrbf.cli"}',
    ],
)
def test_imports_are_found_wherever_they_hide(source):
    assert set(layer_imports(source)) == {"cli"}


def test_no_source_uses_a_word_of_a_private_vocabulary():
    found = defaultdict(list)
    for path in sorted(PACKAGE.rglob("*")):
        if path.suffix in {".py", ".html", ".js", ".css"}:
            text = path.read_text("utf-8").replace("slope=", "")  # an argument of matplotlib
            for word in words_of(text) & BANNED_WORDS:
                found[word].append(relative(path))
    assert not dict(found)


def test_no_module_or_class_has_a_name_of_a_private_vocabulary():
    modules = [relative(path) for path in SOURCES if path.stem in BANNED_MODULES]
    classes = [
        f"{relative(path)}: {node.name}"
        for path, source in SOURCES.items()
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ClassDef) and node.name in BANNED_CLASSES
    ]
    assert not modules + classes


def test_no_class_name_is_used_twice():
    repeated = structure.repeated_classes(SOURCES)
    assert not {name: list(map(relative, paths)) for name, paths in repeated.items()}


def test_no_constant_has_two_values():
    repeated = structure.repeated_constants(SOURCES)
    assert not {name: list(map(relative, paths)) for name, paths in repeated.items()}


def test_the_package_is_small():
    sizes = {relative(path): structure.n_lines(source) for path, source in SOURCES.items()}
    n_lines, n_files = sum(sizes.values()), len(sizes)
    assert n_lines <= MAX_LINES
    assert n_files <= MAX_FILES
    assert not {name: n for name, n in sizes.items() if n > MAX_FILE_LINES}


def test_few_modules_are_very_short():
    short = [
        relative(path)
        for path, source in SOURCES.items()
        if structure.n_lines(source) < structure.SHORT_MODULE and path.name != "__init__.py"
    ]
    assert len(short) <= MAX_SHORT_MODULES, short


def test_functions_are_short():
    lengths = sorted(structure.function_lengths(SOURCES))
    assert median(lengths) <= MAX_MEDIAN_LENGTH
    assert lengths[int(0.9 * len(lengths))] <= MAX_P90_LENGTH


def test_a_default_fit_and_a_prediction_visit_few_files():
    visits = structure.visits()
    n_files = {call: len({code.co_filename for code in codes}) for call, codes in visits.items()}
    n_functions = {call: len(codes) for call, codes in visits.items()}
    assert n_files["fit"] <= MAX_FIT_FILES
    assert n_functions["fit"] <= MAX_FIT_FUNCTIONS
    assert n_files["predict"] <= MAX_PREDICT_FILES


def test_there_are_tests_for_what_there_is():
    n_tests = sum(map(structure.n_lines, structure.modules(structure.ROOT / "tests").values()))
    assert n_tests >= MIN_TEST_RATIO * sum(map(structure.n_lines, SOURCES.values()))
