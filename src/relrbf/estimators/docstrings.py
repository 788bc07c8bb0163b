"""The parameters and attributes that classifier and regressor share, documented once."""

from collections.abc import Callable
from typing import TypeVar

from relrbf._utils import filled
from relrbf.base import METRIC, N_JOBS

T = TypeVar("T", bound=type)

PARAMETERS = f"""Parameters
    ----------
    n_prototypes : int, "auto" or "all", default="auto"
        Number of prototypes. "auto": a sixteenth, an eighth or a quarter of the objects, the first
        with which the network answers as its teacher does (see ``solver``), or else all of the
        teacher's, a few on every object. "all": those in any case.
    max_prototypes : int or None, default=None
        Prototypes are added up to this number, where the network errs most, whenever the error
        on a validation set keeps rising (see ``solver``). None: no growth.
    space : {{"relational", "vector", "medoid"}}, default="relational"
        Where prototypes live: affine combinations of objects; points among feature vectors (X are
        then feature vectors, and distances Euclidean); or objects themselves.
    {METRIC}
    exponent : float or "auto", default="auto"
        2 when dissimilarities are distances, 1 when they are already squared distances; any other
        power of them may be given. "auto": that of 2 and 1 under which vectors exist
        (``relation_report_``), 2 where both do; where neither does, the one that is nearer to it.
    kernel : str or Kernel, default="gaussian"
        "gaussian", "multiquadric", "inverse-multiquadric", "rational-quadratic", "polynomial", or
        a ``relrbf.network.Kernel``. With "gaussian" a teacher may have exponentials of a distance
        beside Gaussians (``relrbf.network.GeneralizedGaussian``).
    init : str or array of shape (c, n), default="k-means"
        First prototypes. "k-means": means of relational k-means clusters, from k-means++ seeds;
        L-BFGS clusters objects and targets together. "random-partition": the same from a random
        partition. "fuzzy": prototypes of relational fuzzy c-means. "class": class means. "random":
        random averages within the classes. An array: coefficients whose rows sum to one.
    solver : {{"auto", "lbfgs", "gradient-descent"}} or Trainer, default="auto"
        How to train. "lbfgs": ``relrbf.training.LBFGS()``, which learns from a *teacher*:
        networks with prototypes on every object, at several scales, solved in closed form and
        combined by what they say of objects left out. "gradient-descent":
        ``relrbf.training.GradientDescent()``, the paper's protocol, which splits off a validation
        set. "auto": the first, or ``GradientDescent.curvature_scaled()`` for what it cannot do:
        growth, medoids, cross-entropy.
    alpha : float or "auto", default="auto"
        Ridge penalty on the output weights, on the scale of ``sklearn.linear_model.Ridge``; with
        distillation, the teacher's. "auto": the best of ten by leave-one-out, in closed form; 0
        where the first weights are drawn.
    n_support : int, float, None or "auto", default="auto"
        Number or fraction of the objects that may carry coefficients, and that a prediction needs;
        None for all. "auto": all up to 10,000 in memory, and of more as many as lower the error on
        objects held out, at most 2,000; with a given number of prototypes, and on a disk, all up to
        2,500; where a measure computes dissimilarities, all up to a thousand and 500 of more. A
        support of less than a third of the objects is drawn first, and a fit reads little more than
        its rows.
    max_iter : int, default=200
        Maximum number of epochs. L-BFGS usually stops early (see ``relrbf.training.LBFGS``).
    tol : float, default=1e-05
        Training stops when the objective falls by less than this fraction for ten epochs.
    random_state : int, RandomState instance or None, default=None
        Seeds the first prototypes, and whatever the solver draws.
    {N_JOBS}
    verbose : int, default=0
        1 prints ten lines per fit, 2 one per epoch.
    warm_start : bool, default=False
        Continue the last fit of the same data, for at most ``max_iter`` more epochs: the result is
        that of one longer fit. Set it before the first of them. With a teacher (``solver="auto"``)
        there is nothing to continue, and every fit starts anew."""

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
        The exponent and the ridge penalty of the fit.
    n_iter_ : int
        Epochs trained.
    status_ : Status
        Why training ended; its value says what to do.
    history_ : History
        Objective, validation error and number of prototypes, epoch by epoch; which steps were
        rejected; when and where prototypes were added.
    relation_report_ : RelationReport
        What was found about the dissimilarities; prints as text.
    n_evaluations_ : int
        Pairs of objects that a measure was evaluated on; 0 where all was known.
    n_features_in_ : int
        Columns of X at fit; missing for objects that are not feature vectors.
    feature_names_in_ : ndarray of str
        Names of the columns of X, when X is a frame whose columns are all named by strings."""


def documented(**more: str) -> Callable[[T], T]:
    """Fill ``{parameters}`` and ``{attributes}`` in a network's docstring."""
    return filled(
        parameters=PARAMETERS + more.get("parameters", ""),
        attributes=ATTRIBUTES + more.get("attributes", ""),
    )
