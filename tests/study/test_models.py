"""The models: what they are trained on, and that they are what they are called."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, StratifiedGroupKFold
from sklearn.svm import SVC

from relrbf.training import GradientDescent
from study.data import relate, split
from study.models import (
    GRID,
    MODELS,
    GaussianMachine,
    ModelInput,
    _fit_forest,
    neighbours,
    protocol,
    tuned_machine,
)
from tests.study.made import GROUPED, INDEFINITE, VECTORS

# known of the set that is meant to have no vectors
pytestmark = pytest.mark.filterwarnings("ignore::relrbf.exceptions.NotEuclideanWarning")


def input_of(data=VECTORS, variant="original", seed=0):
    related = relate(data, variant, np.arange(60), 0)
    return ModelInput(related, split(related.y, related.groups, 0), data, seed)


def test_a_graph_network_and_its_vector_equivalent_respond_alike():
    graph, vector = MODELS["graph"](input_of())
    assert (graph.model, vector.model) == ("graph", "vector")
    gap = np.abs(graph.responses - vector.responses).max()
    assert graph.duality_gap == vector.duality_gap == gap <= 1e-6
    assert graph.n_prototypes == vector.n_prototypes
    assert graph.responses.shape == (60, 2)


def test_without_vectors_there_is_no_vector_equivalent():
    (graph,) = MODELS["graph"](input_of(INDEFINITE))
    assert graph.duality_gap is None


def test_the_protocol_is_the_papers():
    inputs = input_of()
    network = protocol(inputs)
    assert isinstance(network.solver, GradientDescent)
    assert (network.n_prototypes, network.max_prototypes, network.max_iter) == (4, 8, 60)
    assert (network.init, network.tol, network.random_state) == ("random-partition", 0, 0)
    mask = network.solver.validation
    np.testing.assert_array_equal(inputs.parts.known[mask], inputs.parts.validation)


def test_medoids_are_objects():
    (medoid,) = MODELS["medoid"](input_of())
    (graph, _) = MODELS["graph"](input_of())
    assert medoid.stops_early
    assert not np.allclose(medoid.responses, graph.responses)


@pytest.mark.parametrize("data", [VECTORS, INDEFINITE, GROUPED], ids=lambda d: d.name)
@pytest.mark.parametrize("model", MODELS)
def test_no_model_looks_at_the_labels_of_the_test_objects(model, data):
    inputs = input_of(data)
    y = inputs.related.y.copy()
    y[inputs.parts.test] = 1 - y[inputs.parts.test]
    told = MODELS[model](inputs)
    lied = MODELS[model](replace(inputs, related=replace(inputs.related, y=y)))
    for one, other in zip(told, lied, strict=True):
        np.testing.assert_array_equal(one.predictions, other.predictions)


@pytest.mark.parametrize("model", ["graph", "medoid"])
def test_a_seed_decides_a_network(model):
    one, same, other = (MODELS[model](input_of(seed=seed))[0].responses for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, same)
    assert not np.array_equal(one, other)


def by_hand(D, y, row, k):
    nearest = np.argsort(row)[:k]
    if row[nearest[0]] == 0:
        nearest = nearest[row[nearest] == 0]
        weights = np.ones(len(nearest))
    else:
        weights = 1 / row[nearest]
    return np.bincount(y[nearest], weights, minlength=2).argmax()


def test_neighbours_vote_by_the_inverse_of_their_dissimilarity():
    inputs = input_of()
    D, y, D_new = inputs.among_known(), inputs.labels(), inputs.to_known()
    votes = neighbours(D, y, D_new)
    assert list(votes) == list(range(1, 16))
    for k, predictions in votes.items():
        assert predictions.tolist() == [by_hand(D, y, row, k) for row in D_new]


def test_duplicates_outvote_all_others():
    y = np.array([1] + [0] * 15)
    D_new = np.array([[0.0] + [1e-9] * 15])
    D = np.ones((16, 16)) - np.eye(16)
    assert [p[0] for p in neighbours(D, y, D_new).values()] == [1] * 15


def test_each_number_of_neighbours_is_a_model():
    names = [outcome.model for outcome in MODELS["knn"](input_of())]
    assert names == [f"knn-{k}" for k in range(1, 16)]


def test_the_machine_has_a_gaussian_kernel_in_units_of_the_median():
    inputs = input_of()
    S, y, X = inputs.among_known() ** 2, inputs.labels(), inputs.related.vectors
    median = np.median(S[np.triu_indices_from(S, 1)])
    plain = SVC(C=3, gamma=0.5 / median).fit(X[inputs.parts.known], y)
    ours = GaussianMachine(C=3, gamma=0.5).fit(S, y)
    assert ours.predict(inputs.to_known() ** 2).tolist() == plain.predict(X).tolist()


def test_duplicates_do_not_set_the_machines_unit():
    S = np.repeat(np.repeat([[0.0, 4], [4, 0]], 10, axis=0), 10, axis=1)
    assert GaussianMachine().fit(S, np.repeat([0, 1], 10)).scale_ == 4
    assert GaussianMachine().fit(np.zeros((4, 4)), np.array([0, 1, 0, 1])).scale_ == 1


def test_the_machine_is_tuned_over_the_whole_grid():
    inputs = input_of()
    found = tuned_machine(inputs.among_known() ** 2, inputs.labels(), None, 0)
    assert isinstance(found, GridSearchCV)
    assert len(found.cv_results_["params"]) == len(GRID["C"]) * len(GRID["gamma"])
    assert np.all(np.isfinite(found.cv_results_["mean_test_score"]))


def test_the_machine_is_tuned_with_whole_groups_held_out():
    inputs = input_of(GROUPED)
    groups = inputs.related.groups[inputs.parts.known]
    folds = tuned_machine(inputs.among_known() ** 2, inputs.labels(), groups, 0).cv
    assert len(folds) == 3
    expected = StratifiedGroupKFold(3, shuffle=True, random_state=0)
    for (train, test), (_, wanted) in zip(
        folds, expected.split(groups, inputs.labels(), groups), strict=True
    ):
        assert not set(groups[train]) & set(groups[test])
        np.testing.assert_array_equal(test, wanted)


def test_the_machine_uses_the_exponent_of_the_network():
    once = input_of()
    squared = replace(once.related, D=once.related.D**2, exponent=1)
    (one,), (other,) = MODELS["svc"](once), MODELS["svc"](replace(once, related=squared))
    np.testing.assert_array_equal(one.predictions, other.predictions)


def test_a_forest_sees_vectors_or_else_rows_of_dissimilarities():
    for inputs, X in (
        (input_of(), input_of().related.vectors),
        (input_of(INDEFINITE), input_of(INDEFINITE).to_known()),
    ):
        (found,) = MODELS["forest"](inputs)
        trees = _fit_forest(X[inputs.parts.known], inputs.labels(), 0)
        np.testing.assert_array_equal(found.predictions, trees.predict(X))


def test_the_default_network_chooses_by_itself():
    (found,) = MODELS["default"](input_of())
    assert not found.stops_early
    assert found.n_prototypes > 0
