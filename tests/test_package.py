"""What a user meets first: imports, the public names, links, and the files beside the code."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from sklearn.utils import estimator_html_repr

import relrbf
from relrbf.clustering import RelationalKMeans
from relrbf.embeddings import ClassicalMDS

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def printed_by(code):
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return run.stdout.strip()


def loaded_by(statement, modules):
    return printed_by(f"import sys; {statement}; print([m for m in {modules} if m in sys.modules])")


def test_importing_relrbf_loads_nothing_else():
    modules = ["numpy", "sklearn", "matplotlib", "relrbf.tendency", "relrbf.relations"]
    assert loaded_by("import relrbf", modules) == "[]"


def test_a_submodule_needs_no_import_of_its_own():
    code = "import relrbf; print(relrbf.tendency.vat([[0, 1], [1, 0]]).order.tolist())"
    assert printed_by(code) == "[0, 1]"


def test_tab_completion_lists_names_and_submodules_without_loading_them():
    assert loaded_by("import relrbf; dir(relrbf)", ["numpy", "relrbf.tendency"]) == "[]"
    expected = {"RBFNetworkClassifier", "as_relation", "save", "load", "tendency", "io", "plotting"}
    assert expected <= set(dir(relrbf))


@pytest.mark.parametrize("name", sorted(relrbf._SUBMODULES))
def test_every_submodule_that_is_listed_exists(name):
    assert getattr(relrbf, name).__name__ == f"relrbf.{name}"


@pytest.mark.parametrize("name", relrbf.__all__)
def test_every_public_name_exists(name):
    assert getattr(relrbf, name) is not None


def test_a_name_that_does_not_exist_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'RBFNetwork'"):
        _ = relrbf.RBFNetwork


def test_the_estimators_load_no_optional_library():
    # scikit-learn itself loads pandas and rich where they are installed
    optional = ["matplotlib", "jinja2", "dask", "zarr", "torch", "numba", "typer", "skops"]
    assert loaded_by("from relrbf import RBFNetworkClassifier", optional) == "[]"


def test_an_inspection_loads_numba_only_for_many_objects():
    statement = "import relrbf; relrbf.inspect_relation([[0, 1, 2], [1, 0, 1], [2, 1, 0]])"
    assert loaded_by(statement, ["matplotlib", "numba"]) == "[]"


def test_the_datasets_load_their_readers_only_when_used():
    assert loaded_by("import relrbf.datasets", ["numpy", "scipy", "sklearn", "pandas"]) == "[]"


@pytest.mark.parametrize(
    ("estimator", "link"),
    [
        (relrbf.RBFNetworkClassifier(), "relrbf.html#relrbf.RBFNetworkClassifier"),
        (relrbf.RBFNetworkRegressor(), "relrbf.html#relrbf.RBFNetworkRegressor"),
        (RelationalKMeans(3), "clustering.html#relrbf.clustering.RelationalKMeans"),
        (ClassicalMDS(), "embeddings.html#relrbf.embeddings.ClassicalMDS"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_the_html_representation_links_to_the_reference(estimator, link):
    page, anchor = link.split("#")
    address = f"https://relrbf.readthedocs.io/en/latest/reference/{link}"
    assert address in estimator_html_repr(estimator)
    reference = (ROOT / "docs" / "reference" / page.replace(".html", ".md")).read_text()
    assert f"automodule:: {anchor.rsplit('.', 1)[0]}\n" in reference


def test_all_files_name_the_same_version():
    citation = (ROOT / "CITATION.cff").read_text()
    assert f"version: {PROJECT['version']}\n" in citation
    assert PROJECT["version"] == relrbf.__version__
    assert f"## {PROJECT['version']}" in (ROOT / "CHANGELOG.md").read_text()


def test_the_study_is_not_in_the_wheel():
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]
    assert wheel["targets"]["wheel"]["packages"] == ["src/relrbf"]
