"""Whether there are clusters is said in a sentence; twenty classes have colours of their own."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from relrbf import as_relation, inspect_relation
from relrbf.plotting.style import COLOURS
from relrbf.report.data import MANY_COLOURS, RelationData, number
from relrbf.report.relation import find_clusters
from relrbf.report.sections import cards

LMS = [
    [0.4122214708, 0.5363325363, 0.0514459929],
    [0.2119034982, 0.6806995451, 0.1073969566],
    [0.0883024619, 0.2817188376, 0.6299787005],
]
LAB = [
    [0.2104542553, 0.7936177850, -0.0040720468],
    [1.9779984951, -2.4285922050, 0.4505937099],
    [0.0259040371, 0.7827717662, -0.8086757660],
]


def data_of_points(X, y=None):
    names = np.arange(len(X)).astype(str)
    classes = np.empty(0) if y is None else np.unique(y)
    return RelationData(as_relation(cdist(X, X)), names, np.empty(0) if y is None else y, classes)


def groups_of_points(spread):
    y = np.arange(90) % 3
    noise = np.random.default_rng(0).standard_normal((90, 2))
    return np.array([[0, 0], [20, 0], [0, 20]])[y] + spread * noise, y


def test_separate_groups_are_clusters_that_match_the_classes():
    found = find_clusters(data_of_points(*groups_of_points(1.0)))
    assert found.n_clusters == 3
    assert found.sentence.startswith("There are 3 clear clusters")
    assert "They match the classes (adjusted Rand index 1.00)." in found.sentence
    assert found.strength == "clear"


def test_without_labels_nothing_is_said_of_classes():
    X, _ = groups_of_points(1.0)
    assert "classes" not in find_clusters(data_of_points(X)).sentence


def test_classes_at_random_do_not_match():
    X, y = groups_of_points(1.0)
    y = np.random.default_rng(1).permutation(y)
    assert "They do not match the classes" in find_clusters(data_of_points(X, y)).sentence


def test_points_at_random_in_many_dimensions_are_no_clusters():
    X = np.random.default_rng(2).standard_normal((120, 20))
    found = find_clusters(data_of_points(X))
    assert found.sentence.startswith("There are no clear clusters")
    assert not found.strength


def test_an_outlier_is_no_cluster():
    X = np.random.default_rng(2).standard_normal((120, 20))
    X[0] += 100
    assert not find_clusters(data_of_points(X)).strength


@pytest.mark.parametrize("n", [2, 3, 4])
def test_few_or_equal_objects_have_no_clusters(n):
    assert not find_clusters(data_of_points(np.zeros((n, 1)))).strength


def linear(colour):
    c = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def test_twenty_colours_can_be_told_apart_on_white_and_on_black():
    light = np.array([linear(colour) for colour in MANY_COLOURS])
    points = np.cbrt(light @ np.transpose(LMS)) @ np.transpose(LAB)
    distances = cdist(points, points) + np.eye(len(points))
    assert len(points) == 20
    assert distances.min() > 0.14  # in OKLab, in which black and white are 1 apart
    luminance = light @ [0.2126, 0.7152, 0.0722]
    assert (1.05 / (luminance + 0.05)).min() > 1.9  # contrast with white
    assert ((luminance + 0.05) / (0.009 + 0.05)).min() > 1.9  # and with the dark page


def test_few_classes_keep_the_colours_of_the_plots():
    y = np.arange(40)
    X = y[:, None].astype(float)
    assert data_of_points(X, y % 8).groups[2] == COLOURS
    assert data_of_points(X, y % 9).groups[2] == MANY_COLOURS


def test_numbers_are_short_and_without_an_exponent_where_it_is_as_long():
    numbers = [0.12345, 14150.4, -2345.6, 1e9, 999.96]
    assert [number(value) for value in numbers] == ["0.1235", "14150", "-2346", "1e+09", "1000"]


def test_cards_say_what_is_unusual_about_a_relation(k23):
    [card] = cards(inspect_relation(k23))
    assert card.value == "usable"
    assert "no vectors have these dissimilarities" in card.note
    X, y = groups_of_points(1.0)
    clusters, relation = cards(inspect_relation(cdist(X, X)), find_clusters(data_of_points(X, y)))
    assert clusters.value == "3 clusters"
    assert clusters.note.endswith("Rand index with the classes 1.00")
    assert relation.note == "a metric; vectors with these distances exist"
