"""Networks with a prototype on every object of a support, solved and evaluated in closed form.

With K_ij = kernel(S_ij / s²) and targets T, two penalties are solved for many alphas at once from
one eigendecomposition K = Q diag(v) Q':

    "weights"   |T - K W|² + alpha |W|²            W = K B^-1 T,   B = K² + alpha I
    "norm"      |T - K W|² + alpha tr(W' K W)      W = B^-1 T,     B = K + alpha I

*Leaving an object out has a closed form, prototype and all.* Under the second penalty the response
to an object left out is ``t_i - w_i / (B^-1)_ii``. Under the first, removing row and column i of K
leaves to be inverted the principal minor of B less the square of K's column i; both inverses
are rank-one corrections of B^-1, and the response is

    yhat_i = (p [H T]_i - q [C T]_i - (p h - q²) t_i) / (alpha p² + q²)

    H = K² B^-1,  C = K B^-1,    h = H_ii,  q = C_ii,  p = (B^-1)_ii .

K² is positive whatever K is: the first penalty asks for no Euclidean relation. The second takes
only penalties that exceed the negative part. (The usual formula for ridge regression leaves out the
row only. The object then keeps a prototype of its own, which a new object does not have, and narrow
bandwidths look better than they are.)

Targets are centred at the mean *without* the object: with t = y - mean, that adds the response to a
constant, c_i, times ``w_i t_i / (sum_j w_j - w_i)``. Without it a response that is all penalty is
minus a small multiple of the object's own target, which a model fitted to such responses would
exploit. Weights w of the objects enter as copies would: K becomes sqrt(w) K sqrt(w).
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from relrbf._typing import Array
from relrbf.relations.blocks import spans

ALPHAS = np.logspace(-6, 1, 10)  # relative to the largest eigenvalue of K, or of K²
GIVEN_ALPHAS = np.array([1e-15, 1e30])  # likewise: beyond, a penalty is none, or leaves nothing
MIN_NORM_ALPHA = 1e-5  # relative to the largest eigenvalue of K: with less, rounding tells
MIN_NORM_PENALTY = 2.0  # times the most negative eigenvalue of K
MIN_DIRECTIONS = 10  # that must tell what is left of objects left out; half of all, if fewer
MAX_SOLVED_ENTRIES = 2**20  # of responses, at a time
RESPONSE_ROUNDING = 1e-9  # relative to targets: a system's condition times a number's rounding
ERROR_TIE = 1e-4  # left-out errors closer than this, relatively, are equal


@dataclass(frozen=True, eq=False)
class LeftOut:
    """Output weights under the best penalty, and what leaving objects out says of it."""

    error: float  # weighted mean squared error of responses to objects left out
    responses: Array  # to each object when that one is left out, less the targets' mean (n × g)
    weights: Array  # output weights of the prototypes (m × g)
    alpha: float  # the penalty
    means: Array  # mean activations, which the weights are relative to (m)
    penalty: str = "weights"  # what it is a penalty on: this, or "norm"
    offset: Array | float = 0.0  # what the responses contain besides (g)
    lowest: float = 0.0  # the smallest eigenvalue of K for each object: it grows with their number

    @property
    def bias(self) -> Array:
        """What to add to the sum of activations, besides the targets' mean (g)."""
        return self.offset - self.means @ self.weights


def on_weights(fit: LeftOut) -> LeftOut:
    """Return a fit whose penalty is one on the weights, which every relation allows."""
    return replace(fit, penalty="weights", alpha=fit.alpha**2)


def may_penalise_norm(fit: LeftOut, n_objects: int) -> bool:
    """Tell whether the penalty exceeds the negative part of K also for so many objects."""
    return fit.alpha >= -MIN_NORM_PENALTY * fit.lowest * n_objects


def fit_on_all(
    K: Array, T: Array, w: Array, alpha: float | None = None, shares: Array | None = None
) -> list[LeftOut]:
    """Fit output weights under each penalty, with the alpha that leaves the smallest error.

    K are activations of the objects' prototypes (n × n), T targets less their weighted mean, w
    positive weights of mean one. A given alpha is a penalty on the weights. Shares are those of the
    objects in mean activations; None: all alike.
    """
    is_told = tells_apart(K)
    centred, means, targets = centre(K.copy(), T, w, shares)
    values, Q = np.linalg.eigh(centred)
    del K, centred  # n × n
    work = _Decomposition(values, Q, np.square(Q), Q.T @ targets, targets, is_told)
    top = float(np.abs(values).max()) or 1.0
    if alpha is not None:
        used = float(np.clip(alpha, *(GIVEN_ALPHAS * top**2)))
        found = [replace(_best(work, "weights", [used], T, w, means), alpha=float(alpha))]
    else:
        # near a negative eigenvalue's size, a penalty would multiply what lies along its vector
        lowest = max(MIN_NORM_ALPHA * top, -MIN_NORM_PENALTY * values[0])
        by_weights = _many_directions(np.square(values), ALPHAS * top**2)
        by_norm = _many_directions(values, ALPHAS[ALPHAS * top >= lowest] * top)
        found = [_best(work, "weights", by_weights, T, w, means)]
        found.append(_best(work, "norm", by_norm, T, w, means))
    lowest = float(values[0]) / len(w)
    return [replace(f, weights=without_sum(f.weights, shares), lowest=lowest) for f in found]


def _many_directions(values: Array, alphas: Array) -> Array:
    """Return the penalties under which many eigenvectors tell what is left of objects left out.

    That is ``(B^-1 t)_i / (B^-1)_ii``. Where one eigenvalue of B is far below the others, all are
    nearly ``q't / q_i``, with its vector q: chance makes q't small, and all errors vanish together.
    The smallest belongs to the constant, along which centred targets have nothing.
    """
    values = values[np.argsort(np.abs(values))][min(1, len(values) - 1) :]
    shares = (values.min() + alphas)[:, None] / np.add.outer(alphas, values)  # of B^-1, scaled
    n_directions = np.square(shares.sum(axis=1)) / np.square(shares).sum(axis=1)
    is_many = n_directions >= min(MIN_DIRECTIONS, len(values) / 2)
    return alphas[is_many] if is_many.any() else alphas[-1:]


def tells_apart(K: Array) -> bool:
    """Tell whether the activations of different objects differ, by more than rounding.

    Where they do not, a response is a mean of the others' targets. If weights differ, it is not the
    mean that targets are centred at, and the difference would give away the object's own.
    """
    off_diagonal = K.ravel()[:-1].reshape(len(K) - 1, len(K) + 1)[:, 1:]
    return len(K) > 1 and bool(np.ptp(off_diagonal) > RESPONSE_ROUNDING * np.abs(K).max())


def centre(K: Array, T: Array, w: Array, shares: Array | None) -> tuple[Array, Array, Array]:
    """Return activations centred in place and weighted, their means, and weighted targets.

    A constant target is added as the last column.
    """
    root = np.sqrt(w)[:, None]
    means = K.mean(axis=0) if shares is None else shares @ K
    K -= means
    K -= (means - (means.mean() if shares is None else shares @ means))[:, None]
    K *= root
    K *= root.T
    return K, means, root * np.column_stack([T, np.ones(len(T))])


def without_sum(weights: Array, shares: Array | None) -> Array:
    """Return weights that sum to zero, and as K is centred give the same responses."""
    if shares is None:
        return weights - weights.mean(axis=0)
    return weights - np.multiply.outer(shares, weights.sum(axis=0))


@dataclass(frozen=True, eq=False)
class _Decomposition:
    """K = Q diag(v) Q', the squares of Q, and targets (n × g + 1) whose last column is constant."""

    v: Array
    Q: Array
    squares: Array
    projected: Array
    targets: Array
    tells_apart: bool

    def of(self, columns: slice) -> "_Decomposition":
        """Return that of some of the targets, and the constant."""
        chosen = np.append(np.arange(self.targets.shape[1])[columns], -1)
        return replace(self, projected=self.projected[:, chosen], targets=self.targets[:, chosen])

    def by_weights(self, alpha: float) -> tuple[Array, Array]:
        inverse = 1 / (self.v**2 + alpha)
        p, q = self.squares @ inverse, self.squares @ (self.v * inverse)
        p, q = p[:, None], q[:, None]
        CT = self.Q @ ((self.v * inverse)[:, None] * self.projected)
        HT = self.Q @ ((self.v**2 * inverse)[:, None] * self.projected)
        return left_out_by_weights(HT, CT, p, q, alpha, self.targets), CT

    def by_norm(self, alpha: float) -> tuple[Array, Array]:
        inverse = 1 / (self.v + alpha)
        W = self.Q @ (inverse[:, None] * self.projected)
        return self.targets - W / (self.squares @ inverse)[:, None], W


def left_out_by_weights(
    HT: Array, CT: Array, p: Array, q: Array, alpha: float, targets: Array
) -> Array:
    """Return the responses to objects left out under the first penalty (n × g); p and q (n × 1)."""
    h = 1 - alpha * p
    return (p * HT - q * CT - (p * h - q * q) * targets) / (alpha * p * p + q * q)


def _best(
    work: _Decomposition, penalty: str, alphas: Any, T: Array, w: Array, means: Array
) -> LeftOut:
    """Return the solution with the smallest error; of equal ones that of the largest penalty.

    Columns of T are independent: some at a time, so that many classes take little memory.
    """
    root, total = np.sqrt(w)[:, None], float(w.sum())
    parts = list(spans(T.shape[1], max(MAX_SOLVED_ENTRIES // len(T), 1)))

    def solve(some: _Decomposition, part: slice, alpha: float) -> tuple[Array, Array]:
        left_out, W = some.by_weights(alpha) if penalty == "weights" else some.by_norm(alpha)
        return recentred(left_out / root, T[:, part], w, total, some.tells_apart), W

    errors = np.zeros(len(alphas))
    for part in parts:
        some = work.of(part)
        for k, alpha in enumerate(alphas):
            errors[k] += left_out_error(solve(some, part, alpha)[0], T[:, part], w)
    best = 0
    for k in range(len(alphas)):
        best = k if errors[k] <= (1 + ERROR_TIE) * errors[best] else best
    responses, weights = np.empty_like(T), np.empty_like(T)
    for part in parts:
        responses[:, part], W = solve(work.of(part), part, alphas[best])
        weights[:, part] = root * W[:, :-1]
    error, alpha = float(errors[best]), float(alphas[best])
    return LeftOut(error, responses, weights, alpha, means, penalty)


def recentred(left_out: Array, T: Array, w: Array, total: float, tells_apart: bool) -> Array:
    """Return responses as if the targets' mean had been taken without the object left out.

    The last column of ``left_out`` (n × g + 1) is the response to a constant, ``total`` the weight
    of all objects. What is rounding becomes zero, and all where activations tell nothing apart.
    """
    share = (w / _of_others(w, total))[:, None] if total > w.max(initial=0) else 0.0
    responses = left_out[:, :-1] + share * T * left_out[:, -1:]
    is_more = np.abs(responses) > RESPONSE_ROUNDING * np.abs(T).max(initial=0)
    return np.where(is_more & tells_apart, responses, 0)


def actual_targets(T: Array, w: Array) -> Array:
    """Return targets less the mean of all objects as targets less the mean of the others."""
    total = float(w.sum())
    return T * (total / _of_others(w, total))[:, None] if len(w) > 1 else T


def _of_others(w: Array, total: float) -> Array:
    """Return the weight of all objects but each, at least as much as rounding leaves of it."""
    return np.maximum(total - w, float(np.finfo(w.dtype).eps) * total)


def left_out_error(responses: Array, T: Array, w: Array) -> float:
    """Return the weighted mean squared error, the mean being that of the other objects."""
    errors = np.square(actual_targets(T, w) - responses).sum(axis=1)
    return float(w @ errors / w.sum())
