"""Figure 3.2: PC-102 as it is, and as classical and proximal scaling leave it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from study.design import Design
from study.paper.compared import compare
from study.table import Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CAPTION = (
    "PC-102, 102 prostate samples: the relation (a) as it is, (b) after classical and (c) after "
    "proximal multidimensional scaling; panels as in figure 3.1. The paper does not say enough of "
    "its relation to rebuild it; this is the common-source relation of the 5,966 genes that vary. "
    "Read as squared distances it is Euclidean already, so that both scalings leave it as it is: "
    "the relations, splits and first networks in (a), (b) and (c) are the same, and only rounding "
    "can tell them apart. The paper reports about one error per test part in (a), and accuracies "
    "lower by 6 to 20 % in (b) and by 36 to 40 % in (c), which cannot be so on this relation."
)


def figure_3_2(rows: Sequence[Row], design: Design | None = None) -> "Figure | None":
    """Draw figure 3.2 from the rows of a study.

    Parameters
    ----------
    rows : sequence of dict
        From ``run``, ``load_results`` or ``load_table``. Those that failed are left out.
    design : Design or None, default=None
        The design that gave the rows; None is the paper's study, ``Design()``.

    Returns
    -------
    Figure or None
        None if the rows hold no network on PC-102.

    Examples
    --------
    >>> from study import load_results
    >>> from study.paper.figure_3_2 import figure_3_2
    >>> rows = load_results("a-folder-in-which-nothing-was-run")
    >>> figure_3_2(rows) is None
    True
    """
    return compare(rows, "PC-102", design or Design(), "PC-102, split at random")
