"""The parameters and attributes that several estimators share, documented once."""

from collections.abc import Callable
from typing import TypeVar

from relrbf._utils import filled

T = TypeVar("T", bound=type)

PARAMETERS = """Parameters
    ----------
    n_prototypes : int or "auto", default="auto"
        Number of prototypes. "auto": one for every ten distinct objects, at least two per class;
        of very few objects nearly all, at most 128; twice as many where those are too few.
    max_prototypes : int or None, default=None
        Prototypes are added up to this number where the network is most wrong, whenever the error
        of a validation part keeps rising (see ``solver``). None: no growth.
    space : {"relational", "vector", "medoid"}, default="relational"
        Where prototypes live: affine combinations of objects; points among feature vectors (X are
        then feature vectors, and distances Euclidean); or objects themselves.
    metric : str, callable or Relation, default="precomputed"
        "precomputed": X are dissimilarities. Any other metric of scikit-learn's
        ``pairwise_distances``: X are feature vectors. A function of two objects: X is a list of
        objects of any kind, or feature vectors. A ``Relation``: X is a column of positions of
        objects in it, or of their names.
    metric_params : dict or None, default=None
        Passed to the metric.
    exponent : {2, 1, "auto"}, default="auto"
        2 when dissimilarities are distances, 1 when they are already squared distances. "auto": the
        reading under which vectors exist (``relation_report_``), 2 where both do; where neither
        does, the one with the smaller leave-one-out error.
    kernel : str or Kernel, default="gaussian"
        "gaussian", "multiquadric", "inverse-multiquadric", "rational-quadratic", "polynomial", or
        a ``relrbf.network.Kernel``.
    init : str or array of shape (c, n), default="k-means"
        First prototypes. "k-means": means of relational k-means clusters, from k-means++ seeds;
        the quasi-Newton solver has responses clustered beside the relation.
        "random-partition": the same from a random partition. "fuzzy": prototypes of relational
        fuzzy c-means. "class": class means. "random": random averages within the classes. An array:
        coefficients whose rows sum to one.
    solver : {"auto", "lbfgs", "gradient-descent"} or Trainer, default="auto"
        How to train. "lbfgs": ``relrbf.training.LBFGS()``. "gradient-descent":
        ``relrbf.training.GradientDescent()``, the paper's protocol, which splits off a validation
        set. "auto": the first, or ``GradientDescent.curvature_scaled()`` for what it cannot do:
        growth, medoids, cross-entropy.
    alpha : float or "auto", default="auto"
        Ridge penalty on the output weights, on the scale of ``sklearn.linear_model.Ridge``; where
        the network distills the full network, on that one's. "auto": the best of fifteen by
        leave-one-out, in closed form; 0 where the first weights are drawn.
    n_support : int, float, None or "auto", default="auto"
        Objects that may carry coefficients, and that a prediction needs: so many, this part of
        them, or None for all. "auto": all up to a thousand, 500 of more. Where it is less than a
        third of the objects, a fit looks at their dissimilarities to all and at few others.
    max_iter : int, default=200
        Most epochs to train.
    tol : float, default=1e-05
        Training stops when the objective falls by less than this fraction for ten epochs.
    random_state : int, RandomState instance or None, default=None
        Seeds the first prototypes, and whatever the solver draws.
    n_jobs : int or None, default=None
        Processes that compute dissimilarities when ``metric`` is not "precomputed".
    verbose : int, default=0
        1 prints ten lines per fit, 2 one per epoch.
    warm_start : bool, default=False
        Go on from where the last fit of the same data stopped, for at most ``max_iter`` more
        epochs: the result is that of one longer fit. Set it before the first of them."""

ATTRIBUTES = """Attributes
    ----------
    prototypes_ : Prototypes
        ``.coefficients`` (c × n), ``.distances_sq`` (c × n), ``.nearest()``.
    bandwidths_ : ndarray of shape (c,)
        One bandwidth per prototype, in the units of the dissimilarities (of their square root with
        exponent 1).
    weights_, bias_ : ndarrays of shape (c, g) and (g,)
        The output layer.
    support_ : ndarray of int
        Training objects whose dissimilarities a prediction needs; empty in vector space.
    exponent_, alpha_ : float
        What was used.
    n_iter_ : int
        Epochs trained.
    status_ : Status
        How training ended; its value is advice.
    history_ : History
        Objective, validation error and number of prototypes, epoch by epoch; which steps were
        rejected; when and where prototypes were added.
    relation_report_ : RelationReport
        What was found about the dissimilarities; prints as text.
    n_evaluations_ : int
        Pairs of objects that a measure was asked for; 0 where all was known.
    n_features_in_ : int
        Columns of X at fit; not there for objects that are no feature vectors.
    feature_names_in_ : ndarray of str
        Names of the columns of X, when X is a frame whose columns are all named by strings."""


def documented(**more: str) -> Callable[[T], T]:
    """Fill ``{parameters}`` and ``{attributes}`` in a network's docstring."""
    return filled(
        parameters=PARAMETERS + more.get("parameters", ""),
        attributes=ATTRIBUTES + more.get("attributes", ""),
    )
