"""The teacher: networks with a prototype on every object, at several scales, combined.

Each has one bandwidth and one power of S, and its weights in closed form (``leave_one_out``); in
classification its responses become logits (``calibration``). What they say of objects left out
decides how they are combined: greedily, one after another, each as often as it helps (Caruana et
al. 2004). Their mean is again a radial-basis-function network, with a few prototypes on every
object. It needs no training, no validation set and no Euclidean relation.

Of many objects, some carry prototypes: the support.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.autotune.calibration import fit_logits
from relrbf.autotune.cholesky import fit_by_cholesky
from relrbf.autotune.iterative import fit_by_iteration
from relrbf.autotune.leave_one_out import (
    LeftOut,
    fit_on_all,
    left_out_error,
    may_penalise_norm,
    on_weights,
)
from relrbf.autotune.support_fit import fit_on_support
from relrbf.autotune.targets import Scale, Targets, TeacherProblem
from relrbf.network import Gaussian, GeneralizedGaussian, Kernel, LocallyScaledNetwork, Network
from relrbf.network.model import local_scales
from relrbf.relations.blocks import on_all_cores
from relrbf.relations.properties import spread_over

MAX_COMPARED_OBJECTS = 300  # on all of which all scales are compared
N_COMPARED_OBJECTS = (200, 400)  # half of more, at least and at most so many
POWERS = (1.0, 0.5)  # of S: Gaussians, and exponentials of a distance
WIDTHS = tuple(range(-4, 4))  # log2 of the bandwidths compared, in units
LOCAL_WIDTHS = tuple(range(-2, 7))  # with local scaling, in which neighbours are the unit
MAX_SOLVED = 6  # scales that are solved for all objects, where those compared are fewer
MAX_DECOMPOSED_OBJECTS = 2500  # of more, one or two scales are solved for one penalty
MAX_FACTORISED_OBJECTS = 4000  # of more, by conjugate gradients
N_SAMPLED_OBJECTS, N_TESTED_OBJECTS = 1500, 500  # to compare scales on; left out of them
MIN_UNIT = 1e8  # times the smallest normal number: narrow bandwidths can be squared too
FINER_STEPS = (0.0, 0.5, 1.0)  # of log2 of the bandwidth
ALPHA_FACTORS = (0.1, 10.0)
NORM_TOLERANCE = 1.05  # times the loss under the other penalty
SECOND_SCALE_GAIN = 0.95  # of the avoidable loss: a second scale must bring it below
MAX_STACKED = 2**20  # left-out responses
MAX_RESPONSES = 2**23  # of all of these scales to all objects, where classes are very many
MAX_CALIBRATED = 24  # members, those with the smallest error first
MAX_LAYERS = 4  # prototypes on an object
N_PICKS = 20
PICK_TIE = 1e-6  # losses closer than this, relatively, are equal
LOCAL_GAIN = 0.85  # local scaling must bring the avoidable loss below this share
SIGNAL = 0.99  # of a constant's squared error: a member with more has learned nothing


@dataclass(frozen=True, eq=False)
class Member:
    """A network of one scale: weights (m × g), bias (g), left-out responses (n × g), their loss.

    ``fit`` is what it was before responses became logits.
    """

    scale: Scale
    weights: Array
    bias: Array
    left_out: Array
    loss: float
    fit: LeftOut


@dataclass(frozen=True, eq=False)
class Teacher:
    """The combined network.

    ``tried`` (k × 4) holds power, log2 of the width, whether locally scaled, and loss of all that
    was compared.
    """

    objects: Indices  # that prototypes lie on (m)
    layers: tuple[Scale, ...]  # one for each prototype on an object
    weights: Array  # output weights (layers × m × g)
    bias: Array  # output biases (g)
    local_scales: Array | None  # of the objects, where distances are locally scaled (m)
    targets: Targets  # of all objects, or of the held-out ones
    left_out: Array  # the responses to those when they are left out; logits of classes (k × g)
    left_out_objects: Indices  # which objects these are (k)
    loss: float  # the left-out loss
    constant_loss: float  # that of a constant
    alpha: float  # ridge penalty of the first layer, for weights of mean one
    tried: Array

    @property
    def has_learned(self) -> bool:
        """Whether it is more than a constant."""
        return self.loss < self.constant_loss

    def reordered(self, order: Indices) -> "Teacher":
        """Return the same network with its objects in another order."""
        scales = None if self.local_scales is None else self.local_scales[order]
        weights = self.weights[:, order]
        return replace(self, objects=self.objects[order], weights=weights, local_scales=scales)

    def network(self, kernel: Kernel, dtype: Any = np.float64) -> Network:
        """Return it as a network whose prototypes lie on the objects, layer after layer."""
        m, g = self.weights.shape[1:]
        squares = np.repeat([layer.bandwidth_sq for layer in self.layers], m)
        powers = np.repeat([layer.power for layer in self.layers], m)
        if (powers != 1).any():
            kernel = GeneralizedGaussian(powers)
        weights, bias = self.weights.reshape(-1, g).astype(dtype), self.bias.astype(dtype)
        if self.local_scales is None:
            return Network(kernel, np.sqrt(squares).astype(dtype), weights, bias)
        squares *= np.tile(np.sqrt(self.local_scales), len(self.layers))
        bandwidths = np.sqrt(squares).astype(dtype)
        return LocallyScaledNetwork(kernel, bandwidths, weights, bias, n_sites=m)


def fit_teacher(problem: TeacherProblem, support: Indices) -> Teacher:
    """Compare scales on some of the objects; solve the best for all of them, and combine them."""
    objects = problem.objects
    is_whole = len(support) == len(objects)
    compared = problem.order[np.isin(problem.order, support)]
    is_all = is_whole and len(compared) <= MAX_COMPARED_OBJECTS
    some = int(np.clip(len(compared) // 2, *N_COMPARED_OBJECTS))
    compared = spread_over(compared, len(compared) if is_all else some)
    sampled = problem if is_all else problem.with_classes_of(compared)
    members, targets, scales = _compare(sampled, compared, is_whole)
    tried = np.array(
        [(m.scale.power, m.scale.width, float(m.scale.is_local), m.loss) for m in members]
    )
    members = [member for member in members if member.scale.is_local == (scales is not None)]
    picks = _combine(members, targets)
    by_loss = sorted(range(len(members)), key=lambda k: float(f"{members[k].loss:.9g}"))
    kept = list(dict.fromkeys(members[k].scale for k in (*_most_picked(picks), *by_loss)))
    on = left_out = compared
    if not is_whole:
        fit = fit_on_support(problem, support, kept[0])
        on, left_out = fit.support, fit.held_out
        targets = problem.targets.of(left_out)
        members = _calibrate([(fit.scale, fit.left_out)], targets)
        picks = np.ones(1)
    elif len(compared) < len(objects):
        if scales is not None:
            problem, scales = problem.locally_scaled()
        on = left_out = objects
        if len(objects) <= MAX_DECOMPOSED_OBJECTS:
            members.clear()  # of very many classes these fill the memory
            targets = problem.targets.of(objects)
            n_solved = int(np.clip(MAX_RESPONSES // targets.Y.size, 1, MAX_SOLVED))
            members = _fit_members(problem.S(objects, objects), problem, objects, kept[:n_solved])
        else:
            members, left_out = _fit_few_scales(problem, members)
        picks = _combine(members, problem.targets.of(left_out))
    return _join(problem, members, picks, (on, left_out), scales, tried)


def _fit_few_scales(
    problem: TeacherProblem, compared: Sequence[Member]
) -> tuple[list[Member], Indices]:
    """Fit a scale or two to all objects; return them, and the objects left out."""
    sample = spread_over(problem.order, N_SAMPLED_OBJECTS)
    tested = spread_over(problem.order[np.isin(problem.order, sample)], N_TESTED_OBJECTS)
    chosen = _few_scales(problem, compared, sample, tested)
    final = [(scale, _fit_scale(problem, tested, scale, like)) for scale, like in chosen]
    return _calibrate(final, problem.targets.of(tested)), tested


def _fit_scale(problem: TeacherProblem, tested: Indices, scale: Scale, like: LeftOut) -> LeftOut:
    """Fit a scale to all objects, with the penalty of another fit."""
    objects = problem.objects
    if len(objects) <= MAX_FACTORISED_OBJECTS:
        return fit_by_cholesky(problem, objects, tested, scale, like)
    return fit_by_iteration(problem, tested, scale, like)


def _finer(compared: Sequence[Member], n_objects: int) -> list[tuple[Scale, LeftOut]]:
    """Return the best scale of each power and narrower ones, with the penalty that suited it."""
    solvable = [member for member in compared if _is_solvable(member.fit, n_objects)]
    compared = solvable or [replace(m, fit=on_weights(m.fit)) for m in compared]
    candidates = []
    for power in sorted({member.scale.power for member in compared}):
        best = min((m for m in compared if m.scale.power == power), key=lambda m: m.loss)
        same = [m for m in compared if m.scale == best.scale and m.fit.penalty == "norm"]
        if same and same[0].loss <= NORM_TOLERANCE * best.loss:  # which is solved sooner
            best = same[0]
        steps = [replace(best.scale, width=best.scale.width - step) for step in FINER_STEPS]
        candidates += [(scale, best.fit) for scale in steps]
    return candidates


def _is_solvable(fit: LeftOut, n_objects: int) -> bool:
    return fit.penalty == "weights" or may_penalise_norm(fit, n_objects)


def _few_scales(
    problem: TeacherProblem, compared: Sequence[Member], sample: Indices, tested: Indices
) -> list[tuple[Scale, LeftOut]]:
    """Return the best scale, and a second one where both together are clearly better.

    More objects see finer: narrower bandwidths than the best of few are compared on a sample.
    """
    n, targets = len(problem.order), problem.targets.of(tested)

    def fit(candidate: tuple[Scale, LeftOut]) -> tuple[Scale, LeftOut]:
        return candidate[0], fit_by_cholesky(problem, sample, tested, *candidate)

    fits = on_all_cores(fit, _finer(compared, n))
    scale, found = min(fits, key=lambda pair: pair[1].error)
    others = [replace(found, alpha=found.alpha * f) for f in ALPHA_FACTORS if problem.alpha is None]
    fits += on_all_cores(fit, [(scale, each) for each in others if _is_solvable(each, n)])
    by_scale = dict(sorted(fits, key=lambda pair: -pair[1].error))  # the best of each comes last
    members = _calibrate(list(by_scale.items()), targets)
    picks = _combine(members, targets)
    best = min(members, key=lambda member: member.loss)
    together = targets.loss(_weighted(picks, [member.left_out for member in members]))
    lowest = targets.lowest_loss
    is_alone = together - lowest > SECOND_SCALE_GAIN * (best.loss - lowest)
    chosen = [best] if is_alone else [members[k] for k in _most_picked(picks)[:2]]
    return [(member.scale, member.fit) for member in chosen]


def _compare(
    problem: TeacherProblem, objects: Indices, may_scale: bool
) -> tuple[list[Member], Targets, Array | None]:
    """Fit networks of all scales to some objects; tell whether local scaling is clearly better.

    Returns the members, the objects' targets and, where it is, the objects' local scales.
    """
    targets, S = problem.targets.of(objects), problem.S(objects, objects)
    compared = _scales(S, problem, False)
    if not S.any():  # no scale is better than another, and what is farther out has the unit
        unit = float(problem.S(objects[:1], problem.order).mean()) or 1.0
        compared = [Scale(POWERS[0], 0, unit)]
    members = _fit_members(S, problem, objects, compared)
    if not may_scale:
        return members, targets, None
    scales = local_scales(S)
    scaled = S / np.sqrt(scales) / np.sqrt(scales)[:, None]
    local = _fit_members(scaled, problem, objects, _scales(scaled, problem, True))
    lowest = targets.lowest_loss
    avoidable = LOCAL_GAIN * (_mean_loss(members, targets) - lowest)
    is_better = _mean_loss(local, targets) - lowest < avoidable
    return members + local, targets, scales if is_better else None


def _scales(S: Array, problem: TeacherProblem, is_local: bool) -> list[Scale]:
    """Return the scales to compare, in units of the median of S: one object far out must not tell.

    A width divides S ** power by its square. A median that is lost in rounding is no unit.
    """
    apart = S[np.triu_indices(len(S), 1)]
    median = float(np.median(apart) if len(apart) else 0.0)
    is_lost = median < MIN_UNIT * float(np.finfo(problem.relation.dtype).tiny)
    unit = 1.0 if is_local else (float(S.mean()) or 1.0) if is_lost else median
    is_gaussian = isinstance(problem.kernel, Gaussian) and not is_local
    powers = POWERS if is_gaussian else POWERS[:1]
    widths = LOCAL_WIDTHS if is_local else WIDTHS
    return [Scale(p, k, unit, is_local) for p in powers for k in widths]


def _fit_members(
    S: Array, problem: TeacherProblem, objects: Indices, scales: Sequence[Scale]
) -> list[Member]:
    """Fit a network of every scale and both penalties to some objects."""
    targets = problem.targets.of(objects)
    T, shares = targets.centred, targets.shares

    def fit(scale: Scale) -> list[LeftOut]:
        return fit_on_all(scale.activate(S, problem.kernel), T, targets.w, problem.alpha, shares)

    found = zip(scales, on_all_cores(fit, scales), strict=True)
    return _calibrate([(scale, each) for scale, both in found for each in both], targets)


def _calibrate(fits: list[tuple[Scale, LeftOut]], targets: Targets) -> list[Member]:
    """Turn responses into logits where there are classes; the ridge of the best serves all."""
    if not targets.has_classes:
        mean = targets.mean
        return [Member(s, f.weights, mean + f.bias, f.responses, f.error, f) for s, f in fits]
    # in the order of scales where only rounding differs
    fits = sorted(fits, key=lambda pair: float(f"{pair[1].error:.9g}"))
    limit = SIGNAL * left_out_error(np.zeros_like(targets.Y), targets.centred, targets.w)
    fits = [pair for pair in fits if pair[1].error < limit][:MAX_CALIBRATED] or fits[:1]
    Y, w = targets.smoothed(targets.Y.shape[1]), targets.w
    ridge, none = fit_logits(fits[0][1].responses, Y, w).ridge, np.empty((0, Y.shape[1]))

    def calibrate(pair: tuple[Scale, LeftOut]) -> Member:
        scale, fit = pair
        logits = fit_logits(fit.responses, Y, w, ridge)
        bias = logits.bias + fit.bias @ logits.matrix
        loss = targets.loss(logits.left_out)
        weights = fit.weights @ logits.matrix
        like = replace(fit, responses=none, weights=none)
        return Member(scale, weights, bias, logits.left_out, loss, like)

    return on_all_cores(calibrate, fits)


def _combine(members: Sequence[Member], targets: Targets) -> Array:
    """Return how often each member is picked; at most MAX_LAYERS have different scales."""
    picks, total = np.zeros(len(members)), np.zeros(())
    left_out = [member.left_out[None] for member in members]
    if len(members) * targets.Y.size < MAX_STACKED:  # one pass over all is faster
        left_out = [np.concatenate(left_out)]
    for n_picks in range(1, N_PICKS + 1):
        losses = np.concatenate([targets.loss((total + some) / n_picks) for some in left_out])
        scales = {members[k].scale for k in _most_picked(picks)}
        if len(scales) == MAX_LAYERS:
            losses[[member.scale not in scales for member in members]] = np.inf
        # of equal ones the first: rounding must not choose between them
        best = int(np.argmax(losses <= (1 + PICK_TIE) * losses.min()))
        total = total + members[best].left_out
        picks[best] += 1
    return picks


def _mean_loss(members: Sequence[Member], targets: Targets) -> float:
    picks = _combine(members, targets)
    return targets.loss(_weighted(picks, [member.left_out for member in members]))


def _weighted(picks: Array, arrays: Sequence[Array]) -> Array:
    """Return the mean of arrays, each as often as it was picked."""
    mean = np.zeros_like(arrays[0])
    for k in _most_picked(picks):
        mean += picks[k] / picks.sum() * arrays[k]
    return mean


def _most_picked(picks: Array) -> list[int]:
    """Return the members that were picked, those picked most often first."""
    return np.argsort(-picks, kind="stable")[: np.count_nonzero(picks)].tolist()


def _join(
    problem: TeacherProblem,
    members: Sequence[Member],
    picks: Array,
    objects: tuple[Indices, Indices],
    scales: Array | None,
    tried: Array,
) -> Teacher:
    """Return the mean of the picked members as one network; a constant where none has learned.

    Of the objects, the first carry prototypes, and the second were left out.
    """
    on, left_out_objects = objects
    targets = problem.targets.of(left_out_objects)
    left_out = _weighted(picks, [member.left_out for member in members])
    bias = _weighted(picks, [member.bias for member in members])
    layers = list(dict.fromkeys(members[k].scale for k in _most_picked(picks)))
    weights = np.zeros((len(layers), *members[0].weights.shape))
    for k in _most_picked(picks):
        weights[layers.index(members[k].scale)] += picks[k] / picks.sum() * members[k].weights
    constant_loss = targets.loss(targets.constant())
    alpha = members[_most_picked(picks)[0]].fit.alpha
    if not targets.has_signal(left_out):
        bias = problem.targets.of(problem.objects).constant_bias()
        left_out = targets.constant()
        constant = bias, None, targets, left_out, left_out_objects, constant_loss, constant_loss
        unit = Scale(1.0, 0, layers[0].unit_sq)
        return Teacher(on, (unit,), np.zeros_like(weights[:1]), *constant, alpha, tried)
    loss = targets.loss(left_out)
    rest = bias, scales, targets, left_out, left_out_objects, loss, constant_loss, alpha, tried
    return Teacher(on, tuple(layers), weights, *rest)
