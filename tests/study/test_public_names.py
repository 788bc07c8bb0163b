"""The study is a user of relrbf: it imports public names, and nothing else."""

import ast
from importlib import import_module
from pathlib import Path

import pytest

import relrbf
import study

FILES = sorted(Path(study.__file__).parent.rglob("*.py"))
PUBLIC = {"relrbf", *(f"relrbf.{name}" for name in relrbf._SUBMODULES)}


def imports_from_relrbf(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "relrbf":
            yield from ((node.module, alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((alias.name, None) for alias in node.names if "relrbf" in alias.name)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_study_imports_only_public_names(path):
    for module, name in imports_from_relrbf(path):
        assert module in PUBLIC
        assert name in import_module(module).__all__


def test_the_library_does_not_know_the_study():
    package = Path(relrbf.__file__).parent
    for path in package.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom):
                assert (node.module or "").split(".")[0] != "study"
