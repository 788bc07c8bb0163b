"""A measure is validated in the same words by a relation, by relate and as a metric."""

import numpy as np
import pytest

from relrbf import as_relation, relate
from relrbf.exceptions import RelationError
from relrbf.relations import ObjectRelation
from relrbf.relations.measure_evaluation import (
    Failure,
    Measure,
    MeasureValidation,
    MeasureValues,
)

VECTORS = np.arange(12.0)[:, None]
VALIDATION = MeasureValidation(Measure(abs), "object {}".format)


def by_relation(measure):
    ObjectRelation(list(VECTORS), measure).block()


def by_relate(measure):
    relate(VECTORS, measure, block=4)


def by_metric(measure):
    as_relation(VECTORS, measure)


MEASURES = {
    "returned nan; it must return a finite number": lambda a, b: np.nan,
    r"returned 'far' \(str\); it must return a finite number": lambda a, b: "far",
    r"returned None \(NoneType\)": lambda a, b: None,
    r"returned an array of shape \(1,\)": lambda a, b: np.abs(a - b),
    "failed with ZeroDivisionError: division by zero": lambda a, b: 1 / 0,
    "is not symmetric: from object .* to object .* it gives .*, and back": (
        lambda a, b: float(max(a[0] - b[0], 0) + 2 * max(b[0] - a[0], 0))
    ),
}


@pytest.mark.parametrize("ask", [by_relation, by_relate, by_metric])
@pytest.mark.parametrize("message", MEASURES)
def test_what_is_wrong_is_said_in_the_same_words_by_all(ask, message):
    word = "metric" if ask is by_metric else "measure"
    with pytest.raises(RelationError, match=rf"^{word} {message}") as caught:
        ask(MEASURES[message])
    assert "object " in str(caught.value)


def test_a_metric_that_fails_keeps_its_own_error():
    with pytest.raises(RelationError, match=r"metric failed with ZeroDivisionError") as caught:
        as_relation(VECTORS, lambda a, b: 1 / 0)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


@pytest.mark.parametrize(
    ("firsts", "seconds", "about"),
    [
        ([0, 1, 2], [5], "object 0 to object 2 and object 5"),
        ([0, 2], [5, 6], "2 objects, the first object 0, and object 5 to object 6"),
    ],
)
def test_objects_that_were_evaluated_together_are_named(firsts, seconds, about):
    failed = MeasureValues(np.array([np.nan]), Failure("failed"))
    with pytest.raises(RelationError) as caught:
        VALIDATION.check(failed, np.array(firsts), np.array(seconds), "")
    assert str(caught.value) == f"measure failed (evaluated on {about})."


def test_of_several_pairs_the_worst_is_named():
    backs = {(1, 0): 1.0, (2, 0): 7.0}

    validation = MeasureValidation(Measure(lambda i, j: backs[i, j]), "object {}".format)

    def one(position):
        return [position]

    with pytest.raises(RelationError, match="from object 0 to object 2 it gives 3, and back 7"):
        validation.check_sample(one, [], [(0, 1, 2.0), (0, 2, 3.0)], 0.1)
    validation.check_sample(one, [], [(0, 1, 1.05)], 0.1)
    validation.check_sample(one, [], [], 0.1)
