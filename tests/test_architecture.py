"""The house: rooms import only rooms above them; imports are lazy; documented defaults are true."""

import ast
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import relrbf
from relrbf import (
    RBFNetworkClassifier,
    RBFNetworkRegressor,
    as_relation,
    inspect_relation,
    load,
    save,
)
from relrbf.clustering import RelationalFuzzyCMeans, RelationalKMeans
from relrbf.datasets import (
    load_bc569,
    load_hd303,
    load_hg194,
    load_pc102,
    load_protein213,
    load_usc435,
    load_yeast200,
)
from relrbf.embeddings import (
    ClassicalMDS,
    DissimilarityRows,
    LandmarkMDS,
    MetricLearningMDS,
    NearestEuclideanMDS,
    ProximalMDS,
)
from relrbf.io import (
    load_labels,
    load_matrix,
    match_columns,
    match_labels,
    save_matrix,
    save_rows,
)
from relrbf.measures import (
    common_source_dissimilarities,
    common_source_log_odds,
    estimate_common_source,
    fuzzy_measure,
    fuzzy_measure_dissimilarities,
    fuzzy_measure_similarity,
    information_content,
    pearson_dissimilarities,
    relate,
    sugeno_lambda,
)
from relrbf.model_selection import train_test_split
from relrbf.network import Polynomial, RationalQuadratic
from relrbf.plotting import (
    DeviationsDisplay,
    EmbeddingDisplay,
    SpectrumDisplay,
    plot_calibration,
    plot_confusion,
    plot_deviations,
    plot_embedding,
    plot_embedding_of,
    plot_equivalence,
    plot_history,
    plot_matrix,
    plot_predictions,
    plot_prototypes,
    plot_spectrum,
    plot_tendency,
)
from relrbf.prototypes import MedoidSpace
from relrbf.relations import (
    DaskRelation,
    DenseRelation,
    GraphRelation,
    ObjectRelation,
    VectorRelation,
)
from relrbf.repair import (
    nearest_euclidean,
    nearest_metric,
    spectrum_clip,
    spectrum_flip,
    spectrum_shift,
)
from relrbf.report import evaluate, write_fit_report, write_inspection_report
from relrbf.tendency import ivat, vat
from relrbf.training import LBFGS, GradientDescent

PACKAGE = Path(relrbf.__file__).parent
ROOMS = [
    "_typing",
    "_utils",
    "_replacing",
    "exceptions",
    "_options",
    "relations",
    "measures",
    "spaces",
    "network",
    "clustering",
    "initialization",
    "training",
    "selection",
    "inspection",
    "estimators",
    "embeddings",
    "repair",
    "tendency",
    "model_selection",
    "datasets",
    "persistence",
    "files",
    "plotting",
    "report",
    "cli",
]


def rooms_imported_by(path):
    """Yield the rooms of relrbf that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("relrbf."):
            yield node.module.split(".")[1]
        elif isinstance(node, ast.Import):
            yield from (
                name.name.split(".")[1] for name in node.names if name.name.startswith("relrbf.")
            )


def room_of(path):
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


FILES = [path for path in PACKAGE.rglob("*.py") if room_of(path) != "__init__"]


def test_every_room_is_on_the_plan():
    assert {room_of(path) for path in FILES} == set(ROOMS)


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_a_room_imports_only_rooms_above_it(path):
    own = ROOMS.index(room_of(path))
    below = [room for room in rooms_imported_by(path) if ROOMS.index(room) > own]
    assert not below


def loaded_by(statement, modules):
    code = f"import sys; {statement}; print([m for m in {modules} if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return run.stdout.strip()


def test_importing_relrbf_loads_nothing_else():
    assert loaded_by("import relrbf", ["numpy", "sklearn", "matplotlib"]) == "[]"


def test_the_estimators_load_no_optional_library():
    # scikit-learn itself loads pandas and rich where they are installed
    optional = ["matplotlib", "jinja2", "dask", "zarr", "torch", "numba"]
    assert loaded_by("from relrbf import RBFNetworkClassifier", optional) == "[]"


def test_an_inspection_loads_numba_only_for_many_objects():
    statement = "import relrbf; relrbf.inspect_relation([[0, 1, 2], [1, 0, 1], [2, 1, 0]])"
    assert loaded_by(statement, ["matplotlib", "numba"]) == "[]"


def test_the_datasets_load_their_readers_only_when_asked():
    modules = ["numpy", "scipy", "sklearn", "pandas", "relrbf.datasets.registry"]
    assert loaded_by("import relrbf.datasets", modules) == "[]"


def test_public_names_are_what_they_say():
    names = {"RBFNetworkClassifier", "RBFNetworkRegressor", "as_relation", "inspect_relation"}
    assert names <= set(dir(relrbf))
    with pytest.raises(AttributeError, match="no attribute 'RBFNetwork'"):
        _ = relrbf.RBFNetwork


@pytest.mark.parametrize(
    "public",
    [
        RBFNetworkClassifier,
        RBFNetworkRegressor,
        RelationalFuzzyCMeans,
        RelationalKMeans,
        as_relation,
        inspect_relation,
        load,
        save,
        DaskRelation,
        DenseRelation,
        ObjectRelation,
        GraphRelation,
        VectorRelation,
        MedoidSpace,
        GradientDescent,
        LBFGS,
        RationalQuadratic,
        Polynomial,
        ClassicalMDS,
        DissimilarityRows,
        LandmarkMDS,
        MetricLearningMDS,
        NearestEuclideanMDS,
        ProximalMDS,
        nearest_euclidean,
        spectrum_clip,
        spectrum_flip,
        spectrum_shift,
        train_test_split,
        DeviationsDisplay,
        EmbeddingDisplay,
        SpectrumDisplay,
        plot_calibration,
        plot_confusion,
        plot_deviations,
        plot_embedding,
        plot_embedding_of,
        plot_history,
        plot_matrix,
        plot_predictions,
        plot_prototypes,
        plot_spectrum,
        plot_tendency,
        plot_equivalence,
        vat,
        ivat,
        nearest_metric,
        load_bc569,
        load_usc435,
        load_hd303,
        load_hg194,
        load_pc102,
        load_protein213,
        load_yeast200,
        common_source_dissimilarities,
        common_source_log_odds,
        estimate_common_source,
        fuzzy_measure,
        fuzzy_measure_dissimilarities,
        fuzzy_measure_similarity,
        information_content,
        pearson_dissimilarities,
        relate,
        sugeno_lambda,
        load_labels,
        load_matrix,
        match_columns,
        match_labels,
        save_matrix,
        save_rows,
        evaluate,
        write_fit_report,
        write_inspection_report,
    ],
)
def test_every_documented_default_is_the_real_one(public):
    documented = dict(re.findall(r"^ *(\w+) : .*default=(.+)$", public.__doc__, re.MULTILINE))
    signature = inspect.signature(public).parameters
    actual = {
        name: repr(p.default).replace("'", '"')
        for name, p in signature.items()
        if p.default is not inspect.Parameter.empty
    }
    assert documented == actual
