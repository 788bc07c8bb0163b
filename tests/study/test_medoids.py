"""Figure 2.1: on rings, prototypes that must be objects leave two wrong; free ones leave none."""

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from study.figures.networks import N_PROTOTYPES, RING_RIDGE, rings, trained

WIDTHS = (0.4, 6.0)  # the narrowest that the networks may have, and wider than any that helps


@pytest.fixture
def objects():
    return rings()


def numbers(found):
    """Return objects by the numbers in their names."""
    return (found + 1).tolist()


def test_medoids_misclassify_objects_7_and_9_and_no_other(objects):
    assert numbers(trained("medoid").wrong(objects)) == [7, 9]


def test_relational_prototypes_misclassify_no_object(objects):
    assert numbers(trained("relational").wrong(objects)) == []


def test_medoids_are_training_objects_and_relational_prototypes_are_none(objects):
    rows = trained("medoid").coefficients
    assert np.sort(rows, axis=1)[:, :-1].max() == 0
    assert set(rows.argmax(axis=1)) <= set(objects.parts.train)
    places = trained("relational").places(objects)
    gaps = np.linalg.norm(places[:, None] - objects.vectors, axis=2)
    assert gaps.min() > 0.2


def test_both_have_as_many_prototypes_but_medoids_are_wider_and_worse(objects):
    medoid, relational = trained("medoid"), trained("relational")
    assert medoid.coefficients.shape == relational.coefficients.shape == (N_PROTOTYPES, 20)
    assert medoid.bandwidths.min() > relational.bandwidths.max()
    assert medoid.objective > relational.objective
    for part in (objects.parts.train, objects.parts.test):  # validation errors hardly differ
        errors = [np.abs(n.deviations(objects)[part]).mean() for n in (medoid, relational)]
        assert errors[0] > errors[1]


def test_the_parts_share_out_all_objects_and_every_class_is_in_each(objects):
    parts = (objects.parts.train, objects.parts.test, objects.parts.validation)
    assert sorted(np.concatenate(parts).tolist()) == list(range(20))
    assert [len(part) for part in parts] == [14, 3, 3]
    assert all(set(objects.y[part]) == {0, 1, 2} for part in parts)


def test_responses_in_the_plane_are_those_to_the_objects(objects):
    for space in ("medoid", "relational"):
        network = trained(space)
        assert_allclose(network.respond(objects, objects.vectors), network.responses)
        assert network.gap(objects) < 1e-12


def best_network(objects, placement):
    """Return the smallest objective of some medoids, and what is then wrong; none of it relrbf's.

    For given bandwidths the weights are a ridge regression; the gradient by the bandwidths is that
    of theory 4, as the weights are optimal.
    """
    train, S, Y = objects.parts.train, objects.D[list(placement)] ** 2, objects.targets
    alpha, middle = RING_RIDGE / len(train), Y[train].mean(axis=0)

    def solved(log_widths):
        scaled = S / np.exp(2 * log_widths)[:, None]
        phi = np.exp(-scaled / 2)
        mean = phi[:, train].mean(axis=1)
        centred = phi[:, train] - mean[:, None]
        gram = centred @ centred.T / len(train) + alpha * np.eye(len(phi))
        W = np.linalg.solve(gram, centred @ (Y[train] - middle) / len(train))
        responses = middle + (phi - mean[:, None]).T @ W
        E = (Y - responses)[train]
        objective = np.sum(E**2) / len(train) / 2 + alpha * np.sum(W**2) / 2
        derivatives = -np.sum(W @ E.T * (phi * scaled)[:, train], axis=1) / len(train)
        return objective, derivatives, responses

    found = minimize(
        lambda x: solved(x)[:2], np.full(3, np.log(1.4)), jac=True, bounds=[np.log(WIDTHS)] * 3
    )
    wrong = np.flatnonzero(solved(found.x)[2].argmax(axis=1) != objects.y)
    return found.fun, numbers(wrong)


def test_the_medoids_are_the_only_ones_that_no_exchange_improves(objects):
    train = objects.parts.train.tolist()
    found = {frozenset(m): best_network(objects, m) for m in combinations(train, N_PROTOTYPES)}

    def neighbours(medoids):
        return (medoids - {old} | {new} for old in medoids for new in set(train) - medoids)

    optimal = [m for m in found if all(found[m][0] <= found[n][0] for n in neighbours(m))]
    ours = trained("medoid")
    assert len(found) == 364
    assert optimal == [frozenset(ours.coefficients.argmax(axis=1).tolist())]
    assert found[optimal[0]] == (pytest.approx(ours.objective, rel=1e-4), [7, 9])
    right = [objective for objective, wrong in found.values() if not wrong]
    assert min(right) > ours.objective
