"""What networks say of objects that they have not seen, and rivals of the same objects."""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from relrbf._typing import Array, Indices
from relrbf._utils import closed
from relrbf.exceptions import RelationWarning
from relrbf.report.case import Case
from relrbf.report.folds import Part
from relrbf.report.rivals import baseline, rival_answers

NETWORK, BASELINE = "network", "baseline"
TIE = 1e-9  # between probabilities: equal ones leave it to what was said


@dataclass(frozen=True, eq=False)
class Answers:
    """What each model says of the objects held out; probabilities are the network's (m × g)."""

    test: Indices
    said: dict[str, np.ndarray]
    probabilities: Array | None
    n_train: int


@dataclass(frozen=True, eq=False)
class HeldOut:
    """The answers of all parts."""

    case: Case
    answers: Sequence[Answers]

    @property
    def models(self) -> list[str]:
        """Names of the models, the network first."""
        return list(self.answers[0].said)

    def of_each(self, model: str) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield truth and answers, part by part."""
        for part in self.answers:
            yield self.case.y[part.test], part.said[model]

    @cached_property
    def times(self) -> Array:
        """How often each object was held out."""
        return self._sum(lambda part: np.ones(len(part.test)))

    @property
    def n_answers(self) -> int:
        """How many answers there are in all: one for each object and repetition."""
        return sum(len(part.test) for part in self.answers)

    @property
    def n_repeats(self) -> int:
        """How many answers there are for each object."""
        return round(self.n_answers / self.case.n_objects)

    @property
    def by_mean(self) -> str:
        """Says that an object's answers were brought to one, where there are several."""
        return f", by the mean of {self.n_repeats} answers" if self.n_repeats > 1 else ""

    def all_of(self, model: str) -> tuple[np.ndarray, np.ndarray]:
        """Return truth and answers of all parts, an object as often as it was held out."""
        truth, said = zip(*self.of_each(model), strict=True)
        return np.concatenate(truth), np.concatenate(said)

    @cached_property
    def stated(self) -> Array:
        """The probabilities of all answers, in their order."""
        return np.concatenate([part.probabilities for part in self.answers])

    @cached_property
    def probabilities(self) -> Array:
        """The mean probabilities of each object (n × g); no single network states them."""
        return self._sum(lambda part: part.probabilities) / self.times[:, None]

    @cached_property
    def predicted(self) -> np.ndarray:
        """What the answers for each object come to: the most probable class, or their mean."""
        if not self.case.has_classes:
            return self._sum(lambda part: part.said[NETWORK]) / self.times
        return np.argmax(self.probabilities + TIE * self._votes, axis=1)

    @cached_property
    def times_wrong(self) -> Indices:
        """How often the class of each object was mistaken."""
        y = self.case.y
        return self._sum(lambda part: part.said[NETWORK] != y[part.test]).astype(int)

    @property
    def wrong(self) -> Indices:
        """The objects that were given a class that is not theirs, in one answer or more."""
        return np.flatnonzero(self.times_wrong)

    @cached_property
    def mistaken_for(self) -> Indices:
        """The class that each object was given most often instead of its own.

        Of classes given as often, the more probable one; without meaning where none was.
        """
        votes, own = self._votes, (np.arange(self.case.n_objects), self.case.y)
        votes[own] = -1
        return np.argmax(votes + self.probabilities / 2, axis=1)

    @cached_property
    def oversure(self) -> Array:
        """How far the probability of what was said is above what came true, for each object."""

        def gaps(part: Answers) -> Array:
            assert part.probabilities is not None
            said = part.said[NETWORK]
            stated = part.probabilities[np.arange(len(said)), said]
            return stated - (said == self.case.y[part.test])

        return self._sum(gaps) / self.times

    @property
    def _votes(self) -> Array:
        """How often each object was given each class (n × g)."""
        return self._sum(lambda part: np.eye(len(self.case.classes))[part.said[NETWORK]])

    @cached_property
    def confusion(self) -> Array:
        """How many objects of each class were taken for each, mean of the repetitions."""
        counts = np.zeros((len(self.case.classes), len(self.case.classes)))
        for truth, said in self.of_each(NETWORK):
            np.add.at(counts, (truth, said), 1)
        return counts / self.times.mean()

    def _sum(self, of: Any) -> Array:
        first = np.asarray(of(self.answers[0]))
        total = np.zeros((self.case.n_objects, *first.shape[1:]))
        for part in self.answers:
            total[part.test] += of(part)
        return total


def hold_out(
    case: Case, parts: Sequence[Part], seed: int, n_jobs: int | None, *, rivals: bool
) -> Iterator[Answers]:
    """Yield the answers for one part after the other, in their order."""
    tasks = (delayed(_answer)(case, part, seed, rivals) for part in parts)
    with closed(Parallel(n_jobs, return_as="generator")(tasks)) as coming:
        yield from coming


def _answer(case: Case, part: Part, seed: int, rivals: bool) -> Answers:
    train, test, y = part.train, part.test, case.y[part.train]
    said, probabilities = _network(case, part)
    answers = {NETWORK: said}
    if rivals:
        blocks = case.relation.block(train, train), y, case.relation.block(test, train)
        weights = case.class_weight
        answers |= rival_answers(
            *blocks, has_classes=case.has_classes, seed=seed, class_weight=weights
        )
    # of all objects: where two classes are as large, parts would each name the one they miss
    largest = case.y if case.has_classes else y
    answers[BASELINE] = baseline(largest, len(test), case.has_classes)
    return Answers(test, answers, probabilities, len(train))


def _network(case: Case, part: Part) -> tuple[np.ndarray, Array | None]:
    model = clone(case.model)
    queries = case.relation[np.ix_(part.test, part.train)]
    with warnings.catch_warnings():
        # that of the network on all objects told already
        warnings.simplefilter("ignore", RelationWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(case.relation.restrict(part.train), case.labels[part.train])
    if not case.has_classes:
        return model.predict(queries), None
    probabilities = np.zeros((len(part.test), len(case.classes)))
    known = np.searchsorted(case.classes, model.classes_)  # a small class may be held out whole
    probabilities[:, known] = model.predict_proba(queries)
    probabilities /= probabilities.sum(axis=1, keepdims=True)  # float32 sums to one in float32
    said: np.ndarray = np.searchsorted(case.classes, model.predict(queries))
    return said, probabilities
