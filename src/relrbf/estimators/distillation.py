"""From the teacher to a smaller network that answers as it does, where there is one.

A student learns the teacher's responses to the objects and to *virtual objects*: affine
combinations of objects are points of the latent space, whose squared dissimilarities follow from S
(theory 10). So the teacher is asked between and around the objects too. Further virtual objects,
which the student has not learned from, tell how far it is from the teacher.
"""

from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import log_softmax

from relrbf._typing import Array, Indices
from relrbf.autotune import FitConfig, Teacher, TrainingData
from relrbf.estimators.initialization import first_prototypes, initialize, make_space
from relrbf.estimators.validation import check_coefficients
from relrbf.network.model import solve_output
from relrbf.prototypes import Prototypes, Space, SupportSpace
from relrbf.prototypes.vector import VectorPrototypes, VectorSpace
from relrbf.relations.dense import DenseRelation
from relrbf.training import LBFGS, History, InitialState, Problem, Result, Status
from relrbf.training.base import OnEpoch
from relrbf.training.lbfgs import solved

MIN_DISTILLED_OBJECTS = 20  # of fewer, a teacher is small enough
MAX_DISTILLED_OBJECTS = 1000  # S of the objects and twice as many virtual ones is held
SIZES = (1 / 16, 1 / 8, 1 / 4)  # prototypes per object that are tried
N_VIRTUAL_NEIGHBOURS = 8  # of an object, by whose differences virtual objects are off it
MAX_OFFSET = 0.7  # in such differences
HELD_OUT_VIRTUAL_STEP = (
    3  # one virtual object in so many tells how far a student is from the teacher
)
VIRTUAL_OBJECTS = 1.0  # for each object
TRAINER = LBFGS(early_stopping=None)
MAX_STUDENT_EPOCHS = 10
N_RESPONSE_DIGITS = 5  # of a response that count when objects are clustered
N_DISTANCE_DIGITS = 9  # of a squared dissimilarity that count: rounding must not choose neighbours
POSITIVE_PENALTY = 1e-4  # of the mean squared activation
OBJECTS_GAIN = 0.7  # of the loss: a prototype on every object must bring it below
N_DESCRIBING = 10  # nearest objects, whose classes describe a prototype
HOPELESS = 20.0  # times the tolerance: more prototypes will not do either


def train(config: FitConfig, data: TrainingData, **options: Any) -> tuple[Problem | None, Result]:
    """Train as configured; return the problem, where training can go on, and the result.

    With a teacher the result is the smallest student within tolerance of it, the one with as many
    prototypes as were asked for, or the teacher itself; with ``positive``, the student nearest to
    it, or one with a prototype on every object where that is much better.
    """
    teacher, wanted = config.teacher, config.params["n_prototypes"]
    if teacher is None:
        problem, start = initialize(config, data)
        result = config.trainer.train(problem, start, **options)
        if problem.prototype_outputs is not None:
            result = near_own_class(result, problem, problem.prototype_outputs, config.targets)
        return problem, result
    config.trainer.check_options(config.loss, options["max_prototypes"], config.n_prototypes)
    options = {**options, "on_epoch": at_most(options["max_iter"], options["on_epoch"])}
    is_given = not (wanted in ("auto", "all") and isinstance(config.params["init"], str))
    may_distill = teacher.has_learned and teacher.local_scales is None and wanted == "auto"
    is_fit = MIN_DISTILLED_OBJECTS <= len(teacher.objects) <= MAX_DISTILLED_OBJECTS
    is_positive, gaps = bool(config.params.get("positive")), {}
    if is_given or is_positive or (may_distill and is_fit):
        task = Distillation(config, data, teacher)
        for size in task.sizes():
            result, gap = task.learn(size, options)
            if is_given or gap <= task.tolerance:
                return None, result
            gaps[gap] = result
            if gap > HOPELESS * task.tolerance and not is_positive:
                break
    if is_positive:
        teacher, nearest = with_positive_weights(config, teacher), gaps[min(gaps)]
        distances_sq = nearest.prototypes.distances_sq[:, teacher.objects]
        loss = teacher.targets.loss(nearest.network.forward(distances_sq).responses)
        if not teacher.loss < OBJECTS_GAIN * loss:
            return None, nearest
    return None, whole_teacher(config, data, teacher, options["on_epoch"])


def near_own_class(result: Result, problem: Problem, outputs: Indices, Y: Array) -> Result:
    """Return a network without prototypes that have moved among objects of other classes.

    Those remain whose class is that of most of the objects nearest to them (of a class that would
    have none, all), and the weights are solved again; then those whose weight is not zero.
    ``outputs`` (c) are their classes, Y (n × g) those of the first n objects.
    """
    near = np.argsort(result.prototypes.distances_sq[:, : len(Y)], axis=1, kind="stable")
    counts = Y[near[:, :N_DESCRIBING]].sum(axis=1)
    kept = counts[np.arange(len(outputs)), outputs] >= counts.max(axis=1)
    kept |= ~np.isin(outputs, outputs[kept])
    if not kept.all():
        result = _restricted(result, kept)
        problem = replace(problem, prototype_outputs=outputs[kept])
        network = solved(problem, result.network, result.prototypes).network
        result = replace(result, network=network)
    is_used: np.ndarray = np.any(result.network.weights != 0, axis=1)
    return _restricted(result, is_used) if is_used.any() else result


def _restricted(result: Result, kept: np.ndarray) -> Result:
    """Return a network with some of its prototypes."""
    network, prototypes = result.network, result.prototypes
    bandwidths, weights = network.bandwidths[kept], network.weights[kept]
    network = replace(network, bandwidths=bandwidths, weights=weights)
    prototypes = prototypes.with_rows(tuple(row[kept] for row in prototypes.rows))
    return replace(result, network=network, prototypes=prototypes)


def with_positive_weights(config: FitConfig, teacher: Teacher) -> Teacher:
    """Return a network of the teacher's first scale, with one prototype on every object.

    Its weight is for the class of the object, and positive. The responses of the others come as
    near as they can to what the teacher says of objects left out.
    """
    objects = teacher.objects
    teacher = replace(teacher, layers=teacher.layers[:1], weights=teacher.weights[:1])
    S = config.relation.block_sq(objects, objects).astype(np.float64)
    forward = teacher.network(config.kernel).forward(S)
    np.fill_diagonal(forward.activations, 0)
    weights, outputs = config.training_weights[objects], np.argmax(config.targets[objects], axis=1)
    shares = weights.astype(np.float64) / weights.sum(dtype=np.float64)
    penalty = POSITIVE_PENALTY * float(np.mean(np.square(forward.activations) @ shares))
    W, bias = solve_output(forward, teacher.left_out, shares, penalty, outputs)
    left_out = forward.activations.T @ W + bias
    loss = teacher.targets.loss(left_out)
    return replace(teacher, weights=W[None], bias=bias, left_out=left_out, loss=loss)


def at_most(n_calls: int, on_epoch: OnEpoch | None) -> OnEpoch | None:
    """Return a function that passes on so many epochs: several students may have more."""
    left = iter(range(n_calls))
    return on_epoch and (lambda objective: next(left, None) is not None and on_epoch(objective))


def whole_teacher(config: FitConfig, data: TrainingData, teacher: Teacher, on_epoch: Any) -> Result:
    """Return the teacher as the result of training, its objects from the center outwards."""
    ordered = config.order[np.isin(config.order, teacher.objects)]
    teacher = teacher.reordered(np.searchsorted(teacher.objects, ordered))
    network = teacher.network(config.kernel, config.relation.dtype)
    prototypes = make_space(config, data).place_layers(teacher.objects, len(teacher.layers))
    c = len(network.bandwidths)
    history = History([teacher.constant_loss, teacher.loss], n_prototypes=[c, c], best_epoch=1)
    is_stopped = on_epoch is not None and on_epoch(teacher.loss)
    whole = Status.DISTILLED if config.params.get("positive") else Status.WHOLE_TEACHER
    status = Status.INTERRUPTED if is_stopped else whole
    return Result(network, prototypes, status, 1, history)


class Distillation:
    """A teacher's objects and virtual objects, and its responses to them."""

    def __init__(self, config: FitConfig, data: TrainingData, teacher: Teacher) -> None:
        self.config, self.data, self.teacher = config, data, teacher
        self.objects = teacher.objects
        self.tolerance = config.trainer.teacher_tolerance * teacher.loss
        order = config.order[np.isin(config.order, self.objects)]
        self.S = config.relation.block_sq(self.objects, self.objects).astype(np.float64)
        self.A, offsets = make_virtual_objects(self.S, np.searchsorted(self.objects, order))
        self.offsets = np.concatenate([np.zeros(len(self.S)), offsets])
        n, n_virtual = len(self.objects), len(self.A)
        is_held_out = np.arange(n_virtual) % HELD_OUT_VIRTUAL_STEP == HELD_OUT_VIRTUAL_STEP - 1
        own = config.training_weights[self.objects].astype(np.float64)
        virtual = np.where(is_held_out, 0, own.mean())
        self.weights = np.concatenate([own, virtual]) / (own.sum() + virtual.sum())
        self.held_out = n + np.flatnonzero(is_held_out) if is_held_out.any() else np.arange(n)

    def sizes(self) -> list[int]:
        """Return the numbers of prototypes to try, in ascending order."""
        init, wanted = self.config.params["init"], self.config.params["n_prototypes"]
        if not isinstance(init, str) or wanted not in ("auto", "all"):
            return [self.config.n_prototypes]
        least = 2 * (1 if self.data.classes is None else len(self.data.classes))
        n = len(self.objects)
        return sorted({max(round(size * n), least) for size in SIZES if size * n < n / 2})

    def learn(self, n_prototypes: int, options: dict[str, Any]) -> tuple[Result, float]:
        """Return a student with so many prototypes and its distance from the teacher."""
        space = self.space
        own, outputs = self._initial_coefficients(n_prototypes)
        coefficients = np.zeros((len(own), space.n_objects), dtype=space.dtype)
        coefficients[:, : len(self.objects)] = own
        prototypes = space.place(coefficients)
        targets = self.responses.astype(space.dtype)
        weights = self.weights.astype(space.dtype)
        shares = weights[: len(self.S)] / weights[: len(self.S)].sum()
        unit_sq = float(shares @ self.S @ shares)
        more: Any = {"unit_sq": unit_sq, "prototype_outputs": outputs}
        problem = Problem(space, targets, weights, np.nan, self.config.loss, **more)
        kernel = self.config.kernel
        network, alpha = TRAINER.initial_network(problem, kernel, prototypes, self.config.rng)
        problem = replace(problem, alpha=alpha)
        start = InitialState(network, prototypes)
        limit = min(options["max_iter"], MAX_STUDENT_EPOCHS)
        result = TRAINER.train(problem, start, **{**options, "max_iter": limit})
        if outputs is not None:
            result = near_own_class(result, problem, outputs, self.config.targets[self.objects])
        student = result.network.forward(result.prototypes.distances_sq).responses
        gap = self._gap(student[self.held_out], self.responses[self.held_out])
        status = Status.DISTILLED if result.status is Status.MAX_ITER else result.status
        final = self._real(result.prototypes)
        return replace(result, prototypes=final, status=status, state=None), gap

    @cached_property
    def space(self) -> Space:
        """The space of the objects and the virtual objects."""
        config, vectors = self.config, self.data.vectors
        if vectors is not None:
            X = vectors[self.objects]
            return VectorSpace(np.vstack([X, self.A.astype(X.dtype) @ X]), offsets=self.offsets)
        relation = DenseRelation(self._S.astype(config.relation.dtype), exponent=1)
        is_euclidean = config.report.has_vector_dual[config.exponent]
        return SupportSpace(relation, np.arange(len(self.objects)), is_euclidean)

    @cached_property
    def responses(self) -> Array:
        """The teacher's responses to objects and virtual objects."""
        query = self._S[:, : len(self.objects)]
        layers = np.tile(query.T, (len(self.teacher.layers), 1))
        return self.teacher.network(self.config.kernel).forward(layers).responses

    @cached_property
    def _S(self) -> Array:
        """S of objects and virtual objects; none is negative, as in the relation."""
        between = self.A @ (self.A @ self.S).T
        halves = np.diagonal(between) / 2
        out = self.offsets[len(self.S) :]
        between = between - halves - halves[:, None] + out + out[:, None]
        np.fill_diagonal(between, 0)
        to_objects = virtual_sq(self.S, self.A) + out[:, None]
        S = np.block([[self.S, to_objects.T], [to_objects, between]])
        return np.maximum((S + S.T) / 2, 0)

    def _initial_coefficients(self, n_prototypes: int) -> tuple[Array, Indices | None]:
        """Return first prototypes on the objects (c × m) and, with ``positive``, their classes."""
        config, n = self.config, len(self.objects)
        init = config.params["init"]
        if not isinstance(init, str):
            given = check_coefficients(init, config.relation, config.params["n_prototypes"])
            return given[:, self.objects], None
        shares = (self.weights[:n] / self.weights[:n].sum())[None]
        if self.data.classes is not None:
            shares = shares * config.targets[self.objects].T
        responses = _rounded(self.responses[:n]) if init == "k-means" else None
        return first_prototypes(config, self.data, self.objects, shares, responses, n_prototypes)

    def _gap(self, student: Array, teacher: Array) -> float:
        """Return the mean divergence of probabilities, or squared difference of responses."""
        if self.data.classes is None:
            return float(np.square(student - teacher).sum(axis=1).mean())
        expected, found = log_softmax(teacher, axis=1), log_softmax(student, axis=1)
        return float((np.exp(expected) * (expected - found)).sum(axis=1).mean())

    def _real(self, prototypes: Prototypes) -> Prototypes:
        """Return prototypes among objects and virtual objects as prototypes among the objects."""
        space = make_space(self.config, self.data)
        if isinstance(prototypes, VectorPrototypes):
            assert isinstance(space, VectorSpace)
            centred = prototypes.points - space.objects.mean
            return VectorPrototypes(centred, space.objects, space.ids)
        own = prototypes.coefficients[:, : len(self.objects)]
        spread = np.zeros((len(own), self.config.relation.n_objects), dtype=own.dtype)
        spread[:, self.objects] = own
        return space.place(spread)


def virtual_sq(S: Array, A: Array) -> Array:
    """Return squared dissimilarities of affine combinations A to the objects (theory 10)."""
    P = A @ S
    return P - (A * P).sum(axis=1)[:, None] / 2


def make_virtual_objects(S: Array, order: Indices) -> tuple[Array, Array]:
    """Return virtual objects ``x_i + t (x_j - x_k)``, j and k among the nearest of i (v × n).

    A new object is rarely a combination of others. So a virtual one lies off all of them, by an
    offset (v) in its squared dissimilarities that leaves it no farther from its nearest object than
    i is from its own. The objects come by an order that does not depend on how they are numbered.
    """
    n = len(S)
    rng = np.random.default_rng(0)
    n_virtual = int(VIRTUAL_OBJECTS * n)
    near = _neighbours(S, order)
    i = order[rng.integers(0, n, n_virtual)]
    j, k = (near[i, rng.integers(0, near.shape[1], n_virtual)] for _ in range(2))
    t = rng.uniform(0, MAX_OFFSET, n_virtual)
    A = np.zeros((n_virtual, n))
    rows = np.arange(n_virtual)
    for objects, shares in ((i, 1.0), (j, t), (k, -t)):
        A[rows, objects] += shares
    reach = S[np.arange(n), near[:, 0]][i] - virtual_sq(S, A).min(axis=1)
    return A, rng.uniform(0, 1, n_virtual) * np.maximum(reach, 0)


def _rounded(responses: Array) -> Array:
    """Return responses with few digits, so that equal ones are equal whatever the rounding."""
    unit = float(np.abs(responses).max()) or 1.0
    return unit * np.round(responses / unit, N_RESPONSE_DIGITS)


def _neighbours(S: Array, order: Indices) -> Indices:
    """Return the nearest objects of each (n × k); of equally near ones the first in the order."""
    apart = np.round(S[:, order] / (S.max() or 1.0), N_DISTANCE_DIGITS)
    apart[order, np.arange(len(S))] = np.inf
    return order[np.argsort(apart, axis=1, kind="stable")[:, :N_VIRTUAL_NEIGHBOURS]]
