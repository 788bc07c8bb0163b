"""What classifier and regressor share.

``fit``: gate → relation → space → first network → trainer → result → attributes.
``predict``: gate → dissimilarities to the support → squared distances → network.
"""

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.callback import CallbackSupportMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from relrbf._options import is_auto
from relrbf._typing import Array
from relrbf.autotune import Choice, explain, may_double
from relrbf.base import Progress, RelationalEstimator, check_responses
from relrbf.estimators.settling import Task, settle
from relrbf.estimators.start import first_prototypes, n_prototypes_of
from relrbf.estimators.validation import check_kernel, check_room_to_grow
from relrbf.estimators.warm import LastFit
from relrbf.network import Loss, Network, SquaredError
from relrbf.prototypes import (
    MedoidSpace,
    Prototypes,
    RelationalSpace,
    Space,
    SupportSpace,
    VectorSpace,
)
from relrbf.relations.base import Relation
from relrbf.relations.blocks import cores_for
from relrbf.relations.inputs import make_source
from relrbf.relations.validation import as_matrix
from relrbf.training import InitialState, Problem, Result

ENOUGH_TO_JUDGE = 50  # objects of a validation part, for the probabilities to follow them


@dataclass(frozen=True, eq=False)
class Start:
    """What training starts from; ``state`` where it goes on."""

    network: Network
    prototypes: Prototypes
    alpha: float
    state: Any = None


@dataclass(frozen=True, eq=False)
class Judged:
    """Responses by which a network is judged, with targets and weights of the objects.

    ``n_labels`` counts copies of an object, which ``weights`` (summing to one) hold as one.
    """

    responses: Array
    targets: Array
    weights: Array
    n_labels: float


class RBFNetwork(
    ClassNamePrefixFeaturesOutMixin, TransformerMixin, CallbackSupportMixin, RelationalEstimator
):
    """Base of the estimators: everything but the meaning of y."""

    def __init__(
        self,
        n_prototypes: int | str = "auto",
        *,
        max_prototypes: int | None = None,
        space: str = "relational",
        metric: Any = "precomputed",
        metric_params: dict[str, Any] | None = None,
        exponent: float | str = "auto",
        kernel: Any = "gaussian",
        init: Any = "k-means",
        solver: Any = "auto",
        alpha: float | str = "auto",
        n_support: int | float | str | None = "auto",
        max_iter: int = 200,
        tol: float = 1e-5,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        warm_start: bool = False,
    ) -> None:
        self.n_prototypes = n_prototypes
        self.max_prototypes = max_prototypes
        self.space = space
        self.metric = metric
        self.metric_params = metric_params
        self.exponent = exponent
        self.kernel = kernel
        self.init = init
        self.solver = solver
        self.alpha = alpha
        self.n_support = n_support
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.warm_start = warm_start

    def _train(
        self, X: Any, relation: Relation, Y: Array, weights: Array, *, has_classes: bool
    ) -> Judged:
        """Train on targets Y (n × g), one column per class or output; set the attributes."""
        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31))
        n_before = relation.n_evaluations
        last: LastFit | None = getattr(self, "_last", None) if self.warm_start else None
        if last is not None:
            last.check_options(self.get_params(deep=False), relation.n_objects)
        with cores_for(relation.n_objects, nullcontext()):
            task = settle(self, relation, Y, weights, has_classes, last, rng)
        given, relation = relation, self._take_reading(task.overview.relation, task.choice.exponent)
        with self._multiplying(relation, task.choice), Progress(self, X) as progress:
            problem = self._make_problem(X, relation, task)
            if last is not None:
                last.check_problem(problem, task.total)
            start = self._begin(problem, X, relation, task, last, rng)
            result = task.trainer.train(
                replace(problem, alpha=start.alpha),
                InitialState(start.network, start.prototypes, start.state),
                max_iter=self.max_iter,
                tol=self.tol,
                on_epoch=progress,
                max_prototypes=self.max_prototypes,
                rng=rng,
            )
            self._remember(result, task, start.alpha, problem)
        distills = task.choice.evidence is not None
        self.alpha_ = task.choice.alpha if distills else start.alpha * task.scale
        self._keep(result, X, given)
        self.n_evaluations_ = given.n_evaluations - n_before
        self._choices = explain(self, task.choice, result)
        return self._judged(task)

    def _make_problem(self, X: Any, relation: Relation, task: Task) -> Problem:
        return Problem(
            self._make_space(X, relation, task.training, task.choice),
            task.choice.targets.astype(relation.dtype),
            task.training,
            np.nan if is_auto(self.alpha) else float(self.alpha) / task.scale,
            self._make_loss(),
            task.validation,
            task.choice.bandwidth,
            task.choice.noise,
            self._unit_sq(relation, task.training, task.choice),
        )

    def _judged(self, task: Task) -> Judged:
        """Return responses in which the objects' own targets have no part, if there are any."""
        evidence, n_training = task.choice.evidence, float(np.count_nonzero(task.training))
        if evidence is not None:
            return Judged(evidence.left_out, task.Y, task.training, max(task.total, n_training))
        responses = self._network.forward(self.prototypes_.distances_sq).responses
        watching = task.validation
        if watching is not None and np.count_nonzero(watching) >= ENOUGH_TO_JUDGE:
            return Judged(responses, task.Y, watching, float(np.count_nonzero(watching)))
        return Judged(responses, task.Y, task.training, n_training)

    def _begin(
        self,
        problem: Problem,
        X: Any,
        relation: Relation,
        task: Task,
        last: LastFit | None,
        rng: np.random.Generator,
    ) -> Start:
        """Return the first network, or where the last fit stopped."""
        if last is not None:
            state = last.state.continued()
            check_room_to_grow(self.max_prototypes, len(state.point.prototypes))
            return Start(state.initial.network, state.initial.prototypes, last.alpha, state)
        trainer, choice, memberships = task.trainer, task.choice, task.memberships
        kernel, space = check_kernel(self.kernel), problem.space
        wanted = n_prototypes_of(self, memberships, choice)
        while True:
            A = first_prototypes(self, space, X, relation, memberships, choice, wanted, rng)
            check_room_to_grow(self.max_prototypes, len(A))
            prototypes = space.place(A)
            network, alpha = trainer.initial_network(problem, kernel, prototypes, rng)
            wanted *= 2
            if not is_auto(self.n_prototypes) or not may_double(len(A), wanted, choice):
                break
            if not trainer.underfits(replace(problem, alpha=alpha), network, prototypes):
                break
        return Start(network, prototypes, alpha)

    def _remember(self, result: Result, task: Task, alpha: float, problem: Problem) -> None:
        """Keep what a further fit needs, where one is announced."""
        self.__dict__.pop("_last", None)
        if self.warm_start:
            params, identity = self.get_params(deep=False), problem.identity()
            looked_at = task.overview.looked_at
            kept = task.watching, looked_at, task.choice.support, alpha, task.total
            self._last = LastFit(result.state, *kept, params, identity)

    def _standardised(self, Y: Array, weights: Array) -> Array:
        """Return the targets in the units in which the network learns them."""
        return Y

    def _make_loss(self) -> Loss:
        return SquaredError()

    def _multiplying(self, relation: Relation, choice: Choice) -> AbstractContextManager[Any]:
        """Return the context for products with S, or with the support's part of it."""
        is_whole = len(choice.support) == relation.n_objects
        usual = relation.multiplying() if is_whole else nullcontext()
        return cores_for(relation.n_objects, usual)

    def _unit_sq(self, relation: Relation, weights: Array, choice: Choice) -> float | None:
        """Measure the mean squared dissimilarity on the support, where that is not all objects."""
        support = choice.support
        if len(support) >= np.count_nonzero(weights):
            return None
        shares = weights[support] / weights[support].sum()
        return max(float(shares @ relation.block_sq(support, support) @ shares), 0.0)

    def _make_space(self, X: Any, relation: Relation, weights: Array, choice: Choice) -> Space:
        if self.space == "vector":
            return VectorSpace(as_matrix(X), relation.ids)
        is_whole = len(choice.support) >= np.count_nonzero(weights)
        candidates = np.zeros(relation.n_objects, dtype=bool)
        # coefficients that were given may lie on any object
        candidates[
            slice(None) if is_whole and not isinstance(self.init, str) else choice.support
        ] = True
        if self.space == "medoid":
            return MedoidSpace(relation, candidates)
        is_euclidean = self.relation_report_.has_vector_dual[int(choice.exponent)]
        if not is_whole:
            return SupportSpace(relation, choice.support, is_euclidean)
        return RelationalSpace(relation, candidates, is_euclidean)

    def _keep(self, result: Result, X: Any, relation: Relation) -> None:
        self.prototypes_ = result.prototypes
        self.support_ = result.prototypes.support
        self.bandwidths_ = result.network.bandwidths
        self.n_iter_ = result.n_iter
        self.status_ = result.status
        self.history_ = result.history
        self._network = result.network
        self._source = make_source(X, relation, self, self.support_, self.exponent_)

    def _activate(self, X: Any) -> Array:
        """Return the hidden layer's activations for new objects (c × m)."""
        queries = self._query(X)
        activations = np.empty((len(self.prototypes_), len(queries)), dtype=self.bandwidths_.dtype)
        with np.errstate(over="ignore", invalid="ignore"):  # see check_responses
            for rows in queries.row_blocks():
                distances_sq = self.prototypes_.distances_sq_to(queries.read(rows))
                activations[:, rows] = self._network.forward(distances_sq).activations
        return activations

    def _respond(self, X: Any) -> Array:
        """Return the responses of the output layer for new objects (m × g)."""
        activations = self._activate(X)
        with np.errstate(over="ignore", invalid="ignore"):
            return check_responses(activations.T @ self.weights_ + self.bias_)

    def transform(self, X: Any) -> Array:
        """Return the activation of every prototype: a new representation of the objects.

        Parameters
        ----------
        X : array of shape (m, n)
            As in ``predict``.

        Returns
        -------
        ndarray of shape (m, c)
        """
        return self._activate(X).T

    def compact(self) -> Self:
        """Return an equivalent fitted estimator that needs only the support.

        With ``metric="precomputed"`` its input has one column for each object of ``support_``:
        ``model.compact().predict(D_new[:, model.support_])``. With any other metric the input
        stays what it is.
        """
        small = self._narrowed()
        small.__dict__.pop("_last", None)  # there is nothing to go on from without the others
        small.prototypes_ = self.prototypes_.compact()
        small.support_ = small.prototypes_.support
        return small

    def explain_choices(self) -> str:
        """Say what was left to the estimator, what it chose, and on what evidence.

        Returns
        -------
        str
            One line per choice, with the leave-one-out errors that were compared.
        """
        check_is_fitted(self)
        return self._choices

    @property
    def _n_features_out(self) -> int:
        return len(self.prototypes_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
