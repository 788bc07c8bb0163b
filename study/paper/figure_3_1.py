"""Figure 3.1: HG-194 as it is, and as classical and proximal scaling make it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from relrbf._options import check_choice
from study.design import Design
from study.paper.compared import compare
from study.table import Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CAPTION = (
    "HG-194, 194 gene products of three families: the relation (a) as it is, (b) after classical "
    "and (c) after proximal multidimensional scaling, as squared dissimilarities, dark where "
    "alike. A deviation is a response less the desired one, over all objects, outputs and "
    "repetitions; what lies beyond ±1.5 is in the last bins. The 194 rows of this relation hold "
    "only 30 distinct ones, and a random split puts a copy of nearly every test object into "
    "training. The paper reports hardly any errors in (a), and accuracies lower by 10 to 14 % in "
    "(b) and by 44 to 48 % in (c)."
)
CAPTION_GENES = (
    "As figure 3.1, with the same relations, but split by whole genes: no gene, and no copy of a "
    "row, is in two parts. The paper has no such split. There are few genes, so the parts "
    "are of uneven size from one repetition to the next."
)
NOTES = {
    "HG-194": "HG-194, split at random",
    "HG-194-genes": "HG-194, split by whole genes",
}


def figure_3_1(
    rows: Sequence[Row], data: str = "HG-194", design: Design | None = None
) -> "Figure | None":
    """Draw figure 3.1 from the rows of a study.

    Parameters
    ----------
    rows : sequence of dict
        From ``run``, ``load_results`` or ``load_table``. Those that failed are left out.
    data : {"HG-194", "HG-194-genes"}, default="HG-194"
        Split at random, as in the paper, or by whole genes.
    design : Design or None, default=None
        The design that gave the rows; None is the paper's study, ``Design()``.

    Returns
    -------
    Figure or None
        None if the rows hold no network on this data set.

    Examples
    --------
    >>> from study import load_results
    >>> from study.paper.figure_3_1 import figure_3_1
    >>> rows = load_results("a-folder-in-which-nothing-was-run")
    >>> figure_3_1(rows) is None
    True
    """
    check_choice("data", data, NOTES)
    return compare(rows, data, design or Design(), NOTES[data])
